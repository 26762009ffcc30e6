"""Spearman over runs and items: influence against leaving items out, and coverage of the interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldproof.statistics.intervals import spearman_interval
from goldproof.statistics.ranks import spearman_influence, spearman_runs_interval


@pytest.mark.parametrize("digits", [6, 0])
def test_influence_is_what_leaving_an_item_out_changes(digits):
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=200), digits)
    y = np.round(x + rng.normal(size=200), digits)
    whole = stats.spearmanr(x, y).statistic
    without = [stats.spearmanr(np.delete(x, i), np.delete(y, i)).statistic for i in range(200)]
    changes = 199 * (whole - np.array(without))
    influence = spearman_influence(x, y)
    assert np.corrcoef(influence, changes)[0, 1] > 0.9999
    assert influence.std() == pytest.approx(changes.std(), rel=0.02)


def test_ranks_alone_matter():
    rng = np.random.default_rng(1)
    gold, runs = rng.normal(size=60), rng.normal(size=(3, 60))
    ours, other = spearman_runs_interval(gold, runs), spearman_runs_interval(np.exp(gold), runs**3)
    assert (ours.low, ours.high) == pytest.approx((other.low, other.high))


def test_runs_that_are_alike_still_have_the_width_of_their_items():
    rng = np.random.default_rng(2)
    gold = rng.normal(size=100)
    run = gold + rng.normal(size=100)
    alike = spearman_runs_interval(gold, np.stack([run, run, run]))
    alone = spearman_interval(gold, run)
    assert alike.high - alike.low == pytest.approx(alone.high - alone.low, rel=0.25)
    assert alike.method == "3 runs × items, variance components, ranks"


def test_coverage_over_runs_and_items():
    rng = np.random.default_rng(3)
    truth, covered = 6 / np.pi * np.arcsin(0.7 / 2), 0
    for _ in range(300):
        gold, item = rng.normal(size=(2, 120))
        noise = np.sqrt(0.6) * item + np.sqrt(0.4) * rng.normal(size=(4, 120))
        estimate = spearman_runs_interval(gold, 0.7 * gold + np.sqrt(0.51) * noise)
        covered += estimate.low <= truth <= estimate.high
    assert covered >= 270


def test_what_has_no_interval_says_why():
    flat = spearman_runs_interval(np.arange(5.0), np.ones((2, 5)))
    assert flat.method == "no interval: a column does not vary"
    one = spearman_runs_interval(np.arange(5.0), np.stack([np.arange(5.0), np.arange(5.0)]), np.zeros(5))
    assert one.method == "no interval: all items belong to one cluster"
