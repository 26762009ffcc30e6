"""How alike runs are: mean pairwise correlation of their category scores, spread per category, categories of one sign.

A table here is categories × runs, as the papers print it. Variance components are in `components.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import t_quantile, transformed_bounds


@dataclass(frozen=True, slots=True)
class CategorySpread:
    """Mean and sample standard deviation (ddof 1) over runs of each category, and the sign all runs share.

    `sign` is 1 or −1 where every run is above or below 0, else 0.
    """

    mean: FloatArray
    sd: FloatArray
    sign: Array


def category_spread(table: Array) -> CategorySpread:
    """Mean, standard deviation (ddof 1) and common sign over runs of a categories × runs table.

    >>> spread = category_spread(np.array([[0.1, 0.3], [-0.2, -0.1], [0.0, 0.1]]))
    >>> spread.mean.round(2).tolist(), spread.sign.tolist()
    ([0.2, -0.15, 0.05], [1, -1, 0])
    """
    table = _checked(table)
    sign = (table > 0).all(axis=1).astype(int) - (table < 0).all(axis=1).astype(int)
    return CategorySpread(table.mean(axis=1), table.std(axis=1, ddof=1), sign)


def pairwise_correlation(table: Array) -> float:
    """Mean Pearson correlation over all pairs of runs of a categories × runs table; NaN where a run is constant.

    >>> round(pairwise_correlation(np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 2.0], [3.0, 3.0, 4.0]])), 4)
    0.7122
    """
    table = _checked(table)
    if (np.ptp(table, axis=0) == 0).any():
        return math.nan
    matrix = np.atleast_2d(np.corrcoef(table.T))
    return float(matrix[np.triu_indices(len(matrix), 1)].mean())


def correlation_interval(table: Array, level: float = 0.95) -> Estimate:
    """The mean pairwise correlation over runs, with an interval over categories and runs.

    Jackknife variances over categories and over runs (each leaves one out) are added, on Fisher's z scale; the
    quantile is Student's with Satterthwaite's degrees of freedom. Two runs have no variance over runs: the interval
    is then over categories only, and says so.

    >>> rng = np.random.default_rng(0); skill = rng.normal(size=(33, 1))
    >>> estimate = correlation_interval(skill + rng.normal(size=(33, 6)))
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    table = _checked(table)
    value = pairwise_correlation(table)
    categories, runs = table.shape
    reason = "a run does not vary" if math.isnan(value) else "fewer than 4 categories" if categories < 4 else ""
    if reason:
        return Estimate(value, math.nan, math.nan, f"no interval: {reason}", categories, level)
    over_categories = _jackknife_variance(table, axis=0)
    over_runs = _jackknife_variance(table, axis=1) if runs > 2 else 0.0
    total = over_categories + over_runs
    if not (math.isfinite(total) and total > 0):
        return Estimate(
            value, math.nan, math.nan, "no interval: without one run the rest do not vary", categories, level
        )
    df = total**2 / (over_categories**2 / (categories - 1) + over_runs**2 / (runs - 1))
    scale = 1 - value**2
    low, high = transformed_bounds(value, math.sqrt(total) * scale, t_quantile(level, df), (-1.0, 1.0))
    over = "categories and runs" if runs > 2 else "categories only, two runs"
    return Estimate(value, low, high, f"jackknife over {over}, Fisher z", categories, level)


@dataclass(frozen=True, slots=True)
class DeviationChange:
    """How far the mean deviation over runs changed between two tables: A − B, with its two-sided p."""

    change: Estimate
    p_value: float


def deviation_change(after: Array, before: Array, level: float = 0.95) -> DeviationChange:
    """The change of the mean over categories of the standard deviation over runs, for other runs on these very items.

    Each side's variance is the jackknife's over its runs, all categories leaving the same run out together; runs of the
    two sides are independent, and the quantile is Student's with Welch's degrees of freedom. With fewer than 4 runs on
    a side there is no interval.

    >>> rng = np.random.default_rng(0)
    >>> found = deviation_change(rng.normal(size=(33, 6)) * 0.1, rng.normal(size=(33, 6)))
    >>> round(found.change.value, 1), found.p_value < 0.01
    (-0.9, True)
    """
    sides = [_checked(after), _checked(before)]
    means = [float(side.std(axis=1, ddof=1).mean()) for side in sides]
    value, fewest, n = means[0] - means[1], min(side.shape[1] for side in sides), sides[0].shape[0]
    parts = [_deviation_variance(side) for side in sides] if fewest >= 4 else []
    total = sum(parts)
    if not total > 0:
        reason = "no run changes it" if parts else "fewer than 4 runs on a side"
        return DeviationChange(Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level), math.nan)
    df = total**2 / sum(part**2 / (side.shape[1] - 1) for part, side in zip(parts, sides, strict=True))
    error = math.sqrt(total)
    reach = t_quantile(level, df) * error
    estimate = Estimate(value, value - reach, value + reach, "jackknife over runs, on these items", n, level)
    return DeviationChange(estimate, float(2 * stats.t.sf(abs(value) / error, df)))


def _deviation_variance(table: FloatArray) -> float:
    """The jackknife variance over runs of the mean deviation."""
    m = table.shape[1]
    values = np.array([np.delete(table, run, axis=1).std(axis=1, ddof=1).mean() for run in range(m)])
    return float((m - 1) / m * ((values - values.mean()) ** 2).sum())


def _jackknife_variance(table: FloatArray, axis: int) -> float:
    """(m−1)/m · Σ(z_(j) − z̄)² over leave-one-out values of atanh of the mean correlation."""
    m = table.shape[axis]
    values = np.array([pairwise_correlation(np.delete(table, place, axis)) for place in range(m)])
    z = np.arctanh(np.clip(values, -1 + 1e-9, 1 - 1e-9))
    return float((m - 1) / m * ((z - z.mean()) ** 2).sum())


def _checked(table: Array) -> FloatArray:
    table = np.asarray(table, float)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise UsageError(f"stability needs at least 2 categories and 2 runs; got an array of shape {table.shape}")
    return table


def next_run(found: Array, level: float, bounds: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float]:
    """The prediction interval of one more run, whose score is normal around the same mean with the same variance.

    mean ± t(n − 1) · s · √(1 + 1/n), within what a score can be.

    >>> low, high = next_run(np.array([0.7, 0.8, 0.9]), 0.95)
    >>> round(low, 3), high
    (0.303, 1.0)
    """
    n = len(found)
    width = float(t_quantile(level, n - 1) * found.std(ddof=1) * math.sqrt(1 + 1 / n))
    middle = float(found.mean())
    return max(bounds[0], middle - width), min(bounds[1], middle + width)
