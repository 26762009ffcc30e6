"""A score per item, such as right or wrong, a share of tests passed, a judge's mark: its mean with an interval.

A mean of bounded scores is a share of a kind, of which Wilson's interval holds near the ends, where Student's t does
not. What differs is how much an item tells: scores between the ends vary less than right and wrong do. Differences of
two systems on the same items are `comparison.py`'s, with `mean_metric`; a chance of repeats is in `attempts.py`.
"""

from __future__ import annotations

import math

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, group_codes
from goldproof.statistics.clusters import effective_clusters, t_tail
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson_bounds
from goldproof.statistics.metrics import Items, Metric
from goldproof.statistics.runs import summarise_values


def item_scores_interval(
    scores: Array,
    clusters: Array | None = None,
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
    repeats: bool = False,
) -> Estimate:
    """The interval of the mean of a score that each item has (items, or runs × items), over new items and new runs.

    Wilson's interval at the effective number of items n·m(1 − m)/s², with m and s² of the items' means over runs, on
    a scale from 0 to 1. In that ratio, and nowhere else, one more item is at 0 and one at 1: a few that happen to
    score alike do not pass for certainty. Clusters and runs divide it by how much more they vary than
    independent items would; the quantile is Student's. With `repeats` the runs are the same system asked again, where
    nothing is shared by all answers of a run: the items' means over repeats are all that matters.

    >>> estimate = item_scores_interval(np.array([1, 1, 0.5, 1, 0.5, 1, 1, 1, 0, 1]))
    >>> round(estimate.value, 2), round(estimate.low, 2), round(estimate.high, 2)
    (0.8, 0.47, 0.95)
    """
    table = _scaled(scores, bounds)
    n = table.shape[1]
    codes = group_codes(clusters, n)
    groups, value = int(codes.max()) + 1, float(table.mean())
    low_end, width = bounds[0], bounds[1] - bounds[0]
    if groups < 2:
        reason = "one item only" if n < 2 else "all items belong to one cluster"
        return Estimate(low_end + width * value, math.nan, math.nan, f"no interval: {reason}", n, level)
    over = _over(len(table), repeats)
    effective, quantile = _effective_items(table.mean(axis=0)[None] if repeats else table, codes, level)
    low, high = wilson_bounds(value, effective, quantile)
    clustered = "" if clusters is None else f", {groups} clusters"
    method = f"Wilson, effective n {effective:.0f}; {over}{clustered}"
    return Estimate(low_end + width * value, low_end + width * low, low_end + width * high, method, n, level)


def mean_metric(bounds: tuple[float, float] = (0.0, 1.0)) -> Metric:
    """The mean of a score per item as a `Metric`; gold is not looked at.

    >>> mean_metric()(np.zeros(4), np.array([0.0, 0.5, 1.0, 1.0]))
    0.625
    """
    return Metric("score", *bounds, _encode_scores, _mean_of_sums, _no_pseudo)


def _encode_scores(gold: Array, scores: Array) -> Items:
    values, index = np.unique(np.asarray(scores, float), return_inverse=True)
    return Items(np.stack([values, np.ones(len(values))], axis=1), index.reshape(np.shape(scores)).astype(np.int64))


def _mean_of_sums(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _no_pseudo(sums: FloatArray) -> FloatArray:
    return np.zeros(1)


def _scaled(scores: Array, bounds: tuple[float, float]) -> FloatArray:
    table = np.atleast_2d(np.asarray(scores, float))
    low, high = bounds
    if not low < high or not table.size or not ((table >= low) & (table <= high)).all():
        raise UsageError(
            f"scores must be numbers from {low:g} to {high:g}, one for each item; got {_range_text(table)}"
        )
    return np.asarray((table - low) / (high - low))


def _over(n_runs: int, repeats: bool) -> str:
    if n_runs == 1:
        return "items only, one run"
    return f"items, means of {n_runs} repeats" if repeats else f"{n_runs} runs × items, variance components"


def _range_text(table: FloatArray) -> str:
    return f"{table.min():g} to {table.max():g}" if table.size else "none"


def _effective_items(table: FloatArray, codes: Array, level: float) -> tuple[float, float]:
    """How many items of right or wrong would tell as much, and the quantile that goes with it."""
    means, n = table.mean(axis=0), table.shape[1]
    summary = summarise_values(table, np.asarray(codes, np.int64))
    variance, alone = summary.variance(), float(means.var(ddof=1)) / n
    ratio = _ratio(means)
    if alone < 1e-15:
        return effective_clusters(summary.shares) * ratio, t_tail(1 - level, variance.item_df)
    total = max(variance.total, alone)
    return n * ratio * alone / total, variance.half_width(level) / math.sqrt(variance.total)


def _ratio(means: FloatArray) -> float:
    """How many items of right or wrong an item is worth: m(1 − m)/s², with one item more at 0 and one at 1."""
    more = np.concatenate([means, [0.0, 1.0]])
    centre = float(more.mean())
    return centre * (1 - centre) / float(more.var(ddof=1))
