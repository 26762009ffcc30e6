"""The report as Markdown, for a pull request or a README: the same numbers, figures as links to their files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from goldproof.report.cells import (
    SUPERSCRIPTS,
    TIED,
    CellView,
    answer_lines,
    claim_line,
    footnotes,
    heading,
    subject_line,
    table_lines,
    view,
)
from goldproof.report.summary import Claim, Column, ExampleList, Figure, Item, Report, Table, Text

SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def report_markdown(report: Report) -> str:
    """The whole report; figures are expected beside it as figures/<name>.svg, tables as tables/<name>.csv."""
    subject = [escape(subject_line(report))] if subject_line(report) else []
    places = {item.name: item.title for item in report.items if not isinstance(item, Text)}
    verdict = "\n".join(f"- {escape(claim_line(line))}{_place(line, places)}" for line in report.verdict)
    blocks = [f"# {escape(report.title)}", *subject, *_answer(report), verdict]
    for section in report.sections:
        blocks.append(f"## {escape(section.title)}")
        blocks += [_item(item) for item in section.items]
    if report.provenance:
        lines = [
            f"- {escape(name)}: {escape(view(value, Column(name, name)).plain)}"
            for name, value in report.provenance.items()
        ]
        blocks.append("## Made from\n\n" + "\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _answer(report: Report) -> list[str]:
    """The first screen: the sentence in bold, what it would take, what must be known, and the chart."""
    if report.answer is None:
        return []
    sentence, *rest = map(escape, answer_lines(report.answer))
    return [f"**{sentence}**", *rest, *([_item(report.answer.figure)] if report.answer.figure is not None else [])]


def _place(line: str | Claim, places: Mapping[str, str]) -> str:
    """Where a finding is shown: the title of its table or figure, which is in bold there."""
    known = isinstance(line, Claim) and line.place in places
    return f" See “{escape(places[line.place])}”." if isinstance(line, Claim) and known else ""


def escape(text: str) -> str:
    """Text that Markdown and HTML show as it is, on one line.

    >>> escape("a|b *c* <i>")
    'a\\\\|b \\\\*c\\\\* &lt;i&gt;'
    """
    one_line = " ".join(text.split())
    for character, entity in ENTITIES.items():
        one_line = one_line.replace(character, entity)
    return SPECIAL.sub(r"\\\1", one_line)


def _item(item: Item) -> str:
    if isinstance(item, Text):
        return escape(item.text) + (f" ([more]({item.link}))" if item.link else "")
    if isinstance(item, Table):
        return table_markdown(item)
    if isinstance(item, Figure):
        note = f"\n\n{escape(item.note)}" if item.note else ""
        return f"![{escape(item.title)}](figures/{item.name}.svg)\n\n**{escape(item.title)}**{note}"
    return _examples(item)


def table_markdown(table: Table) -> str:
    """A table with its notes; the best value is bold, and so is what cannot be distinguished from it (≈)."""
    views = [[view(row.get(column.key), column) for column in table.columns] for row in table.rows]
    notes = footnotes(views)
    headings = [f"{escape(heading(c))}{' (published)' if c.published else ''}" for c in table.columns]
    rules = ["---:" if any(row[i].number is not None for row in views) else "---" for i in range(len(headings))]
    rows = [[_cell(cell, [notes[text] for text in cell.footnotes]) for cell in row] for row in views]
    lines = [f"| {' | '.join(cells)} |" for cells in [headings, rules, *rows]]
    beneath = "".join(f"\n\n{escape(line)}" for line in table_lines(table, views))
    return f"**{escape(table.title)}**\n\n" + "\n".join(lines) + beneath


def _cell(cell: CellView, numbers: Sequence[int]) -> str:
    text = escape(cell.text)
    if cell.best or cell.tied:
        text = f"**{text}**"
    marks = (TIED if cell.tied else "") + " ".join(str(number).translate(SUPERSCRIPTS) for number in numbers)
    return text + (f" {escape(cell.interval)}" if cell.interval else "") + marks


def _examples(examples: ExampleList) -> str:
    flips = sum(item.flips for item in examples.items)
    note = f" {escape(examples.note)}" if examples.note else ""
    return (
        f"**{escape(examples.title)}**\n\nitems: {len(examples.items)}; flipping between runs: {flips}; "
        f"the items are in tables/{examples.name}.csv and in report.html.{note}"
    )
