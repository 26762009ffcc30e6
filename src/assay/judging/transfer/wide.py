"""Wide tables: one column for each language and one row for each quantity, as the paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.report.summary import Cell, Column, Missing, Table

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
    unit: str = "%",
) -> Table:
    """Rows whose cells stand under languages, ours first, then those that a paper printed.

    A column title that starts with "Dev" has the key "dev". Without a unit, cells are shares with two digits.
    """
    keys = ["dev" if title.startswith("Dev ") else title for title in columns]
    digits = 1 if unit else 2
    made = [
        Column("row", ""),
        *(Column(key, head, digits, unit) for key, head in zip(keys, columns, strict=True)),
    ]
    there: list[dict[str, Cell]] = [dict(row) for row in rows]
    for given in printed:
        cells: dict[str, Cell] = {}
        for key in keys:
            if key in given.cells:
                value = given.cells[key]
                cells[key] = LOST if value is None else value
        there.append({"row": f"{given.row}, paper", **cells})
    return Table(name, title, made, there, note)
