"""A − B on the same items, for any metric: the default comparison, its alternatives, and equivalence.

Default: for accuracy on independent items Tango's score interval with McNemar's chi² test (each says the same as
the other); for other metrics or clustered items the delta method with a (cluster-robust) t test; for several runs
variance components over runs × items. `permutation_test` and `bootstrap_test` are second opinions. Positive
differences favour A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_same_length, group_codes
from goldproof.statistics.bootstrap import DRAWS, bootstrap_differences
from goldproof.statistics.changes import flips
from goldproof.statistics.clusters import cluster_shares, effective_clusters, t_tail
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.influence import linearise
from goldproof.statistics.intervals import t_quantile, why_no_interval
from goldproof.statistics.metrics import Metric
from goldproof.statistics.proportions import mcnemar, paired_proportions
from goldproof.statistics.runs import Charge, MeanVariance, RunPart, RunSummary, mean_variance, run_part, summarise_runs

ROUNDING = 1e-12
Scope = Literal["systems", "recipes"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference A − B with its interval, the two-sided p for no difference, and its standard error.

    `inner` are the bounds at the level 1 − 2α, inside which an equivalence test looks. `scope` says whether the answer
    is about these systems as they are, or about their recipes, trained again. `variance` are the parts of the
    variance, where they were told apart; `influence` is what each cluster (or item) adds to the difference beyond its
    share; `p_here` is the p on these very items, where runs tell it. No difference can be larger than `limit`.
    """

    difference: Estimate
    p_value: float
    standard_error: float
    df: float
    inner: tuple[float, float] = (math.nan, math.nan)
    scope: Scope = "systems"
    variance: MeanVariance | None = None
    influence: FloatArray | None = field(default=None, repr=False, compare=False)
    p_here: float = math.nan
    limit: float = math.inf


