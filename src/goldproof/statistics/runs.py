"""Inference over runs × items: the interval of the mean score of a few runs on the same items.

The question is what another seed *and* other items would give. The percentile bootstrap over 3 to 10 runs is far
too narrow, so the variance is split into a run part and an item part (two-way random effects on the influence
values) and each part gets its own t quantile, as in modified large-sample intervals (Graybill & Wang 1980; Burdick
& Graybill 1992). Comparing two systems is in `comparison.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_level, group_codes
from goldproof.statistics.ceiling import has_ceiling, is_near_ceiling, widened
from goldproof.statistics.clusters import cluster_df, cluster_shares, cluster_variance, t_tail
from goldproof.statistics.components import VarianceComponents, variance_components
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.influence import linearise_runs
from goldproof.statistics.intervals import score_interval, transformed_bounds, why_no_interval, wilson_bounds
from goldproof.statistics.metrics import Items, Metric
from goldproof.statistics.metrics import metric as find_metric

Charge = Literal["items", "runs", "both"]


@dataclass(frozen=True, slots=True)
class RunPart:
    """What runs add to the variance of a mean: with the interaction, the interaction alone, and how many runs.

    A spread that is known and not estimated has infinitely many.
    """

    variance: float
    interaction: float
    n_runs: float


@dataclass(frozen=True, slots=True)
class MeanVariance:
    """Variance of a mean over runs × items (or of a difference of two): the run parts and the item part.

    `item_df` are the degrees of freedom of the item part, `least` what it would be were every answer independent of
    every other: no interval is narrower than that, or runs that cancel each other out would have one of no width.
    `charge` says to what the interaction is charged, see `half_width`.
    """

    run_parts: Sequence[RunPart]
    item_variance: float
    item_df: float
    charge: Charge = "both"
    least: float = 0.0

    @property
    def run_variance(self) -> float:
        """What all runs add, with their interaction with items."""
        return sum(part.variance for part in self.run_parts)

    @property
    def interaction(self) -> float:
        """The part that runs and items share."""
        return sum(part.interaction for part in self.run_parts)

    @property
    def run_df(self) -> float:
        """Degrees of freedom of the run part: runs − 1, or Welch's for two systems."""
        squares = sum(part.variance**2 / (part.n_runs - 1) for part in self.run_parts)
        if squares > 0:
            return self.run_variance**2 / squares
        return math.inf if self.run_variance > 0 else 1.0

    @property
    def total(self) -> float:
        """The variance of the mean; never less than its run part or its item part."""
        parts = self.run_variance + self.item_variance - self.interaction
        return max(parts, self.run_variance, self.item_variance, self.least)

    def half_width(self, level: float) -> float:
        """Half the width of the interval at `level`."""
        return self._half_width_at(1 - check_level(level))

    def p_value(self, difference: float) -> float:
        """The two-sided p for a true difference of 0: 1 minus the largest level whose interval leaves 0 out."""
        if not math.isfinite(self.total):
            return math.nan
        if self.total == 0:
            return 1.0 if difference == 0 else 0.0
        # Quantiles are not to be had much below p = 1e-50; such a p is reported as that.
        low, high = -115.0, 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._half_width_at(math.exp(middle)) > abs(difference) else (low, middle)
        return math.exp((low + high) / 2)

    def _half_width_at(self, alpha: float) -> float:
        """The half width H at error rate alpha, with V_e the interaction, which runs and items share.

        Charged to items, H₁² = t²_runs·(V_runs − V_e)₊ + t²_items·V_items; charged to runs, H₂² = t²_runs·V_runs +
        t²_items·(V_items − V_e)₊. One system's few runs take the geometric mean of H₁ and H₂, the difference of two
        takes H₁, as simulated coverage asks; one run against several takes H₂, the t test of one more run with the
        items' part added. None is less than the interval over items alone: runs that score alike by luck while they
        disagree item by item say nothing about new items.
        """
        items, runs = t_tail(alpha, self.item_df) ** 2, t_tail(alpha, self.run_df) ** 2
        alone = items * max(self.item_variance, self.least)
        first = max(runs * max(self.run_variance - self.interaction, 0.0) + items * self.item_variance, alone)
        if self.charge == "items" or not self.run_parts:
            return math.sqrt(first)
        second = max(runs * self.run_variance + items * max(self.item_variance - self.interaction, 0.0), alone)
        return math.sqrt(second) if self.charge == "runs" else float((first * second) ** 0.25)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Runs of one system on the same items: each run's score and centre (see `Linearised`), and influence.

    `influence` is runs × clusters: each run's summed influence on each cluster, divided by the number of items;
    `shares` are the clusters' shares of all items. `least` is the variance of the mean score, were all answers
    independent.
    """

    scores: FloatArray
    centres: FloatArray
    influence: FloatArray
    shares: FloatArray
    n_items: int
    least: float = 0.0

    def variance(self) -> MeanVariance:
        """The variance of the mean score over new runs (if there are several) and new items."""
        run_parts = (run_part(self),) if len(self.scores) > 1 else ()
        return mean_variance(run_parts, self.influence.mean(0), self.shares, least=self.least)


def mean_variance(
    run_parts: Sequence[RunPart],
    influence: FloatArray,
    shares: FloatArray,
    charge: Charge = "both",
    least: float = 0.0,
) -> MeanVariance:
    """The variance of a mean, or of a difference, from its run parts and the influence of each cluster on it."""
    return MeanVariance(run_parts, cluster_variance(influence, shares), cluster_df(shares), charge, least)


def summarise_runs(metric: Metric, items: Items, codes: IntArray) -> RunSummary:
    """Scores and cluster influence of encoded predictions (runs × items); `codes` are the items' clusters."""
    linears, n = linearise_runs(metric, items), len(codes)
    each = [linear.influence[index] / n for linear, index in zip(linears, items.index, strict=True)]
    influence = np.stack([np.bincount(codes, weights=of_run).astype(float) for of_run in each])
    least = sum(float(of_run @ of_run) for of_run in each) / len(each) ** 2
    scores, centres = ([getattr(linear, name) for linear in linears] for name in ("value", "centre"))
    return RunSummary(np.array(scores), np.array(centres), influence, cluster_shares(codes), n, least)


