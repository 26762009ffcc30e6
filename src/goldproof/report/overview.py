"""The chart of a first screen: a few values, each with its interval and single runs, and what they are held against.

The axis shows the range that matters: every interval, every run, and the levels that the values are compared with. It
chooses the rows' look by what they mean, and computes no statistics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from goldproof.report.cells import describe_intervals, heading
from goldproof.report.chart_parts import (
    AIR,
    DATA_NAME,
    WIDE,
    Caption,
    ChartRow,
    axis_format,
    flat_row,
    label_room,
    look,
    narrow_room,
    padding,
    quoted,
    tip_expression,
)
from goldproof.report.numbers import count
from goldproof.report.palette import BETTER, MUTED, RULE, SERIES, WORSE
from goldproof.report.summary import Cell, Column, Figure
from goldproof.report.text_width import widest
from goldproof.statistics.estimate import Estimate

MOST_ROWS = 12
STEP, STEP_WITH_RUNS = 30, 36
LONG_NAME = 22
MOST_ROOMY, ROOMY_STEP = 3, 48
NARROW_PAGE = 350
Look = Literal["ours", "better", "worse", "baseline"]
COLOURS: dict[Look, str] = {"ours": SERIES[0], "better": BETTER, "worse": WORSE, "baseline": MUTED}


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A row: what it is of, its value, and those of its single runs; a baseline is what others are held against."""

    name: str
    value: Estimate | float
    runs: Sequence[float] = ()
    look: Look = "ours"


@dataclass(frozen=True, slots=True)
class Against:
    """What the values are held against: dashed lines at `levels`, and a shaded `band`; `text` says what they are."""

    levels: Sequence[float] = ()
    band: tuple[float, float] | None = None
    text: str = ""


def overview(
    readings: Sequence[OverviewRow], column: Column, *, caption: Caption, against: Against | None = None
) -> Figure:
    """The figure; of many readings the lowest and the highest, and the note says so."""
    against = against or Against()
    shown, left_out = _few(readings)
    rows = [row for reading in shown for row in _rows(reading, column)]
    names = list(dict.fromkeys(reading.name for reading in shown))
    has_runs = any(reading.runs for reading in shown)
    lines = [_two_lines(str(name)) for name in names]
    room = label_room([line for parts in lines for line in parts])
    spec = {
        "data": {"name": DATA_NAME},
        "width": WIDE - min(room, 260),
        "height": {"step": ROOMY_STEP if len(names) <= MOST_ROOMY else STEP_WITH_RUNS if has_runs else STEP},
        "encoding": {
            "y": {"field": "name", "type": "ordinal", "sort": names, "title": None, "axis": _names_axis(names, lines)}
        },
        "layer": _layers(rows, column, against, has_runs),
        "config": look(room),
        "padding": padding(),
        "usermeta": {"narrow": _narrow(room, heading(column)), "room": room},
    }
    note = _note(caption, shown, against, has_runs, left_out)
    return Figure(caption.name, caption.title, spec, rows, note, caption.keys)


def _narrow(room: int, title: str) -> dict[str, Any]:
    """What changes on a narrow page: the width, and room at the right for a title that is longer than the axis."""
    width = max(130, NARROW_PAGE - narrow_room(room) - 2 * AIR - 2)
    return {"width": width, "padding": padding((widest(title) - width) / 2 if widest(title) > width else 0)}


def _two_lines(name: str) -> list[str]:
    """A name as it stands beside the chart: a long one on two lines, cut at the blank nearest to its middle.

    >>> _two_lines("most frequent label"), _two_lines("my/sentiment without adjectives and adverbs")
    (['most frequent label'], ['my/sentiment without', 'adjectives and adverbs'])
    """
    blanks = [place for place, character in enumerate(name) if character == " "]
    if len(name) <= LONG_NAME or not blanks:
        return [name]
    cut = min(blanks, key=lambda place: abs(place - len(name) / 2))
    return [name[:cut], name[cut + 1 :]]


def _names_axis(names: Sequence[Any], lines: Sequence[Sequence[str]]) -> dict[str, Any]:
    axis: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 8}
    if all(len(parts) == 1 for parts in lines):
        return axis
    known = ", ".join(quoted(str(name)) for name in names)
    shown = ", ".join(f"[{', '.join(map(quoted, parts))}]" for parts in lines)
    return {**axis, "labelExpr": f"[{shown}][indexof([{known}], '' + datum.label)]"}


def _few(readings: Sequence[OverviewRow]) -> tuple[list[OverviewRow], int]:
    """The readings that a first screen has room for, in their order, and how many rows are left out."""
    if len({reading.name for reading in readings}) <= MOST_ROWS:
        return list(readings), 0
    ours = [reading for reading in readings if reading.look != "baseline" and math.isfinite(_number(reading.value))]
    ranked = list(dict.fromkeys(reading.name for reading in sorted(ours, key=lambda each: _number(each.value))))
    half = MOST_ROWS // 2
    kept = {*ranked[:half], *ranked[-half:]}
    return [reading for reading in readings if reading.name in kept], len(ranked) - len(kept)


def _number(value: Estimate | float) -> float:
    return float(value.value if isinstance(value, Estimate) else value)


