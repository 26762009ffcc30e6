"""The sheet that every chart is drawn on: its fields as columns, its rows made flat, and how it becomes a figure.

A chart function lays its fields down on a sheet, builds layers with Altair, and finishes the sheet. The sheet chooses
no marks and no colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.report.cells import describe_intervals, interval_estimates
from goldproof.report.chart_parts import (
    DATA_NAME,
    LONGER,
    Caption,
    ChartField,
    ChartRow,
    as_column,
    flat_rows,
    label_room,
    look,
    padding,
    series_encodings,
    tip_expression,
    values_in_order,
)
from goldproof.report.summary import Cell, Column, Figure
from goldproof.report.text_width import widest_of


@dataclass(frozen=True, slots=True)
class Sheet:
    """The fields of a chart by their part in it, its rows as they were given, and the same rows flat."""

    caption: Caption
    columns: Mapping[str, Column]
    given: Sequence[Mapping[str, Cell]]
    rows: Sequence[ChartRow]

    def __getitem__(self, part: str) -> Column:
        """The column that plays a part."""
        return self.columns[part]

    def __contains__(self, part: str) -> bool:
        """Whether the chart has such a part."""
        return part in self.columns

    def names(self, part: str) -> list[Any]:
        """The different values of a part, in order of appearance; none where the chart has no such part."""
        return values_in_order(self.rows, self[part].key) if part in self else []

    def room(self, part: str) -> int:
        """The pixels that the names of a part need at the left of the chart, in any font."""
        return label_room(self.names(part))

    def has_intervals(self, part: str) -> bool:
        """Whether a value of the part has an interval."""
        return any(f"{self[part].key}_low" in row for row in self.rows)

    def tip(self, parts: Sequence[str], value: str) -> str:
        """The Vega expression of what a mark says: where it is, by the parts that there are, value, interval, n."""
        return tip_expression([self[part] for part in parts if part in self], self[value], self.rows)

    def looks(self) -> dict[str, Any]:
        """Colour, dash and shape of each series; none where there is no series."""
        return series_encodings(self["series"], self.rows) if "series" in self else {}

    def finish(self, chart: Any, narrow: Mapping[str, Any], value: str | None = None, names: str = "") -> Figure:
        """The figure; `narrow` is what changes on a narrow page, `value` the part whose intervals a note explains.

        `names` is the part whose names stand at the left.
        """
        caption = self.caption
        estimates = [] if value is None else interval_estimates(self.given, self[value].key)
        if value is not None and estimates:
            method = f"{self[value].title}: {describe_intervals(estimates)}."
            caption = replace(caption, note=f"{caption.note} {method}".strip())
        room = self.room(names) if names else 0
        air = padding(LONGER * widest_of(self.names("series")))
        meta = {"narrow": dict(narrow), **({"room": room} if room else {})}
        spec = {**chart.to_dict(), "padding": air, "config": look(room), "usermeta": meta}
        return Figure(caption.name, caption.title, spec, self.rows, caption.note, caption.keys)


def lay_out(rows: Sequence[Mapping[str, Cell]], caption: Caption, **fields: ChartField | None) -> Sheet:
    """A sheet with the given parts; a part without a field is left out."""
    columns = {part: as_column(field, caption.name) for part, field in fields.items() if field is not None}
    return Sheet(caption, columns, rows, flat_rows(rows, list(columns.values()), caption.name))


def layered(*layers: Any, **size: Any) -> Any:
    """Layers over each other, drawn from the figure's rows."""
    import altair as alt

    return alt.layer(*layers, data=alt.NamedData(DATA_NAME)).properties(**size)
