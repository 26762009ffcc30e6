"""Bands of several shares of the same items, such as the accuracies of layers, that hold for all of them together.

The bounds are those of the exact mid-p interval: they lie in [0, 1], are never of no width, and stay right where few
items are wrong, which Wilson's do not at the level that many shares together need. Unbounded quantities have
`simultaneous_bands` in `multiplicity.py`.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, check_level
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.families import adjust_together, correlation_of

_HALVINGS = 50


def proportion_bands(shares: Array, n_runs: Array | int = 1, level: float = 0.95) -> list[Estimate]:
    """All true shares lie inside their bands together with probability `level`.

    `shares` is estimates × items: 1 where the item is right, 0 where it is not, or the share of `n_runs` runs (one
    number, or one for each estimate) that have it right. Each bound is the mid-p bound at the level that single-step
    max-T gives for normal estimates with the correlation of the shares; to it, and to the size below, each estimate
    brings four items of its own, two of them right, so that a handful of items does not pass for certainty. The mean
    of several runs varies less than one run does: it counts as n·p(1 − p)/s² items, between n and n·`n_runs`. The
    runs are taken as they are: the bands are about these runs on other items.

    >>> right = np.array([[True] * 4, [True, False, True, True]])
    >>> [(round(band.low, 2), round(band.high, 2)) for band in proportion_bands(right)]
    [(0.4, 1.0), (0.19, 0.99)]
    """
    shares = np.asarray(shares, float)
    if shares.ndim != 2 or not shares.size or not ((shares >= 0) & (shares <= 1)).all():
        raise UsageError(f"shares must be estimates × items of numbers from 0 to 1; got the shape {shares.shape}")
    n = shares.shape[1]
    means = shares.mean(axis=1)
    varying = np.atleast_2d(np.cov(shares, bias=True)) * n + np.eye(len(means))
    family = adjust_together(np.ones(len(means)), correlation_of(varying), level)
    as_one_run = n * means * (1 - means) + 1
    sizes = n * np.clip(as_one_run / np.diag(varying), 1, n_runs)
    bounds = mid_p_bounds(means, sizes, family.level)
    method = f"mid-p, max-T over {len(means)}"
    return [
        Estimate(float(p), float(low), float(high), method, n, level)
        for p, (low, high) in zip(means, bounds, strict=True)
    ]


def mid_p_bounds(shares: Array, n: Array | float, level: float = 0.95) -> FloatArray:
    """The mid-p bounds of shares of n items (n may be an effective size): an array of (low, high) for each.

    The lower one is the p at which P(X > x) + P(X = x)/2 is half of 1 − level for X binomial (Lancaster 1961); the
    upper one likewise. It is Clopper & Pearson's interval with half of the observed outcome's chance.

    >>> mid_p_bounds(np.array([1.0, 0.5]), 10).round(3).tolist()
    [[0.741, 1.0], [0.212, 0.788]]
    """
    right = np.asarray(shares, float) * n
    wrong = np.asarray(n, float) - right
    tail = (1 - check_level(level)) / 2
    return np.stack([_lower(right, wrong, tail), 1 - _lower(wrong, right, tail)], axis=-1)


def _lower(right: FloatArray, wrong: FloatArray, tail: float) -> FloatArray:
    """By halving: the chance of as many right, half of it for exactly as many, rises with p."""
    right, wrong = (np.where(count < 1e-9, 0.0, count) for count in (right, wrong))
    low, high = np.zeros_like(right), np.ones_like(right)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        at_least = special.betainc(np.maximum(right, 1e-9), wrong + 1, middle)
        above = np.where(wrong > 0, special.betainc(right + 1, np.maximum(wrong, 1e-9), middle), 0.0)
        is_high = (at_least + above) / 2 > tail
        low, high = np.where(is_high, low, middle), np.where(is_high, middle, high)
    return np.where(right > 0, low, 0.0)
