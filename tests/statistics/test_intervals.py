"""Intervals against statsmodels and scipy, the delta method against its textbook formula, limits stated in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from goldproof.errors import UsageError
from goldproof.statistics.influence import linearise, sampling_variance
from goldproof.statistics.intervals import (
    clopper_pearson,
    mean_interval,
    score_interval,
    spearman_interval,
    table_interval,
    wilson,
)
from goldproof.statistics.metrics import metric, span_f1_metric

MCC, ACCURACY = metric("mcc"), metric("accuracy")


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 300), st.integers(0, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_proportions_equal_statsmodels(n: int, successes: int, level: float) -> None:
    successes = min(successes, n)
    for ours, name in ((wilson, "wilson"), (clopper_pearson, "beta")):
        low, high = proportion_confint(successes, n, alpha=1 - level, method=name)
        estimate = ours(successes, n, level)
        assert estimate.low == pytest.approx(low, abs=1e-9)
        assert estimate.high == pytest.approx(high, abs=1e-9)
        assert estimate.low <= estimate.value <= estimate.high


def test_mean_interval_equals_scipy() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.9])
    low, high = stats.t.interval(0.9, 3, loc=values.mean(), scale=stats.sem(values))
    estimate = mean_interval(values, 0.9)
    assert (estimate.low, estimate.high) == pytest.approx((low, high))
    assert math.isnan(mean_interval(values[:1]).low)
    assert mean_interval(values[:1]).method == "no interval: one value only"


def test_delta_variance_of_mcc_equals_the_textbook_formula_for_phi() -> None:
    # Bishop, Fienberg & Holland (1975), eq. 11.3-5, for the phi coefficient of a 2 × 2 table.
    counts = np.array([310.0, 140.0, 90.0, 460.0])
    linear = linearise(MCC, np.eye(4), counts)
    p = counts.reshape(2, 2) / counts.sum()
    row, column = p.sum(1), p.sum(0)
    phi = (p[0, 0] * p[1, 1] - p[0, 1] * p[1, 0]) / math.sqrt(row.prod() * column.prod())
    skew = (row[0] - row[1]) * (column[0] - column[1]) / math.sqrt(row.prod() * column.prod())
    tails = (row[0] - row[1]) ** 2 / row.prod() + (column[0] - column[1]) ** 2 / column.prod()
    textbook = (1 - phi**2 + (phi + phi**3 / 2) * skew - 0.75 * phi**2 * tails) / counts.sum()
    assert linear.value == pytest.approx(phi)
    assert sampling_variance(linear, counts) == pytest.approx(textbook, rel=0.01)


@pytest.mark.parametrize("name", ["mcc", "macro_f1", "accuracy", "weighted_f1"])
def test_delta_error_equals_the_bootstrap_error(name: str) -> None:
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 600)
    predicted = np.where(rng.random(600) < 0.6, gold, rng.integers(0, 3, 600))
    score = metric(name, 3)
    counts = score.encode(gold, predicted).counts()
    error = math.sqrt(sampling_variance(linearise(score, np.eye(9), counts), counts))
    draws = score.score(rng.multinomial(600, counts / 600, size=20_000).astype(float))
    assert error == pytest.approx(draws.std(), rel=0.03)


def test_pearson_interval_is_near_fishers_for_normal_data() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=2000)
    y = 0.6 * x + 0.8 * rng.normal(size=2000)
    fisher = stats.pearsonr(x, y).confidence_interval()
    estimate = score_interval(metric("pearson"), x, y)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(fisher), abs=0.01)
    rank = spearman_interval(x, y)
    assert rank.low < stats.spearmanr(x, y).statistic < rank.high
    assert rank.high - rank.low == pytest.approx(fisher.high - fisher.low, rel=0.25)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_order_and_table_do_not_matter_and_the_score_lies_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    gold, predicted = rng.integers(0, 2, n), rng.integers(0, 2, n)
    gold[:2] = (0, 1)
    order = rng.permutation(n)
    for score in (MCC, ACCURACY, metric("macro_f1")):
        estimate = score_interval(score, gold, predicted)
        assert estimate.low <= estimate.value <= estimate.high
        shuffled = score_interval(score, gold[order], predicted[order])
        table = table_interval(score, score.encode(gold, predicted).counts().reshape(2, 2))
        for other in (shuffled, table):
            assert (other.low, other.high, other.n) == pytest.approx((estimate.low, estimate.high, n))
        assert score_interval(score, 1 - gold, 1 - predicted).low == pytest.approx(estimate.low, abs=1e-6)


def test_twins_that_say_the_same_count_once() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 150)
    predicted = np.where(rng.random(150) < 0.7, gold, 1 - gold)
    twins = np.repeat(np.arange(150), 2)
    for score in (MCC, ACCURACY):
        alone = score_interval(score, gold, predicted)
        doubled = score_interval(score, np.repeat(gold, 2), np.repeat(predicted, 2), twins)
        naive = score_interval(score, np.repeat(gold, 2), np.repeat(predicted, 2))
        assert doubled.high - doubled.low == pytest.approx(alone.high - alone.low, rel=0.03)
        assert naive.high - naive.low < 0.8 * (alone.high - alone.low)
    single = score_interval(MCC, gold, predicted, np.arange(150))
    assert single.low == pytest.approx(score_interval(MCC, gold, predicted).low, abs=1e-3)


def test_all_right_in_clusters_counts_clusters() -> None:
    gold = np.tile([0, 1], 20)
    estimate = score_interval(ACCURACY, gold, gold, np.arange(40) // 4)
    assert estimate.method == "Wilson, 10 clusters, effective n 10"
    assert estimate.high == 1.0
    assert estimate.low < wilson(40, 40).low


def test_span_f1_has_an_interval_over_sentences() -> None:
    rng = np.random.default_rng(4)
    counts = np.stack([rng.integers(0, 2, 80), np.full(80, 1), np.full(80, 1)], axis=1).astype(float)
    numbers = np.arange(80)
    estimate = score_interval(span_f1_metric(counts), numbers, numbers)
    assert estimate.value == pytest.approx(counts[:, 0].mean())
    expected = wilson(counts[:, 0].sum(), 80)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=0.02)


@pytest.mark.parametrize(
    ("gold", "predicted", "clusters", "method"),
    [
        ([1, 1, 1], [0, 1, 1], None, "no interval: one gold class only, MCC is 0 by convention"),
        ([1], [1], None, "no interval: one item only"),
        ([1, 0], [1, 1], ["a", "a"], "no interval: all items belong to one cluster"),
    ],
)
def test_a_limit_is_stated_never_a_silent_number(gold, predicted, clusters, method) -> None:
    grouped = None if clusters is None else np.array(clusters)
    estimate = score_interval(MCC, np.array(gold), np.array(predicted), grouped)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert estimate.method == method


def test_a_label_never_predicted_still_has_an_interval() -> None:
    gold = np.array([0, 1] * 17)
    estimate = score_interval(MCC, gold, np.zeros(34, int))
    assert estimate.value == 0.0
    assert -0.5 < estimate.low < 0.0 < estimate.high < 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(5, 3), "successes must lie between 0 and n, and n be at least 1; got 5 of 3"),
        (lambda: wilson(1, 3, 1.5), "the confidence level must be above 0 and below 1; got 1.5"),
        (
            lambda: score_interval(MCC, np.zeros(3, int), np.zeros((2, 3), int)),
            "score_interval takes one run; got predictions of 2 axes (use runs_interval)",
        ),
        (
            lambda: score_interval(MCC, np.zeros(3, int), np.zeros(3, int), np.zeros(2)),
            "the arrays must have the same number of items; got items 3, clusters 2",
        ),
        (lambda: table_interval(MCC, np.zeros((2, 2))), "the confusion table must hold at least one item; got none"),
    ],
)
def test_errors_say_what_was_wrong(call, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message
