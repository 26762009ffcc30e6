"""The heat map: a cell for each pair of names, its value printed where it fits, its interval in the tip.

It decides colours, sizes and marks; what it shares with the other charts is in `goldproof.report.chart_parts`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from goldproof.report.cells import heading
from goldproof.report.chart_parts import (
    CHARACTER,
    NARROW_LABEL_LIMIT,
    ROW_HEIGHT,
    Caption,
    ChartField,
    longest,
    number_expression,
    quoted,
    tip_expression,
)
from goldproof.report.chart_sheet import Sheet, lay_out, layered
from goldproof.report.extremes import ends_of
from goldproof.report.numbers import SCALED_UNITS
from goldproof.report.palette import INK, NEGATIVE, ON_COLOUR, POSITIVE
from goldproof.report.summary import Cell, Column, Figure

MOST_COLUMNS_WITH_VALUES = 16
PALER = 0.4
STRONG = 0.74  # from here on light text is easier to read on the cell than dark text


def heat_map(
    rows: Sequence[Mapping[str, Cell]],
    x: ChartField,
    y: ChartField,
    value: ChartField,
    *,
    caption: Caption,
    centre: float | None = 0.0,
    chance: ChartField | None = None,
) -> Figure:
    """A cell for each (x, y), coloured by its value: two hues around `centre`, or one hue where `centre` is None.

    `chance` is a yes-or-no field; cells where it is true cannot be told from what its title says, from chance where it
    is a bare key, and are shown in brackets.
    """
    for names_of in (y, x):
        rows, caption = ends_of(rows, names_of, value, caption)
    sheet = lay_out(rows, caption, across=x, down=y, value=value, chance=chance)
    names, marks = sheet.names("across"), sheet["chance"].key if chance is not None else None
    with_values = len(names) <= MOST_COLUMNS_WITH_VALUES
    step, angle, narrow_step = _steps(names, sheet.longest_name("down"))
    step_of_scale = 0.05 if sheet["value"].unit in SCALED_UNITS else 0.1
    values = [row.get(sheet["value"].key) for row in sheet.rows]
    domain, colours, strong = _colour_scale(values, centre, step_of_scale)
    unlike = f"not distinguishable from {chance.title if isinstance(chance, Column) else 'chance'}"
    base = _grid(sheet, angle).transform_calculate(
        tip=_tip(sheet, unlike),
        label=_label(sheet["value"], marks, with_values),
        ink=f"{_unless(marks, strong.format(value=sheet['value'].key))} ? '{ON_COLOUR}' : '{INK}'",
        paler=f"{_unless(marks, 'true')} ? 1 : {PALER}",
    )
    chart = _layers(base, sheet["value"], domain, colours).properties(width={"step": step}, height={"step": ROW_HEIGHT})
    figure = sheet.finish(chart, {"width": {"step": narrow_step}}, "value")
    if chance is None:
        return figure
    mark = "in brackets" if with_values else "marked ○"
    return replace(figure, note=f"{figure.note} Paler and {mark}: {unlike}.".strip())


def _grid(sheet: Sheet, angle: int) -> Any:
    import altair as alt

    across, down = sheet["across"], sheet["down"]
    top = alt.Axis(orient="top", labelAngle=angle, domain=False, ticks=False)
    left = alt.Axis(domain=False, ticks=False, labelPadding=6)
    return alt.Chart().encode(
        x=alt.X(f"{across.key}:O", sort=sheet.names("across"), title=across.title, axis=top),
        y=alt.Y(f"{down.key}:O", sort=sheet.names("down"), title=None, axis=left),
    )


def _layers(base: Any, value: Column, domain: Sequence[float], colours: Sequence[str]) -> Any:
    """Cells that say their tips, and their labels."""
    import altair as alt

    legend = alt.Legend(title=heading(value), orient="top", values=sorted(set(domain)), labelExpr=_legend_label(value))
    colour = alt.Color(f"{value.key}:Q", scale=alt.Scale(domain=domain, range=colours), legend=legend)
    shown = alt.when(f"isValid(datum['{value.key}'])").then(colour).otherwise(alt.value("transparent"))
    return layered(
        base.mark_rect(invalid=None).encode(
            color=shown, opacity=alt.Opacity("paler:Q", scale=None), description="tip:N"
        ),
        base.mark_text(aria=False).encode(text="label:N", color=alt.Color("ink:N", scale=None, legend=None)),
    ).resolve_scale(color="independent")


def _steps(names: Sequence[Any], label_length: int) -> tuple[int, int, int]:
    """Width of a cell, angle of the headings, and width of a cell on a narrow page."""
    wanted = int(longest(names) * CHARACTER) + 12
    if len(names) > MOST_COLUMNS_WITH_VALUES:
        return max(14, min(wanted, 28)), 0 if wanted <= 28 else -45, max(14, min(wanted - 5, 28))
    step = max(48, min(wanted, max(80, 760 // len(names))))
    angle = 0 if wanted <= step else -45
    room = int(340 - min(label_length * CHARACTER, NARROW_LABEL_LIMIT)) // len(names)
    return step, angle, min(step, max(36 if angle else max(36, wanted), room))


def _colour_scale(values: Sequence[Cell], centre: float | None, least: float) -> tuple[list[float], list[str], str]:
    """Domain and range of the cells' colours, and the Vega test for cells so strong that they need light text.

    Two hues reach a multiple of `least` to either side.
    """
    known = [float(value) for value in values if isinstance(value, int | float)]
    if centre is None:
        low, high = min(known, default=0.0), max(known, default=1.0)
        high = high if high > low else low + 1
        strong = f"datum['{{value}}'] > {low + STRONG * (high - low)!r}"
        return [low, high], [_rgba(POSITIVE, 0.04), _rgba(POSITIVE, 1)], strong
    reach = max((abs(value - centre) for value in known), default=0.0)
    reach = least * max(math.ceil(reach / least - 1e-9), 1)  # cells that all lie at the centre have no colour
    strong = f"abs(datum['{{value}}'] - {centre!r}) > {STRONG * reach!r}"
    stops = [_rgba(NEGATIVE, 1), _rgba(NEGATIVE, 0), _rgba(POSITIVE, 0), _rgba(POSITIVE, 1)]
    return [centre - reach, centre, centre, centre + reach], stops, strong


def _rgba(colour: tuple[int, int, int], opacity: float) -> str:
    return f"rgba({colour[0]}, {colour[1]}, {colour[2]}, {opacity:g})"


def _tip(sheet: Sheet, unlike: str) -> str:
    labels = [replace(sheet["down"], title=""), sheet["across"]]
    tip = tip_expression(labels, sheet["value"], sheet.rows)
    marked = f"datum['{sheet['chance'].key}'] ? {quoted(f' · {unlike}')} : ''" if "chance" in sheet else ""
    return f"{tip} + ({marked})" if marked else tip


def _label(value: Column, chance: str | None, with_values: bool) -> str:
    text = number_expression(value if value.digits is not None else replace(value, digits=2))
    plain, marked = (text, f"'(' + {text} + ')'") if with_values else ("''", "'○'")
    return f"datum['{chance}'] ? {marked} : {plain}" if chance else plain


def _legend_label(value: Column) -> str:
    digits = (1 if value.unit in SCALED_UNITS else 2) if value.digits is None else value.digits
    return f"format(datum.value{' * 100' if value.unit in SCALED_UNITS else ''}, '.{min(digits, 2)}f')"


def _unless(chance: str | None, test: str) -> str:
    return f"(!datum['{chance}'] && {test})" if chance else f"({test})"
