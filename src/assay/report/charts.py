"""Figures from rows: heat map, curves with bands, dots with intervals, bars, histogram, scatter.

Each function takes rows whose cells may be Estimates and gives a `Figure`: one Vega-Lite specification for page and
paper. It computes no statistics; drawing is the work of `assay.report.figures`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.report.cells import SCALED_UNITS, heading
from assay.report.chart_parts import (
    CHARACTER,
    DATA_NAME,
    NARROW,
    NARROW_LABEL_LIMIT,
    ROW_HEIGHT,
    WIDE,
    Caption,
    Field,
    Row,
    as_column,
    axis_format,
    finished,
    flat_rows,
    longest,
    number_expression,
    series_encodings,
    tip_expression,
    values_in_order,
    with_methods,
)
from assay.report.heat_maps import heat_map
from assay.report.palette import INK, MUTED, SERIES
from assay.report.summary import Cell, Column, Figure

__all__ = ["Caption", "bars", "curves", "dots", "heat_map", "histogram", "scatter"]

MOST_TICKS = 13


def curves(
    rows: Sequence[Mapping[str, Cell]],
    x: Field,
    y: Field,
    *,
    caption: Caption,
    series: Field | None = None,
    facet: Field | None = None,
    rule: float | None = None,
) -> Figure:
    """A line for each series, with a band where `y` has intervals; `facet` gives each of its values its own panel.

    `rule` draws a dashed line at a level to compare with, such as chance.
    """
    import altair as alt

    across, up = as_column(x, caption.name), as_column(y, caption.name)
    groups = [as_column(field, caption.name) for field in (facet, series) if field is not None]
    flat = flat_rows(rows, [across, up, *groups], caption.name)
    look = series_encodings(as_column(series, caption.name), flat) if series is not None else {}
    base = alt.Chart().encode(x=_position(alt.X, across, flat), y=_value_position(alt.Y, up))
    fill = look.get("fill", alt.value(SERIES[0]))
    stroke = {"stroke": look.get("stroke", alt.value(SERIES[0])), **_only(look, "strokeDash")}
    # The lines come first: a first layer without a legend would take the legend away from all.
    layers = [base.mark_line(strokeWidth=2, aria=False).encode(**stroke)]
    if any(f"{up.key}_low" in row for row in flat):
        band = base.mark_area(opacity=0.18, aria=False)
        layers.append(band.encode(y=_value_position(alt.Y, up, "_low"), y2=f"{up.key}_high:Q", fill=fill))
    points = base.transform_calculate(tip=tip_expression([*groups, across], up, flat))
    layers.append(points.mark_point(size=26, strokeWidth=0, opacity=1).encode(description="tip:N", fill=fill))
    if rule is not None:
        layers.append(_level(y=alt.datum(rule)))
    return _faceted(alt.layer(*layers, data=alt.NamedData(DATA_NAME)), facet, with_methods(caption, rows, up), flat)


def _only(encodings: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: encodings[name]} if name in encodings else {}


def _faceted(layers: Any, facet: Field | None, caption: Caption, rows: Sequence[Row]) -> Figure:
    import altair as alt

    if facet is None:
        return finished(layers.properties(width=WIDE, height=280), {"width": NARROW + 15}, caption, rows)
    column = as_column(facet, caption.name)
    names = values_in_order(rows, column.key)
    header = alt.Facet(
        f"{column.key}:N", sort=names, title=None, header=alt.Header(labelAnchor="start", labelPadding=4)
    )
    panels = layers.properties(width=WIDE // 2 - 10, height=180).facet(header, columns=min(2, len(names)))
    return finished(panels, {"width": NARROW, "columns": 1}, caption, rows)


def dots(
    rows: Sequence[Mapping[str, Cell]],
    category: Field,
    value: Field,
    *,
    caption: Caption,
    series: Field | None = None,
    rule: float | None = None,
) -> Figure:
    """A dot for each category with its interval as a line; `rule` draws a dashed line at a level to compare with."""
    return _ranked(rows, category, value, caption, series, rule, with_bars=False)


def bars(
    rows: Sequence[Mapping[str, Cell]],
    category: Field,
    value: Field,
    *,
    caption: Caption,
    series: Field | None = None,
    rule: float | None = None,
) -> Figure:
    """A bar from zero for each category, with its interval as a line where it has one."""
    return _ranked(rows, category, value, caption, series, rule, with_bars=True)


def _ranked(
    rows: Sequence[Mapping[str, Cell]],
    category: Field,
    value: Field,
    caption: Caption,
    series: Field | None,
    rule: float | None,
    *,
    with_bars: bool,
) -> Figure:
    import altair as alt

    down, along = as_column(category, caption.name), as_column(value, caption.name)
    groups = [] if series is None else [as_column(series, caption.name)]
    flat = flat_rows(rows, [down, along, *groups], caption.name)
    names = values_in_order(flat, down.key)
    axis = alt.Axis(domain=False, ticks=False, labelPadding=6, grid=not with_bars, gridDash=[1, 3])
    gap = alt.Scale(paddingInner=0.3) if groups else alt.Undefined
    where: dict[str, Any] = {"y": alt.Y(f"{down.key}:O", sort=names, title=None, axis=axis, scale=gap)}
    look = series_encodings(groups[0], flat) if groups else {}
    if groups:
        where["yOffset"] = alt.YOffset(f"{groups[0].key}:N", sort=values_in_order(flat, groups[0].key))
    named = {"color": look["color"]} if look else {"color": alt.value(SERIES[0])}
    base = (
        alt.Chart()
        .transform_calculate(tip=tip_expression([*groups, replace(down, title="")], along, flat))
        .encode(**where)
    )
    layers = [] if rule is None else [_level(x=alt.datum(rule))]
    if with_bars:
        layers.append(
            base.mark_bar(opacity=0.75).encode(x=_value_position(alt.X, along, zero=True), description="tip:N", **named)
        )
    if any(f"{along.key}_low" in row for row in flat):
        ends = {"x": _value_position(alt.X, along, "_low"), "x2": f"{along.key}_high:Q"}
        colour = {"color": alt.value(INK)} if with_bars else named
        layers.append(base.mark_rule(strokeWidth=1.5, aria=False).encode(**ends, **colour))
    if not with_bars:
        points = base.mark_point(size=50, filled=True, opacity=1)
        layers.append(
            points.encode(x=_value_position(alt.X, along), description="tip:N", **named, **_only(look, "shape"))
        )
    n_groups = len(values_in_order(flat, groups[0].key)) if groups else 1
    height = {"step": max(ROW_HEIGHT, 10 * n_groups + 10), "for": "position"}
    chart = alt.layer(*layers, data=alt.NamedData(DATA_NAME)).properties(
        width=WIDE - int(CHARACTER * min(longest(names), 40)), height=height
    )
    return finished(
        chart,
        {"width": max(140, 335 - min(int(CHARACTER * longest(names)), NARROW_LABEL_LIMIT))},
        with_methods(caption, rows, along),
        flat,
    )


def histogram(
    rows: Sequence[Mapping[str, Cell]], value: Field, *, caption: Caption, n_bins: int = 30, rule: float | None = None
) -> Figure:
    """How often the values of a field fall into each of `n_bins` bins of equal width."""
    import altair as alt

    along = as_column(value, caption.name)
    flat = flat_rows(rows, [along], caption.name)
    known = [float(number) for row in flat if isinstance(number := row.get(along.key), int | float)]
    if not known:
        raise UsageError(f"chart '{caption.name}': no row has a number under '{along.key}'")
    counts, edges = np.histogram(known, bins=n_bins)
    binned: list[Row] = [
        {"from": float(edges[i]), "to": float(edges[i + 1]), "count": int(count)} for i, count in enumerate(counts)
    ]
    start, end = (replace(along, key=key) for key in ("from", "to"))
    tip = f"{number_expression(start)} + ' to ' + {number_expression(end)} + ' · ' + datum['count']"
    base = alt.Chart(alt.NamedData(DATA_NAME)).transform_calculate(tip=tip)
    layers = [
        base.mark_bar(binSpacing=1, color=SERIES[0], opacity=0.8).encode(
            x=alt.X(
                "from:Q",
                bin="binned",
                title=heading(along),
                scale=alt.Scale(zero=False),
                axis=alt.Axis(grid=False, **axis_format(along)),
            ),
            x2="to:Q",
            y=alt.Y("count:Q", title="count"),
            description="tip:N",
        )
    ]
    if rule is not None:
        layers.append(_level(x=alt.datum(rule)))
    return finished(alt.layer(*layers).properties(width=WIDE, height=220), {"width": NARROW + 15}, caption, binned)


def scatter(
    rows: Sequence[Mapping[str, Cell]],
    x: Field,
    y: Field,
    *,
    caption: Caption,
    series: Field | None = None,
    label: Field | None = None,
    identity: bool = False,
) -> Figure:
    """A point for each row; `label` says what a point is when it is pointed at, `identity` draws the line x = y."""
    import altair as alt

    across, up = as_column(x, caption.name), as_column(y, caption.name)
    groups = [as_column(field, caption.name) for field in (label, series) if field is not None]
    flat = flat_rows(rows, [across, up, *groups], caption.name)
    look = series_encodings(as_column(series, caption.name), flat) if series is not None else {}
    named = {**_only(look, "color"), **_only(look, "shape")} if look else {"color": alt.value(SERIES[0])}
    shown_x = replace(across, digits=3) if across.digits is None else across
    base = alt.Chart(alt.NamedData(DATA_NAME)).transform_calculate(tip=tip_expression([*groups, shown_x], up, flat))
    points = base.mark_point(size=40, filled=True, opacity=0.75).encode(
        x=_value_position(alt.X, across), y=_value_position(alt.Y, up), description="tip:N", **named
    )
    layers = [*([_identity_line(flat, across, up)] if identity else []), points]
    return finished(
        alt.layer(*layers).properties(width=460, height=380), {"width": NARROW + 15, "height": 260}, caption, flat
    )


def _identity_line(rows: Sequence[Row], across: Column, up: Column) -> Any:
    import altair as alt

    numbers = [float(v) for row in rows for key in (across.key, up.key) if isinstance(v := row.get(key), int | float)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    line = alt.Chart(alt.Data(values=[{"at": low}, {"at": high}]))
    return line.mark_line(strokeDash=[4, 3], strokeWidth=1, color=MUTED, aria=False).encode(
        x=_value_position(alt.X, replace(across, key="at")), y=_value_position(alt.Y, replace(up, key="at"))
    )


def _level(**where: Any) -> Any:
    """A dashed line at a level to compare with."""
    import altair as alt

    return alt.Chart().mark_rule(strokeDash=[4, 3], strokeWidth=1, color=MUTED, aria=False).encode(**where)


def _position(channel: Any, column: Column, rows: Sequence[Row]) -> Any:
    """An axis for numbers where all are numbers, else for names in order of appearance."""
    import altair as alt

    values = values_in_order(rows, column.key)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        whole = all(isinstance(value, int) for value in values)
        ticks: dict[str, Any] = {"values": values} if len(values) <= MOST_TICKS else {}
        if whole and column.unit not in SCALED_UNITS:
            ticks["format"] = "d"
        axis = alt.Axis(grid=False, **axis_format(column), **ticks)
        scale = alt.Scale(zero=False, nice=False, padding=6)
        return channel(f"{column.key}:Q", title=heading(column), scale=scale, axis=axis)
    axis = alt.Axis(grid=False, labelAngle=0 if longest(values) * len(values) < 45 else -40)
    return channel(f"{column.key}:O", title=heading(column), sort=values, axis=axis)


def _value_position(channel: Any, column: Column, suffix: str = "", zero: bool = False) -> Any:
    import altair as alt

    axis = alt.Axis(tickCount=6, domain=False, ticks=False, **axis_format(column))
    return channel(f"{column.key}{suffix}:Q", title=heading(column), scale=alt.Scale(zero=zero), axis=axis)
