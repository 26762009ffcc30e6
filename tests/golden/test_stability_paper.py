"""Our stability statistics of the cells that the stability paper prints give the numbers that it prints."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.statistics.stability import category_spread, correlation_interval, pairwise_correlation
from goldproof.studies.stability.published import CATEGORIES, CATEGORY_MEANS, OVERALL, SCORES

ROUNDING_OF_MEAN = 0.0005 + 1e-9  # the mean is printed to three digits, and the cells behind it to two or three
ROUNDING_OF_SD = 0.005 + 1e-9


def test_tables_are_whole() -> None:
    assert len(CATEGORIES) == 33 == len(set(CATEGORIES))
    assert {language: np.shape(cells) for language, cells in SCORES.items()} == dict.fromkeys(
        ("en", "fr", "sv"), (33, 6)
    )
    assert {language: np.shape(rows) for language, rows in CATEGORY_MEANS.items()} == dict.fromkeys(
        ("en", "fr", "de", "ru", "sv"), (33, 2)
    )


@pytest.mark.parametrize("language", ["en", "fr", "sv"])
def test_correlation_over_seeds(language: str) -> None:
    # .634, .529 and .517 in print; the cells are rounded, which moves the third digit (French: .5285).
    value = pairwise_correlation(np.array(SCORES[language]))
    assert value == pytest.approx(OVERALL[language].correlation, abs=0.001)
    estimate = correlation_interval(np.array(SCORES[language]))
    assert estimate.value == value
    assert 0 < estimate.low < value < estimate.high < 1


@pytest.mark.parametrize("language", ["fr", "sv"])
def test_mean_and_deviation_of_all_33_categories(language: str) -> None:
    spread = category_spread(np.array(SCORES[language]))
    printed = np.array(CATEGORY_MEANS[language])
    assert np.abs(spread.mean - printed[:, 0]).max() <= ROUNDING_OF_MEAN
    assert np.abs(spread.sd - printed[:, 1]).max() <= ROUNDING_OF_SD


def test_english_column_leaves_seed_5_out() -> None:
    printed = np.array(CATEGORY_MEANS["en"])
    five, six = (category_spread(np.array(SCORES["en"])[:, :seeds]) for seeds in (5, 6))
    assert np.abs(five.mean - printed[:, 0]).max() <= ROUNDING_OF_MEAN
    assert np.abs(five.sd - printed[:, 1]).max() <= ROUNDING_OF_SD
    assert np.abs(six.mean - printed[:, 0]).max() > 0.04


def test_overall_mcc_in_print_is_not_the_mean_over_categories() -> None:
    means = {language: round(float(np.mean(cells)), 3) for language, cells in SCORES.items()}
    assert means == {"en": 0.134, "fr": 0.124, "sv": 0.153}
