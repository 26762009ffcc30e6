"""What the charts share: flat rows, tips, scales, axes and the look; it draws nothing by itself.

A chart function builds its Vega-Lite specification with Altair, without parameters and with a data source named "rows",
so that no name in it depends on what was drawn before in the same process.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldproof.errors import UsageError
from goldproof.report.cells import plain_value
from goldproof.report.numbers import SCALED_UNITS, default_digits
from goldproof.report.palette import DASHES, INK, MUTED, RULE, SERIES, SHAPES, cycle
from goldproof.report.summary import Cell, Column, Marked, Missing
from goldproof.report.text_width import LABEL_SIZE, widest_of
from goldproof.statistics.estimate import Estimate

DATA_NAME = "rows"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
WIDE, NARROW = 760, 270
MOST_TO_FIT = 440  # pixels: what is a little wider than a phone is shown a little smaller there; the rest scrolls
ROW_HEIGHT = 22
LABEL_LIMIT, NARROW_LABEL_LIMIT = 320, 140  # in the font of the machine that draws
AIR = 5
LONGER = 0.2  # the part by which a text in the widest font may exceed what was measured
ROOM_FOR_CUT = 1.25  # how much wider a label that was cut to its limit may be in another font

ChartField = Column | str
ChartRow = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands around a chart: its file name, its title (the finding), a note, the keys of the jobs behind it."""

    name: str
    title: str
    note: str = ""
    keys: Sequence[str] = ()


def as_column(field: ChartField, where: str) -> Column:
    """A column from a column or a bare key; keys are plain names or pass@k, as Vega-Lite reads others as paths."""
    column = Column(field, field) if isinstance(field, str) else field
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_@^]*", column.key):
        raise UsageError(
            f"chart '{where}': a key to draw is made of letters, digits and underscores and starts with no digit; "
            f"got '{column.key}'"
        )
    return column


def flat_rows(rows: Sequence[Mapping[str, Cell]], columns: Sequence[Column], where: str) -> list[ChartRow]:
    """Rows of plain values: an Estimate under "k" becomes "k", "k_low", "k_high", "k_n"; what is not there is None."""
    if not rows:
        raise UsageError(f"chart '{where}': there is nothing to draw, as there are no rows")
    for column in columns:
        if not any(column.key in row for row in rows):
            raise UsageError(f"chart '{where}': no row has the key '{column.key}'; keys are {', '.join(rows[0])}")
    return [flat_row(row) for row in rows]


def flat_row(row: Mapping[str, Cell]) -> ChartRow:
    """A row of plain values; a row that is plain already stays as it is."""
    flat: ChartRow = {}
    for key, cell in row.items():
        value = plain_value(cell.value if isinstance(cell, Marked) else cell)
        if isinstance(value, Estimate):
            parts = {"": value.value, "_low": value.low, "_high": value.high, "_n": value.n}
            flat |= {key + suffix: _finite(plain_value(part)) for suffix, part in parts.items()}
        else:
            flat[key] = _finite(value)
    return flat


def _finite(value: Any) -> Any:
    if isinstance(value, Missing) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def number_expression(column: Column, suffix: str = "") -> str:
    """The Vega expression that prints a number as the tables print it."""
    field = f"datum['{column.key}{suffix}']"
    scaled = f"{field} * 100" if column.unit in SCALED_UNITS else field
    digits = default_digits(column.unit) if column.digits is None else column.digits
    return f"(isValid({field}) ? format({scaled}, '.{digits}f') : '–')"


def text_expression(column: Column, rows: Sequence[Mapping[str, Cell]]) -> str:
    """The Vega expression that prints a field: numbers with the column's digits where it has them, else as they are."""
    if column.digits is not None and all(isinstance(row.get(column.key), int | float | None) for row in rows):
        return number_expression(column)
    return f"(isValid(datum['{column.key}']) ? '' + datum['{column.key}'] : '–')"


