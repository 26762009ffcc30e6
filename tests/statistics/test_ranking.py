"""Rankings against brute force, and what they may and may not claim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldproof.statistics.board import Board, PairReader
from goldproof.statistics.ranking import (
    _model_draws,
    _multiplier_draws,
    normal_scores,
    rank_items,
    rank_sets,
    rank_tasks,
    read_pairs,
)
from goldproof.statistics.step_down import step_down


def one_task(scores: np.ndarray) -> Board:
    return Board(scores, np.zeros(scores.shape[1], int), np.ones(1))


def by_task(task_scores: np.ndarray) -> Board:
    return Board(task_scores, np.arange(task_scores.shape[1]), np.ones(task_scores.shape[1]))


def test_steps_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    statistics, draws = rng.normal(size=7) * 3, rng.normal(size=(7, 500))
    found = step_down(statistics, [draws[:, :200], draws[:, 200:]]).adjusted
    left, expected, before = list(np.argsort(-np.abs(statistics))), np.empty(7), 0.0
    while left:
        pair = left[0]
        count = (np.abs(draws[left]).max(axis=0) >= abs(statistics[pair])).sum()
        before = expected[pair] = max(before, (count + 1) / 501)
        left = left[1:]
    assert found == pytest.approx(expected)


def test_two_models_over_tasks_are_the_sign_flip_test() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((2, 9)) + np.array([[0.3], [0.0]])
    found = rank_tasks(by_task(scores), rng)
    d = scores[0] - scores[1]
    # The statistic is divided by what no flip changes, so that its test is that of the mean.
    reference = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert found.adjusted[0, 1] == pytest.approx(reference.pvalue)


def test_below_six_tasks_nothing_is_told_apart() -> None:
    for n_tasks, shown in ((5, 0), (6, 3)):
        scores = np.linspace(0.1, 0.2, n_tasks) + np.array([[0.8], [0.4], [0.0]])
        assert rank_tasks(by_task(scores), np.random.default_rng(0)).n_shown == shown


@given(st.permutations(range(5)))
def test_the_order_of_models_does_not_matter_over_tasks(order: list[int]) -> None:
    scores = np.random.default_rng(2).random((5, 8)) + np.arange(5)[:, None] * 0.3
    whole, turned = (rank_tasks(by_task(each), np.random.default_rng(0)) for each in (scores, scores[order]))
    assert turned.low.tolist() == whole.low[order].tolist()
    assert turned.high.tolist() == whole.high[order].tolist()


@given(st.integers(0, 2**32 - 1))
def test_what_all_models_share_on_an_item_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((4, 60)) + np.arange(4)[:, None] * 0.1
    shared = np.random.default_rng(seed).normal(size=60)
    found = [rank_items(one_task(each), np.random.default_rng(0), draws=500) for each in (scores, scores + shared)]
    assert found[0].difference == pytest.approx(found[1].difference)
    assert (found[0].better == found[1].better).all()


def test_a_multiplier_on_a_complete_board_is_the_draw_of_all_models() -> None:
    rng = np.random.default_rng(4)
    board = Board(rng.random((6, 80)), np.repeat([0, 1], 40), np.ones(2))
    reader, pairs = PairReader(board), read_pairs(board)
    error, codes = np.sqrt(pairs.variance), (pairs.first, pairs.second)
    correlations = [
        np.corrcoef(np.concatenate(list(draw(reader, codes, error, np.random.default_rng(0), 20_000)), axis=1))
        for draw in (_model_draws, _multiplier_draws)
    ]
    assert correlations[0] == pytest.approx(correlations[1], abs=0.04)


def test_no_pair_is_surer_than_its_signs() -> None:
    scores = np.stack([np.ones(5), np.zeros(5)])
    pairs = read_pairs(one_task(scores))
    assert pairs.variance[0] == 0  # every item says the same, and five of them are still few
    assert 2 * stats.norm.sf(normal_scores(pairs)[0]) == pytest.approx(2.0 ** (1 - 5))
    assert rank_items(one_task(scores), np.random.default_rng(0)).n_shown == 0


def test_equal_answers_are_never_told_apart() -> None:
    answers = (np.random.default_rng(0).random(50) < 0.5).astype(float)
    found = rank_items(one_task(np.stack([answers] * 4)), np.random.default_rng(0))
    assert found.low.tolist() == [1] * 4
    assert found.high.tolist() == [4] * 4


def test_pairs_that_share_too_little_leave_places_open() -> None:
    scores = np.tile(np.array([[0.9], [0.5], [0.1]]), 100) + np.random.default_rng(0).normal(0, 0.05, (3, 100))
    scores[2, :30] = np.nan
    found = rank_items(one_task(scores), np.random.default_rng(0))
    assert found.better[0, 1]
    assert not found.comparable[0, 2]
    assert (found.low[2], found.high[2]) == (1, 3)


def test_places_count_who_is_shown_better_and_worse() -> None:
    better = np.zeros((4, 4), bool)
    better[0, 1:] = better[1, 3] = True
    low, high = rank_sets(better)
    assert low.tolist() == [1, 2, 2, 3]
    assert high.tolist() == [1, 3, 4, 4]


def test_what_follows_from_two_orders_counts_in_the_places() -> None:
    better = np.zeros((3, 3), bool)
    better[0, 1] = better[1, 2] = True  # the first and the last could not be compared
    assert [places.tolist() for places in rank_sets(better)] == [[1, 2, 3], [1, 2, 3]]
    better[2, 0] = True
    assert [places.tolist() for places in rank_sets(better)] == [[2, 2, 2], [2, 2, 2]]


def test_the_same_seed_gives_the_same_ranking() -> None:
    scores = np.random.default_rng(0).random((5, 40))
    one, other = (rank_items(one_task(scores), np.random.default_rng(7)) for _ in range(2))
    assert one.adjusted.tobytes() == other.adjusted.tobytes()
