"""Similarity against plain loops, under invariances, and against what is known of independent Gaussian numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from goldproof.errors import DataError, UsageError
from goldproof.measures import similarity
from goldproof.measures.similarity import (
    cka,
    cka_null,
    maxcorr,
    maxcorr_null,
    procrustes,
    procrustes_null,
    representations,
)

pytestmark = pytest.mark.needs("models")


def places_of(*arrays):
    return representations([(f"place {i}", array) for i, array in enumerate(arrays)])


def shared(n: int, widths: tuple[int, ...], seed: int = 0) -> list[np.ndarray]:
    """Arrays that share three hidden factors."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 3))
    return [hidden @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) + 5 for d in widths]


def test_cka_with_itself_a_rotation_and_a_scaling_is_one():
    x = np.random.default_rng(0).normal(size=(300, 20))
    places = places_of(x, x @ ortho_group.rvs(20, random_state=0), -3 * x + 2)
    for debiased in (False, True):
        np.testing.assert_allclose(cka(places, debiased=debiased), 1, atol=1e-5)
    np.testing.assert_allclose(procrustes(places), 1, atol=1e-5)


def test_independent_gaussians_at_n_1000_and_d_768():
    rng = np.random.default_rng(0)
    places = places_of(*(rng.normal(size=(1000, 768)) for _ in range(2)))
    assert cka(places)[0, 1] == pytest.approx(0.43, abs=0.01)
    assert abs(cka(places, debiased=True)[0, 1]) < 0.02


def test_both_ways_to_plain_cka_are_the_formula(monkeypatch):
    arrays = shared(60, (7, 30, 90))
    expected = np.empty((3, 3))
    for i, x in enumerate(arrays):
        for j, y in enumerate(arrays):
            x, y = x - x.mean(0), y - y.mean(0)
            expected[i, j] = ((y.T @ x) ** 2).sum() / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))
    for few in (True, False):
        monkeypatch.setattr(similarity, "_few_items", lambda places, few=few: few)
        np.testing.assert_allclose(cka(places_of(*arrays)), expected, atol=1e-5)
    monkeypatch.setattr(similarity, "_BLOCK_BYTES", 4 * 60 * 3 * 7)  # seven rows at a time
    np.testing.assert_allclose(cka(places_of(*arrays)), expected, atol=1e-5)


def unbiased_hsic(k: np.ndarray, l: np.ndarray) -> float:
    """The estimator of Song et al. (2012), written out."""
    n = len(k)
    k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))
    ones = np.ones(n)
    total = np.trace(k @ l) + (ones @ k @ ones) * (ones @ l @ ones) / ((n - 1) * (n - 2))
    return (total - 2 / (n - 2) * (ones @ k @ l @ ones)) / (n * (n - 3))


def test_debiased_cka_is_the_unbiased_estimator(monkeypatch):
    arrays = shared(40, (7, 60))
    grams = [x @ x.T for x in arrays]
    expected = unbiased_hsic(*grams) / np.sqrt(unbiased_hsic(grams[0], grams[0]) * unbiased_hsic(grams[1], grams[1]))
    assert cka(places_of(*arrays), debiased=True)[0, 1] == pytest.approx(expected, abs=1e-5)
    monkeypatch.setattr(similarity, "_BLOCK_BYTES", 4 * 40 * 2 * 7)
    assert cka(places_of(*arrays), debiased=True)[0, 1] == pytest.approx(expected, abs=1e-5)


def test_the_null_tells_shared_factors_from_independent_data():
    rng = np.random.default_rng(0)
    x, y = shared(120, (10, 200))
    places = places_of(x, y, rng.normal(size=(120, 200)))
    found = cka_null(places, np.random.default_rng(1), n_permutations=99)
    np.testing.assert_allclose(found.value, cka(places, debiased=True), atol=1e-5)
    assert found.p_value[0, 1] == pytest.approx(0.01)
    assert found.p_value[0, 2] > 0.05
    assert found.quantile[0, 2] < 0.1


def test_p_values_of_independent_data_are_even():
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        places = places_of(rng.normal(size=(40, 5)), rng.normal(size=(40, 8)))
        p_values.append(cka_null(places, rng, n_permutations=49).p_value[0, 1])
    assert 0.35 < np.mean(p_values) < 0.65
    assert np.mean(np.array(p_values) <= 0.1) < 0.25


