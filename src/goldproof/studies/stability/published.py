"""Numbers printed in the stability paper: scores per category and seed, its tables, and what the text says of figures.

Source: Maria Tikhonova, Vladislav Mikhailov, Dina Pisarevskaya, Valentin Malykh and Tatiana Shavrina, "Ad astra or
astray: Exploring linguistic knowledge of multilingual BERT through NLI task", Natural Language Engineering (2022).
`SCORES` are the cells of Figures 2 (en), 6 (fr) and 9 (sv), as rounded in print; the cells of Figures 7 (de) and 8
(ru) are images only and are absent. `OVERALL` is Table 3, `CATEGORY_MEANS` is Table 6. In Table 6 the English
column leaves seed 5 out; it is kept as printed. The larger ones stand in CSV files beside this one. Figures 3 to 5 and
10 to 15 are images, so only what the text says of them is here. No number here was computed by us.
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

AVERAGE_CATEGORIES: Mapping[str, tuple[float, float]] = {
    category: (row["average mean"], row["average sd"]) for category, row in _TABLE_6.items()
}
"""Table 6, its last column: the average over five languages."""

AVERAGE_OVERALL = Overall(0.177, 0.026, 0.509)
"""Table 3, its last row. Table 4 repeats it with the deviation misprinted as the mean (0.177 ± 0.177)."""

AVERAGE_EXTRA = Overall(0.263, 0.011, 0.836)
"""Table 4, its last row; the text says 0.837 of the correlation."""


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One row of Table 1: rows by split, vocabulary and words a sample."""

    train: int
    validation: int
    test: int
    vocabulary: int
    words: float


@dataclass(frozen=True, slots=True)
class PresenceRow:
    """One cell of Table 5: the feature's MCC, its standard deviation over seeds, and the correlation between seeds."""

    mcc: float
    sd: float
    correlation: float


CORPORA: Mapping[str, CorpusRow] = {
    "en": CorpusRow(2490, 277, 3000, 22_200, 26.9),
    "ru": CorpusRow(2616, 307, 3198, 23_300, 19.5),
    "fr": CorpusRow(2616, 307, 3198, 13_300, 27.5),
    "de": CorpusRow(2616, 306, 3197, 17_100, 24.1),
    "sv": CorpusRow(2613, 307, 3194, 14_500, 21.3),
}
"""Table 1, by language."""

OVERALL_EXTRA: Mapping[str, Overall] = {
    "en": Overall(0.294, 0.006, 0.929),
    "fr": Overall(0.268, 0.010, 0.822),
    "de": Overall(0.213, 0.010, 0.836),
    "ru": Overall(0.263, 0.012, 0.810),
    "sv": Overall(0.277, 0.016, 0.785),
}
"""Table 4, the rows with all of MNLI (374k); the rows without are Table 3."""

FULL_AMOUNT = 374_000
PAPER_EXTRA = "glue/mnli"
"""What the catalog calls the corpus that the extra rows of Tables 4 to 7 are from."""
LANGUAGE_CORRELATION = 0.3
"""Section 5.1: mean correlation between the languages' category scores."""

SHARE_HIGHER, SHARE_STEADIER = 0.32, 0.34
"""Section 5.3: cells of Figure 3 with ΔMCC above 0.1, and with Δσ below −0.05."""

BETTER_EVERYWHERE = (
    "Conjunction",
    "Coordination scope",
    "Genitives/Partitives",
    "Non-monotone",
    "Prepositional phrases",
    "Redundancy",
    "Relative clauses",
)
"""Section 5.3: categories whose MCC rose by more than 0.2 in every language with all of MNLI."""

IMPROVEMENT_CORRELATION = 0.94
"""Section 5.4: correlation between English and Russian of what 10k extra rows add per feature (Figure 5)."""

PRESENCE: Mapping[tuple[str, str, int], PresenceRow] = {
    ("Conjunction", "en", 25): PresenceRow(0.717, 0.07, 0.812),
    ("Conjunction", "en", 50): PresenceRow(0.752, 0.03, 0.783),
    ("Conjunction", "en", 75): PresenceRow(0.682, 0.01, 0.792),
    ("Conjunction", "ru", 25): PresenceRow(0.656, 0.05, 0.732),
    ("Conjunction", "ru", 50): PresenceRow(0.648, 0.12, 0.749),
    ("Conjunction", "ru", 75): PresenceRow(0.534, 0.13, 0.684),
    ("Negation", "en", 25): PresenceRow(0.013, 0.06, 0.812),
    ("Negation", "en", 50): PresenceRow(0.014, 0.05, 0.839),
    ("Negation", "en", 75): PresenceRow(0.004, 0.05, 0.742),
    ("Negation", "ru", 25): PresenceRow(-0.032, 0.04, 0.712),
    ("Negation", "ru", 50): PresenceRow(0.005, 0.06, 0.751),
    ("Negation", "ru", 75): PresenceRow(0.029, 0.08, 0.684),
    ("Anaphora/Coreference", "en", 25): PresenceRow(0.125, 0.05, 0.845),
    ("Anaphora/Coreference", "en", 50): PresenceRow(0.171, 0.05, 0.848),
    ("Anaphora/Coreference", "en", 75): PresenceRow(0.202, 0.05, 0.778),
    ("Anaphora/Coreference", "ru", 25): PresenceRow(0.125, 0.05, 0.845),
    ("Anaphora/Coreference", "ru", 50): PresenceRow(0.223, 0.08, 0.666),
    ("Anaphora/Coreference", "ru", 75): PresenceRow(0.197, 0.04, 0.704),
    ("Disjunction", "en", 25): PresenceRow(-0.327, 0.16, 0.841),
    ("Disjunction", "en", 50): PresenceRow(-0.198, 0.05, 0.781),
    ("Disjunction", "en", 75): PresenceRow(-0.146, 0.06, 0.831),
    ("Disjunction", "ru", 25): PresenceRow(-0.078, 0.14, 0.706),
    ("Disjunction", "ru", 50): PresenceRow(-0.175, 0.18, 0.752),
    ("Disjunction", "ru", 75): PresenceRow(-0.092, 0.8, 0.608),
}
"""Table 5, by feature, language and percentage. Printed as it stands: the Russian row of Anaphora at 25 % repeats the
English one, and the deviation 0.8 of the last row is as printed (0.08 is likely meant)."""

RATES: Mapping[str, tuple[float, float, float]] = {
    "Double negation": (0.015, 0.009, 0.010),
    "Negation": (0.467, 0.086, 0.134),
    "Intervals/Numbers": (0.155, 0.517, 0.149),
    "Temporal": (0.066, 0.145, 0.047),
    "Conditionals": (0.043, 0.043, 0.067),
    "Conjunction": (0.528, 0.601, 0.467),
    "Disjunction": (0.034, 0.072, 0.083),
    "Prepositional phrases": (0.963, 0.993, 0.925),
    "Anaphora/Coreference": (0.676, 0.547, 0.679),
    "Relative clauses": (0.203, 0.451, 0.340),
    "Datives": (0.568, 0.100, 0.099),
    "Quantifiers": (0.187, 0.143, 0.217),
    "Factivity": (0.094, 0.059, 0.082),
    "Morphological negation": (0.394, 0.378, 0.255),
    "Named entities": (0.322, 0.893, 0.461),
}
"""Table 7: the share of rows that have a feature in TERRa (ru), RTE (en) and 10k rows of MNLI."""
