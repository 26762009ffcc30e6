"""The rows of a chart that has too many: the categories at both ends, and a note that says so.

A chart of a thousand rows is read by nobody, and cannot be drawn; the table beside it holds them all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from goldproof.report.chart_parts import Caption, ChartField, as_column
from goldproof.report.numbers import count
from goldproof.report.summary import Cell
from goldproof.statistics.estimate import Estimate

MOST_CATEGORIES = 80


def ends_of(
    rows: Sequence[Mapping[str, Cell]], category: ChartField, value: ChartField, caption: Caption
) -> tuple[Sequence[Mapping[str, Cell]], Caption]:
    """The rows of the categories with the lowest and the highest mean value, and the caption that says so."""
    of, what = as_column(category, caption.name).key, as_column(value, caption.name).key
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(str(row.get(of)), []).append(_number(row.get(what)))
    if len(found) <= MOST_CATEGORIES:
        return rows, caption
    means = {name: _mean(numbers) for name, numbers in found.items()}
    ranked = sorted((name for name in means if math.isfinite(means[name])), key=lambda name: means[name])
    half = MOST_CATEGORIES // 2
    kept = {*ranked[:half], *ranked[-half:]}
    note = f"The {half} lowest and the {half} highest of {count(len(found))}; the table has all."
    shown = [row for row in rows if str(row.get(of)) in kept]
    return shown, replace(caption, note=f"{caption.note} {note}".strip())


def _number(cell: Cell) -> float:
    if isinstance(cell, Estimate):
        return cell.value
    return float(cell) if isinstance(cell, int | float) else math.nan


def _mean(numbers: Sequence[float]) -> float:
    known = [number for number in numbers if math.isfinite(number)]
    return sum(known) / len(known) if known else math.nan
