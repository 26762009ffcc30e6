"""The bootstrap of any `Metric`: items or whole clusters drawn with replacement, all resamples as matrix products.

A resample is a vector of weights (how often each item was drawn), and scores need only weighted sums of features,
so thousands of resamples of many runs and categories are a few matrix products. `score_interval` and
`runs_interval` need no resampling and are the defaults; the bootstrap serves statistics over many categories at
once (max-T bands) and as a second opinion. It resamples items only, never a handful of runs, for which it is too
narrow (see `runs.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_level, group_codes
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.influence import linearise
from goldproof.statistics.metrics import Metric

DRAWS = 10_000
BLOCK_CELLS = 20_000_000


def bootstrap_weights(n: int, draws: int, rng: np.random.Generator, clusters: Array | None = None) -> FloatArray:
    """How often each item is in each resample: resamples × items; with clusters, whole clusters are drawn.

    >>> bootstrap_weights(4, 2, np.random.default_rng(0)).sum(1).tolist()
    [4.0, 4.0]
    """
    codes = group_codes(clusters, n)
    groups = int(codes.max()) + 1
    weights = _draw_counts(np.ones(groups), groups, draws, rng)
    return np.asarray(weights[:, codes] if clusters is not None else weights, dtype=float)


def bootstrap_scores(
    metric: Metric,
    gold: Array,
    predicted: Array,
    rng: np.random.Generator,
    draws: int = DRAWS,
    clusters: Array | None = None,
    groups: Array | None = None,
) -> FloatArray:
    """Scores of bootstrap resamples: draws × runs × groups, without the axes that were not given.

    `predicted` is items, or runs × items. `groups` (items × groups, true where the item belongs) scores each group
    of items, a category say, in the same resamples.

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.array([0, 1] * 20); runs = np.stack([gold, 1 - gold])
    >>> bootstrap_scores(metric("mcc"), gold, runs, np.random.default_rng(0), draws=5).tolist()[0]
    [1.0, -1.0]
    """
    items = metric.encode(gold, predicted).dense()
    n = items.index.shape[-1]
    runs = items.index.reshape(-1, n)
    members = np.ones((n, 1), bool) if groups is None else np.asarray(groups, bool)
    if members.shape[0] != n:
        raise UsageError(f"groups must have one row for each of the {n} items; got {members.shape[0]} rows")
    codes = None if clusters is None else group_codes(clusters, n)
    unique: Array = items.rows
    repeats: Array = items.counts().reshape(-1)
    if len(runs) > 1 or groups is not None or codes is not None:
        unique, repeats = np.unique(_features(items.rows, runs, members, codes), axis=0, return_counts=True)
    units = round(float(repeats.sum()))
    shape = (len(runs), members.shape[1], items.rows.shape[1])
    blocks = [
        metric.score((counts @ unique).reshape(len(counts), *shape).astype(float))
        for counts in _count_blocks(repeats, units, draws, rng)
    ]
    scores = np.concatenate(blocks)
    scores = scores if groups is not None else scores[:, :, 0]
    return np.asarray(scores if items.index.ndim > 1 else scores[:, 0], dtype=float)


def percentile_interval(value: float, draws: Array, n: int, level: float = 0.95) -> Estimate:
    """The percentile interval from bootstrap draws of one score (Efron 1979).

    >>> percentile_interval(0.5, np.linspace(0, 1, 101), 10).low.__round__(3)
    0.025
    """
    tail = (1 - check_level(level)) / 2
    low, high = np.nanquantile(np.asarray(draws, float), [tail, 1 - tail])
    return Estimate(value, float(low), float(high), f"percentile bootstrap, {len(draws)} draws", n, level)


def bca_interval(value: float, draws: Array, influence: Array, n: int, level: float = 0.95) -> Estimate:
    """The bias-corrected and accelerated interval (Efron 1987) from draws and the influence of each item or cluster.

    Bias z₀ = Φ⁻¹(share of draws below the value, ties half); acceleration a = Σu³ / (6·(Σu²)^1.5).
    """
    draws, influence = np.asarray(draws, float), np.asarray(influence, float)
    draws = draws[np.isfinite(draws)]
    below = (np.sum(draws < value) + np.sum(draws == value) / 2) / max(len(draws), 1)
    if not 0 < below < 1:
        return Estimate(value, math.nan, math.nan, "no interval: all draws lie on one side", n, level)
    bias = special.ndtri(below)
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    quantile = bias + special.ndtri(0.5 + np.array([-1, 1]) * check_level(level) / 2)
    low, high = np.quantile(draws, special.ndtr(bias + quantile / (1 - acceleration * quantile)))
    return Estimate(value, float(low), float(high), f"BCa bootstrap, {len(draws)} draws", n, level)


def bootstrap_interval(
    metric: Metric,
    gold: Array,
    predicted: Array,
    rng: np.random.Generator,
    draws: int = DRAWS,
    clusters: Array | None = None,
    level: float = 0.95,
) -> Estimate:
    """The BCa interval of a metric over items, or over clusters where they are given.

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.repeat([0, 1], 50); predicted = np.r_[np.zeros(40, int), np.ones(55, int), np.zeros(5, int)]
    >>> estimate = bootstrap_interval(metric("mcc"), gold, predicted, np.random.default_rng(0))
    >>> round(estimate.low, 2), round(estimate.high, 2)
    (0.55, 0.82)
    """
    items = metric.encode(gold, predicted)
    scores = bootstrap_scores(metric, gold, predicted, rng, draws, clusters)
    linear = linearise(metric, items.rows, items.counts())
    codes = group_codes(clusters, len(items.index))
    influence = np.bincount(codes, weights=linear.influence[items.index])
    return bca_interval(linear.value, scores, influence - influence.mean(), len(items.index), level)


def bootstrap_differences(
    metric: Metric,
    gold: Array,
    pair: tuple[Array, Array],
    rng: np.random.Generator,
    draws: int = DRAWS,
    clusters: Array | None = None,
) -> FloatArray:
    """Differences A − B of the pair (A, B) of predictions, both scored on the same resamples: one for each draw."""
    scores = bootstrap_scores(metric, gold, np.stack([np.asarray(side) for side in pair]), rng, draws, clusters)
    return np.asarray(scores[:, 0] - scores[:, 1])


def _features(rows: FloatArray, runs: IntArray, members: Array, codes: IntArray | None) -> Array:
    """What one drawn unit (item or cluster) adds: units × (runs · groups · features), in single precision.

    Counts stay exact in single precision up to 2²⁴; sums of other numbers are kept in double.
    """
    exact = bool((rows == np.round(rows)).all()) and runs.shape[1] < 2**24
    dtype = np.float32 if exact else np.float64
    per_item = rows.astype(dtype)[runs].transpose(1, 0, 2)
    split: Array = per_item[:, :, None, :] * members[:, None, :, None].astype(dtype)
    features: Array = split.reshape(runs.shape[1], -1)
    if codes is None:
        return features
    summed = np.zeros((int(codes.max()) + 1, features.shape[1]), dtype)
    np.add.at(summed, codes, features)
    return summed


def _count_blocks(repeats: Array, units: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Blocks of resamples that fit in memory: how often each distinct row is drawn."""
    width = len(repeats) if _is_sparse(repeats, units) else units
    block = max(1, min(draws, BLOCK_CELLS // width))
    for start in range(0, draws, block):
        yield _draw_counts(repeats, units, min(block, draws - start), rng)


def _draw_counts(repeats: Array, units: int, draws: int, rng: np.random.Generator) -> Array:
    """Multinomial counts (draws × rows) when `units` are drawn from rows that stand for `repeats` units each."""
    kinds = len(repeats)
    if _is_sparse(repeats, units):
        drawn_counts: Array = rng.multinomial(units, repeats / units, size=draws)
        return drawn_counts.astype(np.float32)
    owner = np.repeat(np.arange(kinds, dtype=np.int32), np.asarray(repeats, np.int64))
    drawn = owner[rng.integers(0, units, size=(draws, units), dtype=np.int32)]
    drawn += (np.arange(draws, dtype=np.int32) * kinds)[:, None]
    counts: Array = np.bincount(drawn.ravel(), minlength=draws * kinds)
    return counts.reshape(draws, kinds).astype(np.float32)


def _is_sparse(repeats: Array, units: int) -> bool:
    """Few distinct rows: one binomial for each is faster than drawing every unit."""
    return len(repeats) * 8 < units
