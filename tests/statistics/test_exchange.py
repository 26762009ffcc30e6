"""Exchanging gold: against all permutations, within and between clusters, and over many predictions together."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.errors import UsageError
from goldproof.statistics.exchange import choose_exchange, exchange_orders, exchange_test


def test_the_p_value_is_that_of_all_permutations():
    gold = np.array([0, 0, 0, 1, 1, 1, 2])
    predicted = np.array([0, 0, 1, 1, 1, 2, 2])
    every = np.array([(np.array(order) == predicted).mean() for order in permutations(gold.tolist())])
    exact = float((every >= (gold == predicted).mean() - 1e-9).mean())
    found = exchange_test(gold, predicted[None], np.random.default_rng(0), draws=20_000)
    assert found.p_alone[0] == pytest.approx(exact, abs=0.01)
    assert found.expected[0] == pytest.approx(every.mean(), abs=0.01)


def test_numbers_are_scored_by_their_correlation():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=80)
    predictions = np.stack([gold + rng.normal(size=80), rng.normal(size=80), np.full(80, 3.0)])
    found = exchange_test(gold, predictions, rng, draws=999)
    assert found.scores[:2] == pytest.approx([np.corrcoef(gold, each)[0, 1] for each in predictions[:2]])
    assert found.p_together[0] == 0.001
    assert found.p_together[1] > 0.05
    assert found.p_together[2] == 1.0


def test_the_best_of_many_is_found_as_often_as_the_level_says():
    rng = np.random.default_rng(2)
    rejected = 0
    for _ in range(400):
        gold = rng.integers(0, 2, 60)
        predictions = (gold[rng.permutation(60)] + rng.integers(0, 2, (8, 60))) % 2
        rejected += exchange_test(gold, predictions, rng, draws=99).p_together.min() <= 0.05
    assert 0.02 < rejected / 400 < 0.085


def test_clusters_that_answer_alike_are_no_proof():
    """Six items of one label and one answer count once; exchanging single items would take them for six."""
    rng = np.random.default_rng(3)
    alone, together = 0, 0
    for _ in range(150):
        clusters = np.repeat(np.arange(12), 6)
        gold, predicted = rng.integers(0, 2, 12)[clusters], rng.integers(0, 2, 12)[clusters]
        alone += exchange_test(gold, predicted[None], rng, draws=99).p_together[0] <= 0.05
        together += exchange_test(gold, predicted[None], rng, clusters, draws=99).p_together[0] <= 0.05
    assert together / 150 < 0.1
    assert alone / 150 > 0.15


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.integers(0, 1000))
def test_an_exchange_keeps_what_it_should(codes, seed):
    clusters = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    items = np.arange(len(clusters))
    for kind in ("items", "clusters", "within clusters"):
        for orders in exchange_orders(clusters, kind, 5, np.random.default_rng(seed)):
            for order in orders:
                assert sorted(order) == items.tolist()
                if kind == "within clusters":
                    assert (clusters[order] == clusters).all()
                if kind == "clusters":
                    from_cluster = {int(c): set(clusters[order][clusters == c].tolist()) for c in clusters}
                    assert all(len(others) == 1 for others in from_cluster.values())


def test_where_most_clusters_hold_several_labels_gold_is_exchanged_within():
    clusters = np.repeat(np.arange(4), 2)
    assert choose_exchange(np.array([0, 1, 0, 1, 0, 1, 0, 0]), clusters) == "within clusters"
    assert choose_exchange(np.array([0, 1, 0, 1, 0, 0, 0, 0]), clusters) == "clusters"


def test_no_draws_are_refused():
    with pytest.raises(UsageError) as error:
        exchange_test(np.array([0, 1]), np.array([[0, 1]]), np.random.default_rng(0), draws=0)
    assert str(error.value) == "at least 1 draw is needed; got 0"
