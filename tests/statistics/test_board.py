"""Pairs of a board against textbook tests: paired t, strata, clusters, missing cells, runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics import clusters as cluster_statistics
from goldproof.statistics.board import Board, PairReader
from goldproof.statistics.ranking import read_pairs
from goldproof.statistics.run_spread import moderate, with_runs

FIRST = np.array([0])
SECOND = np.array([1])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_one_task_is_the_paired_t_test(rng: np.random.Generator) -> None:
    scores = rng.random((2, 40))
    pairs = read_pairs(Board(scores, np.zeros(40, int), np.ones(1)))
    reference = stats.ttest_rel(scores[0], scores[1])
    assert pairs.difference[0] / np.sqrt(pairs.variance[0]) == pytest.approx(reference.statistic)
    assert pairs.df[0] == pytest.approx(39)


def test_tasks_are_strata_with_the_boards_weights(rng: np.random.Generator) -> None:
    scores, tasks, weights = rng.random((2, 60)), np.repeat([0, 1, 2], [10, 20, 30]), np.array([1.0, 2.0, 1.0])
    pairs = read_pairs(Board(scores, tasks, weights))
    d = scores[0] - scores[1]
    parts = [(w / 4, d[tasks == t]) for t, w in enumerate(weights)]
    variances = np.array([w**2 * part.var(ddof=1) / len(part) for w, part in parts])
    assert pairs.difference[0] == pytest.approx(sum(w * part.mean() for w, part in parts))
    assert pairs.variance[0] == pytest.approx(variances.sum())
    assert pairs.df[0] == pytest.approx(variances.sum() ** 2 / (variances**2 / np.array([9, 19, 29])).sum())


def test_clusters_are_cr2(rng: np.random.Generator) -> None:
    scores, codes = rng.random((2, 50)), np.repeat(np.arange(8), [3, 4, 5, 6, 7, 8, 9, 8])
    pairs = read_pairs(Board(scores, np.zeros(50, int), np.ones(1), codes))
    d = scores[0] - scores[1]
    influence = np.bincount(codes, weights=(d - d.mean()) / 50)
    shares = cluster_statistics.cluster_shares(codes)
    assert pairs.variance[0] == pytest.approx(cluster_statistics.cluster_variance(influence, shares))


def test_clusters_that_cross_tasks_add_up(rng: np.random.Generator) -> None:
    one = rng.random((2, 30))
    board = Board(np.tile(one, 3), np.repeat([0, 1, 2], 30), np.ones(3), np.tile(np.arange(30), 3))
    alone = read_pairs(Board(one, np.zeros(30, int), np.ones(1)))
    assert read_pairs(board).variance[0] == pytest.approx(alone.variance[0])  # the same items three times tell once
    assert read_pairs(board).df[0] == pytest.approx(29)


def test_missing_cells_leave_the_items_that_both_have(rng: np.random.Generator) -> None:
    scores, tasks = rng.random((2, 60)), np.repeat([0, 1], 30)
    scores[0, 3] = scores[1, [7, 40]] = np.nan
    both = ~np.isnan(scores).any(axis=0)
    pairs = read_pairs(Board(scores, tasks, np.ones(2)))
    alone = read_pairs(Board(scores[:, both], tasks[both], np.ones(2)))
    assert pairs.difference[0] == pytest.approx(alone.difference[0])
    assert pairs.variance[0] == pytest.approx(alone.variance[0])
    assert pairs.overlap[0] == pytest.approx((28 / 30 + 29 / 30) / 2)


def test_overlap_decides_what_is_comparable() -> None:
    scores = np.zeros((3, 10))
    scores[1, :2] = scores[2, :3] = np.nan
    pairs = read_pairs(Board(scores, np.zeros(10, int), np.ones(1)))
    assert dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.comparable, strict=True)) == {
        (0, 1): True,
        (0, 2): False,
        (1, 2): False,
    }


def test_a_task_of_one_item_counts_with_its_whole_difference() -> None:
    board = Board(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0, 1]), np.ones(2))
    assert read_pairs(board).variance[0] == pytest.approx(0.25)


def test_what_runs_add_is_their_variance_less_what_items_share(rng: np.random.Generator) -> None:
    shift = 0.3 * rng.standard_normal((4, 400, 1))
    runs = shift + rng.standard_normal((4, 400, 200)) + rng.standard_normal(200)
    board = with_runs(Board(runs.mean(axis=1), np.zeros(200, int), np.ones(1)), list(runs))
    assert board.run_variance is not None
    assert board.run_variance == pytest.approx(np.full(4, 0.09 / 400), rel=0.2)


def test_variances_of_few_runs_are_drawn_together_and_keep_their_mean(rng: np.random.Generator) -> None:
    wide = np.where(np.arange(200) % 2, 4.0, 0.25) * stats.chi2.rvs(4, size=200, random_state=rng) / 4
    found = moderate(wide, np.full(200, 4.0))
    assert found.variance.mean() == pytest.approx(wide.mean())
    assert found.variance.std() < wide.std()
    assert found.df < 30


def test_one_model_is_no_board() -> None:
    with pytest.raises(UsageError) as error:
        Board(np.zeros((1, 3)), np.zeros(3, int), np.ones(1))
    assert str(error.value) == "a ranking needs at least 2 models; got 1"


def test_own_influence_gives_the_pairs_variance(rng: np.random.Generator) -> None:
    scores, tasks = rng.random((3, 40)), np.repeat([0, 1], 20)
    board = Board(scores, tasks, np.ones(2))
    covariance, pairs = PairReader(board).own().covariance(None), read_pairs(board)
    of_pair = covariance[0, 0] + covariance[2, 2] - 2 * covariance[0, 2]
    assert of_pair == pytest.approx(pairs.variance[1])