def summarise_values(values: FloatArray, codes: IntArray) -> RunSummary:
    """The same for a number of each run and item (runs × items), whose mean over items is the score."""
    means, n = values.mean(1), values.shape[1]
    each = (values - means[:, None]) / n
    influence = np.stack([np.bincount(codes, weights=of_run).astype(float) for of_run in each])
    return RunSummary(means, means, influence, cluster_shares(codes), n, float((each**2).sum()) / len(values) ** 2)


def run_part(summary: RunSummary) -> RunPart:
    """The variance that runs add to their mean score: Var(θ_s)/S, and the interaction in it."""
    runs = len(summary.influence)
    rest = summary.influence - summary.influence.mean(0)
    interaction = sum(cluster_variance(of_run, summary.shares) for of_run in rest) / (runs - 1) / runs
    return RunPart(float(summary.centres.var(ddof=1)) / runs, interaction, runs)


def runs_interval(
    metric: Metric, gold: Array, runs: Array, clusters: Array | None = None, level: float = 0.95
) -> Estimate:
    """The interval of the mean score of runs (runs × items) over new runs and new items.

    Accuracy: Wilson at the effective sample size; others: Fisher's z scale. One run only gives the interval over
    items, and says so.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0)
    >>> gold = rng.integers(0, 2, 200); runs = np.where(rng.random((5, 200)) < 0.8, gold, 1 - gold)
    >>> estimate = runs_interval(metric("accuracy"), gold, runs)
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.793, 0.745, 0.834)
    """
    runs = np.atleast_2d(np.asarray(runs))
    if len(runs) == 1:
        alone = score_interval(metric, gold, runs[0], clusters, level)
        return Estimate(alone.value, alone.low, alone.high, f"{alone.method}; items only, one run", alone.n, level)
    n = runs.shape[-1]
    codes = group_codes(clusters, n)
    groups = int(codes.max()) + 1
    items = metric.encode(gold, runs)
    sums = items.sums()
    value = float(np.mean(metric.score(sums)))
    reason = why_no_interval(metric, value, (n, groups), sums[0])
    if reason:
        return Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level)
    summary = summarise_runs(metric, items, codes)
    variance = summary.variance()
    low, high = _bounds(metric, summary, variance, level)
    low, high = _no_narrower(metric, np.asarray(sums.mean(0)), (gold, runs, clusters), (low, high), level)
    clustered = "" if clusters is None else f", {groups} clusters"
    method = f"{len(runs)} runs × items, variance components{clustered}"
    return Estimate(value, low, high, method, n, level)


