"""The scores of a report's table as a flat list, for tools that take one number at a time. It writes nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldproof.errors import UsageError
from goldproof.report.summary import Cell, Column, Marked, Report, Table
from goldproof.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Score:
    """One estimate of a table: its column's key and title, and what its row is about."""

    metric: str
    title: str
    where: Mapping[str, str]
    estimate: Estimate


def table_scores(report: Report, table: str | None = None, metrics: Sequence[str] = ()) -> list[Score]:
    """The estimates of a table, row by row: of the one named, else of the first that has any.

    With `metrics` only the columns with these keys. A row is told by its texts, and by its whole numbers too where
    texts alone do not tell the rows apart. Published numbers and values that do not exist are left out.
    """
    chosen = _choose(report, table)
    columns = [column for column in chosen.columns if _has_estimates(chosen, column)]
    unknown = [name for name in metrics if name not in [column.key for column in columns]]
    if unknown:
        allowed = ", ".join(column.key for column in columns)
        raise UsageError(f"the table {chosen.name!r} has no scores {unknown[0]!r}; allowed: {allowed}")
    scores = []
    for row, where in zip(chosen.rows, _places(chosen), strict=True):
        for column in columns:
            cell = _unmarked(row.get(column.key))
            wanted = column.key in metrics if metrics else True
            if wanted and isinstance(cell, Estimate) and math.isfinite(cell.value):
                scores.append(Score(column.key, column.title, where, cell))
    return scores


def scores_of(scores: Sequence[Score], model: str) -> list[Score]:
    """The scores of one model; where the report has one model only, all, whatever the model is called."""
    named = list(dict.fromkeys(score.where["model"] for score in scores if "model" in score.where))
    if len(named) > 1 and model not in named:
        raise UsageError(f"the report has several models; --model must be one of {', '.join(named)}; got {model!r}")
    return [score for score in scores if len(named) <= 1 or score.where.get("model") == model]


def _choose(report: Report, name: str | None) -> Table:
    tables = [item for item in report.items if isinstance(item, Table)]
    scored = [table for table in tables if any(_has_estimates(table, column) for column in table.columns)]
    if not scored:
        raise UsageError(f"the report {report.name!r} has no table with scores and intervals")
    for table in scored:
        if name in (None, table.name):
            return table
    allowed = ", ".join(table.name for table in scored)
    raise UsageError(f"the report {report.name!r} has no table of scores {name!r}; allowed: {allowed}")


def _has_estimates(table: Table, column: Column) -> bool:
    return not column.published and any(isinstance(_unmarked(row.get(column.key)), Estimate) for row in table.rows)


def _places(table: Table) -> list[dict[str, str]]:
    """What each row is about: its texts, and where those do not suffice its whole numbers that are not all the same."""
    cells = [{column.key: _unmarked(row.get(column.key)) for column in table.columns} for row in table.rows]
    texts = [{key: cell for key, cell in row.items() if isinstance(cell, str)} for row in cells]
    if len({tuple(place.items()) for place in texts}) == len(texts):
        return texts
    numbers = [c for c in table.columns if len({str(row[c.key]) for row in cells}) > 1]
    return [
        place | {c.key: f"{c.title} {row[c.key]}" for c in numbers if type(row[c.key]) is int}
        for place, row in zip(texts, cells, strict=True)
    ]


def _unmarked(cell: Cell) -> Cell:
    return cell.value if isinstance(cell, Marked) else cell
