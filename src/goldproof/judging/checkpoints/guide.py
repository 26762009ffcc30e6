"""Guide: whether a development score moves as the target's test score does, within a run and between runs.

All of it is about other runs on these very development and test items; one run cannot tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import special

from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.checkpoints.rules import best_points
from goldproof.statistics.agreement import (
    agreement_null,
    directional_agreement,
    lag_one_autocorrelation,
    no_second_run,
)
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, t_quantile
from goldproof.statistics.multiplicity import benjamini_hochberg

Bearing = Literal["guides", "misleads", "not shown", "one run cannot tell"]
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
class Stretch:
    """Agreement over a stretch of training: the share of pairs with its interval over runs, the range that unrelated
    series would give, the p of a coin (t over runs, on the logit scale), and what may be said.
    """

    share: Estimate
    null: Estimate
    p_value: float
    standing: Bearing


@dataclass(frozen=True, slots=True)
class Guidance:
    """Directional agreement of a development set with a test set: all checkpoints, and the second half of training."""

    all_steps: Stretch
    second_half: Stretch

    @property
    def whole(self) -> Estimate:
        """The share over all checkpoints."""
        return self.all_steps.share

    @property
    def late(self) -> Estimate:
        """The share in the second half of training."""
        return self.second_half.share

    @property
    def null(self) -> Estimate:
        """What unrelated series would give over all checkpoints."""
        return self.all_steps.null

    @property
    def standing(self) -> Bearing:
        """What may be said of all checkpoints."""
        return self.all_steps.standing

    @property
    def late_standing(self) -> Bearing:
        """What may be said of the second half."""
        return self.second_half.standing


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
    """Pearson correlation of source dev and target test over checkpoints of a run (mean over runs), and over runs.

    `p_value` is that of no correlation between runs, NaN where it is not tested.
    """

    within: Estimate
    between: Estimate
    p_value: float = math.nan


def guidance(development: FloatArray, target: FloatArray, counting: Counting, level: float = 0.95) -> Guidance:
    """How well development scores (runs × checkpoints) tell the direction of the target's, taken by itself."""
    half = target.shape[1] // 2
    return Guidance(
        _stretch(development, target, counting, level),
        _stretch(development[:, half:], target[:, half:], counting, level),
    )


def guidance_together(several: Sequence[Guidance], level: float = 0.95) -> list[Guidance]:
    """The same with what may be said of each when false discoveries are controlled over all of them.

    "Guides" and "misleads" need an interval over runs that leaves a coin out, a share outside the range of unrelated
    series, and an adjusted p (Benjamini-Hochberg) that is small enough; with one run nothing is said.
    """
    whole, late = (_adjust([getattr(each, part) for each in several], level) for part in ("all_steps", "second_half"))
    return [Guidance(*both) for both in zip(whole, late, strict=True)]


def _adjust(stretches: Sequence[Stretch], level: float) -> list[Stretch]:
    known = [i for i, stretch in enumerate(stretches) if math.isfinite(stretch.p_value)]
    adjusted = dict(zip(known, benjamini_hochberg(np.array([stretches[i].p_value for i in known])), strict=True))
    return [
        replace(stretch, standing="not shown") if i in adjusted and adjusted[i] >= 1 - level else stretch
        for i, stretch in enumerate(stretches)
    ]


def _stretch(development: FloatArray, target: FloatArray, counting: Counting, level: float) -> Stretch:
    share = directional_agreement(
        development, target, counting.threshold, counting.ties, counting.across_runs, level=level
    )
    null, n_runs = _null(development, target, counting, level), len(target)
    if n_runs == 1:
        return Stretch(share, null, math.nan, "one run cannot tell")
    standing: Bearing = "not shown"
    if share.low > 0.5 and share.value > null.high:
        standing = "guides"
    elif share.high < 0.5 and share.value < null.low:
        standing = "misleads"
    return Stretch(share, null, _p_value(share, n_runs), standing)


def _p_value(share: Estimate, n_runs: int) -> float:
    """The p of a coin, from the interval: t over runs on the logit scale; where no run differs, a coin for each run."""
    if not math.isfinite(share.low):
        return math.nan
    value, high, low = (
        math.atanh(float(np.clip(2 * x - 1, -1 + 1e-9, 1 - 1e-9))) for x in (share.value, share.high, share.low)
    )
    reach = max(high - value, value - low)
    if reach < 1e-6:
        return float(2.0 ** (1 - n_runs))
    return float(2 * special.stdtr(n_runs - 1, -abs(value) / reach * t_quantile(share.level, n_runs - 1)))


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
        return replace(found, method=no_second_run(len(values)))
    if np.ptp(known) < 1e-12:
        reason = f"no interval: all {found.n} runs have the same"
        return replace(found, low=math.nan, high=math.nan, method=reason)
    return replace(found, low=max(found.low, lowest), high=min(found.high, 1.0), method=f"{found.method} over runs")


def correlation(experiment: Experiment, language: str, level: float = 0.95) -> Correlation:
    """Source dev against a language's test: within runs on Fisher's z scale with a t interval over runs, and between
    runs, each at its best source-dev checkpoint.
    """
    source = experiment.dev(experiment.source)
    assert source is not None
    test = experiment.test(language)
    return Correlation(_within(source.scores, test.scores, level), *_between(source.scores, test.scores, level))


def _within(development: FloatArray, target: FloatArray, level: float) -> Estimate:
    values = np.array([_pearson(d, t) for d, t in zip(development, target, strict=True)])
    known = values[np.isfinite(values)]
    if not len(known):
        return Estimate(math.nan, math.nan, math.nan, "no correlation: a score does not vary within a run", 0, level)
    z = mean_interval(np.arctanh(np.clip(known, -1 + 1e-9, 1 - 1e-9)), level)
    method = f"{z.method} over runs, Fisher z" if len(known) > 1 else no_second_run(len(values))
    return Estimate(math.tanh(z.value), math.tanh(z.low), math.tanh(z.high), method, len(known), level)


def _between(development: FloatArray, target: FloatArray, level: float) -> tuple[Estimate, float]:
    """The correlation over runs and its p."""
    points, rows = best_points(development), np.arange(len(development))
    x, y = development[rows, points], target[rows, points]
    n = len(x)
    reason = f"not said: {n} {'run' if n == 1 else 'runs'}, at least 4 are needed" if n < 4 else ""
    if not reason and not math.isfinite(_pearson(x, y)):
        reason = "no correlation: a score does not vary between runs"
    if reason:
        return Estimate(math.nan, math.nan, math.nan, reason, n, level), math.nan
    from scipy.stats import pearsonr

    found = pearsonr(x, y)
    bounds = found.confidence_interval(level)
    method = f"{n} runs, Fisher z, these very items"
    return Estimate(float(found.statistic), float(bounds.low), float(bounds.high), method, n, level), float(
        found.pvalue
    )


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
