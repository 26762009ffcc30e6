"""Stability of runs and directional agreement: by hand, by theory, and under what must not matter."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics.agreement import agreement_null, directional_agreement, lag_one_autocorrelation
from goldproof.statistics.stability import category_spread, correlation_interval, pairwise_correlation


def make_table(seed: int, n_runs: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(33, 1)) + rng.normal(size=(33, n_runs))


def test_pairwise_correlation_equals_scipy() -> None:
    table = make_table(0)
    pairs = [stats.pearsonr(table[:, i], table[:, j]).statistic for i, j in combinations(range(5), 2)]
    assert pairwise_correlation(table) == pytest.approx(np.mean(pairs))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0.1, 10), st.floats(-5, 5))
def test_scale_and_order_do_not_matter(seed: int, scale: float, shift: float) -> None:
    table = make_table(seed)
    rng = np.random.default_rng(seed)
    changed = scale * table[rng.permutation(33)][:, rng.permutation(5)] + shift
    one, other = correlation_interval(table), correlation_interval(changed)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-6)
    assert one.low < one.value < one.high


def test_spread_equals_numpy_and_finds_one_sign() -> None:
    table = np.array([[0.1, 0.2, 0.4], [-0.1, -0.3, -0.2], [0.1, -0.1, 0.0], [0.0, 0.2, 0.3]])
    spread = category_spread(table)
    assert spread.mean == pytest.approx(table.mean(1))
    assert spread.sd == pytest.approx([np.std(row, ddof=1) for row in table])
    assert spread.sign.tolist() == [1, -1, 0, 0]


def test_limits_of_stability_are_stated() -> None:
    table = make_table(1)
    flat = table.copy()
    flat[:, 2] = 0.0
    assert math.isnan(pairwise_correlation(flat))
    assert correlation_interval(flat).method == "no interval: a run does not vary"
    assert correlation_interval(table[:3]).method == "no interval: fewer than 4 categories"
    assert correlation_interval(table[:, :2]).method == "jackknife over categories only, two runs, Fisher z"
    with pytest.raises(UsageError) as caught:
        category_spread(table[:, :1])
    assert str(caught.value) == "stability needs at least 2 categories and 2 runs; got an array of shape (33, 1)"


def by_hand(development: np.ndarray, target: np.ndarray, threshold: float, ties: float) -> float:
    agreeing, counted = 0.0, 0
    for dev, goal in zip(development, target, strict=True):
        for i, j in combinations(range(len(goal)), 2):
            moved, followed = goal[j] - goal[i], dev[j] - dev[i]
            if moved != 0 and abs(moved) >= threshold - 1e-12:
                counted += 1
                agreeing += ties if followed == 0 else float(moved * followed > 0)
    return agreeing / counted


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))
def test_agreement_equals_a_count_by_hand(seed: int, threshold: float, ties: float) -> None:
    rng = np.random.default_rng(seed)
    development, target = rng.integers(0, 5, (3, 8)) / 2, rng.integers(0, 5, (3, 8)) / 2
    estimate = directional_agreement(development, target, threshold, ties)
    assert estimate.value == pytest.approx(by_hand(development, target, threshold, ties))
    pooled = directional_agreement(development, target, threshold, ties, across_runs=True)
    assert pooled.value == pytest.approx(by_hand(development.reshape(1, -1), target.reshape(1, -1), threshold, ties))
    backwards = directional_agreement(-development, target, threshold, 1 - ties)
    assert backwards.value == pytest.approx(1 - estimate.value)


def test_threshold_counts_a_difference_of_exactly_that_much() -> None:
    target = np.array([[81.3, 81.8]])  # in floating point the difference is a little less than 0.5
    assert directional_agreement(np.array([[1.0, 2.0]]), target, 0.5).value == 1.0


def test_runs_of_unequal_length_and_limits() -> None:
    development = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    target = np.array([[1.0, 2.0, np.nan], [3.0, 2.0, 1.0]])
    estimate = directional_agreement(development, target)
    assert (estimate.value, estimate.n) == (0.25, 4)
    assert 0.0 < estimate.low < 0.25 < estimate.high < 1.0
    assert estimate.method == "clustered by 2 runs, t"
    assert directional_agreement(development[1:], target[1:]).method == "no interval: one run only"
    none = directional_agreement(development, target, threshold=50.0)
    assert none.method == "no pair of checkpoints passes the threshold"
    assert math.isnan(none.value)


def test_null_range_is_wide_for_one_run() -> None:
    # Settled by simulation elsewhere: 50 checkpoints, AR(1) .9, no threshold: about .28–.72.
    null = agreement_null(50, 0.9, np.random.default_rng(0), draws=3000)
    assert (null.low, null.value, null.high) == pytest.approx((0.28, 0.5, 0.72), abs=0.02)
    ten = agreement_null(50, 0.9, np.random.default_rng(0), n_runs=10, draws=300)
    assert ten.high - ten.low == pytest.approx((null.high - null.low) / math.sqrt(10), rel=0.2)


def test_autocorrelation_of_a_long_series() -> None:
    rng = np.random.default_rng(0)
    series = np.zeros(20_000)
    for step in range(1, 20_000):
        series[step] = 0.7 * series[step - 1] + rng.normal()
    assert lag_one_autocorrelation(series) == pytest.approx(0.7, abs=0.02)
    assert math.isnan(lag_one_autocorrelation(np.ones(5)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: directional_agreement(np.zeros((2, 3)), np.zeros((3, 3))),
            (
                "development and target must both be runs × checkpoints with at least 2 checkpoints; "
                "got shapes (2, 3) and (3, 3)"
            ),
        ),
        (lambda: directional_agreement(np.zeros(3), np.zeros(3), ties=2.0), "a tie must count from 0 to 1; got 2.0"),
        (
            lambda: agreement_null(1, 0.5, np.random.default_rng(0)),
            "the null needs at least 2 checkpoints, 1 run and an autocorrelation inside (-1, 1); got 1, 1 and 0.5",
        ),
    ],
)
def test_errors_say_what_was_wrong(call, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_runs_that_all_agree_alike_have_an_interval_with_a_width() -> None:
    rising = np.arange(4.0)
    few, many = (directional_agreement(np.tile(rising, (n, 1)), np.tile(rising, (n, 1))) for n in (2, 20))
    assert (few.value, few.method) == (1.0, "2 runs alike, Wilson")
    assert few.low < 0.05
    assert 0.8 < many.low < 0.9
    assert many.high == pytest.approx(1.0)
    across = directional_agreement(np.tile(rising, (5, 1)), np.tile(rising, (5, 1)), across_runs=True)
    assert (across.value, across.method) == (1.0, "5 runs alike, Wilson")
    half = np.array([[0.0, 1.0, 1.0, 0.0]] * 3)
    assert directional_agreement(half, np.tile(rising, (3, 1))).low < 0.2
