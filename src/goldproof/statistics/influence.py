"""First-order (delta-method) variance of any `Metric`, for independent or clustered items.

The influence of item i is what the score moves by when the item's weight grows: g·(x_i − x̄), with x_i its features
and g the gradient of the score at the mean features. The variance of the score is that of the mean influence
(Hampel 1974; for clusters, Liang & Zeger 1986). A few pseudo-items (see `Metric.pseudo`) keep the gradient finite
at empty cells. No intervals here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.statistics.arrays import FloatArray, IntArray
from goldproof.statistics.clusters import cluster_shares, cluster_variance
from goldproof.statistics.many_labels import LabelSums, ManyLabels, pseudo_squares, pseudo_sums, score_gradient
from goldproof.statistics.metrics import Items, Metric


@dataclass(frozen=True, slots=True)
class Linearised:
    """A score with its influence on first order.

    `value` is the score, `centre` the score with the pseudo-items, `influence` one number for each pattern, `total`
    the number of items and pseudo-items, `pseudo_squares` the pseudo-items' sum of squared influence.
    """

    value: float
    centre: float
    influence: FloatArray
    total: float
    pseudo_squares: float


def linearise(metric: Metric, rows: Any, counts: FloatArray, n_runs: int = 1) -> Linearised:
    """The score and the influence of each pattern, from how many items have each pattern.

    Several runs share the pseudo-items, whose small bias would otherwise not average out.

    >>> from goldproof.statistics.metrics import metric
    >>> linearise(metric("accuracy"), np.eye(4), np.array([30.0, 20.0, 10.0, 40.0])).value
    0.7
    """
    if metric.many is not None:
        return _linearise_many(metric, metric.many, rows, counts, n_runs)
    sums = counts @ rows
    pseudo = np.broadcast_to(metric.pseudo(sums) / n_runs, counts.shape)
    total = float(counts.sum() + pseudo.sum())
    mean = (counts + pseudo) @ rows / total
    influence = (rows - mean) @ _gradient(metric, mean)
    pseudo_squares = float(pseudo @ influence**2) if pseudo.any() else 0.0
    return Linearised(float(metric.score(sums)), float(metric.score(mean)), influence, total, pseudo_squares)


def _linearise_many(metric: Metric, many: ManyLabels, rows: Any, counts: FloatArray, n_runs: int) -> Linearised:
    """The same from hits and margins, where the labels are too many for the cells of a table."""
    sums = counts @ rows
    added = many.pseudo_items / n_runs
    of_labels = LabelSums.of_flat(sums)
    total = float(counts.sum()) + added
    mean = (sums + pseudo_sums(of_labels, added).flat()) / total
    gradient = score_gradient(many.name, LabelSums.of_flat(mean), many.unscored)
    level = float(mean @ gradient.flat())
    present = of_labels.gold + of_labels.predicted > 0
    return Linearised(
        float(metric.score(sums)),
        float(metric.score(mean)),
        np.asarray(rows @ gradient.flat()) - level,
        total,
        pseudo_squares(present, gradient, level, added),
    )


def sampling_variance(linear: Linearised, counts: FloatArray) -> float:
    """Variance of the score over samples of independent items, from how many items have each pattern.

    V = (n/(n−1)·Σ u_i² + pseudo-items) / N², with u_i the influence of item i.
    """
    n = float(counts.sum())
    return (float(counts @ linear.influence**2) * n / (n - 1) + linear.pseudo_squares) / linear.total**2


def clustered_variance(linear: Linearised, index: IntArray, clusters: IntArray) -> float:
    """Variance of the score over samples of whole clusters, given each item's pattern and cluster (codes 0, 1, …).

    CR2 (see `clusters.py`): V = (Σ_g u_g²/(1 − w_g) + pseudo-items) / N², with u_g the summed influence of cluster g
    and w_g its share of the items.
    """
    summed = np.bincount(clusters, weights=linear.influence[index]).astype(float)
    return (cluster_variance(summed, cluster_shares(clusters)) + linear.pseudo_squares) / linear.total**2


def linearise_runs(metric: Metric, items: Items) -> list[Linearised]:
    """`linearise` for each run of items that have a run axis (runs × items)."""
    counts = items.counts()
    return [linearise(metric, items.rows, of_run, len(counts)) for of_run in counts]


def _gradient(metric: Metric, mean: FloatArray) -> FloatArray:
    """Gradient of the score at the mean features, by central differences."""
    step = 1e-6 * np.maximum(np.abs(mean), 1e-2)
    up, down = mean + np.diag(step), mean - np.diag(step)
    with np.errstate(invalid="ignore"):
        return np.asarray((metric.score(up) - metric.score(down)) / (2 * step))
