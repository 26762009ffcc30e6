"""The mean difference over sets: one set is the paired comparison; shared items and runs are not averaged out."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.errors import UsageError
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.metrics import metric
from goldproof.statistics.sets import PairedSet, compare_over_sets, shared_codes


def paired(seed, runs=4, n=120, name="accuracy", codes=None):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    a, b = (np.where(rng.random((runs, n)) < p, gold, 1 - gold) for p in (0.8, 0.7))
    return PairedSet(metric(name), gold, a, b, np.arange(n) if codes is None else codes)


@pytest.mark.parametrize("name", ["accuracy", "mcc"])
def test_one_set_is_the_paired_comparison(name):
    one = paired(0, name=name)
    expected = compare_runs(one.metric, one.gold, one.runs_a, one.runs_b, same_seeds=True)
    found = compare_over_sets([one])
    assert found.p_value == pytest.approx(expected.p_value)
    bounds = [(each.value, each.low, each.high) for each in (found.difference, expected.difference)]
    assert bounds[0] == pytest.approx(bounds[1])


def test_a_set_twice_is_no_more_than_once_and_other_items_are():
    one = paired(0)
    once, twice = compare_over_sets([one]), compare_over_sets([one, one])
    assert twice.difference.high - twice.difference.low == pytest.approx(once.difference.high - once.difference.low)
    apart = [paired(seed, codes=np.arange(120) + 1000 * seed) for seed in range(4)]
    linked = [paired(seed) for seed in range(4)]
    widths = [found.high - found.low for sets in (apart, [one]) for found in [compare_over_sets(sets).difference]]
    assert widths[0] < 0.75 * widths[1]
    assert compare_over_sets(linked).difference.method.startswith("4 runs × 120 items or clusters")
    assert compare_over_sets(apart).difference.method.startswith("4 runs × 480 items or clusters")


def test_one_run_has_an_interval_over_items_and_speaks_of_these_systems():
    found = compare_over_sets([paired(seed, runs=1, codes=np.arange(120) + 1000 * seed) for seed in range(3)])
    assert found.scope == "systems"
    assert found.difference.method == "t over 360 items or clusters, one run; mean of 3 sets"
    assert found.difference.low < found.difference.value < found.difference.high


def test_no_difference_anywhere_has_a_width():
    one = paired(0)
    same = PairedSet(one.metric, one.gold, one.runs_a, one.runs_a, one.codes)
    found = compare_over_sets([same, same]).difference
    assert found.value == 0
    assert found.low < 0 < found.high


def test_codes_link_items_by_key_and_cluster():
    codes = shared_codes(
        [np.array(["a", "b", "c"]), np.array(["c", "d", "e"])], [np.array([0, 0, 1]), np.array([5, 5, 6])]
    )
    assert [each.tolist() for each in codes] == [[0, 0, 1], [1, 1, 2]]
    assert shared_codes([], []) == []


def test_sets_of_other_runs_are_refused():
    with pytest.raises(UsageError) as caught:
        compare_over_sets([paired(0, runs=2), paired(1, runs=3)])
    assert str(caught.value) == (
        "a mean over sets needs at least one, all with the same runs; got runs [(2, 2), (3, 3)]"
    )
