"""Plans: by hand for plain designs; one function for what a design can show; few runs give a range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.planning import needed, rival_variance, smallest_difference
from goldproof.statistics.runs import MeanVariance, RunPart, summarise_values

FACTOR = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)


def pilot(error=0.02, n=400, variance=None, limit=1.0):
    return Comparison(Estimate(0.0, -0.04, 0.04, "t", n), 0.5, error, math.inf, variance=variance, limit=limit)


def test_items_alone_by_hand():
    wanted = math.ceil(400 * (FACTOR * 0.02 / 0.02) ** 2) - 400
    assert needed(pilot(), 0.02).items == wanted
    assert needed(pilot(), 0.02).runs is None


def test_the_observed_difference_does_not_matter():
    lucky = Comparison(Estimate(0.03, -0.01, 0.07, "t", 400), 0.2, 0.02, math.inf, limit=1.0)
    assert needed(lucky, 0.02) == needed(pilot(), 0.02)


def test_what_runs_add_is_planned_for_with_assurance():
    """10 runs a side, no interaction: V_runs grows by 18/χ²₁₈(.4), and the items' part stays as it is."""
    variance = MeanVariance((RunPart(1e-4, 0.0, 10), RunPart(1e-4, 0.0, 10)), 1e-5, 999, "items")
    found = needed(pilot(variance=variance), 0.02, n_runs=10)
    runs = 2e-4 * 18 / stats.chi2.ppf(0.4, 18) * 10

    def shown(n):
        total = runs / n + 1e-5
        df = 2 * (n - 1) / (runs / n / total) ** 2
        return (stats.t.ppf(0.975, df) + stats.t.ppf(0.8, df)) * math.sqrt(total)

    assert shown(10 + found.runs) <= 0.02 < shown(9 + found.runs)
    assert found.items is None, "no number of items shrinks what runs add"


def test_few_runs_give_a_range():
    variance = MeanVariance((RunPart(1e-4, 0.0, 3), RunPart(1e-4, 0.0, 3)), 1e-5, 999, "items")
    found = needed(pilot(variance=variance), 0.02, n_runs=3)
    assert found.items is None
    assert found.runs_from < found.runs


def test_what_cannot_be_is_not_promised():
    assert smallest_difference(pilot(error=2.0)) == math.inf
    assert smallest_difference(pilot(error=0.01)) == pytest.approx(FACTOR * 0.01)
    assert math.isnan(smallest_difference(pilot(error=math.nan)))
    with pytest.raises(UsageError, match="the difference to plan for must be above 0; got 0"):
        needed(pilot(), 0)


def test_a_rival_is_as_variable_as_the_model_itself():
    """With the model's own runs for a rival, what `score` expects is what `compare` finds, up to chance."""
    rng = np.random.default_rng(0)
    gold, easy = np.ones(400, int), rng.random(400)
    runs = (rng.random((12, 400)) < easy).astype(int)
    expected = math.sqrt(rival_variance(summarise_values(runs[:6].astype(float), np.arange(400))).total)
    found = compare_runs(metric("accuracy"), gold, runs[:6], runs[6:]).standard_error
    assert 0.8 < expected / found < 3, "the rival may differ item by item as two runs do, not only by their mean"


def test_runs_that_answer_alike_tell_nothing_of_a_rival():
    right = np.tile((np.arange(200) < 160).astype(float), (3, 1))
    alone = rival_variance(summarise_values(right[:1], np.arange(200))).total
    assert rival_variance(summarise_values(right, np.arange(200))).total == pytest.approx(alone)
    assert alone == pytest.approx(2 * 0.16 / 199)
    perfect = rival_variance(summarise_values(np.ones((2, 50)), np.arange(50)))
    assert math.sqrt(perfect.total) == pytest.approx(1.96 / (50 + 1.96**2), rel=1e-3)
