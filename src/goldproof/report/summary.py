"""The typed summary that every rendering starts from: Report, Answer, Section, Table, Figure, ExampleList, Text.

A report reads like an answer: its title asks, its `Answer` is the first screen, its claims are the findings, and its
sections show charts before tables. It holds plain values only, so that the same summary always gives the same bytes.
It does not render.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from goldproof.errors import UsageError
from goldproof.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is not there, and why; shown as "–" with the reason beneath the table."""

    reason: str


Plain = str | int | float | bool | None | Estimate | Missing
LINK = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.(html|md|json|tex|yaml)")


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
    """A paragraph; plain text, shown as it is. `link` is a file beside the page that has more."""

    text: str
    link: str = ""

    def __post_init__(self) -> None:
        """Refuse a link that leads out of the report's folder."""
        if self.link and not LINK.fullmatch(self.link):
            raise UsageError(f"the link of a text is a file below the report's folder; got {self.link!r}")


VERDICTS = ("verdict", "claim")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its key in the rows, its heading, its unit, the digits to show, what it means.

    Shares and differences of shares stay fractions in the rows: the units "%" and "points" show them times 100, any
    other unit is printed as it is; "p-value" is not printed, and shows small values as <0.001. `published` is for
    numbers printed in a paper, which stand beside our own. A column with a key of `VERDICTS` stays in sight on a
    narrow page.
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


Standing = Literal["shown", "not shown", "undecided", "refuted", "stated", "red", "green", "grey"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding: a plain sentence, whether the data show what it says, and the estimate behind it.

    "not shown" was tested and did not show; "undecided" could not be told with these data; "stated" is a number that
    was measured, with nothing tested. `digits` and `unit` say how to print the estimate, as in a `Column`; `published`
    is the number a paper printed; `place` is the name of the table, figure or list of examples that it is from.
    Red, green and grey are the lights of an audit: a problem, none, or it cannot be told.
    """

    text: str
    standing: Standing = "stated"
    estimate: Estimate | None = None
    digits: int | None = None
    unit: str = ""
    published: str = ""
    place: str = ""


ReplyKind = Literal["yes", "no", "open", "measured"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The first screen: the one sentence that answers the title, for what it holds, and the one chart that shows it.

    `head` is the answer in a few words ("Yes, for other trainings too"), `text` goes on from it with the number, its
    interval and its scope; one of them may be empty. `takes` says what it would take to be told more, `notes` what
    must be known before anything else: data that are made up, runs that collapsed. `figure` is in no section. Of the
    kinds, "open" is what cannot be told, and "measured" answers a question that asks for a number.
    """

    kind: ReplyKind
    head: str
    text: str = ""
    takes: str = ""
    notes: Sequence[str] = ()
    figure: Figure | None = None

    @property
    def sentence(self) -> str:
        """Head and text as one.

        >>> Answer("yes", "Yes, as these two systems are", "B is better by 2.0 points [0.9, 3.0].").sentence
        'Yes, as these two systems are: B is better by 2.0 points [0.9, 3.0].'
        """
        return ": ".join(part for part in (self.head, self.text) if part)


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What was found: the title asks, the answer is the first screen, the verdict holds the findings, then sections.

    In each section the figures come before all else. `provenance` is what the report was made from. `beside` are the
    reports that stand in folders of these names beside it, to which its texts may link.
    """

    name: str
    title: str
    verdict: Sequence[str | Claim]
    sections: Sequence[Section]
    provenance: Mapping[str, Plain] = field(default_factory=dict)
    answer: Answer | None = None
    beside: Mapping[str, Report] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put charts before tables."""
        sections = tuple(replace(section, items=_charts_first(section.items)) for section in self.sections)
        object.__setattr__(self, "sections", sections)

    @property
    def items(self) -> list[Item]:
        """Everything that the report holds, the answer's figure first."""
        lead: list[Item] = [self.answer.figure] if self.answer is not None and self.answer.figure is not None else []
        return lead + [item for section in self.sections for item in section.items]

    def __repr__(self) -> str:
        """The title, the answer and the findings, a line for each sentence."""
        verdict = (line.text if isinstance(line, Claim) else line for line in self.verdict)
        answer = [] if self.answer is None else [self.answer.sentence]
        return "\n".join([self.title, *answer, *(f"- {line}" for line in verdict)])

    def _repr_html_(self) -> str:
        """The report as a notebook shows it."""
        from goldproof.report.notebook import html_fragment

        return html_fragment(self)


def _charts_first(items: Sequence[Item]) -> Sequence[Item]:
    return tuple(sorted(items, key=lambda item: not isinstance(item, Figure)))
