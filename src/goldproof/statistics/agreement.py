"""Directional agreement: how often the development score moves as the target score does between two checkpoints.

After Keung et al. (2020). Checkpoints of a run are strongly autocorrelated, so the pairs are far from independent:
the interval is over runs, and one run shows little (`agreement_null`).
"""

from __future__ import annotations

import math

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import t_quantile, transformed_bounds, wilson_bounds

_ROUNDING = 1e-9


def directional_agreement(
    development: Array,
    target: Array,
    threshold: float = 0.0,
    ties: float = 0.5,
    across_runs: bool = False,
    level: float = 0.95,
) -> Estimate:
    """The share of pairs of checkpoints whose development score moves as the target score does.

    Both arrays are runs × checkpoints (NaN where a run has ended). A pair counts when the target differs by at
    least `threshold` and at all; a tie in development counts as `ties`. Pairs lie within a run unless
    `across_runs`. The interval is clustered by run: a delta-method t interval for the ratio Σ agreeing / Σ pairs
    with runs − 1 degrees of freedom, on the logit scale; for pairs across runs it is a jackknife over runs. Runs that
    all have the same share count as one item each (Wilson).

    >>> development = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]])
    >>> target = np.array([[5.0, 6.0, 7.0], [5.0, 6.0, 4.0]])
    >>> directional_agreement(development, target).value
    0.75
    """
    development, target = _checked(development, target, ties)
    runs = len(target)
    if across_runs:
        counts = _pair_counts(development.ravel(), target.ravel(), threshold, ties)
        kept = [np.delete(np.arange(runs), run) for run in range(runs)] if runs > 1 else []
        without = [_pair_counts(development[k].ravel(), target[k].ravel(), threshold, ties) for k in kept]
        return _across_estimate(counts, np.array(without).reshape(-1, 2), runs, level)
    each = np.array([_pair_counts(d, t, threshold, ties) for d, t in zip(development, target, strict=True)])
    return _within_estimate(each, level)


def agreement_null(
    n_checkpoints: int,
    autocorrelation: float,
    rng: np.random.Generator,
    n_runs: int = 1,
    threshold: float = 0.0,
    draws: int = 2_000,
    level: float = 0.95,
) -> Estimate:
    """The range of agreement when development and target are independent AR(1) noise of standard deviation 1.

    `threshold` is in standard deviations of the target. With 50 checkpoints, autocorrelation 0.9 and no threshold
    the 95 % range of one run is about 0.28–0.72.

    >>> null = agreement_null(50, 0.9, np.random.default_rng(0), draws=500)
    >>> round(null.value, 1), 0.2 < null.low < 0.35, 0.65 < null.high < 0.8
    (0.5, True, True)
    """
    if n_checkpoints < 2 or n_runs < 1 or not -1 < autocorrelation < 1:
        raise UsageError(
            "the null needs at least 2 checkpoints, 1 run and an autocorrelation inside (-1, 1); "
            f"got {n_checkpoints}, {n_runs} and {autocorrelation}"
        )
    shares = np.empty(draws)
    for draw in range(draws):
        noise = _autoregressive((2 * n_runs, n_checkpoints), autocorrelation, rng)
        pairs = [_pair_counts(noise[2 * r], noise[2 * r + 1], threshold, 0.5) for r in range(n_runs)]
        agreeing, counted = np.sum(pairs, axis=0)
        shares[draw] = agreeing / counted if counted else np.nan
    tail = (1 - level) / 2
    low, high = np.nanquantile(shares, [tail, 1 - tail])
    method = f"null range, AR(1) {autocorrelation:g}, {n_runs} runs, {draws} draws"
    return Estimate(float(np.nanmean(shares)), float(low), float(high), method, n_checkpoints, level)


def lag_one_autocorrelation(series: Array) -> float:
    """The mean lag-1 autocorrelation of series (runs × checkpoints), each about its own mean; NaN if none varies.

    >>> round(lag_one_autocorrelation(np.array([[1.0, 2.0, 3.0, 4.0]])), 2)
    0.25
    """
    values = []
    for row in np.atleast_2d(np.asarray(series, float)):
        centred = row[np.isfinite(row)]
        centred = centred - centred.mean()
        if (centred**2).sum() > 0:
            values.append(float((centred[1:] * centred[:-1]).sum() / (centred**2).sum()))
    return float(np.mean(values)) if values else math.nan


