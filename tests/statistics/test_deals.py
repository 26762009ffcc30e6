"""Deals of gold: each exchanges what it may, and what is remembered equals what would be dealt anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.statistics import deals
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.deals import deal_gold
from goldproof.statistics.metrics import metric

BLOCKS = [np.arange(4)[:, None], np.arange(4, 10).reshape(3, 2)]


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.setattr(deals, "_known", {})


def dealt_plainly(gold, blocks, n, rng):
    """The definition, one deal after the other."""
    found = []
    for _ in range(n):
        dealt = gold.copy()
        for block in blocks:
            dealt[block] = gold[rng.permuted(block[rng.permutation(len(block))], axis=1)]
        found.append(dealt)
    return np.array(found)


@given(st.integers(0, 2**32), st.lists(st.integers(0, 3), min_size=10, max_size=10))
def test_remembered_deals_are_those_of_the_definition_and_leave_the_generator_alike(seed, gold):
    gold = np.array(gold)
    first, again, plain = (np.random.default_rng(seed) for _ in range(3))
    expected = dealt_plainly(gold, BLOCKS, 6, plain)
    for rng in (first, again):
        np.testing.assert_array_equal(deal_gold(gold, BLOCKS, 6, rng), expected)
        assert rng.bit_generator.state == plain.bit_generator.state


def test_other_gold_other_blocks_and_another_state_are_dealt_anew():
    rng, gold = np.random.default_rng(0), np.repeat([0, 1], 5)
    one = deal_gold(gold, BLOCKS, 50, rng)
    assert (deal_gold(gold, BLOCKS, 50, rng) != one).any()
    np.testing.assert_array_equal(deal_gold(gold, BLOCKS, 50, np.random.default_rng(0)), one)
    single = [np.arange(10)[:, None]]
    assert (deal_gold(gold, single, 50, np.random.default_rng(0)) != one).any()
    assert (deal_gold(1 - gold, BLOCKS, 50, np.random.default_rng(0)) != one).any()


def test_memory_of_deals_is_bounded(monkeypatch):
    monkeypatch.setattr(deals, "MOST_BYTES", 1000)
    rng, gold = np.random.default_rng(0), np.repeat(np.array([0, 1], np.uint8), 5)
    for _ in range(20):
        deal_gold(gold, BLOCKS, 30, rng)  # 300 bytes
    assert len(deals._known) == 3
    deal_gold(gold, BLOCKS, 200, rng)  # 2000 bytes
    assert len(deals._known) == 3


def test_a_generator_of_another_kind_is_not_remembered():
    gold = np.repeat([0, 1], 5)
    a, b = (deal_gold(gold, BLOCKS, 9, np.random.Generator(np.random.MT19937(1))) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    assert not deals._known


def test_chance_of_other_runs_on_the_same_items_is_that_of_a_fresh_process():
    rng = np.random.default_rng(1)
    gold, runs, clusters = rng.integers(0, 3, 40), rng.integers(0, 3, (4, 40)), np.repeat(np.arange(20), 2)

    def judge(some):
        return runs_chance_band(metric("mcc", 3), gold, some, np.random.default_rng(5), clusters, draws=200)

    fresh = judge(runs[2:])
    deals._known.clear()
    judge(runs[:2])
    assert judge(runs[2:]) == fresh