@pytest.mark.parametrize(("n", "d", "expected"), [(1000, 768, 0.68), (1000, 400, 0.51)])
def test_procrustes_of_independent_gaussians_is_far_above_0_and_so_is_its_null(n, d, expected):
    rng = np.random.default_rng(0)
    places = places_of(*(rng.normal(size=(n, d)) for _ in range(2)))
    found = procrustes_null(places, rng, n_permutations=3)
    assert found.value[0, 1] == pytest.approx(expected, abs=0.02)
    assert found.mean[0, 1] == pytest.approx(found.value[0, 1], abs=0.01)
    assert found.p_value[0, 1] >= 0.25


@pytest.mark.parametrize(("null", "measure"), [(maxcorr_null, maxcorr), (procrustes_null, procrustes)])
def test_other_nulls_tell_shared_factors_from_independent_data_too(null, measure):
    rng = np.random.default_rng(0)
    x, y = shared(120, (10, 200))
    places = places_of(x, y, rng.normal(size=(120, 200)))
    found = null(places, np.random.default_rng(1), n_permutations=39)
    np.testing.assert_allclose(found.value, measure(places), atol=1e-6)
    assert found.p_value[0, 1] == found.p_value[1, 0] == pytest.approx(1 / 40)
    assert found.p_value[0, 2] > 0.05
    assert found.value[0, 1] > found.quantile[0, 1] > found.mean[0, 1] > 0.1
    assert found.n_permutations == 39


@pytest.mark.parametrize("null", [maxcorr_null, procrustes_null])
def test_p_values_of_independent_data_are_even_for_other_measures(null):
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        places = places_of(rng.normal(size=(40, 5)), rng.normal(size=(40, 8)))
        p_values.append(null(places, rng, n_permutations=19).p_value[0, 1])
    assert 0.35 < np.mean(p_values) < 0.65
    assert np.mean(np.array(p_values) <= 0.1) < 0.25


def test_maxcorr_is_the_plain_loop_and_not_symmetric():
    arrays = shared(50, (4, 9))
    found = maxcorr(places_of(*arrays))
    for i, x in enumerate(arrays):
        for j, y in enumerate(arrays):
            expected = np.mean([max(abs(np.corrcoef(a, b)[0, 1]) for b in y.T) for a in x.T])
            assert found[i, j] == pytest.approx(expected, abs=1e-5)
    assert found[0, 1] != pytest.approx(found[1, 0], abs=1e-3)


def test_procrustes_is_scipys():
    for widths in ((6, 6), (80, 80)):
        x, y = shared(40, widths)
        x, y = (a - a.mean(0) for a in (x, y))
        expected = orthogonal_procrustes(x, y)[1] / (np.linalg.norm(x) * np.linalg.norm(y))
        assert procrustes(places_of(x, y))[0, 1] == pytest.approx(expected, abs=1e-5)


def test_constant_neurons_give_no_nan():
    x = np.random.default_rng(0).normal(size=(50, 4))
    constant = np.full((50, 4), 0.1) * np.arange(4)
    mixed = np.c_[x, np.full(50, 1e4 / 3)]
    places = places_of(x, constant, mixed)
    for measure in (cka, maxcorr, procrustes, lambda p: cka(p, debiased=True)):
        found = measure(places)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found[1], 0, atol=1e-6)
    assert maxcorr(places)[2, 0] == pytest.approx(0.8)
    assert maxcorr(places)[0, 2] == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100), n=st.integers(12, 40))
def test_rotations_scalings_and_shared_permutations_of_items_change_nothing(seed, scale, n):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 5)), rng.normal(size=(n, 8))
    order = rng.permutation(n)
    turned = scale * (x @ ortho_group.rvs(5, random_state=seed))[order] + 1
    for measure in (cka, procrustes, lambda p: cka(p, debiased=True)):
        np.testing.assert_allclose(measure(places_of(x, y)), measure(places_of(turned, y[order])), atol=2e-4)
    mixed = x[:, rng.permutation(5)] * rng.choice([-2.0, 0.5, 3.0], 5)
    np.testing.assert_allclose(maxcorr(places_of(x, y)), maxcorr(places_of(mixed, y)), atol=1e-4)


def test_bad_input():
    x = np.zeros((9, 3))
    for act, expected in (
        (lambda: representations([]), UsageError("similarity needs at least one place to compare; got none")),
        (lambda: places_of(x[:3]), UsageError("similarity needs at least 4 items; got 3")),
        (
            lambda: places_of(x, x[:8]),
            UsageError("place 1 must be 9 items × features, as place 0 is; got the shape (8, 3)"),
        ),
        (lambda: places_of(x, x * np.nan), DataError("the vectors of place 1 are not all finite")),
    ):
        with pytest.raises(type(expected)) as caught:
            act()
        assert str(caught.value) == str(expected)
