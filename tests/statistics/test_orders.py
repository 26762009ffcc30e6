"""Aggregates and groups against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.statistics.board import Board
from goldproof.statistics.orders import aggregate_values, groups_of, item_wins, places_of


def board(seed: int = 0) -> Board:
    rng = np.random.default_rng(seed)
    return Board(rng.random((5, 40)), np.repeat(np.arange(8), 5), np.ones(8))


def test_mean_rank_win_rate_and_borda_are_one_order_on_a_complete_board() -> None:
    mean_rank, wins, borda = (aggregate_values(board(), name) for name in ("mean rank", "win rate", "Borda"))
    assert borda == pytest.approx(5 - mean_rank)
    assert wins == pytest.approx(borda / 4)


def test_win_rate_is_the_share_of_rivals_beaten() -> None:
    scores = board().task_scores()
    expected = [
        np.mean([[scores[j, t] > scores[k, t] for k in range(5) if k != j] for t in range(8)]) for j in range(5)
    ]
    assert aggregate_values(board(), "win rate") == pytest.approx(expected)


def test_item_wins_of_right_and_wrong_are_the_order_of_the_mean() -> None:
    right = (np.random.default_rng(0).random((6, 50)) < 0.6).astype(float)
    assert places_of(item_wins(right).mean(axis=1)).tolist() == places_of(right.mean(axis=1)).tolist()


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_groups_are_the_longest_stretches_without_a_pair_told_apart(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    better = np.triu(rng.random((n, n)) < rng.random(), 1)
    told = better | better.T
    stretches = [(i, j) for i in range(n) for j in range(i, n) if not told[i : j + 1, i : j + 1].any()]
    longest = [s for s in stretches if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in stretches)]
    found = groups_of(better)
    assert sorted(found.spans) == sorted(longest)
    together = {(i, j) for low, high in longest for i in range(low, high + 1) for j in range(low, high + 1)}
    assert found.beyond == sum((i, j) not in together and not told[i, j] for i in range(n) for j in range(i + 1, n))
