"""Comparisons against statsmodels and scipy, their invariances, and agreement of the methods among themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.proportion import proportions_ztest
from statsmodels.stats.weightstats import ttost_paired

from goldproof.errors import UsageError
from goldproof.statistics.changes import churn, flips, model_churn, seed_churn
from goldproof.statistics.comparison import (
    Comparison,
    bootstrap_test,
    compare,
    compare_runs,
    equivalence_test,
    permutation_test,
)
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.proportions import (
    cochran_q,
    mcnemar,
    paired_proportions,
    significant_difference,
    two_proportion_test,
)
from goldproof.statistics.runs import MeanVariance

ACCURACY, MCC = metric("accuracy"), metric("mcc")


def make_pair(seed: int, n: int = 200, gap: float = 0.1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    hard = rng.random(n)
    a, b = (np.where(0.7 * hard + 0.3 * rng.random(n) < level, gold, 1 - gold) for level in (0.7 + gap, 0.7))
    return gold, a, b


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_statsmodels(only_a: int, only_b: int) -> None:
    table = [[7, only_a], [only_b, 9]]
    assert mcnemar(only_a, only_b, "exact") == pytest.approx(sm_mcnemar(table, exact=True).pvalue)
    if only_a + only_b:
        plain = sm_mcnemar(table, exact=False, correction=False).pvalue
        assert mcnemar(only_a, only_b, "chi2") == pytest.approx(plain)
        if only_a != only_b:
            corrected = sm_mcnemar(table, exact=False, correction=True).pvalue
            assert mcnemar(only_a, only_b, "chi2-corrected") == pytest.approx(corrected)
    fewer, total = min(only_a, only_b), only_a + only_b
    half = mcnemar(only_a, only_b, "exact") - stats.binom.pmf(fewer, total, 0.5)
    if only_a != only_b:
        assert mcnemar(only_a, only_b) == pytest.approx(half)


def constrained_score(only_a: int, only_b: int, n: int, d: float) -> float:
    """Tango's statistic from scratch: the likelihood maximised numerically under p_A − p_B = d."""

    def negative(q: float) -> float:
        rest = 1 - 2 * q - d
        return -(only_a * math.log(q + d) + only_b * math.log(q) + (n - only_a - only_b) * math.log(rest))

    low, high = max(0.0, -d) + 1e-12, (1 - d) / 2 - 1e-12
    q = optimize.minimize_scalar(negative, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    return (only_a - only_b - n * d) / math.sqrt(n * (2 * q + d * (1 - d)))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(5, 60))
def test_tango_interval_ends_where_the_constrained_score_test_does(only_a: int, only_b: int, both: int) -> None:
    n = only_a + only_b + both
    estimate = paired_proportions(only_a, only_b, n)
    assert constrained_score(only_a, only_b, n, estimate.low) == pytest.approx(1.96, abs=2e-3)
    assert constrained_score(only_a, only_b, n, estimate.high) == pytest.approx(-1.96, abs=2e-3)
    mirrored = paired_proportions(only_b, only_a, n)
    assert (mirrored.low, mirrored.high) == pytest.approx((-estimate.high, -estimate.low))
    outside = estimate.low > 0 or estimate.high < 0
    assert outside == (mcnemar(only_a, only_b, "chi2") < 0.05)


def test_tango_interval_at_the_edges() -> None:
    none = paired_proportions(0, 0, 50)
    assert none.value == 0
    assert -0.1 < none.low < 0 < none.high < 0.1
    assert none.low == pytest.approx(-none.high)
    everything = paired_proportions(20, 0, 20)
    assert everything.high == 1.0
    assert everything.low == pytest.approx((20 - 1.959964**2) / (20 + 1.959964**2), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 80), st.integers(1, 90))
def test_two_proportions_equal_statsmodels(a: int, b: int) -> None:
    _, p = proportions_ztest([a, b], [81, 91])
    assert two_proportion_test(a, 81, b, 91) == pytest.approx(p)


