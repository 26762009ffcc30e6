"""A − B on the same items, for any metric: the default comparison, its alternatives, and equivalence.

Default: for accuracy on independent items Tango's score interval with McNemar's chi² test (each says the same as
the other); for other metrics or clustered items the delta method with a (cluster-robust) t test; for several runs
variance components over runs × items. `permutation_test` and `bootstrap_test` are second opinions. Positive
differences favour A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, check_same_length, group_codes
from goldproof.statistics.bootstrap import DRAWS, bootstrap_differences
from goldproof.statistics.changes import flips
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.influence import linearise
from goldproof.statistics.intervals import t_quantile, why_no_interval
from goldproof.statistics.metrics import Metric
from goldproof.statistics.proportions import mcnemar, paired_proportions
from goldproof.statistics.runs import MeanVariance, RunPart, RunSummary, item_variance, run_part, summarise_runs

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference A − B with its interval, the two-sided p for no difference, and its standard error."""

    difference: Estimate
    p_value: float
    standard_error: float
    df: float


def compare(
    metric: Metric, gold: Array, a: Array, b: Array, clusters: Array | None = None, level: float = 0.95
) -> Comparison:
    """Compare one run of A with one run of B on the same items (codes, one for each item).

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.zeros(100, int); a = np.r_[np.ones(10, int), np.zeros(90, int)]; b = np.roll(a, 5) | a
    >>> result = compare(metric("accuracy"), gold, a, b)
    >>> round(result.difference.value, 3), round(result.p_value, 4)
    (0.05, 0.0253)
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or b.ndim != 1:
        raise UsageError(f"compare takes one run of each; got {a.ndim} and {b.ndim} axes (use compare_runs)")
    n = check_same_length(gold=np.asarray(gold), a=a, b=b)
    if metric.name == "accuracy" and clusters is None:
        counts = flips(gold, a, b)
        difference = paired_proportions(counts.only_a, counts.only_b, n, level)
        discordant = counts.only_a + counts.only_b
        error = math.sqrt(max(discordant / n - difference.value**2, 0.0) / n)
        return Comparison(difference, mcnemar(counts.only_a, counts.only_b, "chi2"), error, math.inf)
    return _compare_linearised(metric, gold, (a, b), clusters, level)


def compare_runs(
    metric: Metric,
    gold: Array,
    runs_a: Array,
    runs_b: Array,
    clusters: Array | None = None,
    same_seeds: bool = False,
    level: float = 0.95,
) -> Comparison:
    """Compare the mean score of A's runs with that of B's (runs × items each, on the same items).

    Runs of A and B are independent by default. `same_seeds` says that run k of A and of B belong together (same
    data order and initialisation, say), and works on their differences. Where a side has one run only its seed
    variance is unknown; the interval is then over items (and the other side's runs) and says so. Where no run and
    no item tells A from B, the interval is what the number of items alone allows, from one run of each.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 300)
    >>> a, b = (np.where(rng.random((4, 300)) < p, gold, 1 - gold) for p in (0.9, 0.7))
    >>> compare_runs(metric("mcc"), gold, a, b).p_value < 0.01
    True
    """
    runs_a, runs_b = np.atleast_2d(np.asarray(runs_a)), np.atleast_2d(np.asarray(runs_b))
    n = check_same_length(gold=np.asarray(gold), runs_a=runs_a, runs_b=runs_b)
    codes = group_codes(clusters, n)
    encoded = [metric.encode(gold, runs) for runs in (runs_a, runs_b)]
    scores = [float(np.mean(metric.score(items.sums()))) for items in encoded]
    reason = why_no_interval(metric, scores[0] - scores[1], encoded[0].counts()[0], int(codes.max()) + 1)
    if reason:
        return _no_comparison(reason, scores[0] - scores[1], n, level)
    sides = [summarise_runs(metric, items, codes) for items in encoded]
    if same_seeds:
        if len(runs_a) != len(runs_b):
            raise UsageError(f"same_seeds needs as many runs of A as of B; got {len(runs_a)} and {len(runs_b)}")
        sides = [_difference_of(*sides)]
    found = _compare_summaries(sides, scores[0] - scores[1], n, level)
    if found.standard_error < ROUNDING:
        return compare(metric, gold, runs_a[0], runs_b[0], clusters, level)
    return found


def permutation_test(
    metric: Metric,
    gold: Array,
    pair: tuple[Array, Array],
    rng: np.random.Generator,
    draws: int = DRAWS,
    clusters: Array | None = None,
) -> float:
    """The paired permutation test: A's and B's answers are swapped at random on each item, or on each cluster.

    p = (1 + number of swaps with |difference| at least the observed) / (1 + draws) (Noreen 1989; Phipson & Smyth
    2010).

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.zeros(40, int); a = gold; b = np.r_[np.ones(8, int), np.zeros(32, int)]
    >>> permutation_test(metric("accuracy"), gold, (a, b), np.random.default_rng(0)) < 0.02
    True
    """
    items = metric.encode(gold, np.stack([np.asarray(side) for side in pair]))
    codes = group_codes(clusters, items.index.shape[1])
    gap = items.rows[items.index[1]] - items.rows[items.index[0]]
    moved = np.zeros((int(codes.max()) + 1, gap.shape[1]))
    np.add.at(moved, codes, gap)
    moved = moved[np.abs(moved).max(axis=1) > 0]
    sums = items.sums()
    observed = abs(float(metric.score(sums[0]) - metric.score(sums[1])))
    extreme = 0
    block = max(1, 10_000_000 // max(len(moved), 1))
    for start in range(0, draws, block):
        swap = rng.integers(0, 2, size=(min(block, draws - start), len(moved))).astype(float) @ moved
        gaps = np.abs(metric.score(sums[0] + swap) - metric.score(sums[1] - swap))
        extreme += int((gaps >= observed - 1e-12).sum())
    return (1 + extreme) / (1 + draws)


def bootstrap_test(
    metric: Metric,
    gold: Array,
    pair: tuple[Array, Array],
    rng: np.random.Generator,
    draws: int = DRAWS,
    clusters: Array | None = None,
) -> float:
    """The paired bootstrap of Berg-Kirkpatrick, Burkett & Klein (2012), one-sided for the better system.

    p = share of resamples whose difference, in the direction observed, exceeds twice the observed difference: δ* >
    2δ.

    >>> from goldproof.statistics.metrics import metric
    >>> gold = np.zeros(40, int); a = gold; b = np.r_[np.ones(8, int), np.zeros(32, int)]
    >>> bootstrap_test(metric("accuracy"), gold, (a, b), np.random.default_rng(0)) < 0.02
    True
    """
    observed = metric(gold, pair[0]) - metric(gold, pair[1])
    if observed == 0:
        return 1.0
    differences = bootstrap_differences(metric, gold, pair, rng, draws, clusters)
    return float((differences * np.sign(observed) > 2 * abs(observed)).mean())


def equivalence_test(comparison: Comparison, margin: float) -> float:
    """Two one-sided tests (Schuirmann 1987): the p-value for a difference outside ±margin.

    A small p says that A and B differ by less than the margin.

    >>> same = Comparison(Estimate(0.0, -0.01, 0.01, "t", 1000), 1.0, 0.005, 999.0)
    >>> equivalence_test(same, 0.02) < 0.001
    True
    """
    if margin <= 0:
        raise UsageError(f"the margin of equivalence must be above 0; got {margin}")
    distance = margin - abs(comparison.difference.value)
    if comparison.standard_error == 0:
        return 0.0 if distance > 0 else 1.0
    return _lower_tail(-distance / comparison.standard_error, comparison.df)


def _compare_linearised(
    metric: Metric, gold: Array, pair: tuple[Array, Array], clusters: Array | None, level: float
) -> Comparison:
    """The delta method on the difference of influence, with a t test over items or clusters."""
    sides = [metric.encode(gold, side) for side in pair]
    n = len(sides[0].index)
    codes = group_codes(clusters, n)
    groups = int(codes.max()) + 1
    linears = [linearise(metric, side.rows, side.counts()) for side in sides]
    value = linears[0].value - linears[1].value
    reason = why_no_interval(metric, value, sides[0].counts(), groups)
    if reason:
        return _no_comparison(reason, value, n, level)
    gaps = linears[0].influence[sides[0].index] - linears[1].influence[sides[1].index]
    summed = np.bincount(codes, weights=gaps)
    error = math.sqrt(float(summed @ summed) * groups / (groups - 1)) / n
    kind = "items" if clusters is None else "clusters"
    if error < ROUNDING and abs(value) < ROUNDING:
        reach = float(np.ptp(linears[0].influence))
        return _no_difference(reach, f"none of {groups} {kind} differs", (n, groups), level)
    half = t_quantile(level, groups - 1) * error
    difference = Estimate(value, value - half, value + half, f"paired t, delta, {groups} {kind}", n, level)
    p_value = 2 * _lower_tail(-abs(value) / error, groups - 1) if error > 0 else float(value == 0)
    return Comparison(difference, p_value, error, groups - 1)


def _compare_summaries(sides: list[RunSummary], value: float, n: int, level: float) -> Comparison:
    signs = (1.0, -1.0)[: len(sides)]
    mean_influence: FloatArray = np.sum([s * side.influence.mean(0) for s, side in zip(signs, sides, strict=True)], 0)
    groups = len(mean_influence)
    parts: list[RunPart] = [run_part(side) for side in sides if len(side.scores) > 1]
    variance = MeanVariance(parts, item_variance(mean_influence), groups)
    half = variance.half_width(level)
    counted = " and ".join(str(len(side.scores)) for side in sides)
    alone = "" if len(parts) == len(sides) else "; a side with one run, its seed variance unknown"
    method = f"{counted} {'run' if counted == '1' else 'runs'} × {groups} items or clusters, variance components{alone}"
    error = math.sqrt(variance.total)
    return Comparison(
        Estimate(value, value - half, value + half, method, n, level),
        variance.p_value(value),
        error,
        _matching_df(half, error, level),
    )


def _no_difference(reach: float, reason: str, sizes: tuple[int, int], level: float) -> Comparison:
    """A difference of 0 where no item tells A from B, give or take what items like these could change unseen.

    By Tango's interval, up to z²/(groups + z²) of all items may differ when none of so many groups does; `reach` is
    the most that an item can change by.
    """
    n, groups = sizes
    z = t_quantile(level, math.inf)
    half = reach * z**2 / (groups + z**2)
    return Comparison(Estimate(0.0, -half, half, f"{reason}, Tango's bound", n, level), 1.0, half / z, math.inf)


def _no_comparison(reason: str, value: float, n: int, level: float) -> Comparison:
    none = Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level)
    return Comparison(none, math.nan, math.nan, math.nan)


def _difference_of(a: RunSummary, b: RunSummary) -> RunSummary:
    return RunSummary(a.scores - b.scores, a.centres - b.centres, a.influence - b.influence, a.n_items)


def _matching_df(half: float, error: float, level: float) -> float:
    """Degrees of freedom whose t quantile is half / error, so that one t distribution sums the parts up."""
    if error == 0:
        return math.inf
    low, high = 0.5, 1e6
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if t_quantile(level, middle) > half / error else (low, middle)
    return low


def _lower_tail(t: float, df: float) -> float:
    return float(special.ndtr(t) if math.isinf(df) else special.stdtr(df, t))
