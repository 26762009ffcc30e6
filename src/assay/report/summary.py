"""The typed summary that every rendering starts from: Report, Section, Table, Figure, Text.

It holds plain values only, so that the same summary always gives the same bytes. It does not render.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.statistics.estimate import Estimate

Cell = str | int | float | bool | None | Estimate


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; plain text, shown as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its key in the rows, its heading, its unit, the digits to show, what it means."""

    key: str
    title: str
    digits: int | None = None
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under typed columns; `name` is its file name, `title` says the finding, `keys` the jobs behind it."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Cell]]
    note: str = ""
    keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as a Vega-Lite specification without its data, and the rows it draws."""

    name: str
    title: str
    spec: Mapping[str, Any]
    rows: Sequence[Mapping[str, Cell]]
    note: str = ""
    keys: Sequence[str] = ()


Item = Text | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a report."""

    title: str
    items: Sequence[Item]


@dataclass(frozen=True, slots=True)
class Report:
    """What a study found: title, a verdict in a few sentences, sections, and what it was made from."""

    name: str
    title: str
    verdict: Sequence[str]
    sections: Sequence[Section]
    provenance: Mapping[str, Cell] = field(default_factory=dict)
