"""The best of many (checkpoints, prompts, layers) on the items that chose it: what is left of its lead without luck.

The best of many noisy scores is too good, the more so the less the candidates differ. Bootstrap bias correction
(Tsamardinos, Greasidou & Borboudakis 2018): each resample chooses, and the items that it left out score. A resample
knows as much of the candidates as half of the items do, so it chooses less well than all items did: the corrected score
errs low, and nothing here is unbiased. `benchmarks/checkpoints.py` measures by how much. Nothing is tested here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.bootstrap import bootstrap_weights
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import score_interval
from goldproof.statistics.item_scores import item_scores_interval, mean_metric
from goldproof.statistics.metrics import Metric

RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class BestOf:
    """The best candidate: its place, its score as it looks, and corrected; `scores` are all candidates' out of the bag.

    `corrected` minus one of `scores` is what the best is better by, corrected in the same resamples.
    """

    place: int
    apparent: float
    corrected: float
    scores: FloatArray


def best_of(metric: Metric, gold: Array, candidates: Array, weights: FloatArray) -> BestOf:
    """The best of candidates (candidates × items), corrected by resamples (`bootstrap_weights`: resamples × items).

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 200)
    >>> guesses = np.where(rng.random((50, 200)) < 0.7, gold, 1 - gold)
    >>> found = best_of(metric("accuracy"), gold, guesses, bootstrap_weights(200, 200, rng))
    >>> round(found.apparent, 2), round(found.corrected, 2)
    (0.77, 0.69)
    """
    candidates = np.asarray(candidates)
    if candidates.ndim != 2 or candidates.shape[1] != weights.shape[1]:
        raise UsageError(f"candidates must be candidates × {weights.shape[1]} items; got shape {candidates.shape}")
    outside = (weights == 0).astype(np.float32)
    kept = outside.any(axis=1)
    everything = np.ones((1, weights.shape[1]), np.float32)
    whole, chosen, scored = _weighted(
        metric, gold, candidates, (everything, weights[kept].astype(np.float32), outside[kept])
    )
    place = int(np.argmax(_or_least(whole[:, 0])))
    if not kept.any():
        return BestOf(place, float(whole[place, 0]), math.nan, np.full(len(candidates), math.nan))
    best = np.take_along_axis(scored, np.argmax(_or_least(chosen), axis=0)[None], axis=0)[0]
    return BestOf(place, float(whole[place, 0]), float(np.nanmean(best)), np.asarray(np.nanmean(scored, axis=1)))


def without_luck(corrected: float, own: Estimate) -> Estimate:
    """A corrected value with an interval that holds for what was chosen.

    `own` is the value as it looks with the interval that it would have, had it not been chosen. The interval reaches
    from that distance below the corrected value to the upper end of `own`, as simulations ask: the truth lies between
    the corrected value, which errs low, and the one that was chosen, which errs high.

    >>> without_luck(0.70, Estimate(0.78, 0.72, 0.83, "Wilson", 200)).low.__round__(2)
    0.64
    """
    method = f"chosen in resamples, scored out of them; up to the end of what was chosen as it looks: {own.method}"
    low = corrected - (own.value - own.low)
    return Estimate(corrected, min(low, own.low), own.high, method, own.n, own.level)


def chosen_score(
    metric: Metric,
    gold: Array,
    candidates: Array,
    rng: np.random.Generator,
    clusters: Array | None = None,
    level: float = 0.95,
) -> Estimate:
    """The score of the best of many systems (candidates × items, one run each), chosen on these items.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 200)
    >>> guesses = np.where(rng.random((50, 200)) < 0.7, gold, 1 - gold)
    >>> found = chosen_score(metric("accuracy"), gold, guesses, rng)
    >>> found.low < 0.7 < found.high
    True
    """
    candidates = np.asarray(candidates)
    weights = bootstrap_weights(candidates.shape[1], RESAMPLES, rng, clusters)
    found = best_of(metric, gold, candidates, weights)
    own = score_interval(metric, gold, candidates[found.place], clusters, level)
    return _within(without_luck(found.corrected, own), found.apparent, metric)


def chosen_mean(
    scores: Array, rng: np.random.Generator, clusters: Array | None = None, level: float = 0.95
) -> Estimate:
    """The mean of the best of many systems (candidates × items of numbers from 0 to 1), chosen on these items.

    >>> rng = np.random.default_rng(0)
    >>> found = chosen_mean((rng.random((50, 3, 200)) < 0.7).mean(axis=1), rng)
    >>> found.low < 0.7 < found.high
    True
    """
    scores = np.asarray(scores, float)
    weights = bootstrap_weights(scores.shape[1], RESAMPLES, rng, clusters)
    found = best_of(mean_metric(), np.zeros(scores.shape[1]), scores, weights)
    own = item_scores_interval(scores[found.place], clusters, level)
    return _within(without_luck(found.corrected, own), found.apparent, mean_metric())


def _within(found: Estimate, apparent: float, metric: Metric) -> Estimate:
    """The corrected score where it may lie: choosing flatters, so it is never above the score as it looks.

    Resamples may say otherwise by chance. Interval ends that no score can reach tell nothing.
    """
    low, high = max(found.low, metric.low), min(found.high, metric.high)
    return replace(found, value=min(found.value, apparent), low=low, high=high)


def _weighted(metric: Metric, gold: Array, candidates: Array, several: tuple[Array, ...]) -> list[FloatArray]:
    """The score of each candidate under each row of each of several weights: candidates × rows."""
    if metric.name == "accuracy":
        right = (candidates == gold).astype(np.float32)
        return [np.asarray(right @ weights.T / weights.sum(axis=1), float) for weights in several]
    items = metric.encode(gold, candidates)
    features = items.rows.astype(np.float32)
    return [np.stack([metric.score((w @ features[of_one]).astype(float)) for of_one in items.index]) for w in several]


def _or_least(scores: FloatArray) -> FloatArray:
    """Scores of which those that are not defined are the least."""
    return np.where(np.isnan(scores), -np.inf, scores)