def _rows(reading: OverviewRow, column: Column) -> list[ChartRow]:
    place: dict[str, Cell] = {"name": reading.name, "colour": COLOURS[reading.look]}
    kind = "baseline" if reading.look == "baseline" else "mean"
    runs = [{**place, "part": "run", column.key: float(value)} for value in reading.runs]
    return [flat_row({**place, "part": kind, column.key: reading.value}), *map(flat_row, runs)]


def _domain(rows: Sequence[Mapping[str, Cell]], column: Column, against: Against) -> list[float]:
    """From the lowest to the highest of all that is drawn, with a little air, and no further than a share can go."""
    keys = (column.key, f"{column.key}_low", f"{column.key}_high")
    drawn = [float(cell) for row in rows for key in keys if isinstance(cell := row.get(key), int | float)]
    drawn += [*against.levels, *(against.band or ())]
    known = [value for value in drawn if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    air = 0.04 * (high - low) or 0.05
    within = column.unit == "%" and low >= 0 and high <= 1
    return [max(low - air, 0.0), min(high + air, 1.0)] if within else [low - air, high + air]


def _layers(rows: Sequence[ChartRow], column: Column, against: Against, has_runs: bool) -> list[dict[str, Any]]:
    axis = {"tickCount": 6, "grid": True, "domain": False, "ticks": False, **axis_format(column)}
    scale = {"domain": _domain(rows, column, against), "nice": False, "zero": False}
    along = {"type": "quantitative", "title": heading(column), "scale": scale, "axis": axis}
    return [*_beneath(against, along), *_marks(rows, column, along, has_runs)]


def _beneath(against: Against, along: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The band and the levels; they have no rows of their own among the names."""
    layers: list[dict[str, Any]] = []
    if against.band is not None:
        ends = {"x": {"datum": against.band[0], **along}, "x2": {"datum": against.band[1]}}
        mark = {"type": "rect", "color": RULE, "opacity": 0.45, "aria": False}
        layers.append({"mark": mark, "data": {"values": [{}]}, "encoding": {**ends, "y": None}})
    for level in against.levels:
        mark = {"type": "rule", "color": MUTED, "strokeDash": [4, 3], "aria": False}
        layers.append({"mark": mark, "data": {"values": [{}]}, "encoding": {"x": {"datum": level, **along}, "y": None}})
    return layers


def _marks(rows: Sequence[ChartRow], column: Column, along: Mapping[str, Any], has_runs: bool) -> list[dict[str, Any]]:
    """Intervals, values and single runs."""
    colour = {"field": "colour", "type": "nominal", "scale": None}
    tip = {"calculate": tip_expression([Column("name", "")], column, rows), "as": "tip"}
    layers = []
    if any(f"{column.key}_low" in row for row in rows):
        ends = {"x": {"field": f"{column.key}_low", **along}, "x2": {"field": f"{column.key}_high"}, "color": colour}
        layers.append(_layer({"type": "rule", "strokeWidth": 3, "aria": False}, ends, "datum.part != 'run'"))
    where = {"x": {"field": column.key, **along}, "color": colour, "description": {"field": "tip", "type": "nominal"}}
    for part, shape, size in (("mean", "circle", 110), ("baseline", "square", 90)):
        if any(row["part"] == part for row in rows):
            mark = {"type": "point", "filled": True, "opacity": 1, "shape": shape, "size": size}
            layers.append(_layer(mark, where, f"datum.part == '{part}'", tip))
    if has_runs:
        mark = {"type": "point", "filled": True, "opacity": 0.6, "size": 24, "yOffset": 11}
        layers.append(_layer(mark, where, "datum.part == 'run'", tip))
    return layers


def _layer(mark: Mapping[str, Any], encoding: Mapping[str, Any], only: str, *more: Mapping[str, Any]) -> dict[str, Any]:
    return {"transform": [{"filter": only}, *more], "mark": dict(mark), "encoding": dict(encoding)}


def _note(caption: Caption, shown: Sequence[OverviewRow], against: Against, has_runs: bool, left_out: int) -> str:
    """What the marks are, what the lines are, how the intervals were made, and what is left out."""
    estimates = [each.value for each in shown if isinstance(each.value, Estimate) and math.isfinite(each.value.low)]
    small = "Small dots: single runs." if has_runs else ""
    intervals = f"Lines: {describe_intervals(estimates)}." if estimates else ""
    few = f"The lowest and the highest; {count(left_out)} more are below." if left_out else ""
    return " ".join(part for part in (caption.note, small, against.text, intervals, few) if part)


def readings_of(named: Iterable[tuple[str, Estimate | float]]) -> list[OverviewRow]:
    """Readings without runs."""
    return [OverviewRow(name, value) for name, value in named]


def coloured(reading: OverviewRow, *, higher_is_better: bool = True) -> OverviewRow:
    """A difference in the colour of what it shows: better, worse, or neither where its interval holds 0."""
    value = reading.value
    if not isinstance(value, Estimate) or not (value.low > 0 or value.high < 0):
        return reading
    better = (value.low > 0) == higher_is_better
    return replace(reading, look="better" if better else "worse")
