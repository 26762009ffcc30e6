"""Variance components of sources of chance agree with statsmodels' analysis of variance; bad designs are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from goldproof.errors import UsageError
from goldproof.statistics.attribution import attribute_variance, deviation_factors

LATIN = np.array([(i, j, (i + j) % 4) for i in range(4) for j in range(4)])
CUBE = np.array([(i, j, k) for i in range(3) for j in range(3) for k in range(3)])


@pytest.mark.parametrize("levels", [LATIN, CUBE], ids=["latin", "factorial"])
def test_components_and_p_values_are_those_of_the_analysis_of_variance(levels):
    rng = np.random.default_rng(1)
    effects = rng.normal(size=4)
    scores = effects[levels[:, 0]] + 0.3 * rng.normal(size=len(levels))
    found = attribute_variance(scores, levels, "abc")
    frame = pd.DataFrame({"y": scores, "a": levels[:, 0], "b": levels[:, 1], "c": levels[:, 2]})
    table = anova_lm(ols("y ~ C(a) + C(b) + C(c)", frame).fit())
    rest = table.loc["Residual", "mean_sq"]
    assert found.rest == pytest.approx(rest)
    assert found.rest_df == table.loc["Residual", "df"]
    k = levels[:, 0].max() + 1
    for part in found.parts:
        row = table.loc[f"C({part.name})"]
        assert part.p_value == pytest.approx(row["PR(>F)"])
        assert part.component == pytest.approx(max(row["mean_sq"] - rest, 0) * k / len(levels))
    assert sum(part.share for part in found.parts) + found.rest_share == pytest.approx(1)
    assert found.parts[0].share == max(part.share for part in found.parts) > 0.3


def test_scores_that_do_not_vary():
    found = attribute_variance(np.zeros(16), LATIN, "abc")
    assert [(part.component, part.share, part.p_value) for part in found.parts] == [(0.0, 0.0, 1.0)] * 3


def test_bad_designs_are_named():
    with pytest.raises(UsageError) as caught:
        attribute_variance(np.zeros(15), LATIN[:15], "abc")
    assert str(caught.value) == "each source needs at least 2 levels with as many runs each; got runs [4, 4, 4, 3]"
    with pytest.raises(UsageError) as caught:
        attribute_variance(np.zeros(4), np.array([(i, j, (i + j) % 2) for i in range(2) for j in range(2)]), "abc")
    assert str(caught.value) == "4 runs cannot separate 3 sources of chance; at least 5 are needed"


def test_deviation_factors_cover_the_true_deviation():
    low, high = deviation_factors(6)
    assert low == pytest.approx(np.sqrt(5 / stats.chi2(5).ppf(0.975)))
    samples = np.random.default_rng(0).normal(size=(20_000, 6)).std(axis=1, ddof=1)
    assert ((low * samples <= 1) & (high * samples >= 1)).mean() == pytest.approx(0.95, abs=0.01)
    with pytest.raises(UsageError) as caught:
        deviation_factors(1)
    assert str(caught.value) == "a deviation needs at least 2 runs; got 1"
