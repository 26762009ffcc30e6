"""Chance bands against scipy and permutation, planning against statsmodels and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower

from goldproof.errors import UsageError
from goldproof.statistics.chance import chance_band, clustered_chance_band, margins_table
from goldproof.statistics.comparison import compare
from goldproof.statistics.components import VarianceComponents
from goldproof.statistics.metrics import metric
from goldproof.statistics.power import (
    detectable_difference,
    detectable_paired,
    detectable_unpaired,
    half_width,
    items_for_difference,
    items_needed,
    runs_needed,
)

MCC, ACCURACY = metric("mcc"), metric("accuracy")


@pytest.mark.parametrize("name", ["mcc", "accuracy", "macro_f1"])
def test_two_class_band_equals_label_permutation(name: str) -> None:
    rng = np.random.default_rng(0)
    gold, predicted = np.repeat([0, 1], [20, 14]), np.repeat([0, 1, 0, 1], [12, 8, 5, 9])
    score = metric(name)
    shuffled = score(gold, np.stack([rng.permutation(predicted) for _ in range(4000)]))
    chance = chance_band(score, np.array([[12, 8], [5, 9]]))
    assert chance.band.value == pytest.approx(shuffled.mean(), abs=0.01)
    inside = ((shuffled >= chance.band.low - 1e-9) & (shuffled <= chance.band.high + 1e-9)).mean()
    assert 0.945 <= inside <= 0.995
    assert chance.observed == pytest.approx(score(gold, predicted))


def test_two_class_p_value_is_twice_fishers_one_sided() -> None:
    table = np.array([[12, 5], [4, 13]])
    one_sided = stats.fisher_exact(table, alternative="greater").pvalue
    assert chance_band(MCC, table).p_value == pytest.approx(2 * one_sided)


def test_more_classes_are_simulated() -> None:
    rng = np.random.default_rng(1)
    gold, predicted = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    score = metric("macro_f1", 3)
    table = score.encode(gold, predicted).counts().reshape(3, 3)
    chance = chance_band(score, table, rng)
    shuffled = score(gold, np.stack([rng.permutation(predicted) for _ in range(4000)]))
    low, high = np.quantile(shuffled, [0.025, 0.975])
    assert (chance.band.low, chance.band.high) == pytest.approx((low, high), abs=0.02)
    assert chance.band.method == "label permutation, 10000 draws"


def test_twins_widen_the_band() -> None:
    rng = np.random.default_rng(2)
    half_gold, half_predicted = rng.integers(0, 2, 40), rng.integers(0, 2, 40)
    gold, predicted = np.repeat(half_gold, 2), np.repeat(half_predicted, 2)
    twins = np.repeat(np.arange(40), 2)
    chance = clustered_chance_band(MCC, gold, predicted, twins, rng)
    plain = chance_band(MCC, MCC.encode(gold, predicted).counts().reshape(2, 2)).band
    ratio = (chance.band.high - chance.band.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(math.sqrt(2), rel=0.15)
    assert chance.band.method == "permutation of whole clusters, 80 of 80 items movable, 2000 draws"
    mixed = np.r_[np.repeat(np.arange(10), 2), np.full(60, 99)]
    some = clustered_chance_band(MCC, gold, predicted, mixed, rng, 10)
    assert some.band.method == "permutation of whole clusters, 20 of 80 items movable, 10 draws"


def test_planning_table_has_the_margins_asked_for() -> None:
    table = margins_table(34, 0.3, 0.5)
    assert table.sum() == 34
    assert (table[1].sum(), table[:, 1].sum()) == (10, 17)
    wide, narrow = (chance_band(MCC, margins_table(n, 0.4, 0.4)).band for n in (34, 1000))
    assert wide.high - wide.low > 4 * (narrow.high - narrow.low)
    assert narrow.high == pytest.approx(1.96 / math.sqrt(999), rel=0.1)


def test_unpaired_difference_equals_statsmodels() -> None:
    difference = detectable_unpaired(500, 0.5)
    effect = difference / 0.5
    power = NormalIndPower().power(effect, 500, 0.05)
    assert power == pytest.approx(0.8, abs=1e-3)


def test_paired_difference_has_the_power_promised() -> None:
    rng = np.random.default_rng(3)
    n, discordance = 400, 0.2
    difference = detectable_paired(n, discordance)
    only_a, only_b = (discordance + difference) / 2, (discordance - difference) / 2
    found = 0
    gold = np.zeros(n, int)
    for _ in range(600):
        draw = rng.random(n)
        a = (draw < only_b).astype(int)
        b = ((draw >= only_b) & (draw < only_b + only_a)).astype(int)
        found += compare(ACCURACY, gold, a, b).p_value < 0.05
    assert found / 600 == pytest.approx(0.8, abs=0.05)
    assert detectable_paired(5, 0.1) == math.inf


def test_detectable_difference_and_items_are_inverse() -> None:
    error, n = 0.02, 500
    items = items_for_difference(error, n, 0.03)
    assert detectable_difference(error * math.sqrt(n / items)) == pytest.approx(0.03, rel=1e-3)
    assert detectable_difference(error, 4) > detectable_difference(error)


def test_runs_and_items_needed_are_the_fewest() -> None:
    parts = VarianceComponents(0.0004, 0.1, 0.05, 3, 1000)
    runs = runs_needed(parts, 0.03)
    assert runs is not None
    assert half_width(parts, runs, 1000) <= 0.03 < half_width(parts, runs - 1, 1000)
    items = items_needed(parts, 0.06, n_runs=5)
    assert items is not None
    assert half_width(parts, 5, items) <= 0.06 < half_width(parts, 5, items - 1)
    # The item part alone is too wide for more runs to help, and the seed part for more items.
    assert runs_needed(parts, 0.01) is None
    assert items_needed(parts, 0.01, n_runs=3) is None
    assert half_width(parts, 1, 1000) == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: chance_band(MCC, np.zeros((2, 2))),
            "the confusion table must be square with counts of at least one item; got [[0, 0], [0, 0]]",
        ),
        (
            lambda: chance_band(metric("mcc", 3), np.eye(3)),
            "the chance band of 3 classes is simulated and needs rng; got None",
        ),
        (lambda: margins_table(0, 0.5, 0.5), "n must be at least 1 and rates from 0 to 1; got 0, 0.5 and 0.5"),
        (
            lambda: detectable_paired(10, 0.0),
            "the share of discordant items must be above 0 and at most 1; got 0.0",
        ),
        (lambda: detectable_difference(0.1, power=1.0), "the power must be above 0 and below 1; got 1.0"),
        (lambda: items_for_difference(0.1, 10, 0.0), "no number of items shows a difference of 0; got 0"),
        (
            lambda: items_needed(VarianceComponents(0, 1, 1, 2, 2), 0.0),
            "the wanted half width must be above 0; got 0.0",
        ),
        (lambda: detectable_unpaired(0), "counts of items and runs must be at least 1; got 0"),
    ],
)
def test_errors_say_what_was_wrong(call, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_no_p_value_of_drawn_labels_is_smaller_than_the_draws_can_tell() -> None:
    table = np.diag([40, 40, 40])
    drawn = chance_band(metric("accuracy", 3), table, np.random.default_rng(0), draws=500)
    assert drawn.p_value == pytest.approx(2 / 501)
    gold = np.repeat(np.arange(3), 40)
    clustered = clustered_chance_band(metric("accuracy", 3), gold, gold, np.arange(120), np.random.default_rng(0), 200)
    assert clustered.p_value == pytest.approx(2 / 201)
