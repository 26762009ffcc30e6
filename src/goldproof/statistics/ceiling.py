"""Intervals of MCC, F1 and the like where runs are right, or wrong, almost everywhere: no narrower than accuracy's.

There the delta method knows too little: items of which no run got one wrong have no variance but that of a few
pseudo-items, however many runs share them. Wilson's interval of accuracy says how many errors such items still allow;
the score with so many errors bounds the interval. It only ever widens one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.many_labels import LabelSums
from goldproof.statistics.metrics import Metric

FEW = 5.0
"""So many wrong items in a run, in the mean, are too few for the delta method; the usual rule for a proportion."""

_RIGHT = 0.8


def is_near_ceiling(right: float, n: float) -> bool:
    """Whether a share of n items that are right lies at the boundary: few wrong ones, or none right.

    >>> is_near_ceiling(1.0, 12), is_near_ceiling(0.75, 12), is_near_ceiling(0.95, 1000), is_near_ceiling(0.0, 12)
    (True, False, False, True)
    """
    return (right > _RIGHT and (1 - right) * n < FEW) or right * n < 1e-9


def rows_right(metric: Metric, rows: Any) -> FloatArray:
    """Of each pattern whether its item is right: 1 or 0."""
    k = metric.n_classes
    right = rows[:, :k].sum(axis=1) if metric.many is not None else rows[:, :: k + 1].sum(axis=1)
    return np.asarray(right, float)


def score_at(metric: Metric, sums: FloatArray, right: float) -> float:
    """The score of a confusion table if this share of its items were right, the errors as they are distributed now.

    Where there are none now, each class has them by its share of gold and takes them for the others by theirs.

    >>> from goldproof.statistics.metrics import metric
    >>> round(score_at(metric("mcc"), np.array([6.0, 0.0, 0.0, 6.0]), 0.75), 3)
    0.5
    """
    hits, gold = _hits(metric, sums), metric.gold_counts(sums)
    n, n_right = float(gold.sum()), float(hits.sum())
    wrong = sums - _right(metric, hits)
    part_right = _right(metric, hits / n_right if n_right > 0 else gold / n)
    part_wrong = wrong / (n - n_right) if n - n_right > 1e-9 * n else _wrong(metric, gold / n)
    return float(metric.score(right * part_right + (1 - right) * part_wrong))


def has_ceiling(metric: Metric) -> bool:
    """Whether a score is made of right and wrong answers and is not their share itself."""
    return metric.n_classes >= 2 and metric.name != "accuracy"


def widened(
    metric: Metric, sums: FloatArray, by_accuracy: tuple[float, float], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Bounds of a score that are no narrower than those of accuracy allow, from the sums (of runs, their mean)."""
    ends = [score_at(metric, sums, right) for right in by_accuracy]
    low, high = min(bounds[0], *ends), max(bounds[1], *ends)
    return max(low, metric.low), min(high, metric.high)


def _hits(metric: Metric, sums: FloatArray) -> FloatArray:
    if metric.many is not None:
        return LabelSums.of_flat(sums).hits
    return np.asarray(np.diagonal(sums.reshape(metric.n_classes, metric.n_classes)))


def _right(metric: Metric, hits: FloatArray) -> FloatArray:
    """The features of items that are right, from how many each class has."""
    return np.concatenate([hits, hits, hits]) if metric.many is not None else np.diag(hits).ravel()


def _wrong(metric: Metric, gold: FloatArray) -> FloatArray:
    """The features of items that are wrong, from the shares of gold: each is taken for other classes by theirs."""
    others = 1 - gold
    given = gold / np.where(others > 0, others, 1.0)
    if (gold > 0).sum() < 2:
        table_of_one = np.where(gold > 0, 0.0, 1 / (len(gold) - 1))
        predicted, table = table_of_one, np.outer(gold, table_of_one)
    else:
        predicted = gold * (given.sum() - given)
        table = np.empty(0) if metric.many is not None else np.outer(given, gold) - np.diag(given * gold)
    if metric.many is not None:
        return np.concatenate([np.zeros_like(gold), gold, predicted])
    return np.asarray(table.ravel())