def no_second_run(n_runs: int) -> str:
    """Why one run that counts has no interval, of so many that there are.

    >>> no_second_run(1), no_second_run(2)
    ('no interval: one run only', 'no interval: one run of 2 has anything that counts')
    """
    return "no interval: one run only" if n_runs == 1 else f"no interval: one run of {n_runs} has anything that counts"


def _pair_counts(development: FloatArray, target: FloatArray, threshold: float, ties: float) -> tuple[float, float]:
    """Agreeing pairs (ties counted as `ties`) and counted pairs."""
    there = np.isfinite(development) & np.isfinite(target)
    development, target = development[there], target[there]
    first, second = np.triu_indices(len(target), 1)
    moved = target[second] - target[first]
    counted = (np.abs(moved) >= threshold - _ROUNDING) & (np.abs(moved) > _ROUNDING)
    followed = (development[second] - development[first])[counted]
    still = np.abs(followed) <= _ROUNDING
    agreeing = (np.sign(followed) == np.sign(moved[counted])) & ~still
    return float(agreeing.sum() + ties * still.sum()), float(counted.sum())


def _within_estimate(each: FloatArray, level: float) -> Estimate:
    agreeing, pairs = each.sum(axis=0)
    runs = int((each[:, 1] > 0).sum())
    if pairs == 0:
        return Estimate(math.nan, math.nan, math.nan, "no pair of checkpoints passes the threshold", 0, level)
    share = agreeing / pairs
    if runs < 2:
        return Estimate(share, math.nan, math.nan, no_second_run(len(each)), round(pairs), level)
    gaps = each[:, 0] - share * each[:, 1]
    error = math.sqrt(float(gaps @ gaps) * runs / (runs - 1)) / pairs
    if error < _ROUNDING:
        return _alike(float(share), runs, pairs, level)
    low, high = transformed_bounds(share, error, t_quantile(level, runs - 1), (0.0, 1.0))
    return Estimate(float(share), low, high, f"clustered by {runs} runs, t", round(pairs), level)


def _alike(share: float, runs: int, pairs: float, level: float) -> Estimate:
    """Where all runs have the same share nothing tells how they vary: each then counts as one item."""
    low, high = wilson_bounds(share, runs, t_quantile(level, runs - 1))
    return Estimate(share, low, high, f"{runs} runs alike, Wilson", round(pairs), level)


def _across_estimate(counts: tuple[float, float], without: FloatArray, runs: int, level: float) -> Estimate:
    agreeing, pairs = counts
    if pairs == 0:
        return Estimate(math.nan, math.nan, math.nan, "no pair of checkpoints passes the threshold", 0, level)
    share = agreeing / pairs
    if runs < 3 or (without[:, 1] == 0).any():
        return Estimate(share, math.nan, math.nan, "no interval: fewer than three runs", round(pairs), level)
    shares = without[:, 0] / without[:, 1]
    error = math.sqrt((runs - 1) / runs * float(((shares - shares.mean()) ** 2).sum()))
    if error < _ROUNDING:
        return _alike(share, runs, pairs, level)
    low, high = transformed_bounds(share, error, t_quantile(level, runs - 1), (0.0, 1.0))
    return Estimate(share, low, high, f"jackknife over {runs} runs, pairs across runs", round(pairs), level)


def _autoregressive(shape: tuple[int, int], autocorrelation: float, rng: np.random.Generator) -> FloatArray:
    """Stationary AR(1) series of variance 1, one for each row."""
    noise = rng.standard_normal(shape)
    series = np.empty(shape)
    series[:, 0] = noise[:, 0]
    scale = math.sqrt(1 - autocorrelation**2)
    for step in range(1, shape[1]):
        series[:, step] = autocorrelation * series[:, step - 1] + scale * noise[:, step]
    return series


def _checked(development: Array, target: Array, ties: float) -> tuple[FloatArray, FloatArray]:
    development, target = np.atleast_2d(np.asarray(development, float)), np.atleast_2d(np.asarray(target, float))
    if development.shape != target.shape or target.shape[1] < 2:
        raise UsageError(
            "development and target must both be runs × checkpoints with at least 2 checkpoints; "
            f"got shapes {development.shape} and {target.shape}"
        )
    if not 0 <= ties <= 1:
        raise UsageError(f"a tie must count from 0 to 1; got {ties}")
    return development, target
