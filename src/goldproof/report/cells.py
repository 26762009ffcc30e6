"""How a cell reads in every rendering; `numbers` says how a number does.

It gives the parts (value, interval, unit, marks, reason); each rendering puts them together in its own syntax.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.errors import UsageError
from goldproof.report.numbers import (
    MISSING,
    PROBABILITY,
    digits_of_value,
    estimate_text,
    format_interval,
    format_number,
)
from goldproof.report.summary import Answer, Cell, Claim, Column, Marked, Missing, Plain, Report, Table
from goldproof.statistics.estimate import Estimate

SUBJECT = ("files", "model", "models", "corpus", "tasks", "languages", "seeds", "runs")
TIED = "≈"
WHOLE_NUMBER = re.compile(r"(?<![\d.])(\d+)(?![\d.])")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MARKS = {
    "shown": "Shown",
    "not shown": "Not shown",
    "undecided": "Undecided",
    "refuted": "Refuted",
    "stated": "",
    "red": "Red",
    "green": "Green",
    "grey": "Grey",
}
TIED_MEANING = f"{TIED} not distinguishable from the best"


@dataclass(frozen=True, slots=True)
class CellView:
    """The parts of a cell that is to be shown; `reason` says why a value is missing, `note` is its footnote."""

    text: str
    interval: str = ""
    number: float | None = None
    n: int | None = None
    best: bool = False
    tied: bool = False
    note: str = ""
    reason: str = ""

    @property
    def plain(self) -> str:
        """Value and interval as one text."""
        return f"{self.text} {self.interval}" if self.interval else self.text

    @property
    def footnotes(self) -> list[str]:
        """What must be said beneath the table about this cell."""
        return [text for text in (self.reason, self.note) if text]


def plain_value(value: Any) -> Any:
    """Turn a numpy scalar into the Python value it holds; anything else stays as it is."""
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def view(cell: Cell, column: Column) -> CellView:
    """Say how a cell of a column reads.

    >>> view(Estimate(0.634, 0.51, 0.73, "bootstrap over seeds", 33), Column("corr", "RS corr.", digits=3)).plain
    '0.634 [0.51, 0.73]'
    >>> view(float("nan"), Column("mcc", "MCC")).reason
    'not defined'
    """
    if isinstance(cell, Marked):
        return replace(view(cell.value, column), best=cell.best, tied=cell.tied, note=cell.note)
    return _plain_view(plain_value(cell), column)


def _plain_view(cell: Plain, column: Column) -> CellView:
    if isinstance(cell, Missing):
        return CellView(MISSING, reason=cell.reason)
    if cell is None:
        return CellView(MISSING)
    if isinstance(cell, bool):
        return CellView("yes" if cell else "no")
    if isinstance(cell, str):
        return CellView(cell)
    if isinstance(cell, Estimate):
        return _estimate_view(cell, column)
    if not isinstance(cell, int | float):
        raise UsageError(
            f"column '{column.key}': a cell is a text, a number, yes or no, an Estimate, Missing, Marked or None; "
            f"got {type(cell).__name__}"
        )
    if isinstance(cell, float) and math.isnan(cell):
        return CellView(MISSING, reason="not defined")
    return CellView(format_number(cell, column.digits, column.unit), number=float(cell))


def _estimate_view(cell: Estimate, column: Column) -> CellView:
    if math.isnan(cell.value):
        return CellView(MISSING, reason=cell.method)
    text = format_number(float(cell.value), digits_of_value(cell, column.digits, column.unit), column.unit)
    interval = format_interval(cell, column.digits, column.unit)
    return CellView(text, interval, cell.value, cell.n, reason="" if interval else _why_bare(cell.method))


def _why_bare(method: str) -> str:
    """Why an estimate has no interval; the statistics may have said so already.

    >>> _why_bare("one run only"), _why_bare("no interval: nothing varies")
    ('no interval: one run only', 'no interval: nothing varies')
    """
    return method if method.startswith("no interval") else f"no interval: {method}"


def heading(column: Column) -> str:
    """The title of a column with its unit."""
    return f"{column.title} ({column.unit})" if column.unit not in ("", PROBABILITY) else column.title


def claim_evidence(claim: Claim) -> list[str]:
    """The estimate behind a claim in words: value and interval, level, n, method, and what a paper printed.

    >>> effect = Estimate(0.019, 0.006, 0.032, "paired bootstrap", 1104)
    >>> claim_evidence(Claim("B is better.", "shown", effect, unit="points"))
    ['1.9 points [0.6, 3.2]', '95 % interval', 'n = 1104', 'paired bootstrap']
    >>> claim_evidence(Claim("B is better by 1.9 points [0.6, 3.2].", "shown", effect, unit="points"))[0]
    '95 % interval'
    """
    parts = []
    if claim.estimate is not None:
        said = estimate_text(claim.estimate, claim.digits, claim.unit)
        parts += [said] if said not in claim.text else []
        if not math.isnan(claim.estimate.value) and format_interval(claim.estimate):
            level = claim.estimate.level  # 1 where the ends are the best and the worst case, and no sample's interval
            parts.append(f"{level * 100:.4g} % interval" if level < 1 else "lowest and highest")
        parts += [f"n = {format_number(claim.estimate.n)}", claim.estimate.method]
    if claim.published:
        parts.append(f"published: {claim.published}")
    return [part for part in parts if part]


def claim_line(line: str | Claim) -> str:
    """A finding on one line of plain text: how it stands, what it says, and what is behind it.

    >>> claim_line(Claim("B is better.", "shown", published="1.2")), claim_line("Two  runs.")
    ('Shown: B is better. (published: 1.2)', 'Two runs.')
    """
    claim = Claim(line) if isinstance(line, str) else line
    evidence = claim_evidence(claim)
    behind = f" ({'; '.join(evidence)})" if evidence else ""
    mark = f"{MARKS[claim.standing]}: " if MARKS[claim.standing] else ""
    return " ".join(f"{mark}{claim.text}{behind}".split())


def answer_lines(answer: Answer) -> list[str]:
    """The answer as lines of plain text: the sentence, what it would take, and what must be known.

    >>> answer_lines(Answer("open", "Undecided", "there is one run.", takes="It would take another."))
    ['Undecided: there is one run.', 'It would take another.']
    """
    lines = [answer.sentence, answer.takes, *answer.notes]
    return [" ".join(line.split()) for line in lines if line]


def method_lines(table: Table) -> list[str]:
    """Say how the intervals of the columns were made and from how many items, once where it is the same."""
    titles: dict[str, list[str]] = {}
    for column in table.columns:
        estimates = interval_estimates(table.rows, column.key)
        if estimates:
            titles.setdefault(describe_intervals(estimates), []).append(column.title)
    if len(titles) == 1 and len(*titles.values()) > 3:
        return [f"All intervals: {line}" for line in titles]
    return [f"{', '.join(dict.fromkeys(named))}: {line}" for line, named in titles.items()]


def interval_estimates(rows: Sequence[Mapping[str, Cell]], key: str) -> list[Estimate]:
    """The estimates under a key that have an interval."""
    cells = [row.get(key) for row in rows]
    values = [cell.value if isinstance(cell, Marked) else cell for cell in cells]
    return [value for value in values if isinstance(value, Estimate) and not math.isnan(value.low)]


def describe_intervals(estimates: Sequence[Estimate]) -> str:
    """Say how intervals were made and from how many items.

    >>> describe_intervals([Estimate(0.5, 0.4, 0.6, "Wilson", 30), Estimate(0.7, 0.6, 0.8, "Wilson", 90)])
    '95 % interval, Wilson, n = 30 to 90'
    """
    levels = " or ".join(sorted({f"{e.level * 100:.4g} %" for e in estimates}))
    methods = "; ".join(_merged(list(dict.fromkeys(e.method for e in estimates))))
    low, high = min(e.n for e in estimates), max(e.n for e in estimates)
    n = format_number(low) if low == high else f"{format_number(low)} to {format_number(high)}"
    return f"{levels} interval, {methods}, n = {n}"


def _merged(methods: Sequence[str]) -> list[str]:
    """Methods that differ in their numbers alone as one, with the range of each number.

    >>> _merged(["3 runs × 277 items", "3 runs × 1725 items", "t"])
    ['3 runs × 277 to 1725 items', 't']
    """
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for method in methods:
        parts = WHOLE_NUMBER.split(method)
        alike.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    merged = []
    for texts, numbers in alike.items():
        ranges = [_range(list(dict.fromkeys(column))) for column in zip(*numbers, strict=True)]
        merged.append("".join(text + number for text, number in zip(texts, [*ranges, ""], strict=True)))
    return merged


def _range(numbers: Sequence[str]) -> str:
    ranked = sorted(numbers, key=int)
    return ranked[0] if len(ranked) == 1 else f"{ranked[0]} to {ranked[-1]}"


def footnotes(views: Sequence[Sequence[CellView]]) -> dict[str, int]:
    """Number the footnotes of a table in order of appearance; the same text has one number.

    >>> footnotes([[CellView("1", note="a")], [CellView("–", reason="3 items"), CellView("2", note="a")]])
    {'a': 1, '3 items': 2}
    """
    texts = dict.fromkeys(text for row in views for cell in row for text in cell.footnotes)
    return {text: number for number, text in enumerate(texts, start=1)}


def table_lines(table: Table, views: Sequence[Sequence[CellView]]) -> list[str]:
    """What stands beneath a table: its note, what columns mean, how intervals were made, ties and footnotes."""
    meanings = [
        f"{'Published ' if column.published else ''}{column.title}: {column.note}."
        for column in table.columns
        if column.note
    ]
    ties = [f"{TIED_MEANING}."] if any(cell.tied for row in views for cell in row) else []
    numbered = [f"{str(number).translate(SUPERSCRIPTS)} {text}" for text, number in footnotes(views).items()]
    return [
        *([table.note] if table.note else []),
        *meanings,
        *(f"{line}." for line in method_lines(table)),
        *ties,
        *numbered,
    ]


def mark_best(
    rows: Sequence[Mapping[str, Cell]], key: str, *, tied: Sequence[int] = (), largest: bool = True
) -> list[dict[str, Cell]]:
    """Mark the best row of a column, and the rows (by index) that the statistics could not tell from it.

    >>> [row["mcc"] for row in mark_best([{"mcc": 0.2}, {"mcc": 0.3}], "mcc", tied=[0])]
    [Marked(value=0.2, best=False, tied=True, note=''), Marked(value=0.3, best=True, tied=False, note='')]
    """
    column = Column(key, key)
    numbers = [view(row.get(key), column).number for row in rows]
    known = [number for number in numbers if number is not None]
    best = (max(known) if largest else min(known)) if known else None
    marked = []
    for index, (row, number) in enumerate(zip(rows, numbers, strict=True)):
        is_best = number is not None and number == best
        marked.append({**row, key: _mark(row.get(key), is_best, index in tied and not is_best)})
    return marked


def _mark(cell: Cell, best: bool, tied: bool) -> Cell:
    if not best and not tied:
        return cell
    if isinstance(cell, Marked):
        return replace(cell, best=best, tied=tied)
    return Marked(cell, best, tied)


def subject_line(report: Report) -> str:
    """What was judged, for a reader with two reports side by side: what the provenance has under the usual names.

    >>> subject_line(Report("r", "Does it hold?", (), (), {"model": "E5", "batch": 8, "seeds": "0, 1"}))
    'model E5 · seeds 0, 1'
    """
    known = {name: report.provenance[name] for name in SUBJECT if name in report.provenance}
    return " · ".join(f"{name} {view(value, Column(name, name)).plain}" for name, value in known.items())