def _no_narrower(
    metric: Metric,
    sums: FloatArray,
    answers: tuple[Array, Array, Array | None],
    bounds: tuple[float, float],
    level: float,
) -> tuple[float, float]:
    """The bounds, widened by those of accuracy where nearly all answers are right, or all wrong (see `ceiling.py`)."""
    gold, runs, clusters = answers
    if not has_ceiling(metric):
        return bounds
    right = (runs == gold).astype(np.int64)
    if not is_near_ceiling(float(right.mean()), len(gold)):
        return bounds
    accuracy = runs_interval(find_metric("accuracy"), np.ones(len(gold), np.int64), right, clusters, level)
    return widened(metric, sums, (accuracy.low, accuracy.high), bounds)


def runs_components(metric: Metric, gold: Array, runs: Array) -> VarianceComponents:
    """Variance components of seed, item and interaction for any metric, on its influence values (runs × items).

    For accuracy they are those of the table of correct answers.
    """
    runs = np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2:
        raise UsageError(f"variance components need at least 2 runs (runs × items); got an array of shape {runs.shape}")
    summary = summarise_runs(metric, metric.encode(gold, runs), np.arange(runs.shape[1], dtype=np.int64))
    influence = (summary.influence - summary.influence.mean(1, keepdims=True)) * summary.n_items
    return variance_components(summary.centres[:, None] + influence)


def _bounds(metric: Metric, summary: RunSummary, variance: MeanVariance, level: float) -> tuple[float, float]:
    value, centre = float(summary.scores.mean()), float(summary.centres.mean())
    half = variance.half_width(level)
    if metric.name == "accuracy":
        total = variance.total
        if not (0 < value < 1 and total > 0):
            return wilson_bounds(value, variance.item_df + 1, t_tail(1 - level, math.inf))
        return wilson_bounds(value, value * (1 - value) / total, half / math.sqrt(total))
    low, high = transformed_bounds(centre, half, 1.0, (metric.low, metric.high))
    return min(low, value), max(high, value)


def values_interval(values: Array, clusters: Array | None = None, level: float = 0.95) -> Estimate:
    """The interval of the mean of a number that each item has (items, or runs × items), over new runs and new items.

    >>> rng = np.random.default_rng(0)
    >>> estimate = values_interval(rng.random((3, 100)))
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    table = np.atleast_2d(np.asarray(values, float))
    n = table.shape[1]
    codes = group_codes(clusters, n)
    groups = int(codes.max()) + 1
    value = float(table.mean())
    if groups < 2:
        reason = "one item only" if n < 2 else "all items belong to one cluster"
        return Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level)
    half = summarise_values(table, codes).variance().half_width(level)
    over = f"{len(table)} runs × items, variance components" if len(table) > 1 else "t over items, one run"
    clustered = "" if clusters is None else f", {groups} clusters"
    return Estimate(value, value - half, value + half, f"{over}{clustered}", n, level)
