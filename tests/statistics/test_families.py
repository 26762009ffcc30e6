"""Families: adjusted p-values and intervals never contradict each other, and any false positive is as rare as said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.families import adjust_together, correlation_of


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0, 0.95))
def test_p_and_level_agree(p_values, rho):
    p = np.array(p_values)
    matrix = np.full((len(p), len(p)), rho) + (1 - rho) * np.eye(len(p))
    family = adjust_together(p, matrix)
    assert ((family.adjusted <= 0.05) == (p <= 1 - family.level + 1e-15)).all()
    assert (family.adjusted >= p - 1e-12).all()
    assert 0.95 <= family.level <= 1 - 0.05 / len(p) * 0.97


def test_alike_comparisons_cost_nothing_and_unlike_ones_what_sidak_says():
    p = np.array([0.01, 0.04, 0.3])
    same = adjust_together(p, np.ones((3, 3)))
    assert same.adjusted == pytest.approx(p, abs=0.01)
    assert same.level == pytest.approx(0.95, abs=0.005)
    apart = adjust_together(p, None)
    assert apart.adjusted == pytest.approx(1 - (1 - p) ** 3)
    assert apart.level == pytest.approx(0.95 ** (1 / 3))


def test_any_false_positive_is_as_rare_as_said():
    rng = np.random.default_rng(0)
    covariance = np.full((6, 6), 0.6) + 0.4 * np.eye(6)
    z = rng.multivariate_normal(np.zeros(6), covariance, size=20_000)
    level = adjust_together(np.full(6, 0.5), correlation_of(covariance)).level
    p = 2 * special.ndtr(-np.abs(z))
    assert (p < 1 - level).any(axis=1).mean() == pytest.approx(0.05, abs=0.006)


def test_what_has_no_p_is_no_comparison():
    family = adjust_together(np.array([0.02, np.nan]), np.eye(2))
    assert family.adjusted[0] == 0.02
    assert np.isnan(family.adjusted[1])
    assert family.level == 0.95
    with pytest.raises(UsageError, match="3 comparisons need a correlation of 3 × 3; got \\(2, 2\\)"):
        adjust_together(np.full(3, 0.5), np.eye(2))
