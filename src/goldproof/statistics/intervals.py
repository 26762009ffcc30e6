"""Intervals of one score from one sample of items: Wilson, exact, t, and the default for any metric.

The defaults were chosen by simulated coverage (docs/validation/statistics.md): Wilson for accuracy; for MCC and F1
the delta method on Fisher's z scale with two pseudo-items and a t quantile. Clusters (items that share a source)
are resampled whole. Runs are not dealt with here (see `runs.py`), nor are bootstraps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_level, check_same_length, group_codes
from goldproof.statistics.ceiling import has_ceiling, is_near_ceiling, rows_right, widened
from goldproof.statistics.clusters import cluster_df, cluster_shares, cluster_variance, effective_clusters
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.influence import clustered_variance, linearise, sampling_variance
from goldproof.statistics.many_labels import CellRows
from goldproof.statistics.metrics import Items, Metric, spearman

PERFECT = "the correlation is perfect, so its error cannot be estimated"


def normal_quantile(level: float) -> float:
    """The two-sided standard normal quantile: 1.96 for 0.95."""
    return float(special.ndtri(0.5 + check_level(level) / 2))


def t_quantile(level: float, df: float) -> float:
    """The two-sided quantile of Student's t with `df` degrees of freedom."""
    return float(special.stdtrit(df, 0.5 + check_level(level) / 2))


def wilson(successes: float, n: int, level: float = 0.95) -> Estimate:
    """Wilson's score interval of a proportion (Wilson 1927).

    (p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)

    >>> estimate = wilson(30, 34)
    >>> round(estimate.low, 3), round(estimate.high, 3)
    (0.734, 0.953)
    """
    _check_proportion(successes, n)
    low, high = wilson_bounds(successes / n, n, normal_quantile(level))
    return Estimate(successes / n, low, high, "Wilson", n, level)


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """The exact interval of a proportion (Clopper & Pearson 1934); it covers at least `level`, usually more.

    >>> estimate = clopper_pearson(30, 34)
    >>> round(estimate.low, 3), round(estimate.high, 3)
    (0.725, 0.967)
    """
    _check_proportion(successes, n)
    tail = (1 - check_level(level)) / 2
    low = special.betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    high = special.betaincinv(successes + 1, n - successes, 1 - tail) if successes < n else 1.0
    return Estimate(successes / n, float(low), float(high), "Clopper–Pearson exact", n, level)


def mean_interval(values: Array, level: float = 0.95) -> Estimate:
    """Student's t interval of a mean: x̄ ± t·s/√n. One value has a mean and no interval.

    >>> estimate = mean_interval(np.array([0.1, 0.2, 0.3]))
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.2, -0.048, 0.448)
    """
    values = np.asarray(values, float)
    n = check_same_length(values=values)
    if n < 2:
        return Estimate(float(values[0]), math.nan, math.nan, "no interval: one value only", n, level)
    half = t_quantile(level, n - 1) * float(values.std(ddof=1)) / math.sqrt(n)
    return Estimate(float(values.mean()), float(values.mean()) - half, float(values.mean()) + half, "t", n, level)


def spearman_interval(x: Array, y: Array, level: float = 0.95) -> Estimate:
    """Spearman's correlation on Fisher's z scale, se² = (1 + ρ²/2)/(n − 3) (Bonett & Wright 2000)."""
    n = check_same_length(x=np.asarray(x), y=np.asarray(y))
    value = spearman(x, y)
    if n < 4 or math.isnan(value) or abs(value) > 1 - 1e-9:
        reason = "fewer than 4 items" if n < 4 else "a column does not vary" if math.isnan(value) else PERFECT
        return Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level)
    error = math.sqrt((1 + value**2 / 2) / (n - 3)) * (1 - value**2)
    low, high = transformed_bounds(value, error, normal_quantile(level), (-1.0, 1.0))
    return Estimate(value, min(low, value), max(high, value), "Bonett–Wright", n, level)


def score_interval(
    metric: Metric, gold: Array, predicted: Array, clusters: Array | None = None, level: float = 0.95
) -> Estimate:
    """The default interval of any metric, from gold and predicted codes (one number for each item).

    Accuracy: Wilson; with clusters, Wilson at the effective sample size (n divided by the design effect) and a t
    quantile, by CR2 and Bell–McCaffrey's degrees of freedom (see `clusters.py`). Others: delta method on Fisher's z
    scale of the score's range, t quantile.

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.repeat([0, 1], 50); predicted = np.r_[np.zeros(40, int), np.ones(55, int), np.zeros(5, int)]
    >>> estimate = score_interval(metric("mcc"), gold, predicted)
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.704, 0.521, 0.806)
    """
    items = metric.encode(gold, predicted)
    if items.index.ndim != 1:
        raise UsageError(
            f"score_interval takes one run; got predictions of {items.index.ndim} axes (use runs_interval)"
        )
    if clusters is None:
        return _independent_interval(metric, items.rows, items.counts(), level)
    return _clustered_interval(metric, items, group_codes(clusters, len(items.index)), level)


