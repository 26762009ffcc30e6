"""Wide tables: one column for each language and one row for each quantity, as the paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goldproof.report.summary import Cell, Column, Marked, Missing, Table

LOST = Missing("not printed, or lost in the text at hand")


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A row of a paper's table: what it is called, and its cells by language, as shares."""

    row: str
    cells: Mapping[str, float | None]


def wide_table(
    name: str,
    title: str,
    rows: Sequence[Mapping[str, Cell]],
    columns: Sequence[str],
    printed: Sequence[PrintedRow] = (),
    note: str = "",
    *,
    percent: bool = True,
) -> Table:
    """Rows whose cells stand under languages, ours first, then those that a paper printed.

    A column title that starts with "Dev" has the key "dev". With `percent` cells are shown times 100 with one digit,
    else as shares with two.
    """
    keys = ["dev" if title.startswith("Dev ") else title for title in columns]
    heads = [Column(key, head, 1 if percent else 2) for key, head in zip(keys, columns, strict=True)]
    there: list[dict[str, Cell]] = [dict(row) for row in rows]
    for given in printed:
        cells: dict[str, Cell] = {}
        for key in keys:
            if key in given.cells:
                value = given.cells[key]
                cells[key] = LOST if value is None else value
        there.append({"row": f"{given.row}, paper", **cells})
    if percent:
        there = [{key: _times_100(cell) for key, cell in row.items()} for row in there]
    return Table(name, title, [Column("row", "%" if percent else ""), *heads], there, note)


def _times_100(cell: Cell) -> Cell:
    if isinstance(cell, Marked):
        return replace(cell, value=100 * cell.value) if isinstance(cell.value, float) else cell
    return 100 * cell if isinstance(cell, float) else cell
