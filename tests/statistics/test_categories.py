"""The mean over categories: as runs_interval for one category, as a cluster bootstrap for many, in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from goldproof.statistics.categories import categories_interval
from goldproof.statistics.metrics import metric
from goldproof.statistics.runs import runs_interval

MCC = metric("mcc")


def sample(seed, n=240, n_runs=5):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n // 2), 2)
    gold = np.repeat(rng.integers(0, 2, n // 2), 2)
    runs = np.where(rng.random((n_runs, n)) < 0.75, gold, 1 - gold)
    return gold, runs, clusters


def test_one_category_of_all_items_is_the_overall_score():
    gold, runs, clusters = sample(0)
    one = categories_interval(MCC, gold, runs, [np.arange(len(gold))], clusters)
    all_rows = runs_interval(MCC, gold, runs, clusters)
    assert (one.value, one.low, one.high) == pytest.approx((all_rows.value, all_rows.low, all_rows.high))


def test_the_value_is_the_mean_of_the_categories():
    gold, runs, clusters = sample(1)
    members = [np.arange(80), np.arange(60, 200), np.arange(200, 240)]
    expected = np.mean([matthews_corrcoef(gold[m], run[m]) for m in members for run in runs])
    assert categories_interval(MCC, gold, runs, members, clusters).value == pytest.approx(expected)


def test_the_interval_over_items_is_that_of_a_cluster_bootstrap():
    gold, runs, clusters = sample(2, n=600, n_runs=1)
    members = [np.arange(0, 300), np.arange(200, 450), np.arange(450, 600)]
    ours = categories_interval(MCC, gold, runs, members, clusters)
    rng, scores = np.random.default_rng(0), []
    for _ in range(200):
        drawn = rng.integers(0, 300, 300)
        items = np.concatenate([2 * drawn, 2 * drawn + 1])
        scores.append(
            np.mean([matthews_corrcoef(gold[i], runs[0][i]) for m in members for i in [items[np.isin(items, m)]]])
        )
    low, high = np.quantile(scores, [0.025, 0.975])
    assert ours.low == pytest.approx(low, abs=0.03)
    assert ours.high == pytest.approx(high, abs=0.03)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_items_and_the_names_of_clusters_do_not_matter(seed):
    gold, runs, clusters = sample(3, n=60, n_runs=3)
    members = [np.arange(30), np.arange(20, 60)]
    order = np.random.default_rng(seed).permutation(60)
    place = np.argsort(order)
    moved = categories_interval(MCC, gold[order], runs[:, order], [place[m] for m in members], 100 - clusters[order])
    still = categories_interval(MCC, gold, runs, members, clusters)
    assert (moved.value, moved.low, moved.high) == pytest.approx((still.value, still.low, still.high))


def test_answers_that_are_all_alike_score_nothing():
    gold = np.array([0, 1] * 10)
    estimate = categories_interval(MCC, gold, np.zeros((2, 20), int), [np.arange(20)])
    assert (estimate.value, estimate.low <= 0 <= estimate.high) == (0.0, True)
