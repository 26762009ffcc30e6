"""Wide tables: one column for each language and one row for each quantity, as the paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Marked, Missing, Table

LOST = Missing("not printed, or lost in the available text")


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A row of a paper's table: what it is called, and its cells by language, as shares."""

    row: str
    cells: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class WideRow:
    """A row of a wide table: what it is called, and its cells by language."""

    name: str
    cells: Mapping[str, Cell]


def wide_table(
    heading: Heading,
    rows: Sequence[WideRow],
    columns: Sequence[str],
    printed: Sequence[PrintedRow] = (),
    *,
    percent: bool = True,
) -> Table:
    """Rows whose cells stand under languages, ours first, then those that a paper printed.

    A column title that starts with "Dev" has the key "dev". With `percent` cells are shown times 100 with one digit,
    else as shares with two. A printed row that has no number under any of the columns is left out.
    """
    keys = ["dev" if title.startswith("Dev ") else title for title in columns]
    beside = [given for given in printed if any(given.cells.get(key) is not None for key in keys)]
    fields: list[Field[WideRow]] = [
        Field(Column("row", "%" if percent else ""), lambda row: row.name),
        *(
            Field(Column(key, head, 1 if percent else 2), partial(_cell, key, percent))
            for key, head in zip(keys, columns, strict=True)
        ),
    ]
    return make_table(heading, fields, [*rows, *map(_beside, beside)])


def _beside(given: PrintedRow) -> WideRow:
    cells = {key: LOST if value is None else value for key, value in given.cells.items()}
    return WideRow(f"{given.row}, paper", cells)


def _cell(key: str, percent: bool, row: WideRow) -> Cell:
    cell = row.cells.get(key)
    return _times_100(cell) if percent else cell


def _times_100(cell: Cell) -> Cell:
    if isinstance(cell, Marked):
        return replace(cell, value=100 * cell.value) if isinstance(cell.value, float) else cell
    return 100 * cell if isinstance(cell, float) else cell