def compare(
    metric: Metric, gold: Array, a: Array, b: Array, clusters: Array | None = None, level: float = 0.95
) -> Comparison:
    """Compare one run of A with one run of B on the same items (codes, one for each item): these systems as they are.

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
        return _compare_right(np.asarray(gold), a, b, n, level)
    return _compare_linearised(metric, gold, (a, b), clusters, level)


def compare_runs(  # noqa: PLR0913 - what is known of the seeds is one more question
    metric: Metric,
    gold: Array,
    runs_a: Array,
    runs_b: Array,
    clusters: Array | None = None,
    same_seeds: bool = False,
    level: float = 0.95,
    seed_sd: float | None = None,
) -> Comparison:
    """Compare the mean score of A's runs with that of B's (runs × items each, on the same items).

    Runs of A and B are independent by default. `same_seeds` says that run k of A and of B belong together (same
    data order and initialisation, say), and works on their differences.

    With one run a side the answer is about these two systems; with several, about their recipes: what other runs on
    other items would give. Where one side has one run only, it is taken to vary as the other side's runs do.
    `seed_sd`, the standard deviation of a recipe's score over runs, makes the answer one about recipes with one run a
    side too; 0 says that there is nothing to train again, so that these systems are all there is.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 300)
    >>> a, b = (np.where(rng.random((4, 300)) < p, gold, 1 - gold) for p in (0.9, 0.7))
    >>> compare_runs(metric("mcc"), gold, a, b).p_value < 0.01
    True
    """
    runs_a, runs_b = np.atleast_2d(np.asarray(runs_a)), np.atleast_2d(np.asarray(runs_b))
    n = check_same_length(gold=np.asarray(gold), runs_a=runs_a, runs_b=runs_b)
    if seed_sd is not None and not 0 <= seed_sd < math.inf:
        raise UsageError(f"the standard deviation over seeds must be a number of at least 0; got {seed_sd}")
    if len(runs_a) == len(runs_b) == 1 and not seed_sd:
        return compare(metric, gold, runs_a[0], runs_b[0], clusters, level)
    codes = group_codes(clusters, n)
    encoded = [metric.encode(gold, runs) for runs in (runs_a, runs_b)]
    sums = [items.sums() for items in encoded]
    scores = [float(np.mean(metric.score(each))) for each in sums]
    reason = why_no_interval(metric, scores[0] - scores[1], (n, int(codes.max()) + 1), sums[0][0])
    if reason:
        return no_comparison(reason, scores[0] - scores[1], n, level)
    sides = [summarise_runs(metric, items, codes) for items in encoded]
    if same_seeds:
        if len(runs_a) != len(runs_b):
            raise UsageError(
                f"same_seeds needs the same number of runs of A and B; got {len(runs_a)} and {len(runs_b)}"
            )
        sides = [difference_of(*sides)]
    found = compare_summaries(sides, scores[0] - scores[1], (n, metric.high - metric.low), level, seed_sd)
    if found.standard_error < ROUNDING:
        first = compare(metric, gold, runs_a[0], runs_b[0], clusters, level)
        return replace(first, scope=found.scope, p_here=found.p_here)
    return found


def compare_values(a: FloatArray, b: FloatArray, codes: tuple[IntArray, IntArray], level: float = 0.95) -> Estimate:
    """The difference of means of a number that items have, over two sets of items that the same runs answered.

    `a` and `b` are runs × items; `codes` are the clusters of the items of each, a cluster being one where it occurs in
    both.

    >>> rng = np.random.default_rng(0); a, b = rng.random((3, 80)), 0.5 * rng.random((3, 90))
    >>> estimate = compare_values(a, b, (np.arange(80), np.arange(80, 170)))
    >>> estimate.low > 0
    True
    """
    n_groups = int(max(codes[0].max(), codes[1].max())) + 1
    means, n = a.mean(1) - b.mean(1), a.shape[1] + b.shape[1]
    value = float(means.mean())
    influence, shares = np.zeros((len(a), n_groups)), np.zeros(n_groups)
    for sign, side, groups in ((1.0, a, codes[0]), (-1.0, b, codes[1])):
        each = sign * (side - side.mean(1, keepdims=True)) / side.shape[1]
        influence += np.stack([np.bincount(groups, weights=of_run, minlength=n_groups) for of_run in each])
        shares += np.bincount(groups, minlength=n_groups) / side.shape[1] / 2
    kept = shares > 0
    if int(kept.sum()) < 2 or (shares >= 1).any():
        return Estimate(value, math.nan, math.nan, "no interval: all items belong to one cluster", n, level)
    variance = RunSummary(means, means, influence[:, kept], shares[kept], n).variance()
    half = variance.half_width(level)
    if half < ROUNDING:
        z = t_tail(1 - level, math.inf)
        half = z**2 / (min(a.shape[1], b.shape[1]) + z**2)
    over = f"{len(a)} runs × items, variance components" if len(a) > 1 else "t over items, one run"
    return Estimate(value, max(value - half, -1.0), min(value + half, 1.0), f"{over}, two sets of items", n, level)


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
    items = metric.encode(gold, np.stack([np.asarray(side) for side in pair])).dense()
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

    A small p says that A and B differ by less than the margin; it is below α exactly where the interval at 1 − 2α lies
    inside (by its wider side, where it is not symmetric).

    >>> same = Comparison(Estimate(0.0, -0.01, 0.01, "t", 1000), 1.0, 0.005, 999.0, (-0.0083, 0.0083))
    >>> equivalence_test(same, 0.02) < 0.001
    True
    """
    if margin <= 0:
        raise UsageError(f"the margin of equivalence must be above 0; got {margin}")
    value, (low, high) = comparison.difference.value, comparison.inner
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan
    reach = max(value - low, high - value)
    if reach <= 0:
        return 0.0 if abs(value) < margin else 1.0
    error = reach / t_tail(2 * (1 - comparison.difference.level), comparison.df)
    return _lower_tail(-(margin - abs(value)) / error, comparison.df)