def table_interval(metric: Metric, table: FloatArray, level: float = 0.95) -> Estimate:
    """`score_interval` from a confusion table alone (gold class × predicted class), for data too large to hold."""
    counts = np.asarray(table, float).ravel()
    if counts.sum() < 1:
        raise UsageError("the confusion table must hold at least one item; got none")
    if metric.many is None:
        return _independent_interval(metric, np.eye(len(counts)), counts, level)
    cells = np.flatnonzero(counts)
    rows = CellRows(cells // metric.n_classes, cells % metric.n_classes, metric.n_classes)
    return _independent_interval(metric, rows.matrix(), counts[cells], level)


def wilson_bounds(p: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's bounds for a share p of n items (n may be an effective size) and any quantile."""
    square = quantile**2 / n
    centre = (p + square / 2) / (1 + square)
    half = math.sqrt(square * (p * (1 - p) + square / 4)) / (1 + square)
    return max(0.0, min(centre - half, p)), min(1.0, max(centre + half, p))


def transformed_bounds(
    centre: float, error: float, quantile: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """The interval centre ± quantile·error on Fisher's z scale of the range `limits`, mapped back.

    With limits (−1, 1) this is atanh; with (0, 1) it is half the logit.
    """
    low, high = limits
    scaled = float(np.clip(2 * (centre - low) / (high - low) - 1, -1 + 1e-9, 1 - 1e-9))
    half = quantile * error * 2 / (high - low) / (1 - scaled**2)
    ends = np.tanh(np.arctanh(scaled) + np.array([-half, half]))
    return float(low + (ends[0] + 1) * (high - low) / 2), float(low + (ends[1] + 1) * (high - low) / 2)


def why_no_interval(metric: Metric, value: float, sizes: tuple[int, int], sums: FloatArray) -> str:
    """The reason why a score has no interval, or nothing, from the numbers of items and clusters and a run's sums."""
    n, groups = sizes
    if groups < 2:
        return "one item only" if n < 2 else "all items belong to one cluster"
    if not math.isfinite(value):
        return "a column does not vary"
    if metric.name == "pearson" and (n < 4 or abs(value) > 1 - 1e-9):
        return "fewer than 4 items" if n < 4 else PERFECT
    if metric.name != "mcc":
        return ""
    gold = metric.gold_counts(sums)
    return "one gold class only, MCC is 0 by convention" if (gold > 0).sum() < 2 else ""


def _independent_interval(metric: Metric, rows: Any, counts: FloatArray, level: float) -> Estimate:
    n = round(float(counts.sum()))
    linear = linearise(metric, rows, counts)
    reason = why_no_interval(metric, linear.value, (n, n), counts @ rows)
    if reason:
        return Estimate(linear.value, math.nan, math.nan, f"no interval: {reason}", n, level)
    if metric.name == "accuracy":
        return wilson(linear.value * n, n, level)
    error = math.sqrt(sampling_variance(linear, counts))
    low, high = transformed_bounds(linear.centre, error, t_quantile(level, max(n - 2, 1)), (metric.low, metric.high))
    if has_ceiling(metric):
        right = float(counts @ rows_right(metric, rows)) / n
        if is_near_ceiling(right, n):
            by_accuracy = wilson_bounds(right, n, normal_quantile(level))
            low, high = widened(metric, np.asarray(counts @ rows), by_accuracy, (low, high))
    return Estimate(linear.value, min(low, linear.value), max(high, linear.value), "delta, Fisher z", n, level)


def _clustered_interval(metric: Metric, items: Items, codes: IntArray, level: float) -> Estimate:
    n, groups, counts = len(items.index), int(codes.max()) + 1, items.counts()
    linear = linearise(metric, items.rows, counts)
    reason = why_no_interval(metric, linear.value, (n, groups), counts @ items.rows)
    if reason:
        return Estimate(linear.value, math.nan, math.nan, f"no interval: {reason}", n, level)
    shares = cluster_shares(codes)
    quantile = t_quantile(level, cluster_df(shares))
    if metric.name == "accuracy":
        effective = _effective_size(linear.influence[items.index], codes, linear.value)
        low, high = wilson_bounds(linear.value, effective, quantile)
        method = f"Wilson, {groups} clusters, effective n {effective:.0f}"
        return Estimate(linear.value, low, high, method, n, level)
    error = math.sqrt(clustered_variance(linear, items.index, codes))
    low, high = transformed_bounds(linear.centre, error, quantile, (metric.low, metric.high))
    if has_ceiling(metric):
        is_right = rows_right(metric, items.rows)[items.index]
        right = float(is_right.mean())
        if is_near_ceiling(right, n):
            by_accuracy = wilson_bounds(right, _effective_size(is_right - right, codes, right), quantile)
            low, high = widened(metric, np.asarray(counts @ items.rows), by_accuracy, (low, high))
    method = f"delta, Fisher z, {groups} clusters"
    return Estimate(linear.value, min(low, linear.value), max(high, linear.value), method, n, level)


def _effective_size(deviations: FloatArray, codes: IntArray, share: float) -> float:
    """How many independent items the clusters are worth for a share of correct items; never more than there are."""
    shares = cluster_shares(codes)
    variance = cluster_variance(np.bincount(codes, weights=deviations) / len(codes), shares)
    # All right or all wrong: the correlation within clusters cannot be seen, so each cluster counts as one item.
    if not 0 < share < 1:
        return effective_clusters(shares)
    return min(share * (1 - share) / variance, float(len(codes))) if variance > 0 else float(len(codes))


def _check_proportion(successes: float, n: int) -> None:
    if n < 1 or not 0 <= successes <= n:
        raise UsageError(f"successes must lie between 0 and n, and n be at least 1; got {successes} of {n}")
