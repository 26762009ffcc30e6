"""Ranks of labels: the formula against a direct one, invariances, and the same probabilities in few dimensions."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse, special

from goldproof.measures.label_ranks import HEAD_START, rank_labels
from goldproof.measures.shallow_probabilities import averaged, compact


def _drawn(seed: int, n: int = 120, n_labels: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_labels, n), rng.dirichlet(np.ones(n_labels), n)


def test_scores_are_the_mean_of_two_log_odds() -> None:
    labels, chances = _drawn(0)
    shares = np.bincount(labels) / len(labels)
    told = special.softmax(np.log(chances) - HEAD_START * np.log(shares), axis=1)
    found = rank_labels(labels, chances)
    for row, label in enumerate(labels):
        own, others = told[row, label], np.delete(told[row], label)
        wanted = (np.log(others.max() / own) + np.log((1 - own) / own)) / 2
        assert found.scores[row] == pytest.approx(wanted)
        assert told[row, found.instead[row]] == others.max()
        assert (row in found.ranked) == (others.max() > own)
        assert found.contradicted[row] == (chances[row].argmax() != label)


def test_two_labels_of_one_frequency_are_ranked_by_their_log_odds() -> None:
    labels = np.arange(100) % 2
    chance = np.random.default_rng(0).uniform(0.01, 0.99, 100)
    found = rank_labels(labels, np.column_stack([chance, 1 - chance]))
    assert found.scores == pytest.approx(special.logit(np.where(labels == 0, 1 - chance, chance)))


@given(order=st.permutations(range(4)))
def test_what_labels_are_called_does_not_matter(order: list[int]) -> None:
    labels, chances = _drawn(1)
    found = rank_labels(labels, chances)
    again = rank_labels(np.array(order)[labels], chances[:, np.argsort(order)])
    assert again.scores == pytest.approx(found.scores)
    assert again.ranked.tolist() == found.ranked.tolist()


def test_a_label_that_no_row_has_is_no_fault() -> None:
    labels, chances = _drawn(2, n_labels=5)
    assert np.isfinite(rank_labels(np.minimum(labels, 3), chances).scores).all()


def test_probabilities_are_the_same_in_few_dimensions() -> None:
    rng = np.random.default_rng(0)
    features = sparse.random(90, 400, 0.1, "csr", random_state=0, data_rvs=lambda n: rng.uniform(0.1, 1, n))
    features = sparse.vstack([features, features[:10]]).tocsr() / 3  # equal rows among them
    labels = rng.integers(0, 3, 100)
    rows = compact(features)
    assert rows.shape == (100, 100)
    first, second = (averaged(each, labels, 3, np.arange(100), [np.random.default_rng(4)]) for each in (features, rows))
    assert np.abs(first - second).max() < 0.02  # both stop a little before the optimum
    assert compact(features[:, :50]).shape == (100, 50)