def inner_level(level: float) -> float:
    """The level 1 − 2α of an interval that makes an equivalence test at α = 1 − level; at least 0.02.

    >>> round(inner_level(0.95), 3)
    0.9
    """
    return max(2 * level - 1, 0.02)


def _compare_right(gold: Array, a: Array, b: Array, n: int, level: float) -> Comparison:
    """Right or wrong on independent items: Tango's score interval with McNemar's chi² test."""
    counts = flips(gold, a, b)
    difference, inner = (
        paired_proportions(counts.only_a, counts.only_b, n, each) for each in (level, inner_level(level))
    )
    gaps = (a == gold).astype(float) - (b == gold)
    return Comparison(
        difference,
        mcnemar(counts.only_a, counts.only_b, "chi2"),
        (difference.high - difference.low) / 2 / t_tail(1 - level, math.inf),
        math.inf,
        (inner.low, inner.high),
        influence=(gaps - gaps.mean()) / n,
        limit=1.0,
    )


def _compare_linearised(
    metric: Metric, gold: Array, pair: tuple[Array, Array], clusters: Array | None, level: float
) -> Comparison:
    """The delta method on the difference of influence, with a t test over items or clusters."""
    sides = [metric.encode(gold, side) for side in pair]
    n = len(sides[0].index)
    codes = group_codes(clusters, n)
    groups, shares = int(codes.max()) + 1, cluster_shares(codes)
    linears = [linearise(metric, side.rows, side.counts()) for side in sides]
    value = linears[0].value - linears[1].value
    reason = why_no_interval(metric, value, (n, groups), sides[0].sums())
    if reason:
        return no_comparison(reason, value, n, level)
    gaps = linears[0].influence[sides[0].index] - linears[1].influence[sides[1].index]
    summed = np.bincount(codes, weights=gaps) / n
    variance = mean_variance((), summed, shares)
    kind = "items" if clusters is None else "clusters"
    limit = metric.high - metric.low
    if math.sqrt(variance.total) < ROUNDING:
        reach = max(float(np.ptp(linear.influence)) for linear in linears)
        return no_spread(value, min(reach, limit), (n, effective_clusters(shares)), f"{groups} {kind}", level)
    method = f"paired t, delta, {groups} {kind}"
    return replace(of_variance(variance, value, (n, limit), method, level), influence=summed)


def of_variance(
    variance: MeanVariance, value: float, sizes: tuple[int, float], method: str, level: float
) -> Comparison:
    """The comparison that a variance gives, with bounds that end where differences do."""
    n, limit = sizes
    half, inner = variance.half_width(level), variance.half_width(inner_level(level))
    bounds = np.clip([value - half, value + half, value - inner, value + inner], -limit, limit).tolist()
    error = math.sqrt(variance.total)
    return Comparison(
        Estimate(value, bounds[0], bounds[1], method, n, level),
        variance.p_value(value),
        error,
        _matching_df(half, error, level),
        (bounds[2], bounds[3]),
        variance=variance,
        limit=limit,
    )


def compare_summaries(
    sides: list[RunSummary], value: float, sizes: tuple[int, float], level: float, seed_sd: float | None
) -> Comparison:
    """The comparison of one summary of differences, or of two summaries; `sizes` are the items and the largest
    difference that there can be.
    """
    signs = (1.0, -1.0)[: len(sides)]
    influence: FloatArray = np.sum([s * side.influence.mean(0) for s, side in zip(signs, sides, strict=True)], 0)
    parts, said = _run_parts(sides, seed_sd)
    charge: Charge = "both" if len(sides) == 1 else "runs" if said else "items"
    variance = mean_variance(parts, influence, sides[0].shares, charge)
    counted = " and ".join(str(len(side.scores)) for side in sides)
    runs = "run" if counted in ("1", "1 and 1") else "runs"
    method = f"{counted} {runs} × {len(influence)} items or clusters, variance components{said}"
    found = of_variance(variance, value, sizes, method, level)
    return replace(
        found, scope="recipes" if parts else "systems", influence=influence, p_here=_p_of_runs(sides, seed_sd)
    )


