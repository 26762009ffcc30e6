"""The best of many: correction out of the bag, against a plain loop, and what its interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.errors import UsageError
from goldproof.statistics.bootstrap import bootstrap_weights
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.item_scores import mean_metric
from goldproof.statistics.metrics import metric
from goldproof.statistics.selection import best_of, chosen_mean, chosen_score, without_luck


def candidates(chances, n, rng):
    gold = rng.integers(0, 2, n)
    right = rng.random((len(chances), n)) < np.asarray(chances)[:, None]
    return gold, np.where(right, gold, 1 - gold)


@pytest.mark.parametrize("name", ["accuracy", "mcc", "macro_f1"])
@pytest.mark.parametrize("clustered", [False, True])
def test_it_is_what_a_loop_over_resamples_gives(name, clustered):
    rng, measure = np.random.default_rng(0), metric(name)
    gold, guesses = candidates([0.6, 0.7, 0.65, 0.7], 60, rng)
    weights = bootstrap_weights(60, 25, rng, np.arange(60) // 5 if clustered else None)
    best, scores = [], []
    for drawn in weights:
        inside, outside = np.repeat(np.arange(60), drawn.astype(int)), np.flatnonzero(drawn == 0)
        chosen = int(np.argmax([measure(gold[inside], guess[inside]) for guess in guesses]))
        scores.append([measure(gold[outside], guess[outside]) for guess in guesses])
        best.append(scores[-1][chosen])
    found = best_of(measure, gold, guesses, weights)
    assert found.corrected == pytest.approx(np.mean(best), abs=1e-6)
    assert found.scores == pytest.approx(np.mean(scores, axis=0), abs=1e-6)
    whole = [measure(gold, guess) for guess in guesses]
    assert (found.place, found.apparent) == (int(np.argmax(whole)), pytest.approx(max(whole), abs=1e-6))


def test_equal_candidates_lose_their_lead_and_a_true_one_keeps_it():
    rng = np.random.default_rng(1)
    gold, alike = candidates(np.full(50, 0.7), 400, rng)
    found = best_of(metric("accuracy"), gold, alike, bootstrap_weights(400, 200, rng))
    assert found.apparent > 0.74
    assert found.corrected == pytest.approx(0.7, abs=0.03)
    gold, one = candidates([*np.full(49, 0.6), 0.9], 400, rng)
    found = best_of(metric("accuracy"), gold, one, bootstrap_weights(400, 200, rng))
    assert found.place == 49
    assert found.corrected == pytest.approx(found.apparent, abs=0.01)


def test_the_interval_of_the_chosen_one_holds_its_true_score():
    """Of 30 systems of 70 %, the best is chosen; its own interval misses in a quarter of cases or more."""
    rng = np.random.default_rng(2)
    held = plain = 0
    for _ in range(100):
        gold, guesses = candidates(np.full(30, 0.7), 150, rng)
        found = chosen_score(metric("accuracy"), gold, guesses, rng)
        held += found.low <= 0.7 <= found.high
        own = max((guess == gold).mean() for guess in guesses)
        plain += own - 1.96 * (own * (1 - own) / 150) ** 0.5 <= 0.7
    assert held >= 93
    assert plain < 75


def test_the_interval_reaches_from_the_corrected_to_the_chosen():
    own = Estimate(0.8, 0.7, 0.88, "Wilson", 100)
    found = without_luck(0.75, own)
    assert (found.value, found.low, found.high) == pytest.approx((0.75, 0.65, 0.88))
    assert without_luck(0.85, own).low == 0.7  # a correction upwards is luck too, and narrows nothing


def test_a_corrected_score_is_not_above_the_one_as_it_looks_and_its_interval_is_of_scores_that_can_be():
    """Few items and candidates that are clearly apart: resamples then score the best above its own score by chance."""
    above = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        right = rng.random((3, 6)) < np.array([[0.1], [0.5], [0.8]])
        weights = bootstrap_weights(6, 200, np.random.default_rng(seed))
        raw = best_of(mean_metric(), np.zeros(6), right.astype(float), weights)
        above += raw.corrected > raw.apparent
        of_means = chosen_mean(right.astype(float), np.random.default_rng(seed))
        of_runs = chosen_score(metric("accuracy"), np.ones(6, int), right.astype(int), np.random.default_rng(seed))
        for found in (of_means, of_runs):
            assert found.value == pytest.approx(min(raw.corrected, raw.apparent), abs=1e-6)
            assert 0 <= found.low <= found.value <= found.high <= 1
    assert above


def test_items_that_do_not_fit_are_named():
    with pytest.raises(UsageError) as caught:
        best_of(metric("accuracy"), np.zeros(5), np.zeros((2, 4)), np.ones((3, 5)))
    assert str(caught.value) == "candidates must be candidates × 5 items; got shape (2, 4)"
