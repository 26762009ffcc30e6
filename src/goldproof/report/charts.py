"""Figures from rows: heat map, curves with bands, dots with intervals, bars, histogram, scatter.

Each function takes rows whose cells may be Estimates and gives a `Figure`: one Vega-Lite specification for page and
paper. It computes no statistics; drawing is the work of `goldproof.report.figures`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldproof.errors import UsageError
from goldproof.report.cells import heading
from goldproof.report.chart_parts import (
    NARROW,
    ROW_HEIGHT,
    WIDE,
    Caption,
    ChartField,
    ChartRow,
    as_column,
    axis_format,
    flat_rows,
    narrow_room,
    number_expression,
    tip_expression,
)
from goldproof.report.chart_sheet import Sheet, lay_out, layered
from goldproof.report.extremes import ends_of
from goldproof.report.heat_maps import heat_map, square_map
from goldproof.report.numbers import SCALED_UNITS
from goldproof.report.palette import INK, MUTED, SERIES
from goldproof.report.summary import Cell, Column, Figure
from goldproof.report.text_width import widest_of

__all__ = ["Caption", "Panels", "bars", "curves", "dots", "heat_map", "histogram", "scatter", "square_map"]

MOST_TICKS = 13
MOST_LARGE_PANELS = 8


@dataclass(frozen=True, slots=True)
class Panels:
    """A field each of whose values gets a panel; with `own_axes` the values in each have an axis of their own, where
    panels are not to be compared by height.
    """

    field: ChartField
    own_axes: bool = False


def curves(  # noqa: PLR0913 - one argument for each part of the chart
    rows: Sequence[Mapping[str, Cell]],
    x: ChartField,
    y: ChartField,
    *,
    caption: Caption,
    series: ChartField | None = None,
    facet: ChartField | Panels | None = None,
    rule: float | None = None,
    log_x: bool = False,
    single: ChartField | None = None,
) -> Figure:
    """A line for each series, with a band where `y` has intervals; `facet` gives each of its values its own panel.

    `rule` draws a dashed line at a level to compare with, such as chance. `log_x` makes the axis logarithmic from its
    least number above 0 on, so that 0 has a place on it too. Rows with a value of `single` (a run, say) are thin lines
    behind those of the others, one for each of its values.
    """
    import altair as alt

    panels = facet if isinstance(facet, Panels) or facet is None else Panels(facet)
    split = None if panels is None else panels.field
    sheet = lay_out(rows, caption, x=x, y=y, series=series, facet=split, single=single)
    looks = sheet.looks()
    along = _position(alt.X, sheet["x"], sheet.names("x"), log_x)
    whole = alt.Chart().encode(x=along, y=_value_position(alt.Y, sheet["y"]))
    base = whole if single is None else whole.transform_filter(f"!isValid(datum['{sheet['single'].key}'])")
    fill = looks.get("fill", alt.value(SERIES[0]))
    stroke = {"stroke": looks.get("stroke", alt.value(SERIES[0])), **_only(looks, "strokeDash")}
    # The lines come first: a first layer without a legend would take the legend away from all.
    layers = [base.mark_line(strokeWidth=2, aria=False).encode(**stroke)]
    if single is not None:
        thin = whole.transform_filter(f"isValid(datum['{sheet['single'].key}'])").mark_line(
            strokeWidth=0.75, opacity=0.4, aria=False
        )
        layers.append(thin.encode(detail=f"{sheet['single'].key}:N", **stroke))
    if sheet.has_intervals("y"):
        ends = {"y": _value_position(alt.Y, sheet["y"], "_low"), "y2": f"{sheet['y'].key}_high:Q"}
        layers.append(base.mark_area(opacity=0.18, aria=False).encode(**ends, fill=fill))
    points = base.transform_calculate(tip=sheet.tip(["facet", "series", "x"], "y"))
    layers.append(points.mark_point(size=26, strokeWidth=0, opacity=1).encode(description="tip:N", fill=fill))
    if rule is not None:
        layers.append(_level(y=alt.datum(rule)))
    if panels is None:
        return sheet.finish(layered(*layers, width=WIDE, height=280), {"width": NARROW + 15}, "y")
    return sheet.finish(_panels(sheet, layers, panels.own_axes), {"width": NARROW, "columns": 1}, "y")


def _only(encodings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: encodings[name] for name in names if name in encodings}


def _panels(sheet: Sheet, layers: Sequence[Any], own_axes: bool) -> Any:
    """A panel for each value of the facet; many panels are small, so that all can be seen together."""
    import altair as alt

    names = sheet.names("facet")
    n_columns = 4 if len(names) > MOST_LARGE_PANELS else min(2, len(names))
    size = {"width": WIDE // 2 - 10, "height": 180} if n_columns <= 2 else {"width": WIDE // 4 + 15, "height": 110}
    header = alt.Header(labelAnchor="start", labelPadding=4)
    facet = alt.Facet(f"{sheet['facet'].key}:N", sort=names, title=None, header=header)
    found = layered(*layers, **size).facet(facet, columns=n_columns)
    return found.resolve_scale(y="independent") if own_axes else found


def dots(
    rows: Sequence[Mapping[str, Cell]],
    category: ChartField,
    value: ChartField,
    *,
    caption: Caption,
    series: ChartField | None = None,
    rule: float | None = None,
) -> Figure:
    """A dot for each category with its interval as a line; `rule` draws a dashed line at a level to compare with."""
    return _ranked(rows, category, value, caption, series, rule, with_bars=False)


def bars(
    rows: Sequence[Mapping[str, Cell]],
    category: ChartField,
    value: ChartField,
    *,
    caption: Caption,
    series: ChartField | None = None,
    rule: float | None = None,
) -> Figure:
    """A bar from zero for each category, with its interval as a line where it has one."""
    return _ranked(rows, category, value, caption, series, rule, with_bars=True)


def _ranked(
    rows: Sequence[Mapping[str, Cell]],
    category: ChartField,
    value: ChartField,
    caption: Caption,
    series: ChartField | None,
    rule: float | None,
    *,
    with_bars: bool,
) -> Figure:
    import altair as alt

    rows, caption = ends_of(rows, category, value, caption)
    sheet = lay_out(rows, caption, category=category, value=value, series=series)
    looks = sheet.looks()
    colour = {"color": looks.get("color", alt.value(SERIES[0]))}
    base = _categories(sheet, grid=not with_bars)
    layers = [] if rule is None else [_level(x=alt.datum(rule))]
    if with_bars:
        place = _value_position(alt.X, sheet["value"], zero=True)
        layers.append(base.mark_bar(opacity=0.75).encode(x=place, description="tip:N", **colour))
    if sheet.has_intervals("value"):
        ends = {"x": _value_position(alt.X, sheet["value"], "_low"), "x2": f"{sheet['value'].key}_high:Q"}
        ink = {"color": alt.value(INK)} if with_bars else colour
        layers.append(base.mark_rule(strokeWidth=1.5, aria=False).encode(**ends, **ink))
    if not with_bars:
        points = base.mark_point(size=50, filled=True, opacity=1)
        place = _value_position(alt.X, sheet["value"])
        layers.append(points.encode(x=place, description="tip:N", **colour, **_only(looks, "shape")))
    height = {"step": max(ROW_HEIGHT, 10 * max(1, len(sheet.names("series"))) + 10), "for": "position"}
    room = sheet.room("category")
    chart = layered(*layers, width=WIDE - min(room, 260), height=height)
    return sheet.finish(chart, {"width": max(130, 335 - narrow_room(room))}, "value", "category")


def _categories(sheet: Sheet, grid: bool) -> Any:
    """The categories down the side, the series of each beside each other, and what a mark says."""
    import altair as alt

    axis = alt.Axis(domain=False, ticks=False, labelPadding=6, grid=grid, gridDash=[1, 3])
    gap = alt.Scale(paddingInner=0.3) if "series" in sheet else alt.Undefined
    names, key = sheet.names("category"), sheet["category"].key
    where: dict[str, Any] = {"y": alt.Y(f"{key}:O", sort=names, title=None, axis=axis, scale=gap)}
    if "series" in sheet:
        where["yOffset"] = alt.YOffset(f"{sheet['series'].key}:N", sort=sheet.names("series"))
    labels = [*([sheet["series"]] if "series" in sheet else []), replace(sheet["category"], title="")]
    return alt.Chart().transform_calculate(tip=tip_expression(labels, sheet["value"], sheet.rows)).encode(**where)


def histogram(
    rows: Sequence[Mapping[str, Cell]],
    value: ChartField,
    *,
    caption: Caption,
    n_bins: int = 30,
    rule: float | None = None,
) -> Figure:
    """How often the values of a field fall into each of `n_bins` bins of equal width."""
    import altair as alt

    along = as_column(value, caption.name)
    flat = flat_rows(rows, [along], caption.name)
    values = [float(number) for row in flat if isinstance(number := row.get(along.key), int | float)]
    if not values:
        raise UsageError(f"chart '{caption.name}': no row has a number under '{along.key}'")
    counts, edges = np.histogram(values, bins=n_bins)
    binned: list[ChartRow] = [
        {"from": float(edges[i]), "to": float(edges[i + 1]), "count": int(count)} for i, count in enumerate(counts)
    ]
    start, end = (replace(along, key=key) for key in ("from", "to"))
    sheet = lay_out(binned, caption, start=start, end=end)
    tip = f"{number_expression(start)} + ' to ' + {number_expression(end)} + ' · ' + datum['count']"
    axis = alt.Axis(grid=False, **axis_format(along))
    where = {
        "x": alt.X("from:Q", bin="binned", title=heading(along), scale=alt.Scale(zero=False), axis=axis),
        "x2": "to:Q",
        "y": alt.Y("count:Q", title="count"),
    }
    bar = alt.Chart().transform_calculate(tip=tip).mark_bar(binSpacing=1, color=SERIES[0], opacity=0.8)
    layers = [bar.encode(**where, description="tip:N"), *([] if rule is None else [_level(x=alt.datum(rule))])]
    return sheet.finish(layered(*layers, width=WIDE, height=220), {"width": NARROW + 15})


def scatter(
    rows: Sequence[Mapping[str, Cell]],
    x: ChartField,
    y: ChartField,
    *,
    caption: Caption,
    series: ChartField | None = None,
    label: ChartField | None = None,
    identity: bool = False,
) -> Figure:
    """A point for each row; `label` says what a point is when it is pointed at, `identity` draws the line x = y."""
    import altair as alt

    sheet = lay_out(rows, caption, label=label, series=series, x=x, y=y)
    looks = sheet.looks()
    named = _only(looks, "color", "shape") or {"color": alt.value(SERIES[0])}
    labels = [sheet[part] for part in ("label", "series") if part in sheet]
    shown = replace(sheet["x"], digits=3) if sheet["x"].digits is None else sheet["x"]
    base = alt.Chart().transform_calculate(tip=tip_expression([*labels, shown], sheet["y"], sheet.rows))
    points = base.mark_point(size=40, filled=True, opacity=0.75).encode(
        x=_value_position(alt.X, sheet["x"]), y=_value_position(alt.Y, sheet["y"]), description="tip:N", **named
    )
    layers = [*([_identity_line(sheet)] if identity else []), points]
    return sheet.finish(layered(*layers, width=460, height=380), {"width": NARROW + 15, "height": 260})


def _identity_line(sheet: Sheet) -> Any:
    import altair as alt

    cells = [row.get(sheet[part].key) for row in sheet.rows for part in ("x", "y")]
    numbers = [float(cell) for cell in cells if isinstance(cell, int | float)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    line = alt.Chart(alt.Data(values=[{"at": low}, {"at": high}]))
    return line.mark_line(strokeDash=[4, 3], strokeWidth=1, color=MUTED, aria=False).encode(
        x=_value_position(alt.X, replace(sheet["x"], key="at")), y=_value_position(alt.Y, replace(sheet["y"], key="at"))
    )


def _level(**where: Any) -> Any:
    """A dashed line at a level to compare with."""
    import altair as alt

    return alt.Chart().mark_rule(strokeDash=[4, 3], strokeWidth=1, color=MUTED, aria=False).encode(**where)


def _position(channel: Any, column: Column, values: Sequence[Any], is_log: bool = False) -> Any:
    """An axis for numbers where all are numbers, else for names in order of appearance."""
    import altair as alt

    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        whole = all(isinstance(value, int) for value in values)
        ticks: dict[str, Any] = {"values": values} if len(values) <= MOST_TICKS else {}
        if whole and column.unit not in SCALED_UNITS:
            ticks["format"] = "d"
        axis = alt.Axis(grid=False, labelOverlap="greedy", labelSeparation=4, **axis_format(column), **ticks)
        above = [value for value in values if value > 0]
        log = {"type": "symlog", "constant": min(above)} if is_log and above else {}
        scale = alt.Scale(zero=False, nice=False, padding=6, **log)
        return channel(f"{column.key}:Q", title=heading(column), scale=scale, axis=axis)
    axis = alt.Axis(grid=False, labelAngle=0 if widest_of(values) * len(values) < 320 else -40)
    return channel(f"{column.key}:O", title=heading(column), sort=values, axis=axis)


def _value_position(channel: Any, column: Column, suffix: str = "", zero: bool = False) -> Any:
    import altair as alt

    axis = alt.Axis(tickCount=6, domain=False, ticks=False, **axis_format(column))
    return channel(f"{column.key}{suffix}:Q", title=heading(column), scale=alt.Scale(zero=zero), axis=axis)