def tip_expression(labels: Sequence[Column], value: Column, rows: Sequence[Mapping[str, Cell]]) -> str:
    """The Vega expression of what a mark says when it is pointed at: where it is, value, interval, n."""
    places = [f"{quoted(column.title + ' ')} + {text_expression(column, rows)}" for column in labels]
    unit = f" {value.unit}" if value.unit else ""
    shown = f"{quoted(value.title + ' ')} + {number_expression(value)} + {quoted(unit)}"
    keys = {key for row in rows for key in row}
    if f"{value.key}_low" in keys:
        low, high = number_expression(value, "_low"), number_expression(value, "_high")
        shown += f" + (isValid(datum['{value.key}_low']) ? ' [' + {low} + ', ' + {high} + ']' : '')"
    for n in (f"{value.key}_n", "n"):
        if n in keys:
            shown += f" + (isValid(datum['{n}']) ? ', n = ' + datum['{n}'] : '')"
            break
    return "trim(" + " + ' · ' + ".join([*places, shown]) + ")"


def quoted(text: str) -> str:
    """A text as a literal of a Vega expression."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ") + "'"


def values_in_order(rows: Sequence[Mapping[str, Cell]], key: str) -> list[Any]:
    """The different values of a field, in the order in which they first appear."""
    return list(dict.fromkeys(row.get(key) for row in rows if row.get(key) is not None))


def longest(values: Sequence[Any]) -> int:
    """The length of the longest value as text."""
    return max((len(str(value)) for value in values), default=0)


def axis_format(column: Column) -> dict[str, Any]:
    """How the labels of a quantitative axis read: times 100 for percentages and points."""
    return {"labelExpr": "format(datum.value * 100, '~g')"} if column.unit in SCALED_UNITS else {}


def series_encodings(series: Column, rows: Sequence[Mapping[str, Cell]]) -> dict[str, Any]:
    """Colour, dash and shape of each series, so that none is told by its colour alone.

    Lines take "stroke" and "dash", their bands and points the same colours as "fill", which stays out of the legend;
    points by themselves take "color" and "shape".
    """
    import altair as alt

    names = values_in_order(rows, series.key)
    common = {"title": series.title, "orient": "top", "columns": _legend_columns(names), "columnPadding": 16}
    lines = alt.Legend(**common, symbolType="stroke", symbolStrokeWidth=2.5, symbolSize=400)
    points = alt.Legend(**common, symbolSize=80, symbolOpacity=1)

    def encoding(channel: Any, values: tuple[object, ...], legend: Any) -> Any:
        return channel(f"{series.key}:N", scale=alt.Scale(domain=names, range=cycle(values, len(names))), legend=legend)

    return {
        "stroke": encoding(alt.Stroke, SERIES, lines),
        "strokeDash": encoding(alt.StrokeDash, DASHES, lines),
        "fill": encoding(alt.Fill, SERIES, None),
        "color": encoding(alt.Color, SERIES, points),
        "shape": encoding(alt.Shape, SHAPES, points),
    }


def _legend_columns(names: Sequence[Any]) -> int:
    return max(1, min(len(names), 340 // (45 + math.ceil(widest_of(names)))))


def label_room(names: Sequence[Any]) -> int:
    """The pixels that names beside a chart need in whatever font the reader has."""
    return math.ceil(min(widest_of(names), ROOM_FOR_CUT * LABEL_LIMIT)) + 2


def narrow_room(room: int) -> int:
    """The pixels that names get on a narrow page, where they are cut sooner."""
    return min(room, math.ceil(ROOM_FOR_CUT * NARROW_LABEL_LIMIT))


def padding(right: float = 0, top: float = 0) -> dict[str, int]:
    """The air around a chart, with more for what other fonts make longer at the right and at the top."""
    return {"left": AIR, "top": AIR + math.ceil(top), "right": AIR + math.ceil(right), "bottom": AIR}


def look(room: int = 0) -> dict[str, Any]:
    """The configuration of every chart: one font in one weight, thin grey rules, no frame, no background.

    `room` is what the names at the left get at least.
    """
    label = {"labelFont": FONT, "labelFontSize": LABEL_SIZE, "labelColor": INK, "labelLimit": LABEL_LIMIT}
    title = {"titleFont": FONT, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": MUTED}
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            **label,
            **title,
            "gridColor": RULE,
            "domainColor": RULE,
            "tickColor": RULE,
            "tickSize": 4,
            "labelPadding": 4,
            "labelFlush": False,
        },
        "legend": {**label, **title, "gradientLength": 200, "gradientThickness": 10},
        "header": {**label, **title, "labelFontSize": 13},
        "text": {"font": FONT, "fontSize": 11},
        **({"axisLeft": {"minExtent": room}} if room else {}),
    }
