"""Bands of shares: against the binomial summed out, exact where one can tell, inside [0, 1], never of no width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

from goldproof.errors import UsageError
from goldproof.statistics.bands import mid_p_bounds, proportion_bands


def summed_out(x: int, n: int, tail: float) -> tuple[float, float]:
    """The mid-p bounds by root finding on the binomial distribution."""
    low = optimize.brentq(lambda p: stats.binom.sf(x, n, p) + stats.binom.pmf(x, n, p) / 2 - tail, 0, 1) if x else 0.0
    rest = n - x
    high = (
        optimize.brentq(lambda p: stats.binom.cdf(x - 1, n, p) + stats.binom.pmf(x, n, p) / 2 - tail, 0, 1)
        if rest
        else 1.0
    )
    return low, high


@pytest.mark.parametrize(("x", "n"), [(0, 4), (4, 4), (3, 4), (1, 20), (17, 20), (98, 100), (500, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.9961])
def test_bounds_are_those_of_the_binomial(x: int, n: int, level: float) -> None:
    found = mid_p_bounds(np.array([x / n]), n, level)[0]
    np.testing.assert_allclose(found, summed_out(x, n, (1 - level) / 2), atol=1e-9)


def test_bounds_lie_within_clopper_and_pearsons() -> None:
    for x in range(13):
        low, high = mid_p_bounds(np.array([x / 12]), 12)[0]
        exact = proportion_confint(x, 12, method="beta")
        assert (exact[0] <= low or x == 0) and (high <= exact[1] or x == 12)


def test_one_share_has_the_level_asked_for() -> None:
    right = np.arange(50)[None] < 41
    band = proportion_bands(right)[0]
    np.testing.assert_allclose([band.low, band.high], summed_out(41, 50, 0.025), atol=1e-9)
    assert band.method == "mid-p, max-T over 1"


def test_independent_shares_have_sidaks_level_and_equal_ones_nearly_that_of_one() -> None:
    rng = np.random.default_rng(0)
    right = rng.random((10, 4000)) < 0.7
    apart, same = proportion_bands(right), proportion_bands(np.tile(right[:1], (10, 1)))
    sidak = summed_out(int(right[0].sum()), 4000, (1 - 0.95**0.1) / 2)
    alone = summed_out(int(right[0].sum()), 4000, 0.025)
    assert apart[0].low == pytest.approx(sidak[0], abs=3e-4)
    assert same[0].low == pytest.approx(alone[0], abs=6e-4)


def test_layers_that_are_all_right_or_all_wrong_have_a_width() -> None:
    for value in (True, False):
        for band in proportion_bands(np.full((13, 4), value)):
            assert band.value == float(value)
            assert 0 <= band.low < band.high <= 1
            assert band.high - band.low > 0.7


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.integers(1, 40), st.integers(0, 10_000), st.floats(0, 1), st.integers(1, 4))
def test_bands_lie_in_0_to_1_and_mirror_and_follow_the_order(k, n, seed, p, n_runs) -> None:
    rng = np.random.default_rng(seed)
    shares = (rng.random((k, n_runs, n)) < p).mean(axis=1)
    found = proportion_bands(shares, n_runs)
    for band in found:
        assert 0 <= band.low <= band.value + 1e-9
        assert band.value - 1e-9 <= band.high <= 1
        assert band.high - band.low > 1e-6
    mirrored = proportion_bands(1 - shares, n_runs)
    np.testing.assert_allclose([b.low for b in found], [1 - b.high for b in mirrored], atol=1e-9)
    shuffled = proportion_bands(shares[:, rng.permutation(n)], n_runs)
    np.testing.assert_allclose([b.low for b in found], [b.low for b in shuffled], atol=1e-9)


def test_the_mean_of_runs_that_disagree_counts_for_more_items_and_of_runs_that_agree_for_no_more() -> None:
    rng = np.random.default_rng(0)
    one = rng.random((1, 400)) < 0.8
    disagree = (rng.random((5, 400)) < 0.8).mean(axis=0)[None]
    width = [band.high - band.low for band in (*proportion_bands(one), *proportion_bands(one, 5))]
    assert width[0] == width[1]
    apart = proportion_bands(disagree, 5)[0]
    assert apart.high - apart.low == pytest.approx(width[0] / 5**0.5, rel=0.15)


def test_most_draws_of_correlated_layers_lie_inside_together() -> None:
    """The whole simulation is benchmarks/layer_bands.py; this is the design at which Wilson's bounds fail."""
    inside = 0
    for seed in range(300):
        bands = proportion_bands(np.random.default_rng(seed).random((13, 20)) < 0.9)
        inside += all(band.low <= 0.9 <= band.high for band in bands)
    assert inside / 300 >= 0.93


def test_what_is_no_share_is_refused() -> None:
    for bad in (np.zeros(3), np.full((2, 3), 1.5), np.zeros((2, 0))):
        with pytest.raises(UsageError) as caught:
            proportion_bands(bad)
        assert str(caught.value) == (
            f"shares must be estimates × items of numbers from 0 to 1; got the shape {bad.shape}"
        )
