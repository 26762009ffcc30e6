"""Clusters: CR2 and its degrees of freedom against their matrix definitions, and what few clusters are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from goldproof.statistics.clusters import (
    cluster_df,
    cluster_shares,
    cluster_variance,
    cluster_warning,
    effective_clusters,
    wild_cluster_test,
)
from goldproof.statistics.comparison import compare
from goldproof.statistics.intervals import score_interval
from goldproof.statistics.metrics import metric

SIZES = st.lists(st.integers(1, 6), min_size=2, max_size=8)


def by_matrices(values, codes):
    """CR2 and Bell–McCaffrey's degrees of freedom of a mean, by the definitions for a regression on a constant."""
    n = len(values)
    hat = np.full((n, n), 1 / n)
    residual = values - values.mean()
    total, columns = 0.0, []
    for group in np.unique(codes):
        inside = np.flatnonzero(codes == group)
        block = np.eye(len(inside)) - hat[np.ix_(inside, inside)]
        adjust = linalg.fractional_matrix_power(block, -0.5).real
        total += float((adjust @ residual[inside]).sum() / n) ** 2
        columns.append((np.eye(n) - hat)[:, inside] @ adjust @ np.ones(len(inside)) / n)
    gram = np.stack(columns, axis=1)
    values_of = np.linalg.eigvalsh(gram.T @ gram)
    return total, values_of.sum() ** 2 / (values_of**2).sum()


@given(SIZES, st.integers(0, 1000))
def test_variance_and_df_are_those_of_their_definition(sizes, seed):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(size=len(codes))
    shares = cluster_shares(codes)
    parts = np.bincount(codes, weights=values - values.mean()) / len(codes)
    variance, df = by_matrices(values, codes)
    assert cluster_variance(parts, shares) == pytest.approx(variance, rel=1e-6, abs=1e-15)
    assert cluster_df(shares) == pytest.approx(df, rel=1e-6)


def test_items_by_themselves_have_the_textbooks_variance():
    values = np.random.default_rng(0).normal(size=50)
    shares = cluster_shares(np.arange(50))
    assert cluster_variance((values - values.mean()) / 50, shares) == pytest.approx(values.var(ddof=1) / 50)
    assert cluster_df(shares) == pytest.approx(49)


def test_a_large_cluster_is_worth_little():
    assert effective_clusters(np.r_[0.6, np.full(19, 0.4 / 19)]) == pytest.approx(3.6, abs=0.05)
    codes = np.r_[np.zeros(60, int), np.arange(1, 20).repeat(2)]
    assert cluster_warning(codes) == (
        "20 clusters, the largest with 61 % of the items, are worth as much as 4 of equal size: few to rely on"
    )
    assert cluster_warning(np.arange(6).repeat(10)) == "6 clusters: few to rely on"
    assert cluster_warning(np.arange(40).repeat(3)) == cluster_warning(None) == cluster_warning(np.zeros(9)) == ""


def test_the_wild_bootstrap_counts_all_signs_of_few_clusters():
    shares = np.full(6, 1 / 6)
    rng = np.random.default_rng(0)
    assert wild_cluster_test(np.arange(1, 7) / 60, shares, rng) == 2 / 64
    parts = np.random.default_rng(3).normal(size=40) / 40
    many = [wild_cluster_test(parts, np.full(40, 1 / 40), np.random.default_rng(seed)) for seed in range(3)]
    assert max(many) - min(many) < 0.02


def test_no_interval_of_clusters_has_no_width():
    """6 items in 3 clusters, 1 right in each run: runs cancel each other out, and still there is a width."""
    gold = np.zeros(6, int)
    from goldproof.statistics.runs import runs_interval

    runs = np.ones((3, 6), int)
    runs[[0, 1, 2], [0, 2, 4]] = 0
    estimate = runs_interval(metric("accuracy"), gold, runs, np.repeat([0, 1, 2], 2))
    assert estimate.value == pytest.approx(1 / 6)
    assert estimate.high - estimate.low > 0.2
    alone = score_interval(metric("accuracy"), np.zeros(8, int), np.tile([0, 1], 4), np.repeat(np.arange(4), 2))
    assert alone.high - alone.low > 0.2


def test_a_difference_that_all_clusters_share_has_a_width_and_a_sign_test():
    gold, codes = np.zeros(12, int), np.repeat(np.arange(6), 2)
    result = compare(metric("accuracy"), gold, gold, 1 - gold, codes)
    assert (result.difference.value, result.difference.high) == (1.0, 1.0)
    assert 0 < result.difference.low < 1
    assert result.p_value == pytest.approx(2**-5)
