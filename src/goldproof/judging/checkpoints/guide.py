"""Guide: whether a development score moves as the target's test score does, within a run and between runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.checkpoints.rules import best_points
from goldproof.statistics.agreement import agreement_null, directional_agreement, lag_one_autocorrelation
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval

Bearing = Literal["guides", "misleads", "may be chance"]
NULL_DRAWS = 300


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts: test scores must differ by `threshold`; a tie in development counts as `ties`; pairs of two runs
    count only with `across_runs`.
    """

    threshold: float = 0.005
    ties: float = 0.5
    across_runs: bool = False


@dataclass(frozen=True, slots=True)
class Guidance:
    """Directional agreement of a development set with a test set: all checkpoints, the second half of training, what
    chance alone would give, and what may be said.
    """

    whole: Estimate
    late: Estimate
    null: Estimate
    standing: Bearing

    @property
    def late_standing(self) -> Bearing:
        """What may be said of the second half, from its interval over runs."""
        if self.late.low > 0.5:
            return "guides"
        return "misleads" if self.late.high < 0.5 else "may be chance"


@dataclass(frozen=True, slots=True)
class MeanGuidance:
    """Agreement averaged over languages: source dev, target dev where there is one, and target minus source there.

    Each is a mean over runs with a t interval over runs; `late` is the second half of training only.
    """

    source: Estimate
    source_late: Estimate
    target: Estimate | None
    target_late: Estimate | None
    gain_late: Estimate | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson correlation of source dev and target test over checkpoints of a run (mean over runs), and over runs."""

    within: Estimate
    between: Estimate


def guidance(development: FloatArray, target: FloatArray, counting: Counting, level: float = 0.95) -> Guidance:
    """How well development scores (runs × checkpoints) tell the direction of the target's.

    The interval is clustered by run. With one run there is none, and the standing is told by the range that unrelated
    series as autocorrelated as these would give.
    """
    options = {"threshold": counting.threshold, "ties": counting.ties, "across_runs": counting.across_runs}
    whole = directional_agreement(development, target, level=level, **options)  # type: ignore[arg-type]
    half = target.shape[1] // 2
    late = directional_agreement(development[:, half:], target[:, half:], level=level, **options)  # type: ignore[arg-type]
    null = _null(development, target, counting, level)
    low, high = (whole.low, whole.high) if math.isfinite(whole.low) else (whole.value, whole.value)
    standing: Bearing = "may be chance"
    if low > 0.5 and whole.value > null.high:
        standing = "guides"
    elif high < 0.5 and whole.value < null.low:
        standing = "misleads"
    return Guidance(whole, late, null, standing)


def mean_guidance(experiment: Experiment, counting: Counting, level: float = 0.95) -> MeanGuidance:
    """Agreement averaged over the target languages, run by run; pairs lie within runs."""
    source = experiment.dev(experiment.source)
    assert source is not None
    half = len(experiment.steps) // 2
    tests = [(experiment.test(name).scores, experiment.dev(name)) for name in experiment.targets]
    own = [(dev.scores, test) for test, dev in tests if dev is not None]
    usual = [(source.scores, test) for test, dev in tests if dev is not None]
    by_source = [(source.scores, test) for test, _ in tests]
    whole, late, target, target_late, usual_late = (
        _shares(pairs, first, counting)
        for pairs, first in ((by_source, 0), (by_source, half), (own, 0), (own, half), (usual, half))
    )
    gain = [a - b for a, b in zip(target_late, usual_late, strict=True)]
    return MeanGuidance(
        _mean(whole, level),
        _mean(late, level),
        _mean(target, level) if own else None,
        _mean(target_late, level) if own else None,
        _mean(gain, level, lowest=-1.0) if own else None,
    )


def _shares(pairs: Sequence[tuple[FloatArray, FloatArray]], first: int, counting: Counting) -> list[float]:
    """For each run the mean over languages of its own agreement, from a checkpoint on; NaN where no pair counts."""
    shares = []
    for run in range(len(pairs[0][0]) if pairs else 0):
        each = [
            directional_agreement(dev[run, first:], test[run, first:], counting.threshold, counting.ties).value
            for dev, test in pairs
        ]
        known = [share for share in each if math.isfinite(share)]
        shares.append(float(np.mean(known)) if known else math.nan)
    return shares


def _mean(values: Sequence[float], level: float, lowest: float = 0.0) -> Estimate:
    """The mean over runs; an interval ends where shares, or differences of shares, do."""
    known = np.array([value for value in values if math.isfinite(value)])
    if not len(known):
        return Estimate(math.nan, math.nan, math.nan, "no pair of checkpoints passes the threshold", 0, level)
    found = mean_interval(known, level)
    if found.n == 1:
        return replace(found, method="no interval: one run only")
    return replace(found, low=max(found.low, lowest), high=min(found.high, 1.0), method=f"{found.method} over runs")


def correlation(experiment: Experiment, language: str, level: float = 0.95) -> Correlation:
    """Source dev against a language's test: within runs on Fisher's z scale with a t interval over runs, and between
    runs, each at its best source-dev checkpoint.
    """
    source = experiment.dev(experiment.source)
    assert source is not None
    test = experiment.test(language)
    return Correlation(_within(source.scores, test.scores, level), _between(source.scores, test.scores, level))


def _within(development: FloatArray, target: FloatArray, level: float) -> Estimate:
    values = np.array([_pearson(d, t) for d, t in zip(development, target, strict=True)])
    known = values[np.isfinite(values)]
    if not len(known):
        return Estimate(math.nan, math.nan, math.nan, "no correlation: a score does not vary within a run", 0, level)
    z = mean_interval(np.arctanh(np.clip(known, -1 + 1e-9, 1 - 1e-9)), level)
    method = f"{z.method} over runs, Fisher z" if len(known) > 1 else "no interval: one run only"
    return Estimate(math.tanh(z.value), math.tanh(z.low), math.tanh(z.high), method, len(known), level)


def _between(development: FloatArray, target: FloatArray, level: float) -> Estimate:
    points, rows = best_points(development), np.arange(len(development))
    x, y = development[rows, points], target[rows, points]
    n = len(x)
    if n < 4:
        return Estimate(
            math.nan,
            math.nan,
            math.nan,
            f"not said: {n} {'run' if n == 1 else 'runs'}, at least 4 are needed",
            n,
            level,
        )
    value = _pearson(x, y)
    if not math.isfinite(value):
        return Estimate(math.nan, math.nan, math.nan, "no correlation: a score does not vary between runs", n, level)
    from scipy.stats import pearsonr

    bounds = pearsonr(x, y).confidence_interval(level)
    return Estimate(value, float(bounds.low), float(bounds.high), f"{n} runs, Fisher z", n, level)


def _pearson(x: FloatArray, y: FloatArray) -> float:
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if len(x) < 3 or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def _null(development: FloatArray, target: FloatArray, counting: Counting, level: float) -> Estimate:
    """The range for unrelated series; autocorrelation and threshold are rounded, so that languages share draws."""
    rhos = [float(np.clip(np.nan_to_num(lag_one_autocorrelation(s)), 0.0, 0.98)) for s in (development, target)]
    spreads = [float(np.nanstd(run)) for run in target]
    spread = float(np.mean(spreads))
    threshold = min(counting.threshold / spread, 2.0) if spread > 0 else 0.0
    return _drawn_null(target.shape[1], round(math.sqrt(rhos[0] * rhos[1]), 1), len(target), round(threshold, 1), level)


@lru_cache(maxsize=256)
def _drawn_null(n_points: int, rho: float, n_runs: int, threshold: float, level: float) -> Estimate:
    rng = np.random.default_rng(0)
    found = agreement_null(n_points, min(rho, 0.95), rng, n_runs, threshold, NULL_DRAWS, level)
    return replace(found, method=f"{found.method}, threshold {threshold:g} SD")
