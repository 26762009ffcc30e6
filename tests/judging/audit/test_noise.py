"""The noise card: what it shows is shown with 80 % power, parts are languages and categories, clusters count once."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.data.dataset import Dataset
from goldproof.judging.audit.noise import POINT, effective_size, how_alike, items_for, make_card, shown


@pytest.mark.parametrize(("n", "differing"), [(1000, 0.1), (400, 0.3)])
def test_the_smallest_difference_is_shown_in_eight_of_ten_test_sets(n: int, differing: float) -> None:
    """Two models drawn that far apart, McNemar's test at 0.05."""
    difference = shown(n, differing)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(n, [(differing + difference) / 2, (differing - difference) / 2, 1 - differing], 4000)
    better, worse = counts[:, 0], counts[:, 1]
    shows = (better - worse) > 1.96 * np.sqrt(better + worse)
    assert shows.mean() == pytest.approx(0.8, abs=0.03)


def test_a_point_costs_as_many_items_as_show_it() -> None:
    for differing in (0.05, 0.2):
        n = items_for(POINT, differing)
        assert shown(n, differing) <= POINT < shown(n - 1, differing)


def test_good_models_cannot_differ_much() -> None:
    assert shown(1000, 0.3, 0.95) == pytest.approx(shown(1000, 0.1))
    assert shown(1000, 0.05, 0.95) == pytest.approx(shown(1000, 0.05))


def test_parts_are_languages_and_categories_of_enough_items() -> None:
    rows = [
        {"id": str(at), "text": f"text {at}", "label": "a", "language": "fr" if at < 100 else "ru", "tags": tags}
        for at, tags in enumerate([["logic:Negation"]] * 40 + [["genre:News", "logic:Negation"]] * 5 + [[]] * 115)
    ]
    card = make_card(Dataset.from_rows("toy", rows), None, smallest=10)
    found = [(part.name, part.n, part.effective) for part in card.parts]
    assert found == [("all", 160, 160.0), ("fr", 100, 100.0), ("ru", 60, 60.0), ("logic:Negation", 45, 45.0)]
    assert [part.typical for part in card.parts] == sorted(part.typical for part in card.parts)


def test_items_of_a_cluster_are_worth_less_as_they_are_answered_alike() -> None:
    codes = np.repeat(np.arange(50), 4)
    right = np.random.default_rng(0).random(50) < 0.6
    alike = how_alike(np.repeat(right, 4).astype(float), codes)
    assert alike == pytest.approx(1.0, abs=0.05)
    assert effective_size(codes, 200, alike) == pytest.approx(50, rel=0.05)
    alone = how_alike((np.random.default_rng(1).random(200) < 0.6).astype(float), codes)
    assert alone < 0.2
    card = make_card(Dataset.from_rows("toy", [{"text": str(at)} for at in range(200)]), codes, 10, 1.0)
    assert card.whole.effective == 50
    assert card.whole.least == min(shown(200, differing) for differing in (0.05, 0.1, 0.2, 0.3))
    assert card.whole.most == shown(50, 0.2)
