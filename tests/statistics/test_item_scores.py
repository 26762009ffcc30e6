"""The mean of a score per item, and the chances of several attempts, against references and invariances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics.attempts import attempts_interval, attempts_of
from goldproof.statistics.intervals import wilson
from goldproof.statistics.item_scores import item_scores_interval, mean_metric


def test_right_or_wrong_have_nearly_wilsons_interval_and_many_scores_nearly_students() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random(2000) < 0.7).astype(float)
    ours, other = item_scores_interval(right), wilson(right.sum(), len(right))
    assert (ours.low, ours.high) == pytest.approx((other.low, other.high), abs=2e-4)
    scores = rng.beta(8, 4, 3000)
    ours, t = item_scores_interval(scores), stats.t.interval(0.95, 2999, scores.mean(), stats.sem(scores))
    assert ours.high - ours.low == pytest.approx(t[1] - t[0], rel=0.01)
    assert ours.value == pytest.approx(scores.mean())


def test_scores_that_are_all_alike_have_an_interval_all_the_same() -> None:
    same = item_scores_interval(np.ones(30))
    assert same.value == same.high == 1
    assert same.low == pytest.approx(0.87, abs=0.02)
    middle = item_scores_interval(np.full(30, 0.5))
    assert middle.low < 0.5 < middle.high


def test_clusters_count_as_the_items_that_they_are_worth() -> None:
    rng = np.random.default_rng(1)
    each = rng.beta(2, 2, 60)
    alone, repeated = item_scores_interval(each), item_scores_interval(each.repeat(4), np.arange(60).repeat(4))
    assert repeated.high - repeated.low == pytest.approx(alone.high - alone.low, rel=0.06)
    assert item_scores_interval(np.ones(4), np.zeros(4)).method == "no interval: all items belong to one cluster"


@settings(max_examples=60)
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 10_000), st.booleans())
def test_intervals_lie_within_bounds_mirror_and_scale(n, n_runs, seed, repeats) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (n_runs, n)) / 3
    ours = item_scores_interval(scores, repeats=repeats)
    assert 0 <= ours.low <= ours.value + 1e-12
    assert ours.value - 1e-12 <= ours.high <= 1
    assert ours.low < ours.high
    mirrored = item_scores_interval(1 - scores, repeats=repeats)
    assert (ours.low, ours.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)
    scaled = item_scores_interval(1 + 9 * scores, bounds=(1.0, 10.0), repeats=repeats)
    assert (scaled.low, scaled.high) == pytest.approx((1 + 9 * ours.low, 1 + 9 * ours.high), abs=1e-9)
    shuffled = item_scores_interval(scores[:, rng.permutation(n)], repeats=repeats)
    assert (shuffled.low, shuffled.high) == pytest.approx((ours.low, ours.high), abs=1e-9)


def test_scores_outside_their_bounds_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        item_scores_interval(np.array([0.5, 1.5]))
    assert str(error.value) == "scores must be numbers from 0 to 1, one for each item; got 0.5 to 1.5"


@settings(max_examples=40)
@given(st.integers(1, 6), st.data(), st.integers(0, 1000))
def test_attempts_are_the_mean_over_all_choices_of_k(n, data, seed) -> None:
    k = data.draw(st.integers(1, n))
    passed = (np.random.default_rng(seed).random((n, 7)) < 0.5).astype(float)
    chosen = [passed[list(some)] for some in combinations(range(n), k)]
    np.testing.assert_allclose(attempts_of(passed, k), np.mean([some.max(0) for some in chosen], 0), atol=1e-12)
    np.testing.assert_allclose(attempts_of(passed, k, "all"), np.mean([some.min(0) for some in chosen], 0), atol=1e-12)


def test_pass_at_k_is_the_published_number() -> None:
    """Chen et al. (2021) give 1 − Π (1 − k/(n − c + 1 … n)); with n 200, c 10, k 10 their function gives 0.4090."""
    passed = np.r_[np.ones(10), np.zeros(190)][:, None]
    n, c, k = 200, 10, 10
    product = 1 - np.prod(1 - k / np.arange(n - c + 1, n + 1))
    assert attempts_of(passed, k)[0] == pytest.approx(product)


def test_more_attempts_at_the_same_items_are_no_more_items() -> None:
    """Attempts that always agree tell as much as one attempt does."""
    one = (np.random.default_rng(2).random(200) < 0.6).astype(float)
    many = np.tile(one, (8, 1))
    a, b = item_scores_interval(one), attempts_interval(many, 3)
    assert (a.low, a.high) == pytest.approx((b.low, b.high))


def test_attempts_must_be_passed_or_not_and_enough() -> None:
    with pytest.raises(UsageError) as error:
        attempts_of(np.array([[0.5], [1.0]]), 1)
    assert str(error.value) == "attempts must have passed or not: 1 or 0 for each; got other numbers"
    with pytest.raises(UsageError) as error:
        attempts_of(np.array([[0.0], [1.0]]), 3)
    assert str(error.value) == "k must be from 1 to the number of attempts, 2; got 3"


def test_the_mean_as_a_metric_looks_at_no_gold() -> None:
    scores = np.array([[0.0, 0.25, 1.0], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(mean_metric()(np.arange(3), scores), scores.mean(axis=1))
