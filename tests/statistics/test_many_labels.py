"""Many labels: hits and margins give what the cells of the table give, at any number of labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from goldproof.errors import UsageError
from goldproof.statistics import metrics
from goldproof.statistics.chance import chance_band
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.comparison import compare_runs, permutation_test
from goldproof.statistics.influence import linearise
from goldproof.statistics.intervals import score_interval, table_interval
from goldproof.statistics.metrics import among, confusion, metric
from goldproof.statistics.runs import runs_interval

NAMES = ("accuracy", "mcc", "macro_f1", "micro_f1", "weighted_f1")


def answers(seed, k, n=300, runs=3):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    return gold, np.where(rng.random((runs, n)) < 0.6, gold, rng.integers(0, k, (runs, n)))


@pytest.fixture
def both(monkeypatch):
    """A metric by its cells and by hits and margins."""

    def make(name, k, unscored=0):
        cells = metric(name, k, unscored)
        monkeypatch.setattr(metrics, "MOST_LABELS_IN_TABLE", 1)
        many = metric(name, k, unscored)
        monkeypatch.undo()
        return cells, many

    return make


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unscored", [0, 1])
def test_influence_is_that_of_the_cells(both, name, unscored):
    gold, runs = answers(1, 7)
    cells, many = both(name, 7, unscored)
    by_cells, by_sums = (each.encode(gold, runs[0]) for each in (cells, many))
    one, other = (linearise(each, items.rows, items.counts()) for each, items in ((cells, by_cells), (many, by_sums)))
    assert (one.value, one.centre, one.total) == pytest.approx((other.value, other.centre, other.total))
    assert one.influence[by_cells.index] == pytest.approx(other.influence[by_sums.index], abs=1e-6)
    assert one.pseudo_squares == pytest.approx(other.pseudo_squares, rel=1e-6)


@given(st.integers(0, 10_000), st.integers(31, 60))
def test_scores_are_those_of_scikit_learn(seed, k):
    gold, runs = answers(seed, k, n=80, runs=1)
    run = runs[0]
    assert metric("mcc", k)(gold, run) == pytest.approx(reference.matthews_corrcoef(gold, run))
    for average in ("macro", "micro", "weighted"):
        expected = reference.f1_score(gold, run, average=average, zero_division=0)
        assert metric(f"{average}_f1", k)(gold, run) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["accuracy", "mcc", "macro_f1"])
def test_intervals_bands_and_tests_are_those_of_the_cells(both, name):
    gold, runs = answers(2, 6)
    cells, many = both(name, 6)
    clusters = np.arange(len(gold)) // 3
    for interval in (
        lambda m: score_interval(m, gold, runs[0]),
        lambda m: score_interval(m, gold, runs[0], clusters),
        lambda m: runs_interval(m, gold, runs, clusters),
        lambda m: table_interval(m, confusion(gold, runs[0], 6)),
        lambda m: compare_runs(m, gold, runs[:2], runs[1:]).difference,
        lambda m: compare_runs(m, gold, runs[:1], runs[1:2]).difference,
    ):
        one, other = interval(cells), interval(many)
        assert one.method == other.method
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-5)
    bands = [runs_chance_band(m, gold, runs, np.random.default_rng(0), draws=300) for m in (cells, many)]
    assert bands[0].band.low == pytest.approx(bands[1].band.low)
    assert bands[0].p_value == bands[1].p_value
    tests = [permutation_test(m, gold, (runs[0], runs[1]), np.random.default_rng(0), 200) for m in (cells, many)]
    assert tests[0] == tests[1]


def test_the_chance_band_of_a_table_of_many_labels():
    gold, runs = answers(3, 40, n=400, runs=1)
    band = chance_band(metric("accuracy", 40), confusion(gold, runs[0], 40), np.random.default_rng(0))
    assert band.band.value == pytest.approx(1 / 40, abs=0.005)
    assert band.p_value < 0.01


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unscored", [0, 1])
def test_among_the_labels_that_occur_scores_are_the_same(name, unscored):
    """40 items of 3,000 labels, the last of which is no answer."""
    labels = np.sort(np.random.default_rng(5).choice(2999, 20, replace=False))
    labels = np.append(labels, 2999) if unscored else labels
    gold, runs = answers(5, 20, n=40, runs=3)
    runs = np.where(np.arange(40) % 9 == 0, len(labels) - 1, runs)
    few = among(metric(name, 3000, unscored), labels)
    whole = metric(name, 3000, unscored)
    np.testing.assert_allclose(few(gold, runs), whole(labels[gold], labels[runs]))
    bands = [
        runs_chance_band(whole, labels[gold], labels[some], np.random.default_rng(0), draws=50)
        for some in (runs, runs[:1])
    ]
    cells = metric(name, len(labels), unscored)
    for band, some in zip(bands, (runs, runs[:1]), strict=True):
        assert band.observed == pytest.approx(np.mean([cells(gold, run) for run in some]))


def test_a_metric_of_few_labels_is_not_taken_among_some():
    with pytest.raises(UsageError) as error:
        among(metric("mcc", 3), np.array([0, 2]))
    assert str(error.value) == "only a metric of more than 30 labels can be taken among some of them"


def test_a_plugins_metric_says_that_labels_are_too_many(monkeypatch):
    from goldproof.statistics.added_metrics import TableMetric

    added = TableMetric("Own", lambda table: table.sum((-2, -1)))
    monkeypatch.setattr(metrics, "find_added_metric", lambda name: added if name == "own" else None)
    with pytest.raises(UsageError) as error:
        metric("own", 31)
    assert str(error.value) == (
        "the metric 'own' of a plugin takes the whole confusion table, of at most 30 labels; got 31"
    )


def test_three_thousand_labels_need_little_room():
    """As cells they would need k⁴ numbers; a gigabyte would not hold them."""
    gold, runs = answers(4, 3000, n=20_000, runs=2)
    estimate = runs_interval(metric("macro_f1", 3000), gold, runs)
    assert estimate.low < estimate.value < estimate.high
