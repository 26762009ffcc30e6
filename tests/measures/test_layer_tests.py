"""Bands, neighbours and ties: right sign, right size, and ties that hold the best layer as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.errors import UsageError
from goldproof.measures.layer_tests import adjust_over_tasks, assess_layers, compare_layers, two_sided_neighbours
from goldproof.statistics.comparison import bootstrap_test
from goldproof.statistics.metrics import metric


def layers_with(accuracies: list[float], n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((len(accuracies), n)) < np.array(accuracies)[:, None]


def exactly(accuracy: float, n: int, seed: int) -> np.ndarray:
    right = np.arange(n) < round(accuracy * n)
    return np.random.default_rng(seed).permutation(right)


def test_the_paired_bootstrap_of_a_clear_difference_is_tiny_and_not_one():
    """85.3 % against 83.1 % at n = 10,000, whichever layer comes first."""
    right = np.stack([exactly(0.853, 10_000, 1), exactly(0.831, 10_000, 2)])
    for order in ([0, 1], [1, 0]):
        found = assess_layers(right[order], np.random.default_rng(0))
        assert found.neighbours[0] < 0.001
        assert found.tied == (order.index(0),)


def test_neighbours_are_those_of_the_plain_paired_bootstrap():
    right = layers_with([0.70, 0.73, 0.72], 900)
    found = assess_layers(right, np.random.default_rng(0), draws=20_000)
    for k in (0, 1):
        sides = right[k].astype(int), right[k + 1].astype(int)
        peer = bootstrap_test(metric("accuracy"), np.ones(900, int), sides, np.random.default_rng(1), draws=20_000)
        assert found.neighbours[k] == pytest.approx(peer, abs=0.012)


def test_a_p_value_below_what_the_resamples_can_tell_does_not_pass_every_adjustment():
    """Z = 3.4 is p = 0.0007: no resample of 2,000 may show it, yet among 300 such questions it is nothing."""
    n, z, discordant = 10_000, 3.4, 1_000
    only_first = round((discordant + z * discordant**0.5) / 2)
    right = np.zeros((2, n), bool)
    right[:, discordant:8_000] = True
    right[0, :only_first] = right[1, only_first:discordant] = True
    p = two_sided_neighbours(right, [0.0])
    assert p[0] == pytest.approx(compare_layers(right, 0, 1).p_value, rel=0.05)
    assert adjust_over_tasks({"one": p, "others": (1.0,) * 300})["one"][0] > 0.05
    assert two_sided_neighbours(right, [0.2]) == (0.4,)
    assert two_sided_neighbours(right, [0.7]) == (1.0,)
    assert two_sided_neighbours(right[:, None], [0.0]) == p


def test_equal_layers_have_no_difference():
    right = np.tile(layers_with([0.7], 400), (2, 1))
    found = assess_layers(right, np.random.default_rng(0))
    assert found.neighbours == (1.0,)
    assert found.tied == (0, 1)


def test_bands_hold_for_all_layers_together():
    truth = np.linspace(0.6, 0.8, 6)
    hits = 0
    for seed in range(200):
        bands = assess_layers(layers_with(truth.tolist(), 500, seed), np.random.default_rng(seed), draws=400).bands
        hits += all(band.low <= p <= band.high for band, p in zip(bands, truth, strict=True))
    assert 0.90 <= hits / 200 <= 0.99


def test_the_set_of_ties_holds_the_best_layer_as_often_as_it_says():
    truth = [0.70, 0.70, 0.72, 0.72, 0.72]
    held = [
        2 in assess_layers(layers_with(truth, 600, s), np.random.default_rng(s), draws=400).tied for s in range(200)
    ]
    assert np.mean(held) >= 0.92


def test_four_items_prove_nothing():
    """All right against all wrong on 4 items: no resample differs, yet p is 1/8, by mid-p 1/16."""
    right = np.array([[True] * 4, [False] * 4])
    found = assess_layers(right, np.random.default_rng(0))
    assert found.tied == (0, 1)
    assert [(round(band.low, 2), round(band.high, 2)) for band in found.bands] == [(0.4, 1.0), (0.0, 0.6)]
    assert two_sided_neighbours(right, found.neighbours) == (0.0625,)
    clear = np.array([[True] * 12, [False] * 12])
    assert assess_layers(clear, np.random.default_rng(0)).tied == (0,)


def test_seeds_that_are_not_kept_play_no_part():
    right = np.stack([layers_with([0.6, 0.9], 500, seed) for seed in range(3)], axis=1)
    spoilt = right.copy()
    spoilt[0, 2] = False
    kept = np.array([[True, True, False], [True, True, True]])
    found = assess_layers(spoilt, np.random.default_rng(0), kept=kept)
    assert found.bands[0].value == pytest.approx(right[0, :2].mean())
    assert found.bands[1] == assess_layers(right, np.random.default_rng(0), kept=kept).bands[1]


def test_seeds_are_averaged():
    right = np.stack([layers_with([0.6, 0.9], 500, seed) for seed in range(3)], axis=1)
    found = assess_layers(right, np.random.default_rng(0))
    np.testing.assert_allclose([band.value for band in found.bands], right.mean(axis=(1, 2)))
    assert found.best == 1
    assert found.tied == (1,)


def test_two_layers_compared_with_an_interval():
    right = layers_with([0.6, 0.7], 2000)[:, None]
    found = compare_layers(right, 1, 0)
    assert found.difference.low > 0
    assert found.difference.value == pytest.approx(right[1].mean() - right[0].mean())
    with pytest.raises(UsageError, match=r"^two layers are compared on one seed; got 2 seeds$"):
        compare_layers(np.repeat(right, 2, axis=1), 0, 1)


def test_holm_is_over_all_tasks():
    assert adjust_over_tasks({"a": (0.01, 0.5), "b": (0.02,)}) == {"a": (0.03, 0.5), "b": (0.04,)}


def test_what_is_not_true_or_false_is_refused():
    with pytest.raises(UsageError) as caught:
        assess_layers(np.zeros(3), np.random.default_rng(0))
    assert str(caught.value) == (
        "correct must be true or false for layers × items or layers × seeds × items; got float64 of shape (3,)"
    )
