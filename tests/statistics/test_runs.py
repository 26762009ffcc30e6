"""Runs × items: components against a linear model, intervals against limiting cases, coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from benchmarks import coverage
from statsmodels.stats.anova import anova_lm

from goldproof.errors import UsageError
from goldproof.statistics.components import VarianceComponents, variance_components
from goldproof.statistics.intervals import score_interval
from goldproof.statistics.metrics import metric
from goldproof.statistics.runs import MeanVariance, RunPart, runs_components, runs_interval

ACCURACY, MCC = metric("accuracy"), metric("mcc")


def make_runs(seed: int, n_runs: int = 5, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    chance = np.clip(rng.beta(6, 2, n)[None, :] + rng.normal(0, 0.05, (n_runs, 1)), 0, 1)
    return gold, np.where(rng.random((n_runs, n)) < chance, gold, 1 - gold)


def test_components_equal_statsmodels_mean_squares() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 1)) + 2 * rng.normal(size=(1, 7)) + rng.normal(size=(4, 7))
    runs, items = np.indices(values.shape)
    frame = pd.DataFrame({"y": values.ravel(), "run": runs.ravel(), "item": items.ravel()})
    squares = anova_lm(smf.ols("y ~ C(run) + C(item)", frame).fit())["mean_sq"]
    parts = variance_components(values)
    assert parts.interaction == pytest.approx(squares["Residual"])
    assert parts.seed == pytest.approx(max((squares["C(run)"] - squares["Residual"]) / 7, 0))
    assert parts.item == pytest.approx((squares["C(item)"] - squares["Residual"]) / 4)
    expected = (squares["C(run)"] + squares["C(item)"] - squares["Residual"]) / 28
    assert parts.variance_of_mean() == pytest.approx(expected)
    assert parts.variance_of_mean(8, 7) < parts.variance_of_mean()


def test_components_of_accuracy_are_those_of_the_table_of_correct_answers() -> None:
    gold, runs = make_runs(1)
    direct, through = variance_components(runs == gold), runs_components(ACCURACY, gold, runs)
    for name in ("seed", "item", "interaction"):
        assert getattr(through, name) == pytest.approx(getattr(direct, name), abs=1e-6)


def test_identical_runs_give_the_interval_of_one_run() -> None:
    gold, runs = make_runs(2, n=200)
    for score in (ACCURACY, MCC):
        one = score_interval(score, gold, runs[0])
        same = runs_interval(score, gold, np.stack([runs[0]] * 4))
        assert (same.value, same.low, same.high) == pytest.approx((one.value, one.low, one.high), abs=0.01)


def test_one_run_says_that_it_is_over_items_only() -> None:
    gold, runs = make_runs(3)
    estimate = runs_interval(MCC, gold, runs[:1])
    alone = score_interval(MCC, gold, runs[0])
    assert (estimate.low, estimate.high) == (alone.low, alone.high)
    assert estimate.method == "delta, Fisher z; items only, one run"


def test_order_of_runs_and_items_does_not_matter() -> None:
    gold, runs = make_runs(4)
    rng = np.random.default_rng(0)
    order, other = rng.permutation(60), rng.permutation(5)
    for score in (ACCURACY, MCC):
        first = runs_interval(score, gold, runs)
        second = runs_interval(score, gold[order], runs[other][:, order])
        assert (first.low, first.high) == pytest.approx((second.low, second.high))
        assert first.low < first.value < first.high
        swapped = runs_interval(score, 1 - gold, 1 - runs)
        assert (first.low, first.high) == pytest.approx((swapped.low, swapped.high))


def test_more_seed_variance_is_wider_and_clusters_are_wider() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 300)
    alike = np.where(rng.random((4, 300)) < 0.8, gold, 1 - gold)
    chance = np.array([0.6, 0.75, 0.85, 1.0])[:, None]
    apart = np.where(rng.random((4, 300)) < chance, gold, 1 - gold)
    widths = [e.high - e.low for e in (runs_interval(ACCURACY, gold, runs) for runs in (alike, apart))]
    assert widths[1] > 2 * widths[0]
    doubled = runs_interval(MCC, np.repeat(gold, 2), np.repeat(alike, 2, axis=1), np.repeat(np.arange(300), 2))
    single = runs_interval(MCC, gold, alike)
    assert doubled.high - doubled.low == pytest.approx(single.high - single.low, rel=0.05)
    assert doubled.method == "4 runs × items, variance components, 300 clusters"


def test_p_value_is_the_level_at_which_the_interval_touches_zero() -> None:
    variance = MeanVariance((RunPart(0.0004, 0.0001, 4), RunPart(0.0002, 0.0001, 6)), 0.0003, 500)
    for difference in (0.01, 0.05, 0.2):
        p = variance.p_value(difference)
        assert variance.half_width(1 - p) == pytest.approx(difference, rel=1e-6)
    assert variance.p_value(0.0) == pytest.approx(1.0)
    assert MeanVariance((), 0.0, 10).p_value(0.1) == 0.0
    assert MeanVariance((), 0.0, 10).p_value(0.0) == 1.0
    assert variance.p_value(1e9) < 1e-20


def test_a_limit_is_stated() -> None:
    ones = np.ones(10, int)
    estimate = runs_interval(MCC, ones, np.stack([ones, 1 - ones]))
    assert math.isnan(estimate.low)
    assert estimate.method == "no interval: one gold class only, MCC is 0 by convention"
    with pytest.raises(UsageError) as caught:
        runs_components(MCC, ones, ones)
    assert str(caught.value) == "variance components need at least 2 runs (runs × items); got an array of shape (10,)"
    with pytest.raises(UsageError) as caught:
        variance_components(np.ones((1, 5)))
    assert str(caught.value) == "variance components need at least 2 runs and 2 items; got an array of shape (1, 5)"
    assert VarianceComponents(0.0, 0.0, 1.0, 2, 5).variance_of_mean() == 0.1


def test_small_coverage() -> None:
    """A small version of the published page: wide limits, several standard errors away."""
    rng = np.random.default_rng(6)
    assert all(0.93 <= rate <= 0.975 for rate in coverage.accuracy_one_run(100).rates)
    for row in (
        coverage.mcc_one_run(34, 60, rng),
        coverage.mcc_one_run(100, 60, rng),
        coverage.clustered_one_run(MCC, 100, 2, 300, rng),
        coverage.clustered_one_run(ACCURACY, 100, 5, 300, rng),
        coverage.runs_by_items(ACCURACY, 100, 3, 60, rng),
        coverage.runs_by_items(MCC, 100, 5, 60, rng),
    ):
        assert 0.92 <= row.mean <= 0.985, row


def test_small_false_positive_rate() -> None:
    rng = np.random.default_rng(7)
    for row in (
        coverage.false_positives(ACCURACY, 100, 1, 500, rng),
        coverage.false_positives(MCC, 100, 2, 500, rng),
        coverage.false_positives_runs(ACCURACY, 100, 5, 1, 200, rng),
    ):
        assert 0.025 <= row.mean <= 0.075, row


@pytest.mark.slow
def test_full_coverage() -> None:
    rng = np.random.default_rng(8)
    for row in coverage.coverage_rows(1.0, rng):
        low, high = coverage.coverage_target(row)
        assert low - 0.005 <= row.mean <= high + 0.01, row  # with 3 runs on the safe side, as the page says
    for row in coverage.false_positive_rows(1.0, rng):
        assert 0.03 <= row.mean <= 0.065, row


def test_runs_that_score_alike_by_luck_still_have_an_interval():
    """Three runs of accuracy one half that disagree item by item: no narrower than one run's items would allow."""
    rng = np.random.default_rng(0)
    gold = np.zeros(300, int)
    runs = np.stack([rng.permutation(np.repeat([0, 1], 150)) for _ in range(3)])
    estimate = runs_interval(metric("accuracy"), gold, runs)
    assert estimate.value == 0.5
    assert 0.04 < estimate.high - estimate.low < 0.15
