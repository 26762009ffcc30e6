"""The chance band of a mean over runs: right level under no skill, exact where it can be, fair to clusters."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.statistics.chance import chance_band
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.metrics import confusion, metric


def correlated_runs(rng, n, n_runs, copy=0.7):
    """Runs that know nothing of gold but agree with each other."""
    base = rng.integers(0, 2, n)
    return np.where(rng.random((n_runs, n)) < copy, base, rng.integers(0, 2, (n_runs, n)))


def test_one_run_of_two_classes_is_exact():
    rng = np.random.default_rng(0)
    gold, run = rng.integers(0, 2, 40), rng.integers(0, 2, 40)
    exact = chance_band(metric("mcc"), confusion(gold, run, 2))
    assert runs_chance_band(metric("mcc"), gold, run[None], rng) == exact


def test_many_equal_runs_are_one_run():
    rng = np.random.default_rng(1)
    gold, run = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    one = chance_band(metric("mcc"), confusion(gold, run, 2))
    many = runs_chance_band(metric("mcc"), gold, np.tile(run, (5, 1)), rng, draws=8000)
    assert many.observed == pytest.approx(one.observed)
    assert (many.band.low, many.band.high) == pytest.approx((one.band.low, one.band.high), abs=0.03)
    assert many.p_value == pytest.approx(one.p_value, abs=0.03)


def test_runs_that_agree_are_not_called_skilled_more_often_than_asked_for():
    """200 predictors without skill, 5 runs each: p < .05 in about 5 % of them."""
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(200):
        gold = rng.integers(0, 2, 50)
        hits += runs_chance_band(metric("mcc"), gold, correlated_runs(rng, 50, 5), rng, draws=300).p_value < 0.05
    assert 2 <= hits <= 21


def test_a_pattern_that_all_twins_share_is_not_chance():
    """Every first twin entails and every second does not, and the predictor knows: that is skill, not chance."""
    gold = np.tile([1, 0], 30)
    runs = np.stack([gold, gold])
    clusters = np.repeat(np.arange(30), 2)
    chance = runs_chance_band(metric("mcc"), gold, runs, np.random.default_rng(3), clusters)
    assert abs(chance.band.value) < 0.1
    assert chance.p_value < 0.01


def test_clusters_widen_the_band():
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(20), 5)
    gold, run = np.repeat(rng.integers(0, 2, 20), 5), np.repeat(rng.integers(0, 2, 20), 5)
    runs = np.stack([run, run])
    wide = runs_chance_band(metric("mcc"), gold, runs, rng, clusters).band
    narrow = runs_chance_band(metric("mcc"), gold, runs, rng).band
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
