"""Adjusted p-values against statsmodels; max-T bands against theory and simulation."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from goldproof.errors import UsageError
from goldproof.statistics.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm, simultaneous_bands

FREE = (-math.inf, math.inf)


@pytest.fixture(scope="module", autouse=True)
def _little_garbage_to_look_through() -> Iterator[None]:
    """Each correction of statsmodels collects garbage, which is slow where the objects of a whole suite are about."""
    gc.freeze()
    yield
    gc.unfreeze()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 1000).map(lambda p: p / 1000), min_size=1, max_size=20))
def test_equal_statsmodels(p_values: list[float]) -> None:
    p = np.array(p_values)
    for ours, name in ((holm, "holm"), (benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")):
        assert ours(p) == pytest.approx(multipletests(p, method=name)[1])


def test_bands_have_the_theoretical_width_and_cover_together() -> None:
    rng = np.random.default_rng(0)
    width = simultaneous_bands(np.zeros(10), rng.normal(size=(40_000, 10)), 100)[3].high
    assert width == pytest.approx(stats.norm.ppf((1 + 0.95**0.1) / 2), abs=0.03)
    together = 0
    for _ in range(400):
        values = rng.normal(size=5)
        bands = simultaneous_bands(values, values + rng.normal(size=(1000, 5)), 100)
        together += all(band.low <= 0 <= band.high for band in bands)
    assert 0.92 < together / 400 < 0.98


def test_constant_draws_have_no_band() -> None:
    bands = simultaneous_bands(np.array([1.0, 0.0]), np.stack([np.ones(50), np.arange(50.0) - 25]).T, 10)
    assert math.isnan(bands[0].low) and math.isnan(bands[0].high)
    assert bands[0].method == "no band: the resamples do not vary"
    assert bands[1].method == "max-T band over 2, 50 draws"


def test_bands_end_at_the_limits_of_the_quantity() -> None:
    draws = np.random.default_rng(0).normal(0.9, 0.2, size=(500, 2))
    free, bounded = (simultaneous_bands(np.full(2, 0.9), draws, 10, limits=limits) for limits in (FREE, (0.0, 1.0)))
    assert free[0].high > 1
    assert bounded[0].high == 1.0
    assert bounded[0].low == free[0].low


def test_errors_say_what_was_wrong() -> None:
    with pytest.raises(UsageError) as caught:
        holm(np.array([0.5, 1.5]))
    assert str(caught.value) == "p-values must be a list of numbers from 0 to 1; got [0.5, 1.5]"
    with pytest.raises(UsageError) as caught:
        simultaneous_bands(np.zeros(2), np.zeros((5, 3)), 10)
    assert str(caught.value) == "draws must be resamples × 2 estimates; got an array of shape (5, 3)"
