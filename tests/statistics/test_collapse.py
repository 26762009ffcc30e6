"""Collapsed runs: found where one answer is given to nearly all items and tells nothing, and not elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldproof.statistics.collapse import find_collapse, find_flat


def test_a_run_that_knows_something_is_no_collapse():
    gold = np.r_[np.ones(5, int), np.zeros(195, int)][np.random.default_rng(0).permutation(200)]
    gold[:30] = 1  # 17 % are 1
    finds = np.where(gold == 1, 0, 0)
    finds[np.flatnonzero(gold == 1)[:5]] = 1  # five answers of 1, all of them right
    found = find_collapse(gold, np.stack([finds, np.zeros(200, int)]))
    assert found.collapsed.tolist() == [False, True]
    assert (found.n, found.kept.tolist()) == (1, [0])
    assert found.rate.value == 0.5


def test_where_one_label_is_nearly_all_of_gold_it_cannot_be_told():
    gold = np.r_[np.zeros(95, int), np.ones(5, int)]
    found = find_collapse(gold, np.zeros((3, 100), int))
    assert found.n == 0
    assert found.unclear.all()


def test_all_runs_collapsed_are_kept():
    gold = np.repeat([0, 1, 2], 30)
    found = find_collapse(gold, np.full((4, 90), 2))
    assert (found.n, found.kept.tolist()) == (4, [0, 1, 2, 3])
    assert found.rate.low == pytest.approx(stats.beta.ppf(0.025, 4, 1))


def test_the_null_variance_is_that_of_shuffling():
    """The bound at which right answers count as more than chance is that of a permutation test."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 400)
    run = np.zeros(400, int)
    run[:9] = [1, 1, 1, 1, 2, 2, 2, 2, 2]
    hits = [(rng.permutation(gold) == run).sum() for _ in range(20_000)]
    bound = np.mean(hits) + 1.6449 * np.std(hits)
    for right in range(10):
        rare = run.copy()
        made = gold.copy()
        made[:9] = np.where(np.arange(9) < right, rare[:9], 0)
        expected = (made == rare).sum() <= bound + (made == 0).sum() - (gold == 0).sum()
        found = bool(find_collapse(made, rare).collapsed[0])
        assert found == expected or abs(right - 4) <= 1


def test_numbers_that_hardly_vary_have_collapsed_unless_they_follow_gold():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    runs = np.stack([gold, 0.01 * gold, 0.01 * rng.normal(size=200), np.full(200, 3.0), rng.normal(size=200)])
    found = find_flat(gold, runs)
    assert found.collapsed.tolist() == [False, False, True, True, False]
    assert (found.n, found.unclear.any()) == (2, False)
