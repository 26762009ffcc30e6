"""Crossed designs: components against an analysis of variance done otherwise, invariances, and known cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.errors import UsageError
from goldproof.statistics.components import variance_components
from goldproof.statistics.crossed import (
    crossed_mean,
    crossed_table,
    prompts_needed,
    quantile_interval,
    score_parts,
    share_intervals,
)
from goldproof.statistics.selection import chosen_mean

RNG = np.random.default_rng(3)
TABLE = RNG.random((5, 3, 40)) + RNG.random((5, 1, 1)) + 0.5 * RNG.random((1, 3, 1)) + RNG.random((1, 1, 40))


def sums_of_squares(values):
    """Type I sums of squares by projections on dummy columns, one effect after the other."""
    codes = {"p": np.indices(values.shape)[0].ravel(), "d": np.indices(values.shape)[1].ravel()}
    codes["i"] = np.indices(values.shape)[2].ravel()
    y = values.ravel()
    basis = np.ones((y.size, 1))
    found, left = {}, ((y - y.mean()) ** 2).sum()
    for effect in ("p", "d", "i", "pd", "pi", "di"):
        cell = np.unique(np.stack([codes[f] for f in effect]), axis=1, return_inverse=True)[1].ravel()
        basis = np.hstack([basis, np.eye(cell.max() + 1)[cell]])
        fitted = basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
        rest = ((y - fitted) ** 2).sum()
        found[effect], left = left - rest, rest
    return {**found, "pdi": left}


def test_mean_squares_are_those_of_projections():
    small = TABLE[:4, :, :8]
    table = crossed_table(small)
    for effect, total in sums_of_squares(small).items():
        assert table.squares[effect] * table.df[effect] == pytest.approx(total, rel=1e-8)


def test_with_one_draw_it_is_the_two_way_table():
    table = crossed_table(TABLE[:, :1])
    theirs = variance_components(TABLE[:, 0])
    parts = score_parts(table)
    assert float(parts.prompt) == pytest.approx(theirs.seed)
    assert float(parts.items) == pytest.approx((theirs.item + theirs.interaction) / 40)
    assert float(parts.draw) == float(parts.both) == 0
    assert set(share_intervals(table, np.random.default_rng(0))) == {"prompt", "items"}


@given(st.floats(-5, 5), st.floats(0.1, 10))
def test_shares_are_those_of_any_scale(shift, scale):
    before = score_parts(crossed_table(TABLE)).shares()
    after = score_parts(crossed_table(shift + scale * TABLE)).shares()
    assert all(float(after[name]) == pytest.approx(float(before[name]), abs=1e-6) for name in before)


def test_the_order_of_prompts_draws_and_items_makes_no_difference():
    turned = crossed_table(TABLE[::-1, [2, 0, 1]][:, :, ::-1])
    assert turned.squares == pytest.approx(crossed_table(TABLE).squares)


def test_shares_find_what_moves_the_score():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(40, 20, 1)) * 3 + rng.normal(size=(1, 20, 1)) + rng.normal(size=(40, 20, 400)) * 2
    found = share_intervals(crossed_table(values + rng.normal(size=(40, 1, 1)) * 2), rng)
    assert sum(share.value for share in found.values()) == pytest.approx(1)
    for name, true in (("prompt", 4 / 14.01), ("draw", 1 / 14.01), ("both", 9 / 14.01), ("items", 0.01 / 14.01)):
        assert found[name].low <= true <= found[name].high
    assert found["both"].value == pytest.approx(9 / 14.01, abs=0.15)


def test_no_variance_at_all_is_the_items():
    found = share_intervals(crossed_table(np.ones((4, 3, 10))), np.random.default_rng(0))
    assert (found["items"].value, found["prompt"].value) == (1, 0)
    estimate = crossed_mean(crossed_table(np.ones((4, 3, 10))), np.random.default_rng(0))
    assert estimate.high == 1


def test_more_prompts_tell_more():
    rng = np.random.default_rng(2)
    values = (rng.random((40, 3, 300)) < 0.5 + 0.3 * rng.random((40, 1, 1))).astype(float)
    wide, narrow = (crossed_mean(crossed_table(values[:n]), np.random.default_rng(0)) for n in (8, 40))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_the_interval_stays_where_scores_can_be():
    rng = np.random.default_rng(2)
    values = (rng.random((10, 3, 50)) < 0.99).astype(float)
    estimate = crossed_mean(crossed_table(values), rng)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@pytest.mark.parametrize("shape", [(1, 3, 5), (3, 3, 1), (3, 5)])
def test_designs_that_tell_nothing_are_refused(shape):
    with pytest.raises(UsageError, match="at least 2 prompts and 2 items"):
        crossed_table(np.zeros(shape))


def test_the_number_of_prompts_grows_with_their_spread():
    tight, loose = (np.linspace(0.6 - half, 0.6 + half, 12) for half in (0.02, 0.1))
    assert prompts_needed(tight, 0.02)[0] < prompts_needed(loose, 0.02)[0] < prompts_needed(loose, 0.02)[1]
    n, _ = prompts_needed(loose, 0.02)
    from scipy import stats

    def reach(k):
        return stats.t.ppf(0.975, k - 1) * loose.std(ddof=1) / np.sqrt(k)

    assert reach(n) <= 0.02 < reach(n - 1)


def test_quantiles_hold_in_at_least_as_many_cases_as_they_say():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(2000):
        found = quantile_interval(rng.exponential(size=20), 0.5)
        held += found.low <= np.log(2) <= found.high
    assert held >= 0.945 * 2000


def test_a_quantile_near_the_end_has_no_interval_there():
    found = quantile_interval(np.arange(12.0), 0.9)
    assert np.isnan(found.high)
    assert found.low == 7


def test_the_best_of_many_is_corrected_downwards():
    rng = np.random.default_rng(1)
    looks, corrected = [], []
    for _ in range(40):
        scores = (rng.random((20, 3, 60)) < 0.6).mean(axis=1)
        looks.append(scores.mean(axis=1).max())
        corrected.append(chosen_mean(scores, rng).value)
    assert np.mean(looks) > 0.65
    assert abs(np.mean(corrected) - 0.6) < 0.02


def test_prompts_of_which_one_is_far_off_have_fewer_degrees_of_freedom():
    rng = np.random.default_rng(0)
    even = np.linspace(0.5, 0.7, 12)
    far = np.array([*np.full(11, 0.7) + 0.005 * rng.normal(size=11), 0.1])
    found = [crossed_table(np.repeat(scores[:, None, None], 20, axis=2)) for scores in (even, far)]
    assert found[0].prompt_df == 11
    assert found[1].prompt_df < 3
