"""Many questions at once: adjusted p-values, and bands that hold for all estimates together."""

from __future__ import annotations

import math

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, check_level
from goldproof.statistics.estimate import Estimate


def holm(p_values: Array) -> FloatArray:
    """Holm's (1979) step-down adjustment; holds the chance of any false positive.

    p̃_(i) = max over j ≤ i of min(1, (m − j + 1)·p_(j))

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p, order = _sorted(p_values)
    adjusted = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    return _unsort(np.minimum(adjusted, 1.0), order)


def benjamini_hochberg(p_values: Array) -> FloatArray:
    """Benjamini & Hochberg's (1995) adjustment; holds the share of false positives among the positives.

    p̃_(i) = min over j ≥ i of min(1, m·p_(j)/j)

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Array) -> FloatArray:
    """Benjamini & Yekutieli's (2001) adjustment, valid under any dependence: BH times Σ 1/j.

    >>> benjamini_yekutieli(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.055, 0.073, 0.073]
    """
    return _step_up(p_values, float((1 / np.arange(1, np.size(p_values) + 1)).sum()))


def simultaneous_bands(
    values: Array, draws: Array, n: int, level: float = 0.95, limits: tuple[float, float] = (-math.inf, math.inf)
) -> list[Estimate]:
    """Max-T bands: all true values lie inside together with probability `level` (Romano & Wolf 2005).

    `values` is one number for each estimate, `draws` is resamples × estimates from the *same* resamples. The half
    width of estimate k is c·sd_k, with c the `level` quantile of max_k |draw_k − value_k| / sd_k; bands end at
    `limits`, where the quantity has them. An estimate whose draws do not vary has no band: that no resample differs
    does not make it certain. Shares of items have better ones, `proportion_bands`.

    >>> rng = np.random.default_rng(0)
    >>> bands = simultaneous_bands(np.zeros(2), rng.normal(size=(10_000, 2)), 100)
    >>> round(bands[0].high, 1)
    2.2
    """
    values, draws = np.asarray(values, float), np.asarray(draws, float)
    if draws.ndim != 2 or draws.shape[1] != len(values):
        raise UsageError(f"draws must be resamples × {len(values)} estimates; got an array of shape {draws.shape}")
    spread = draws.std(axis=0, ddof=1)
    moving = spread > 1e-12
    deviations = np.abs(draws[:, moving] - values[moving]) / spread[moving]
    reach = float(np.quantile(deviations.max(axis=1), check_level(level))) if moving.any() else 0.0
    half = np.where(moving, reach * spread, math.nan)
    method = f"max-T band over {len(values)}, {len(draws)} draws"
    return [
        Estimate(
            float(value),
            float(np.maximum(value - h, limits[0])),
            float(np.minimum(value + h, limits[1])),
            method if moves else "no band: the resamples do not vary",
            n,
            level,
        )
        for value, h, moves in zip(values, half, moving, strict=True)
    ]


def _step_up(p_values: Array, factor: float) -> FloatArray:
    p, order = _sorted(p_values)
    m = len(p)
    scaled = p[order] * m * factor / np.arange(1, m + 1)
    return _unsort(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0), order)


def _sorted(p_values: Array) -> tuple[FloatArray, Array]:
    p = np.asarray(p_values, float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise UsageError(f"p-values must be a list of numbers from 0 to 1; got {p.tolist()}")
    return p, np.argsort(p, kind="stable")


def _unsort(adjusted: FloatArray, order: Array) -> FloatArray:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result
