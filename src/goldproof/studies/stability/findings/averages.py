"""Averages over languages: the last rows of Tables 3 and 4, and Table 6 with its last column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.summary import Cell, Column, Missing, Section, Table
from goldproof.statistics.estimate import Estimate
from goldproof.studies.stability.published import AVERAGE_CATEGORIES, CATEGORIES, OVERALL, Overall
from goldproof.studies.stability.scores import ConditionScores, StabilityFindings, deviations, finite

AVERAGE = "Average"
AVERAGED = ("overall", "sd", "gain", "correlation")
NOT_AVERAGED = Missing("an average over languages whose rows are translations of each other: no interval or test")


def average_row(table: Table, printed: Overall | None, of: Mapping[str, Cell] | None = None) -> Table:
    """The table with the mean over its languages as its last row; with one language, as it was.

    `of` are further cells of the row, and choose the rows that the mean is over.
    """
    chosen = [row for row in table.rows if all(row.get(key) == cell for key, cell in (of or {}).items())]
    chosen = [row for row in chosen if row["language"] != AVERAGE]
    if len(chosen) < 2:
        return table
    paper = {"paper": "mcc", "paper_sd": "sd", "paper_correlation": "correlation"}
    cells: dict[str, Cell] = {column.key: NOT_AVERAGED for column in table.columns}
    cells |= {key: _mean([row[key] for row in chosen]) for key in AVERAGED if key in cells}
    cells |= {key: printed_cell(getattr(printed, name, None)) for key, name in paper.items() if key in cells}
    return replace(table, rows=[*table.rows, {**cells, "language": AVERAGE, **(of or {})}])


def _mean(cells: Sequence[Cell]) -> Cell:
    numbers = [
        cell.value if isinstance(cell, Estimate) else cell for cell in cells if isinstance(cell, float | Estimate)
    ]
    return float(np.mean(numbers)) if len(numbers) == len(cells) else NOT_AVERAGED


@dataclass(frozen=True, slots=True)
class _CategoryRow:
    """A category in all languages: by language the mean over seeds and its deviation."""

    category: str
    means: Mapping[str, float]
    sds: Mapping[str, float]
    paper: tuple[float, float] | None

    def average(self, of: Mapping[str, float]) -> Cell:
        """The mean over languages."""
        return finite(float(np.mean(list(of.values()))))


def averages_table(found: StabilityFindings) -> list[Section]:
    """Table 6: every category in every language, with the average; nothing of one language."""
    if len(found.base) < 2:
        return []
    spread = {language: deviations(scored) for language, scored in found.base.items()}
    is_whole = found.paper.stands and set(found.base) == set(OVERALL)
    every = [
        _CategoryRow(
            category,
            {language: _of(scored, category) for language, scored in found.base.items()},
            {
                language: float(spread[language][scored.categories.index(category)])
                for language, scored in found.base.items()
            },
            AVERAGE_CATEGORIES.get(category) if is_whole else None,
        )
        for category in _shared(found)
    ]
    note = (
        f"Means over seeds ± their sample standard deviation; the average is over languages. {found.paper.note}".strip()
    )
    heading = Heading("categories-average", _title(every), note, found.keys())
    return [Section("Categories over languages", [make_table(heading, _fields(list(found.base)), every)])]


def _shared(found: StabilityFindings) -> list[str]:
    """The categories that every language has, in the paper's order."""
    there = set.intersection(*(set(scored.categories) for scored in found.base.values()))
    return [*(name for name in CATEGORIES if name in there), *sorted(there - set(CATEGORIES))]


def _of(scored: ConditionScores, category: str) -> float:
    return float(scored.table[scored.categories.index(category)].mean())


def _title(every: Sequence[_CategoryRow]) -> str:
    ranked = sorted(every, key=lambda row: float(np.mean(list(row.means.values()))))
    low, high = (f"{row.category} ({np.mean(list(row.means.values())):.2f})" for row in (ranked[0], ranked[-1]))
    return f"Averaged over languages, the categories range from {low} to {high}".replace("(-", "(−")


def _fields(languages: Sequence[str]) -> list[Field[_CategoryRow]]:
    fields: list[Field[_CategoryRow]] = [Field(Column("category", "Category"), lambda row: row.category)]
    for language in languages:
        fields += [
            Field(Column(f"mean_{language}", language, 3), partial(_mean_in, language)),
            Field(Column(f"sd_{language}", "±", 2), partial(_sd_in, language)),
        ]
    return [
        *fields,
        Field(Column("average", AVERAGE, 3), lambda row: row.average(row.means)),
        Field(Column("average_sd", "±", 2), lambda row: row.average(row.sds)),
        Field(Column("paper", AVERAGE, 3, published=True), lambda row: printed_cell(row.paper and row.paper[0])),
        Field(Column("paper_sd", "±", 2, published=True), lambda row: printed_cell(row.paper and row.paper[1])),
    ]


def _mean_in(language: str, row: _CategoryRow) -> Cell:
    return row.means[language]


def _sd_in(language: str, row: _CategoryRow) -> Cell:
    return finite(row.sds[language])
