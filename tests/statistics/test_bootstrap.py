"""The bootstrap against scipy's, and its matrix form against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score

from goldproof.errors import UsageError
from goldproof.statistics import bootstrap
from goldproof.statistics.bootstrap import (
    bca_interval,
    bootstrap_differences,
    bootstrap_interval,
    bootstrap_scores,
    bootstrap_weights,
    percentile_interval,
)
from goldproof.statistics.metrics import metric

MCC, ACCURACY = metric("mcc"), metric("accuracy")


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 120)
    return gold, np.where(rng.random((3, 120)) < 0.75, gold, 1 - gold)


def test_weights_draw_n_items_and_whole_clusters() -> None:
    rng = np.random.default_rng(0)
    weights = bootstrap_weights(30, 500, rng)
    assert (weights.sum(1) == 30).all()
    assert weights.mean(0) == pytest.approx(np.ones(30), abs=0.2)
    assert weights.var() == pytest.approx(29 / 30, rel=0.05)
    clustered = bootstrap_weights(30, 50, rng, np.arange(30) // 3)
    assert (clustered.reshape(50, 10, 3) == clustered.reshape(50, 10, 3)[:, :, :1]).all()


def test_percentile_and_bca_equal_scipy(data) -> None:
    gold, runs = data
    correct = (gold == runs[0]).astype(float)
    rng = np.random.default_rng(1)
    draws = bootstrap_scores(ACCURACY, gold, runs[0], rng, 40_000)
    ours = percentile_interval(correct.mean(), draws, 120)
    theirs = stats.bootstrap((correct,), np.mean, n_resamples=40_000, method="percentile", rng=rng)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.009)
    ours = bca_interval(correct.mean(), draws, correct - correct.mean(), 120)
    theirs = stats.bootstrap((correct,), np.mean, n_resamples=40_000, method="BCa", rng=rng)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.009)
    assert ours.method == "BCa bootstrap, 40000 draws"


def test_bca_of_mcc_is_near_scipys_jackknife_version(data) -> None:
    gold, runs = data

    def score(a: np.ndarray, b: np.ndarray) -> float:
        return MCC(a.astype(int), b.astype(int))

    rng = np.random.default_rng(2)
    theirs = stats.bootstrap(
        (gold, runs[0]), score, paired=True, vectorized=False, n_resamples=4000, method="BCa", rng=rng
    )
    ours = bootstrap_interval(MCC, gold, runs[0], rng, 20_000)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.02)


def test_groups_runs_and_clusters_are_scored_in_the_same_resamples(data) -> None:
    gold, runs = data
    groups = np.random.default_rng(3).random((120, 2)) < 0.5
    clusters = np.arange(120) // 2
    for grouping in (None, clusters):
        scores = bootstrap_scores(MCC, gold, runs, np.random.default_rng(4), 300, grouping, groups)
        assert scores.shape == (300, 3, 2)
        weights = bootstrap_weights(120, 2000, np.random.default_rng(5), grouping)
        inside = groups[:, 1]
        loop = MCC(gold[inside], runs[2, inside], weights[:, inside])
        assert scores[:, 2, 1].mean() == pytest.approx(loop.mean(), abs=0.03)
        assert scores[:, 2, 1].std() == pytest.approx(loop.std(), rel=0.15)
    same = bootstrap_scores(MCC, gold, np.stack([runs[0], runs[0]]), np.random.default_rng(6), 20)
    assert (same[:, 0] == same[:, 1]).all()


def test_blocks_of_memory_give_scores_of_the_same_kind(data, monkeypatch) -> None:
    gold, runs = data
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", 1000)
    scores = bootstrap_scores(ACCURACY, gold, runs, np.random.default_rng(7), 2000)
    assert scores.shape == (2000, 3)
    exact = np.array([accuracy_score(gold, run) for run in runs])
    assert scores.mean(0) == pytest.approx(exact, abs=0.01)
    assert scores.std(0) == pytest.approx(np.sqrt(exact * (1 - exact) / 120), rel=0.1)


def test_pearson_resamples_numbers() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    draws = bootstrap_scores(metric("pearson"), x, y, rng, 4000)
    fisher = stats.pearsonr(x, y).confidence_interval()
    ours = percentile_interval(stats.pearsonr(x, y).statistic, draws, 80)
    assert (ours.low, ours.high) == pytest.approx(tuple(fisher), abs=0.06)


def test_differences_are_antisymmetric(data) -> None:
    gold, runs = data
    first = bootstrap_differences(MCC, gold, (runs[0], runs[1]), np.random.default_rng(9), 50)
    second = bootstrap_differences(MCC, gold, (runs[1], runs[0]), np.random.default_rng(9), 50)
    assert first.mean() == pytest.approx(-second.mean(), abs=0.05)
    assert first.std() > 0


def test_limits_and_errors() -> None:
    assert bca_interval(1.0, np.ones(10), np.ones(3), 3).method == "BCa bootstrap, 10 draws"
    one_side = bca_interval(2.0, np.zeros(10), np.ones(3), 3)
    assert one_side.method == "no interval: all draws lie on one side"
    with pytest.raises(UsageError) as caught:
        bootstrap_scores(
            MCC, np.zeros(3, int), np.zeros(3, int), np.random.default_rng(0), groups=np.ones((2, 1), bool)
        )
    assert str(caught.value) == "groups must have one row for each of the 3 items; got 2 rows"
