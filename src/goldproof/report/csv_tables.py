"""Tables, figures and examples as CSV: every number in full, so that another tool can go on from there.

An estimate takes the columns k, k_low, k_high, k_n and k_method. A value that is missing is an empty field. A text that
a spreadsheet would run as a formula, after blanks as well, is preceded by an apostrophe.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldproof.report.cells import plain_value
from goldproof.report.summary import Cell, ExampleList, Figure, Marked, Missing, Table
from goldproof.statistics.estimate import Estimate

# Also in full width, which spreadsheets take for the same signs.
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_UNSEEN = "\ufeff\u200b\u200c\u200d\u2060\x00"
_RUN_AT_ONCE = ("\t", "\r", "\n")


def table_csv(table: Table) -> str:
    """The rows of a table, in the order of its columns.

    >>> from goldproof.report.summary import Column
    >>> table_csv(Table("t", "T", [Column("a", "A"), Column("b", "B")], [{"a": "=1+1", "b": 0.25}]))
    "a,b\\n'=1+1,0.25\\n"
    """
    return _csv_text(table.rows, [column.key for column in table.columns])


def figure_csv(figure: Figure) -> str:
    """The rows that a figure draws."""
    return _csv_text(figure.rows, list(dict.fromkeys(key for row in figure.rows for key in row)))


def examples_csv(examples: ExampleList) -> str:
    """A row for each item: id, gold, tags, whether it flips, its texts, the prediction of each run."""
    rows = []
    for item in examples.items:
        row: dict[str, Cell] = {"id": item.id, "gold": item.gold, "flips": item.flips, "tags": ";".join(item.tags)}
        row |= dict(zip(examples.fields, item.texts, strict=True))
        row |= {f"prediction {run}": label for run, label in zip(examples.runs, item.predictions, strict=True)}
        rows.append(row)
    runs = [f"prediction {run}" for run in examples.runs]
    return _csv_text(rows, ["id", "gold", "flips", "tags", *examples.fields, *runs])


def _csv_text(rows: Sequence[Mapping[str, Cell]], keys: Sequence[str]) -> str:
    values = {key: [_unmarked(row.get(key)) for row in rows] for key in keys}
    columns: dict[str, list[Any]] = {}
    for key, cells in values.items():
        if any(isinstance(cell, Estimate) for cell in cells):
            columns |= _estimate_columns(key, cells)
        else:
            columns[key] = cells
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_field(name) for name in columns])
    writer.writerows(_fields(row) for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def _estimate_columns(key: str, cells: Sequence[Any]) -> dict[str, list[Any]]:
    def part(name: str) -> list[Any]:
        return [getattr(cell, name) if isinstance(cell, Estimate) else None for cell in cells]

    values = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
    return {key: values} | {f"{key}_{name}": part(name) for name in ("low", "high", "n", "method")}


def _unmarked(cell: Cell) -> Any:
    return plain_value(cell.value if isinstance(cell, Marked) else cell)


def _fields(row: Iterable[Any]) -> list[str]:
    return [_field(value) for value in row]


def _field(value: Any) -> str:
    if value is None or isinstance(value, Missing) or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str) and is_formula(value):
        return "'" + value
    return str(value)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may run a text as a formula; blanks and signs that nobody sees before it do not help.

    >>> is_formula("  =1+1"), is_formula("＝1+1"), is_formula("\\ufeff@A1"), is_formula("a = b")
    (True, True, True, False)
    """
    seen = text.lstrip().lstrip(_UNSEEN).lstrip()
    return text.startswith(_RUN_AT_ONCE) or seen.startswith(FORMULA_STARTS)
