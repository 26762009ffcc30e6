"""Intervals where nearly all answers are right, or all wrong: they say no more than that of accuracy does."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.statistics.ceiling import score_at
from goldproof.statistics.intervals import score_interval
from goldproof.statistics.metrics import METRICS, metric
from goldproof.statistics.runs import runs_interval


@pytest.mark.parametrize("name", ["mcc", "macro_f1", "weighted_f1"])
@pytest.mark.parametrize("n_runs", [1, 3, 5, 10])
def test_all_right_leaves_the_errors_that_accuracy_allows(name, n_runs):
    gold = np.arange(12) % 2
    runs = np.tile(gold, (n_runs, 1))
    accuracy = runs_interval(metric("accuracy"), gold, runs)
    found = runs_interval(metric(name), gold, runs)
    allowed = 2 * accuracy.low - 1 if name == "mcc" else accuracy.low  # classes of one size that err alike
    assert found.high == pytest.approx(1)
    assert found.low <= allowed + 1e-9
    if n_runs > 1:
        assert found.low == pytest.approx(allowed)


def test_all_wrong_is_the_same_at_the_other_end():
    gold = np.arange(12) % 2
    found = runs_interval(metric("macro_f1"), gold, np.tile(1 - gold, (5, 1)))
    assert (found.value, found.low, round(found.high, 3)) == (0, 0, 0.242)


def test_many_labels_have_the_interval_of_a_table():
    gold = np.arange(24) % 6
    runs = np.tile(gold, (3, 1))
    runs[0, :2] = (3, 4)
    for name in ("mcc", "macro_f1"):
        few, many = (runs_interval(metric(name, k), gold, runs) for k in (6, 40))
        assert (few.low, few.high) == pytest.approx((many.low, many.high), abs=1e-6)
    sums = [metric("mcc", k).encode(gold, gold).sums() for k in (6, 40)]
    assert score_at(metric("mcc", 6), sums[0], 0.8) == pytest.approx(score_at(metric("mcc", 40), sums[1], 0.8))


def test_away_from_the_boundary_nothing_changes():
    gold = np.arange(60) % 2
    runs = np.tile(gold, (3, 1))
    runs[:, :6] = 1 - runs[:, :6]
    runs[0, 6:9] = 1 - runs[0, 6:9]
    found = runs_interval(metric("mcc"), gold, runs)
    assert (round(found.low, 4), round(found.high, 4)) == (0.475, 0.8992)


def test_random_tables_stay_within_bounds_and_have_a_width():
    rng = np.random.default_rng(0)
    for _ in range(400):
        k, n, n_runs = int(rng.integers(2, 5)), int(rng.integers(2, 30)), int(rng.integers(1, 6))
        gold = rng.integers(0, k, n)
        right = rng.random((n_runs, n)) < rng.choice([0, 0.05, 0.5, 0.95, 1])
        runs = np.where(right, gold, rng.integers(0, k, (n_runs, n)))
        clusters = rng.integers(0, max(2, n // 3), n) if rng.random() < 0.5 else None
        for name in METRICS:
            if name == "binary_f1":  # not offered by `score`; 0 for certain where its class does not occur
                continue
            score = metric(name, k)
            found = runs_interval(score, gold, runs, clusters)
            if np.isfinite(found.low):
                assert score.low <= found.low <= found.value + 1e-9
                assert found.value - 1e-9 <= found.high <= score.high
                assert found.high - found.low > 1e-6, (name, found)
            one = score_interval(score, gold, runs[0], clusters)
            assert not np.isfinite(one.low) or score.low <= one.low < one.high <= score.high
