"""The heat map: a cell for each pair of names, its value printed where it fits, its interval in the tip.

It decides colours, sizes and marks; what it shares with the other charts is in `goldproof.report.chart_parts`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.report.cells import heading
from goldproof.report.chart_parts import (
    AIR,
    LONGER,
    MOST_TO_FIT,
    ROW_HEIGHT,
    Caption,
    ChartField,
    label_room,
    narrow_room,
    number_expression,
    padding,
    quoted,
    tip_expression,
)
from goldproof.report.chart_sheet import Sheet, lay_out, layered
from goldproof.report.extremes import ends_of
from goldproof.report.numbers import SCALED_UNITS
from goldproof.report.palette import BETTER_CELL, INK, NEUTRAL_CELL, ON_COLOUR, WORSE_CELL
from goldproof.report.summary import Cell, Column, Figure
from goldproof.report.text_width import widest_of

MOST_COLUMNS_WITH_VALUES = 16
LEAST_BARE_STEP, MOST_BARE_STEP = 8, 28
PAGE = 1030  # pixels across a page at the desk
LEAST_STEP = 48
LEAST_SQUARE = 3
SQUARE = 700  # pixels across a map of places against each other, at the desk
PHONE = 340  # pixels across a page on a phone
UNLIKE_CHANCE = "not distinguishable from chance"
PALER = 0.4
STRONG = 0.74  # from here on light text is easier to read on the cell than dark text


@dataclass(frozen=True, slots=True)
class Centre:
    """Where the two hues of a heat map meet; on its sides they mean better and worse, by default higher is better."""

    at: float = 0.0
    higher_is_better: bool = True


def heat_map(
    rows: Sequence[Mapping[str, Cell]],
    x: ChartField,
    y: ChartField,
    value: ChartField,
    *,
    caption: Caption,
    centre: Centre | float | None = 0.0,
    chance: ChartField | None = None,
) -> Figure:
    """A cell for each (x, y), coloured by its value: better and worse than `centre`, or one hue where that is None.

    `chance` is a yes-or-no field; cells where it is true cannot be distinguished from what its title says (from chance
    where it is a bare key) and are shown in brackets.
    """
    for names_of in (y, x):
        rows, caption = ends_of(rows, names_of, value, caption)
    sheet = lay_out(rows, caption, across=x, down=y, value=value, chance=chance)
    names, marks = sheet.names("across"), sheet["chance"].key if chance is not None else None
    with_values = len(names) <= MOST_COLUMNS_WITH_VALUES
    wide, narrow = _layout(names, sheet.room("down"))
    step_of_scale = 0.05 if sheet["value"].unit in SCALED_UNITS else 0.1
    values = [row.get(sheet["value"].key) for row in sheet.rows]
    is_share = sheet["value"].unit == "%"
    domain, colours, strong = _colour_scale(values, centre, step_of_scale, is_share=is_share)
    unlike = f"not distinguishable from {chance.title}" if isinstance(chance, Column) else UNLIKE_CHANCE
    base = _grid(sheet).transform_calculate(
        tip=_tip(sheet, unlike),
        label=_label(sheet["value"], marks, with_values),
        ink=f"{_unless(marks, strong.format(value=sheet['value'].key))} ? '{ON_COLOUR}' : '{INK}'",
        paler=f"{_unless(marks, 'true')} ? 1 : {PALER}",
    )
    size = {"width": {"step": wide.step}, "height": {"step": ROW_HEIGHT}}
    chart = _layers(base, sheet["value"], domain, colours).properties(**size)
    figure = sheet.finish(chart, {"width": {"step": narrow.step}}, "value", "down")
    figure = replace(figure, spec=_with_headings(figure.spec, names, wide, narrow))
    if chance is None:
        return figure
    mark = "in brackets" if with_values else "marked ○"
    return replace(figure, note=f"{figure.note} Paler and {mark}: {unlike}.".strip())


def square_map(
    rows: Sequence[Mapping[str, Cell]],
    x: ChartField,
    y: ChartField,
    value: ChartField,
    *,
    caption: Caption,
    headings: Mapping[str, str],
    chance: ChartField | None = None,
) -> Figure:
    """A map of many places against each other, of one hue and without values, that fits the page and the phone.

    Cells are square; `headings` are the places that have a heading, at the left and above, and how it reads. `chance`
    is a yes-or-no field; cells where it is true are paler.
    """
    sheet = lay_out(rows, caption, across=x, down=y, value=value, chance=chance)
    names, marks = sheet.names("across"), sheet["chance"].key if "chance" in sheet else None
    shown = list(headings.values())
    room = label_room(shown)
    wide = max(LEAST_SQUARE, min(MOST_BARE_STEP, SQUARE // len(names)))
    narrow = max(LEAST_SQUARE, (PHONE - narrow_room(room)) // len(names))
    values = [row.get(sheet["value"].key) for row in sheet.rows]
    domain, colours, _ = _colour_scale(values, None, 0.1)
    written = "({" + ", ".join(f"{quoted(k)}: {quoted(v)}" for k, v in headings.items()) + "})[datum.value] || ''"
    base = _grid(sheet, labelExpr=written).transform_calculate(
        tip=_tip(sheet, UNLIKE_CHANCE), label="''", ink=f"'{INK}'", paler=f"{_unless(marks, 'true')} ? 1 : {PALER}"
    )
    size = {"width": {"step": wide}, "height": {"step": wide}}
    chart = _layers(base, sheet["value"], domain, colours).properties(**size)
    figure = sheet.finish(chart, {side: {"step": narrow} for side in size}, "value")
    more = LONGER * widest_of(shown) / math.sqrt(2)
    config = {**figure.spec["config"], "axisTop": {"labelAngle": -45}, "axisLeft": {"minExtent": room}}
    meta = {**figure.spec["usermeta"], "room": room}
    figure = replace(figure, spec={**figure.spec, "padding": padding(more, more), "config": config, "usermeta": meta})
    return figure if marks is None else replace(figure, note=f"{figure.note} Paler: {UNLIKE_CHANCE}.".strip())


def _with_headings(spec: Mapping[str, Any], names: Sequence[Any], wide: Headings, narrow: Headings) -> dict[str, Any]:
    """The specification with the angle of the headings on a wide and on a narrow page, and room for slanted ones."""
    more = LONGER * widest_of(names) / math.sqrt(2)
    air = {page: padding(more, more) if page.angle else spec["padding"] for page in (wide, narrow)}
    meta = {**spec["usermeta"], "narrow_config": {"axisTop": {"labelAngle": narrow.angle}}}
    meta["narrow"] = {**meta["narrow"], "padding": air[narrow]}
    config = {**spec["config"], "axisTop": {"labelAngle": wide.angle}}
    return {**spec, "padding": air[wide], "config": config, "usermeta": meta}


def _grid(sheet: Sheet, **labels: Any) -> Any:
    import altair as alt

    across, down = sheet["across"], sheet["down"]
    overlap = "parity" if _are_numbers(sheet.names("across")) else alt.Undefined
    top = alt.Axis(orient="top", domain=False, ticks=False, labelOverlap=overlap, **labels)
    left = alt.Axis(domain=False, ticks=False, labelPadding=6, **labels)
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


@dataclass(frozen=True, slots=True)
class Headings:
    """How wide a column of cells is, and at which angle its heading stands."""

    step: int
    angle: int


def _are_numbers(names: Sequence[Any]) -> bool:
    """Whether some of the headings tell the others, so that those which do not fit may be left out."""
    return all(isinstance(name, int | float) for name in names)


def _layout(names: Sequence[Any], room: int) -> tuple[Headings, Headings]:
    """The columns on a wide page and on a narrow one; `room` is for the names at the left."""
    wanted, n = math.ceil(widest_of(names)) + 8, len(names)
    if n > MOST_COLUMNS_WITH_VALUES:
        step = max(LEAST_BARE_STEP, min(wanted, MOST_BARE_STEP, (PAGE - room) // n))
        bare = Headings(step, 0 if wanted <= step or _are_numbers(names) else -45)
        return bare, bare
    if LEAST_STEP * n + room + 4 * AIR <= MOST_TO_FIT < wanted * n + room:
        return Headings(LEAST_STEP, -45), Headings(LEAST_STEP, -45)  # one drawing for both
    step = max(LEAST_STEP, min(wanted, max(80, 760 // n)))
    left = max(36, (PHONE - narrow_room(room)) // n)
    return Headings(step, 0 if wanted <= step else -45), Headings(min(step, left), 0 if wanted <= left else -45)


def _colour_scale(
    values: Sequence[Cell], centre: Centre | float | None, least: float, *, is_share: bool = False
) -> tuple[list[float], list[str], str]:
    """Domain and range of the cells' colours, and the Vega test for cells so strong that they need light text.

    Two hues reach a multiple of `least` to either side; of a share neither goes beyond 0 and 100 %.
    """
    known = [float(value) for value in values if isinstance(value, int | float)]
    if centre is None:
        low, high = min(known, default=0.0), max(known, default=1.0)
        high = high if high > low else low + 1
        strong = f"datum['{{value}}'] > {low + STRONG * (high - low)!r}"
        return [low, high], [_rgba(NEUTRAL_CELL, 0.04), _rgba(NEUTRAL_CELL, 1)], strong
    middle = centre if isinstance(centre, Centre) else Centre(centre)
    reach = max((abs(value - middle.at) for value in known), default=0.0)
    reach = least * max(math.ceil(reach / least - 1e-9), 1)  # cells that all lie at the centre have no colour
    strong = f"abs(datum['{{value}}'] - {middle.at!r}) > {STRONG * reach!r}"
    below, above = (WORSE_CELL, BETTER_CELL) if middle.higher_is_better else (BETTER_CELL, WORSE_CELL)
    low, high = middle.at - reach, middle.at + reach
    if is_share and 0 < middle.at < 1 and all(0 <= value <= 1 for value in known):
        low, high = max(low, 0.0), min(high, 1.0)  # a hue ends where the share does, no stronger than it is there
    ends = ((middle.at - low) / reach, (high - middle.at) / reach)
    stops = [_rgba(below, ends[0]), _rgba(below, 0), _rgba(above, 0), _rgba(above, ends[1])]
    return [low, middle.at, middle.at, high], stops, strong


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
