"""What a score would be by chance: predictions that know nothing about gold, with the same rates of each label.

The null hypothesis is that predictions are dealt to items at random (label permutation), so the confusion table has
fixed margins: for two classes exactly hypergeometric, for more classes simulated (Patefield 1981). It needs counts
only. With clusters given, whole clusters of equal size are exchanged, in any order within them, since twins share
their fate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, check_level, group_codes
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.many_labels import LabelSums
from goldproof.statistics.metrics import Metric

FEWER_DRAWS = 2_000
_MOST_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class ChanceBand:
    """The mean score by chance with the central range at the level, and two-sided p of the score observed."""

    band: Estimate
    observed: float
    p_value: float


def chance_band(
    metric: Metric,
    table: Array,
    rng: np.random.Generator | None = None,
    draws: int = 10_000,
    level: float = 0.95,
) -> ChanceBand:
    """The chance band of a metric for the margins of a confusion table (gold class × predicted class).

    The band holds at least `level` of the chance scores; p is twice the smaller tail, at most 1. More than two
    classes need `rng`.

    >>> from goldproof.statistics.metrics import metric
    >>> chance = chance_band(metric("mcc"), np.array([[12, 5], [6, 11]]))
    >>> round(chance.band.low, 3), round(chance.band.high, 3), round(chance.p_value, 3)
    (-0.354, 0.354, 0.084)
    """
    table = np.asarray(table, np.int64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.sum() < 1 or table.min() < 0:
        raise UsageError(f"the confusion table must be square with counts of at least one item; got {table.tolist()}")
    if len(table) == 2:
        scores, chances = _two_class_scores(metric, table)
        method = "hypergeometric"
    else:
        draws = draws if metric.many is None else min(draws, FEWER_DRAWS)
        scores, chances = _simulated_scores(metric, table, rng, draws), None
        method = f"label permutation, {draws} draws"
    return summarise_chance(
        scores, chances, float(metric.of_tables(table.astype(float))), method, int(table.sum()), level
    )


def clustered_chance_band(
    metric: Metric,
    gold: Array,
    predicted: Array,
    clusters: Array,
    rng: np.random.Generator,
    draws: int = 2_000,
    level: float = 0.95,
) -> ChanceBand:
    """The chance band when whole clusters exchange their predictions with clusters of the same size.

    Clusters of a size that occurs once cannot move; the method says how many items could.
    """
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    codes = group_codes(clusters, len(gold))
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    blocks = [order[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes)]
    scores = np.empty(draws)
    shuffled = predicted.copy()
    for draw in range(draws):
        for block in blocks:
            shuffled[block] = predicted[rng.permuted(block[rng.permutation(len(block))], axis=1)]
        scores[draw] = metric(gold, shuffled)
    movable = sum(block.size for block in blocks if len(block) > 1)
    method = f"permutation of whole clusters, {movable} of {len(gold)} items movable, {draws} draws"
    return summarise_chance(scores, None, metric(gold, predicted), method, len(gold), level)


def margins_table(n: int, base_rate: float, prediction_rate: float) -> Array:
    """A 2 × 2 table of n items with these rates of class 1 in gold and in predictions, to plan with `chance_band`.

    >>> margins_table(34, 0.5, 0.4).tolist()
    [[10, 7], [10, 7]]
    """
    if n < 1 or not (0 <= base_rate <= 1 and 0 <= prediction_rate <= 1):
        raise UsageError(f"n must be at least 1 and rates from 0 to 1; got {n}, {base_rate} and {prediction_rate}")
    gold, predicted = round(n * base_rate), round(n * prediction_rate)
    hits = round(gold * predicted / n)
    return np.array([[n - gold - predicted + hits, predicted - hits], [gold - hits, hits]])


def _two_class_scores(metric: Metric, table: Array) -> tuple[FloatArray, FloatArray]:
    from scipy import stats

    n, gold, predicted = int(table.sum()), int(table[1].sum()), int(table[:, 1].sum())
    hits = np.arange(max(0, gold + predicted - n), min(gold, predicted) + 1)
    tables = np.stack([n - gold - predicted + hits, predicted - hits, gold - hits, hits], axis=-1)
    return metric.score(tables.astype(float)), stats.hypergeom(n, gold, predicted).pmf(hits)


def _simulated_scores(metric: Metric, table: Array, rng: np.random.Generator | None, draws: int) -> FloatArray:
    from scipy import stats

    if rng is None:
        raise UsageError(f"the chance band of {len(table)} classes is simulated and needs rng; got None")
    if metric.many is not None:
        gold, predicted = (np.repeat(np.arange(len(table)), table.sum(axis)) for axis in (1, 0))
        sizes = _block_sizes(draws, 3 * max(len(gold), len(table)))
        deals = (np.stack([rng.permutation(gold) for _ in range(size)]) for size in sizes)
        return np.concatenate([hit_scores(metric, block, predicted) for block in deals])
    random = stats.random_table(table.sum(1), table.sum(0), seed=rng)
    sizes = _block_sizes(draws, table.size)
    return np.concatenate([metric.of_tables(np.asarray(random.rvs(size=size), float)) for size in sizes])


def _block_sizes(draws: int, cells: int) -> list[int]:
    """How many draws of so many cells each are held at once."""
    at_once = max(1, _MOST_CELLS // cells)
    return [min(at_once, draws - start) for start in range(0, draws, at_once)]


def hit_scores(metric: Metric, deals: Array, run: Array) -> FloatArray:
    """The score of a run for each deal of gold (deals × items), where labels are many: a deal changes hits alone."""
    k = metric.n_classes
    draws = np.repeat(np.arange(len(deals)), len(run)).reshape(deals.shape)
    right = deals == run
    cells = draws[right] * k + np.broadcast_to(run, deals.shape)[right]
    hits = np.bincount(cells, minlength=len(deals) * k).reshape(len(deals), k).astype(float)
    gold, predicted = (np.bincount(codes, minlength=k).astype(float) for codes in (deals[0], run))
    sums = LabelSums(hits, np.broadcast_to(gold, hits.shape), np.broadcast_to(predicted, hits.shape))
    return metric.score(sums.flat())


def summarise_chance(
    scores: FloatArray, chances: FloatArray | None, observed: float, method: str, n: int, level: float
) -> ChanceBand:
    """The chance band of scores that occur with these chances, and p of the score observed.

    Without chances the scores are drawn at random; the one observed then counts as one more draw, so that no p is
    smaller than the draws can tell (Phipson & Smyth 2010).
    """
    extra = 0 if chances is not None else 1
    if chances is None:
        chances = np.ones(len(scores))
    order, total = np.argsort(scores), float(chances.sum())
    scores, chances = scores[order], chances[order] / total
    tail = (1 - check_level(level)) / 2
    upto = np.cumsum(chances)
    low = scores[min(int(np.searchsorted(upto, tail + 1e-12)), len(scores) - 1)]
    high = scores[min(int(np.searchsorted(upto, 1 - tail - 1e-12)), len(scores) - 1)]
    sides = (scores <= observed + 1e-12, scores >= observed - 1e-12)
    smaller = min((float(chances[side].sum()) * total + extra) / (total + extra) for side in sides)
    band = Estimate(float(scores @ chances), float(low), float(high), method, n, level)
    return ChanceBand(band, observed, min(1.0, 2 * smaller))