def test_published_thresholds() -> None:
    # Significant at 5 % for two proportions at p = .5: 2.19 points for MLDoc's 4,000 items, 1.96 for XNLI's 5,010.
    assert round(100 * significant_difference(4000), 2) == 2.19
    assert round(100 * significant_difference(5010), 2) == 1.96
    n = 4000
    at = round(n * (0.5 + significant_difference(n) / 2))
    assert two_proportion_test(at + 1, n, n - at - 1, n) < 0.05 < two_proportion_test(at - 1, n, n - at + 1, n)


@pytest.mark.parametrize("score", [ACCURACY, MCC, metric("macro_f1")])
@pytest.mark.parametrize("clustered", [False, True])
def test_swapping_a_and_b_changes_the_sign_only(score, clustered: bool) -> None:
    gold, a, b = make_pair(0)
    clusters = np.arange(200) // 2 if clustered else None
    one, other = compare(score, gold, a, b, clusters), compare(score, gold, b, a, clusters)
    assert one.difference.value == pytest.approx(-other.difference.value)
    assert (one.difference.low, one.difference.high) == pytest.approx((-other.difference.high, -other.difference.low))
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.difference.low > 0 or one.difference.high < 0) == (one.p_value < 0.05)


def test_clustered_accuracy_is_the_t_test_of_cluster_means() -> None:
    gold, a, b = make_pair(1)
    gaps = ((a == gold).astype(float) - (b == gold)).reshape(100, 2).mean(1)
    theirs = stats.ttest_1samp(gaps, 0.0)
    ours = compare(ACCURACY, gold, a, b, np.arange(200) // 2)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6)
    low, high = theirs.confidence_interval(0.95)
    assert (ours.difference.low, ours.difference.high) == pytest.approx((low, high))


@pytest.mark.parametrize("score", [ACCURACY, MCC])
def test_three_methods_agree(score) -> None:
    gold, a, b = make_pair(2, n=400, gap=0.01)
    rng = np.random.default_rng(0)
    p = compare(score, gold, a, b).p_value
    assert 0.005 < p < 0.4
    assert permutation_test(score, gold, (a, b), rng) == pytest.approx(p, abs=0.04)
    assert 2 * bootstrap_test(score, gold, (a, b), rng) == pytest.approx(p, abs=0.04)


def test_correlations_are_compared_too() -> None:
    rng = np.random.default_rng(9)
    gold = rng.normal(size=150)
    a, b = gold + rng.normal(size=150), gold + 1.2 * rng.normal(size=150)
    pearson = metric("pearson")
    p = compare(pearson, gold, a, b).p_value
    assert permutation_test(pearson, gold, (a, b), rng) == pytest.approx(p, abs=0.05)
    assert 2 * bootstrap_test(pearson, gold, (a, b), rng) == pytest.approx(p, abs=0.05)
    runs = np.stack([a, b])
    assert pearson(gold, runs) == pytest.approx([pearson(gold, a), pearson(gold, b)])


def test_permutation_of_accuracy_is_the_exact_mcnemar_test() -> None:
    gold, a, b = make_pair(3, n=120, gap=0.05)
    counts = flips(gold, a, b)
    exact = mcnemar(counts.only_a, counts.only_b, "exact")
    assert permutation_test(ACCURACY, gold, (a, b), np.random.default_rng(0), 40_000) == pytest.approx(exact, abs=0.01)


def test_bootstrap_test_has_the_right_sign() -> None:
    gold, a, b = make_pair(4, gap=0.15)
    rng = np.random.default_rng(0)
    assert bootstrap_test(ACCURACY, gold, (a, b), rng) < 0.01
    assert bootstrap_test(ACCURACY, gold, (b, a), rng) < 0.01
    assert bootstrap_test(ACCURACY, gold, (a, a), rng) == 1.0


def test_identical_predictions_are_tied() -> None:
    gold, a, _ = make_pair(5)
    for score, clusters in ((ACCURACY, None), (ACCURACY, np.arange(200) // 2), (MCC, None)):
        result = compare(score, gold, a, a, clusters)
        assert result.p_value == 1.0
        assert result.difference.value == 0.0
    assert permutation_test(MCC, gold, (a, a), np.random.default_rng(0), 100) == 1.0
    runs = np.stack([a, a])
    assert compare_runs(MCC, gold, runs, runs).p_value == 1.0


def test_runs_of_two_systems() -> None:
    rng = np.random.default_rng(6)
    gold = rng.integers(0, 2, 300)
    a, b = (np.where(rng.random((4, 300)) < p, gold, 1 - gold) for p in (0.8, 0.7))
    result = compare_runs(ACCURACY, gold, a, b)
    assert result.difference.value == pytest.approx((a == gold).mean() - (b == gold).mean())
    assert result.difference.method == "4 and 4 runs × 300 items or clusters, variance components"
    swapped = compare_runs(ACCURACY, gold, b, a)
    assert (swapped.difference.low, swapped.p_value) == pytest.approx((-result.difference.high, result.p_value))
    assert (result.difference.low > 0) == (result.p_value < 0.05)
    half = result.difference.high - result.difference.value
    assert stats.t.ppf(0.975, result.df) * result.standard_error == pytest.approx(half, rel=1e-3)
    paired = compare_runs(ACCURACY, gold, a, b, same_seeds=True)
    assert paired.difference.value == pytest.approx(result.difference.value)
    one = compare_runs(ACCURACY, gold, a[:1], b)
    assert one.difference.method.endswith("; the one run taken to vary alike")
    assert (one.scope, result.scope) == ("recipes", "recipes")
    single = compare_runs(MCC, gold, a[:1], b[:1])
    assert single == compare(MCC, gold, a[0], b[0])
    assert single.scope == "systems"


def test_a_limit_is_stated_never_a_silent_number() -> None:
    ones, mixed = np.ones(6, int), np.array([0, 1, 1, 0, 1, 1])
    for result in (compare(MCC, ones, ones, mixed), compare_runs(MCC, ones, np.stack([ones, mixed]), mixed)):
        assert result.difference.method == "no interval: one gold class only, MCC is 0 by convention"
        assert math.isnan(result.p_value)
    single = compare(ACCURACY, ones, ones, mixed, np.zeros(6))
    assert single.difference.method == "no interval: all items belong to one cluster"
    flat = compare(metric("pearson"), np.arange(6.0), np.ones(6), np.arange(6.0))
    assert flat.difference.method == "no interval: a column does not vary"


def test_equivalence_equals_statsmodels() -> None:
    gold, a, b = make_pair(7, n=300, gap=0.01)
    x, y = (a == gold).astype(float), (b == gold).astype(float)
    ours = compare(ACCURACY, gold, a, b, np.arange(300))
    p, _, _ = ttost_paired(x, y, -0.05, 0.05)
    assert equivalence_test(ours, 0.05) == pytest.approx(p, rel=1e-6)
    certain = Comparison(Estimate(0.0, 0.0, 0.0, "t", 9), 1.0, 0.0, 8, (0.0, 0.0))
    assert equivalence_test(certain, 0.1) == 0.0


def test_flips_and_churn() -> None:
    gold, a, b = make_pair(8)
    counts = flips(gold, a, b)
    assert counts.n == 200
    assert counts.churn == pytest.approx(churn(a, b))
    assert (counts.only_a - counts.only_b) / 200 == pytest.approx((a == gold).mean() - (b == gold).mean())
    runs = np.stack([a, b, a])
    assert seed_churn(runs) == pytest.approx(2 / 3 * churn(a, b))
    assert model_churn(runs, b) == pytest.approx(2 / 3 * churn(a, b))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar(-1, 2), "counts of discordant items must not be negative; got -1 and 2"),
        (lambda: mcnemar(1, 2, "fast"), "method must be exact, mid-p, chi2 or chi2-corrected; got 'fast'"),
        (
            lambda: paired_proportions(5, 6, 10),
            "discordant items must be counts of at most n; got 5 and 6 of 10",
        ),
        (
            lambda: two_proportion_test(5, 4, 1, 2),
            "successes must lie between 0 and n; got 5 of 4 and 1 of 2",
        ),
        (
            lambda: significant_difference(0),
            "n must be at least 1 and the proportion from 0 to 1; got 0 and 0.5",
        ),
        (
            lambda: compare(ACCURACY, np.zeros(2, int), np.zeros((2, 2), int), np.zeros(2, int)),
            "compare takes one run of each; got 2 and 1 axes (use compare_runs)",
        ),
        (
            lambda: compare_runs(
                ACCURACY, np.zeros(3, int), np.zeros((2, 3), int), np.zeros((3, 3), int), same_seeds=True
            ),
            "same_seeds needs the same number of runs of A and B; got 2 and 3",
        ),
        (
            lambda: equivalence_test(Comparison(Estimate(0, 0, 0, "", 1), 1.0, 0.0, 1.0), 0.0),
            "the margin of equivalence must be above 0; got 0.0",
        ),
        (
            lambda: seed_churn(np.zeros((1, 4))),
            "seed churn needs at least 2 runs (runs × items); got an array of shape (1, 4)",
        ),
    ],
)
def test_errors_say_what_was_wrong(call, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_cochrans_q_is_statsmodels(seed: int) -> None:
    from statsmodels.stats.contingency_tables import cochrans_q

    rng = np.random.default_rng(seed)
    right = rng.random((int(rng.integers(2, 6)), 40)) < rng.random((1, 40))
    if (right.any(0) & ~right.all(0)).any():
        assert cochran_q(right) == pytest.approx(cochrans_q(right.T.astype(int)).pvalue)
    assert cochran_q(np.ones((3, 5))) == 1.0
    with pytest.raises(UsageError) as caught:
        cochran_q(np.ones(4))
    assert str(caught.value) == "Cochran's Q needs at least 2 runs (runs × items); got an array of shape (4,)"


def test_runs_that_nothing_tells_apart_have_the_interval_that_the_items_allow():
    gold = np.arange(60) % 2
    runs = np.tile(np.where(np.arange(60) < 45, gold, 1 - gold), (3, 1))
    found = compare_runs(metric("accuracy"), gold, runs, runs)
    alone = compare(metric("accuracy"), gold, runs[0], runs[0])
    assert found.difference == alone.difference
    assert found.difference.low < -0.05 < 0.05 < found.difference.high
    assert found.p_value == 1.0


def test_a_run_that_hardly_varies_is_compared_as_any_other() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=400)
    a, b = gold + rng.normal(size=(2, 3, 400))
    b[1] = rng.normal(size=400)
    shrunk = b.copy()
    shrunk[1] = 2.8 + 1e-6 * b[1]
    plain, found = (compare_runs(metric("pearson"), gold, a, runs) for runs in (b, shrunk))
    assert found.difference.low == pytest.approx(plain.difference.low, abs=1e-4)
    assert found.p_value == pytest.approx(plain.p_value, rel=1e-3)
    assert plain.p_value > 0.05


def test_a_variance_that_is_not_a_number_gives_no_p_value() -> None:
    assert math.isnan(MeanVariance((), math.nan, 100).p_value(0.3))


@pytest.mark.parametrize("name", ["accuracy", "mcc", "macro_f1"])
def test_systems_that_no_item_tells_apart_are_not_shown_to_be_equal(name: str) -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 150)
    a = np.where(rng.random(150) < 0.8, gold, 1 - gold)
    alone = compare(metric(name), gold, a, a)
    assert alone.difference.low == pytest.approx(-alone.difference.high)
    assert alone.difference.high > 0
    assert alone.p_value == 1
    by_cluster = compare(metric(name), gold, a, a, clusters=np.arange(150))
    assert by_cluster.difference.high == pytest.approx(alone.difference.high)
    runs = np.stack([a, a, a])
    assert compare_runs(metric(name), gold, runs, runs).difference.high == pytest.approx(alone.difference.high)
