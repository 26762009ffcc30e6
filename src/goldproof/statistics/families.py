"""Several comparisons at once: adjusted p-values and the level of the intervals that say the same, together.

Single-step max-T (Westfall & Young 1993; Hothorn, Bretz & Westfall 2008): with no difference anywhere, the smallest p
of all is below the returned bound in no more than the stated share of cases, given how the comparisons correlate. An
interval at the returned level leaves 0 out exactly where the adjusted p is below 1 − level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, check_level

DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Family:
    """Adjusted p-values, and the level of each interval at which all of them hold together."""

    adjusted: FloatArray
    level: float


def adjust_together(p_values: Array, correlation: Array | None = None, level: float = 0.95) -> Family:
    """Adjust p-values of comparisons whose estimates have this correlation; NaN stays and counts as no comparison.

    Where the correlation is not known, Šidák's bound is taken, which holds for any.

    >>> family = adjust_together(np.array([0.01, 0.2]), np.eye(2))
    >>> family.adjusted.round(2).tolist(), round(family.level, 3)
    ([0.02, 0.36], 0.975)
    """
    p = np.asarray(p_values, float)
    known = np.isfinite(p)
    m, alpha = int(known.sum()), 1 - check_level(level)
    if m < 2:
        return Family(p, level)
    adjusted, bound = np.full(len(p), math.nan), -math.expm1(math.log1p(-alpha) / m)
    adjusted[known] = -np.expm1(m * np.log1p(-np.minimum(p[known], 1 - 1e-16)))
    if correlation is None:
        return Family(adjusted, 1 - bound)
    matrix = np.asarray(correlation, float)
    if matrix.shape != (len(p), len(p)):
        raise UsageError(f"{len(p)} comparisons need a correlation of {len(p)} × {len(p)}; got {matrix.shape}")
    smallest = np.sort(_smallest_p(matrix[np.ix_(known, known)]))
    counted = np.searchsorted(smallest, p[known], side="right") / DRAWS
    # Šidák's bound holds under any correlation of normal estimates, and is sharper than counting far out in the tail.
    adjusted[known] = np.maximum(np.minimum(counted, adjusted[known]), p[known])
    bound = max(float(smallest[max(math.floor(alpha * DRAWS) - 1, 0)]), bound)
    return Family(adjusted, 1 - min(bound, alpha))


def correlation_of(covariance: FloatArray) -> FloatArray:
    """The correlation that belongs to a covariance; an estimate that does not vary goes with no other.

    >>> correlation_of(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(spread > 0, spread, 1.0)
    found = covariance / np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def _smallest_p(correlation: FloatArray) -> FloatArray:
    """Draws of the smallest two-sided p of normal estimates with this correlation and a mean of 0.

    The symmetric root is the only one that rounding, and another machine's solver, do not turn into another.
    """
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors * np.sqrt(np.where(values > 1e-10, values, 0.0))) @ vectors.T
    normal = np.random.default_rng(0).standard_normal((DRAWS, len(correlation)))
    scale = np.sqrt((root**2).sum(axis=1))
    largest = np.abs(normal @ root.T / scale).max(axis=1)
    return np.asarray(2 * special.ndtr(-largest))
