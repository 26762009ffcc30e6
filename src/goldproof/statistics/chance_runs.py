"""The chance band of a mean over runs: gold is dealt to the items at random, and every run meets the same deal.

Runs of one model agree with each other item by item, so their mean by chance varies nearly as much as one run
does; bands that took runs for independent would be too narrow. With clusters, whole
clusters of equal size exchange their gold, in any order within the cluster: were the order kept, a pattern that all
clusters share (the first twin entails, say) would pass for chance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldproof.statistics.arrays import Array, FloatArray, group_codes
from goldproof.statistics.chance import ChanceBand, chance_band, hit_scores, summarise_chance
from goldproof.statistics.deals import deal_gold
from goldproof.statistics.metrics import Metric, among, confusion

_BLOCK_CELLS = 4_000_000


def runs_chance_band(
    metric: Metric,
    gold: Array,
    runs: Array,
    rng: np.random.Generator,
    clusters: Array | None = None,
    draws: int = 2_000,
    level: float = 0.95,
) -> ChanceBand:
    """The chance band of the mean score of runs (runs × items of codes) for a metric of the confusion table.

    One run of two classes without clusters is exact (hypergeometric).

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.repeat([0, 1], 17); runs = np.tile(gold, (3, 1))
    >>> chance = runs_chance_band(metric("mcc"), gold, runs, np.random.default_rng(0))
    >>> chance.observed, chance.p_value < 0.01
    (1.0, True)
    """
    gold, runs = np.asarray(gold), np.atleast_2d(np.asarray(runs))
    if metric.many is not None:
        metric, gold, runs = _occurring(metric, gold, runs)
    n_classes = metric.n_classes
    if len(runs) == 1 and clusters is None:
        return chance_band(metric, confusion(gold, runs[0], n_classes), rng, level=level)
    scores_of = _scorer(metric, runs)
    observed = float(np.mean([metric(gold, run) for run in runs]))
    blocks = _blocks(clusters, len(gold))
    codes = gold.astype(np.min_scalar_type(n_classes))
    scores: list[float] = []
    at_once = max(1, _BLOCK_CELLS // max(len(gold), n_classes))
    while len(scores) < draws:
        deals = deal_gold(codes, blocks, min(at_once, draws - len(scores)), rng)
        scores += scores_of(deals).tolist()
    kind = "whole clusters of gold" if clusters is not None else "gold labels"
    method = f"permutation of {kind}, {len(runs)} runs, {draws} draws"
    return summarise_chance(np.array(scores), None, observed, method, len(gold), level)


def _occurring(metric: Metric, gold: Array, runs: Array) -> tuple[Metric, Array, Array]:
    """The same for the labels that occur alone: the few items of a category have few of 3,000 labels."""
    labels = np.unique(np.concatenate([gold, runs.ravel()]))
    return among(metric, labels), np.searchsorted(labels, gold), np.searchsorted(labels, runs)


def _blocks(clusters: Array | None, n: int) -> list[Array]:
    """Items that may exchange their gold: for each size of cluster, clusters × items of the cluster."""
    if clusters is None:
        return [np.arange(n)[:, None]]
    codes = group_codes(clusters, n)
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    return [order[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes)]


def _scorer(metric: Metric, runs: Array) -> Callable[[Array], FloatArray]:
    """How deals of gold (deals × items) are scored: the mean over the runs of each."""
    if metric.many is not None:
        return lambda deals: np.asarray(np.mean([hit_scores(metric, deals, run) for run in runs], axis=0))
    guesses = np.stack([(runs == k).T.astype(float) for k in range(metric.n_classes)])  # class × items × runs
    return lambda deals: _mean_scores(metric, deals, guesses)


def _mean_scores(metric: Metric, deals: Array, guesses: FloatArray) -> FloatArray:
    """The mean score over runs of each deal of gold (deals × items)."""
    n_classes = len(guesses)
    cells = [(deals == c).astype(float) @ guesses[k] for c in range(n_classes) for k in range(n_classes)]
    return np.asarray(metric.score(np.stack(cells, axis=-1)).mean(axis=1))
