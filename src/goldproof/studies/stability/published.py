"""Numbers printed in the stability paper: scores per category and seed, and the two tables made from them.

Source: Maria Tikhonova, Vladislav Mikhailov, Dina Pisarevskaya, Valentin Malykh and Tatiana Shavrina, "Ad astra or
astray: Exploring linguistic knowledge of multilingual BERT through NLI task", Natural Language Engineering (2022).
`SCORES` are the cells of Figures 2 (en), 6 (fr) and 9 (sv), as rounded in print; the cells of Figures 7 (de) and 8
(ru) are images only and are absent. `OVERALL` is Table 3, `CATEGORY_MEANS` is Table 6. In Table 6 the English
column leaves seed 5 out; it is kept as printed. The larger ones stand in CSV files beside this one. No number here was
computed by us.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Overall:
    """One row of Table 3: overall MCC, its standard deviation over seeds, and the mean correlation between seeds."""

    mcc: float
    sd: float
    correlation: float


def _read(name: str) -> dict[str, dict[str, float]]:
    """The rows of a table beside this file: for each category its numbers by column."""
    text = files("goldproof.studies.stability").joinpath(name).read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row.pop("category"): {column: float(cell) for column, cell in row.items()} for row in rows}


OVERALL: Mapping[str, Overall] = {
    "en": Overall(0.200, 0.016, 0.634),
    "fr": Overall(0.178, 0.027, 0.529),
    "de": Overall(0.158, 0.024, 0.411),
    "ru": Overall(0.182, 0.033, 0.455),
    "sv": Overall(0.169, 0.028, 0.517),
}
"""Table 3, by language."""

_FIGURES, _TABLE_6 = _read("figures_2_6_9.csv"), _read("table_6.csv")
CATEGORIES = tuple(_FIGURES)
"""The 33 categories, in the order of every table below."""

SCORES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    language: tuple(tuple(row[f"{language} {seed}"] for seed in range(6)) for row in _FIGURES.values())
    for language in ("en", "fr", "sv")
}
"""Figures 2, 6 and 9: language, then category, then seeds 0 to 5."""

CATEGORY_MEANS: Mapping[str, tuple[tuple[float, float], ...]] = {
    language: tuple((row[f"{language} mean"], row[f"{language} sd"]) for row in _TABLE_6.values())
    for language in OVERALL
}
"""Table 6: language, then category, then (mean, standard deviation) over seeds."""