def _run_parts(sides: list[RunSummary], seed_sd: float | None) -> tuple[list[RunPart], str]:
    """What runs add on both sides, and in words what was assumed of a side with one run."""
    if seed_sd == 0:
        return [], "; these very runs, nothing to train again"
    parts = [run_part(side) for side in sides if len(side.scores) > 1]
    if len(parts) == len(sides):
        return parts, ""
    if seed_sd is not None:
        known = [RunPart(seed_sd**2, 0.0, math.inf) for side in sides if len(side.scores) == 1]
        return [*parts, *known], f"; a spread over seeds of {seed_sd:g} taken as known"
    # One run against n: it varies as each of the n does, Var(θ)·(1 + 1/n) in all.
    (part,) = parts
    more = 1 + part.n_runs
    return [RunPart(part.variance * more, part.interaction * more, part.n_runs)], "; the one run taken to vary alike"


def _p_of_runs(sides: list[RunSummary], seed_sd: float | None) -> float:
    """The p of the runs' scores alone: of these recipes on these very items (Welch's t, or a known spread)."""
    if seed_sd == 0:
        return math.nan
    parts, _ = _run_parts(sides, seed_sd)
    signs = (1.0, -1.0)[: len(sides)]
    value = sum(s * float(side.scores.mean()) for s, side in zip(signs, sides, strict=True))
    plain = MeanVariance([replace(part, interaction=0.0) for part in parts], 0.0, math.inf)
    return plain.p_value(value) if plain.total > ROUNDING**2 else math.nan


def no_spread(value: float, reach: float, sizes: tuple[int, float], kind: str, level: float) -> Comparison:
    """A difference that is the same on every item or cluster, give or take what items like these could change unseen.

    By Tango's interval, up to z²/(groups + z²) of all items may differ when none of so many groups does; `reach` is
    the most that an item can change by. The p of a difference other than 0 is the sign test's.
    """
    n, groups = sizes
    z, inner = (t_tail(1 - each, math.inf) for each in (level, inner_level(level)))
    half, narrow = (reach * q**2 / (groups + q**2) for q in (z, inner))
    same = abs(value) < ROUNDING
    method = f"none of {kind} differs, Tango's bound" if same else f"all of {kind} differ alike, Tango's bound"
    low, high = max(value - half, -reach), min(value + half, reach)
    return Comparison(
        Estimate(value, low, high, method, n, level),
        1.0 if same else min(1.0, 2.0 ** (1 - groups)),
        half / z,
        math.inf,
        (max(value - narrow, -reach), min(value + narrow, reach)),
        limit=reach,
    )


def no_comparison(reason: str, value: float, n: int, level: float) -> Comparison:
    """A difference without an interval, and why."""
    none = Estimate(value, math.nan, math.nan, f"no interval: {reason}", n, level)
    return Comparison(none, math.nan, math.nan, math.nan)


def difference_of(a: RunSummary, b: RunSummary) -> RunSummary:
    """What A's runs score beyond B's, run k of each belonging together, on the same clusters."""
    return RunSummary(a.scores - b.scores, a.centres - b.centres, a.influence - b.influence, a.shares, a.n_items)


def _matching_df(half: float, error: float, level: float) -> float:
    """Degrees of freedom whose t quantile is half / error, so that one t distribution sums the parts up."""
    if error == 0 or not math.isfinite(half):
        return math.inf
    low, high = 0.5, 1e6
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if t_quantile(level, middle) > half / error else (low, middle)
    return low


def _lower_tail(t: float, df: float) -> float:
    return float(special.ndtr(t) if math.isinf(df) else special.stdtr(df, t))
