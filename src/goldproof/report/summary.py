"""The typed summary that every rendering starts from: Report, Section, Table, Figure, ExampleList, Text.

It holds plain values only, so that the same summary always gives the same bytes. It does not render.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from goldproof.errors import UsageError
from goldproof.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is not there, and why; shown as "–" with the reason beneath the table."""

    reason: str


Plain = str | int | float | bool | None | Estimate | Missing


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell that stands out: the best of its column, not distinguishable from the best, or with a footnote.

    What counts as a tie is a question for the statistics; the summary only carries the answer.
    """

    value: Plain
    best: bool = False
    tied: bool = False
    note: str = ""


Cell = Plain | Marked


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; plain text, shown as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its key in the rows, its heading, its unit, the digits to show, what it means.

    Shares and differences of shares stay fractions in the rows: the units "%" and "points" show them times 100, any
    other unit is printed as it is; "p-value" is not printed, and shows small values as <0.001. `published` is for
    numbers printed in a paper, which stand beside our own.
    """

    key: str
    title: str
    digits: int | None = None
    unit: str = ""
    note: str = ""
    published: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under typed columns; `name` is its file name, `title` says the finding, `keys` the jobs behind it.

    What no column shows is dropped from the rows: a number that is not printed is in no file of the report either.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Cell]]
    note: str = ""
    keys: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Keep what the columns show."""
        shown = {column.key for column in self.columns}
        rows = [{key: cell for key, cell in row.items() if key in shown} for row in self.rows]
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as a Vega-Lite specification without its data, and the rows it draws.

    The specification reads its rows from the data source named "rows"; `goldproof.report.charts` makes such figures.
    """

    name: str
    title: str
    spec: Mapping[str, Any]
    rows: Sequence[Mapping[str, Cell]]
    note: str = ""
    keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One item: its texts, its gold label, and the label that each run predicted (None where a run has none)."""

    id: str
    texts: Sequence[str]
    gold: str | None
    predictions: Sequence[str | None]
    tags: Sequence[str] = ()

    @property
    def flips(self) -> bool:
        """Whether two runs predict different labels.

        >>> Example("7", ["A dog barks."], "yes", ["yes", None, "no"]).flips
        True
        """
        return len({label for label in self.predictions if label is not None}) > 1

    @property
    def always_wrong(self) -> bool:
        """Whether the item has a gold label and no run predicts it."""
        known = [label for label in self.predictions if label is not None]
        return self.gold is not None and bool(known) and self.gold not in known


@dataclass(frozen=True, slots=True)
class ExampleList:
    """Items to browse: `fields` names the texts of each item, `runs` names its predictions, in their order."""

    name: str
    title: str
    fields: Sequence[str]
    runs: Sequence[str]
    items: Sequence[Example]
    note: str = ""
    keys: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse items that do not fit the fields and runs."""
        for item in self.items:
            for what, got, names in (("texts", item.texts, self.fields), ("predictions", item.predictions, self.runs)):
                if len(got) != len(names):
                    where = f"examples '{self.name}', item '{item.id}'"
                    raise UsageError(f"{where}: {what} are needed for {', '.join(names)}; got {len(got)}")


Item = Text | Table | Figure | ExampleList


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a report."""

    title: str
    items: Sequence[Item]


Standing = Literal["shown", "refuted", "undecided", "stated", "red", "green", "grey"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the verdict, whether the data show it, and the estimate behind it.

    Red, green and grey are the lights of an audit: a problem, none, or it cannot be told.
    `digits` and `unit` say how to print the estimate, as in a `Column`; `published` is the number a paper printed.
    """

    text: str
    standing: Standing = "stated"
    estimate: Estimate | None = None
    digits: int | None = None
    unit: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What a study found: title, a verdict in a few sentences, sections, and what it was made from."""

    name: str
    title: str
    verdict: Sequence[str | Claim]
    sections: Sequence[Section]
    provenance: Mapping[str, Plain] = field(default_factory=dict)

    def __repr__(self) -> str:
        """The title and the verdict, a line for each sentence."""
        verdict = (line.text if isinstance(line, Claim) else line for line in self.verdict)
        return "\n".join([self.title, *(f"- {line}" for line in verdict)])

    def _repr_html_(self) -> str:
        """The report as a notebook shows it."""
        from goldproof.report.notebook import html_fragment

        return html_fragment(self)
