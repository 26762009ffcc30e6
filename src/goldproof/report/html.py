"""The report as one HTML page that asks the network for nothing: style, script, charts and data are all inside.

The first screen is the question, its answer and one chart; then come findings, each with a mark and a link. Charts are
drawings (SVG) made beforehand, wide and narrow; the page's own small script adds tips, sorting and the example browser.
A content security policy lets only that script run, whatever the data may say.
"""

from __future__ import annotations

import base64
import hashlib
import json
import string
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from goldproof.report.cells import MARKS, CellView, claim_evidence, footnotes, heading, subject_line, table_lines, view
from goldproof.report.chart_parts import MOST_TO_FIT
from goldproof.report.csv_tables import figure_csv, table_csv
from goldproof.report.figures import drawn_width, figure_svg, narrow_svg
from goldproof.report.numbers import MISSING
from goldproof.report.palette import DARK, dark_style
from goldproof.report.summary import (
    VERDICTS,
    Answer,
    Claim,
    Column,
    Example,
    ExampleList,
    Figure,
    Item,
    Report,
    Table,
    Text,
)

TEMPLATES = Path(__file__).parent / "templates"
SYMBOLS = {
    "shown": "✓",
    "not shown": "–",
    "undecided": "?",
    "refuted": "✗",
    "stated": "",
    "red": "●",
    "green": "●",
    "grey": "●",
}
N_STATIC_EXAMPLES = 5
MOST_SIDES = 2  # so many runs are called by their names, each with its answer; more are counted by answer
MOST_ROWS_IN_SIGHT = 24
MOST_ROWS_IN_FULL = 1000  # of longer tables each row is written as short as HTML allows
MOST_ROOMY_COLUMNS = 9
FILTERED = ("part",)  # the page shows the rows of one part of such a table at a time
SHORT_TEXT, LONG_TEXT = 24, 45
LETTERS = string.digits + string.ascii_letters


def html_page(report: Report) -> str:
    """The whole page."""
    keys = {column.key for item in report.items if isinstance(item, Table) for column in item.columns}
    script = _script(any(isinstance(item, ExampleList) for item in report.items), not keys.isdisjoint(FILTERED))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _render("page.html", report, interactive=True, script=Markup(script), script_hash=digest)


def html_fragment(report: Report) -> str:
    """The report without page and script, to stand inside another page, such as a notebook."""
    return _render("notebook.html", report, interactive=False)


@cache
def _script(with_examples: bool, with_filters: bool) -> str:
    """The page's script, without blanks and comments, and of its parts those that the page needs."""
    text = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    for name, is_needed in (("examples", with_examples), ("filters", with_filters)):
        part = (TEMPLATES / f"{name}.js").read_text(encoding="utf-8") if is_needed else ""
        text = text.replace(f"{{{{ {name} }}}}", part)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("/*"))


def _render(template: str, report: Report, *, interactive: bool, **parts: Any) -> str:
    places = {item.name for item in report.items if not isinstance(item, Text)}
    shown: dict[str, Any] = {
        "title": report.title,
        "subject": subject_line(report),
        "answer": None if report.answer is None else _answer(report.answer, interactive),
        "verdict": [_claim(line, places) for line in report.verdict],
        "sections": [
            {"title": section.title, "parts": [_item(item, interactive) for item in section.items]}
            for section in report.sections
        ],
        "provenance": [(name, view(value, Column(name, name)).plain) for name, value in report.provenance.items()],
    }
    drawn = [shown["answer"]["figure"]] if shown["answer"] is not None else []
    drawn += [part for section in shown["sections"] for part in section["parts"]]
    used = frozenset(colour for colour in DARK if any(colour in part["wide"] for part in drawn if _is_drawn(part)))
    return _environment().get_template(template).render(report=shown, style=style(used), **parts)


def _is_drawn(part: Mapping[str, Any] | None) -> bool:
    return part is not None and part["kind"] == "figure"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def style(colours: Set[str] = frozenset(DARK)) -> Markup:
    """The style sheet of a page whose charts have these colours, without the blanks that only its writers need."""
    sheet = (TEMPLATES / "page.css").read_text(encoding="utf-8").replace("{{ dark_charts }}", dark_style(colours))
    for written, read in ((": ", ":"), ("; }", "}"), (" {", "{"), ("{ ", "{"), ("; ", ";"), (", ", ",")):
        sheet = sheet.replace(written, read)
    return Markup("\n".join(line.strip() for line in sheet.splitlines() if line.strip()))


def _answer(answer: Answer, interactive: bool) -> dict[str, Any]:
    words = {name: getattr(answer, name) for name in ("kind", "head", "text", "takes", "notes")}
    return {**words, "figure": None if answer.figure is None else _item(answer.figure, interactive)}


def _claim(line: str | Claim, places: Set[str]) -> dict[str, Any]:
    claim = Claim(line) if isinstance(line, str) else line
    return {
        "text": claim.text,
        "standing": claim.standing.replace(" ", "-"),
        "symbol": SYMBOLS[claim.standing],
        "badge": MARKS[claim.standing],
        "evidence": claim_evidence(claim),
        "place": claim.place if claim.place in places else "",
    }


def _item(item: Item, interactive: bool) -> dict[str, Any]:
    if isinstance(item, Text):
        return {"kind": "text", "text": item.text, "link": item.link}
    common = {"name": item.name, "title": item.title, "note": item.note, "job_keys": item.keys, "tall": False}
    if isinstance(item, Table):
        return {"kind": "table", **common, "csv": _csv_link(table_csv(item)), **_table(item)}
    if isinstance(item, Figure):
        wide = figure_svg(item)
        narrow = narrow_svg(item, wide) if interactive else ""
        drawings = {"wide": Markup(wide), "narrow": Markup(narrow), "fits": drawn_width(narrow or wide) <= MOST_TO_FIT}
        return {"kind": "figure", **common, "csv": _csv_link(figure_csv(item)), **drawings}
    return {"kind": "examples", **common, "csv": "", **_examples(item, interactive)}


def _csv_link(text: str) -> str:
    """A link that holds the text itself, in the shorter of the two ways to write one."""
    content = text.encode("utf-8", "backslashreplace")
    escaped, packed = quote(content, safe=" ,:;=/()[]+!*'"), base64.b64encode(content).decode()
    return min(f"data:text/csv;charset=utf-8,{escaped}", f"data:text/csv;charset=utf-8;base64,{packed}", key=len)


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell as the template shows it."""

    text: str
    interval: str
    style: str
    sort: str | None
    hint: str
    tied: bool
    numbers: str


def _table(table: Table) -> dict[str, Any]:
    views = [[view(row.get(column.key), column) for column in table.columns] for row in table.rows]
    notes = footnotes(views)
    numeric = [any(row[i].number is not None for row in views) for i in range(len(table.columns))]
    columns = [
        {
            "heading": heading(column),
            "published": column.published,
            "style": _column_style(column, is_number, [row[i].text for row in views]),
        }
        for i, (column, is_number) in enumerate(zip(table.columns, numeric, strict=True))
    ]
    size = {
        "tall": len(views) > MOST_ROWS_IN_SIGHT,
        "dense": len(columns) > MOST_ROOMY_COLUMNS,
        "huge": len(views) > MOST_ROWS_IN_FULL,
    }
    shape = _short_cell if size["huge"] else _html_cell
    rows = [
        [
            shape(cell, column, str(shown["style"]), notes)
            for cell, column, shown in zip(row, table.columns, columns, strict=True)
        ]
        for row in views
    ]
    return {"columns": columns, "rows": rows, **size, "lines": table_lines(table, views)}


def _column_style(column: Column, is_number: bool, texts: Sequence[str]) -> str:
    style = "number" if is_number else _text_width(texts)
    if column.key in FILTERED:
        return f"{style} filtered".strip()
    return f"{style} verdict-cell" if column.key in VERDICTS else style


def _text_width(texts: Sequence[str]) -> str:
    """How a column of texts is set: short ones on one line, long ones with room enough for a sentence."""
    most = max((len(text) for text in texts), default=0)
    return "short" if most <= SHORT_TEXT else "long" if most > LONG_TEXT else "medium"


def _html_cell(cell: CellView, column: Column, width: str, notes: Mapping[str, int]) -> HtmlCell:
    style = {width: bool(width), "published": column.published, "best": cell.best, "best-tied": cell.tied}
    return HtmlCell(
        cell.text,
        cell.interval,
        " ".join(name for name, is_on in style.items() if is_on),
        None if cell.number is None else f"{float(cell.number):.9g}",
        "" if cell.n is None else f"n = {cell.n}",
        cell.tied,
        " ".join(str(notes[text]) for text in cell.footnotes),
    )


def _short_cell(cell: CellView, column: Column, width: str, notes: Mapping[str, int]) -> HtmlCell:
    """A cell of a table of thousands of rows: the heading alone sets the width, and the number to sort by is short."""
    if cell.number is None:
        return _html_cell(cell, column, width if width == "number" else "", notes)
    return replace(_html_cell(cell, column, "", notes), sort=f"{float(cell.number):.7g}")


def _examples(examples: ExampleList, interactive: bool) -> dict[str, Any]:
    flipping = [item for item in examples.items if item.flips]
    return {
        "n_items": len(examples.items),
        "n_flips": len(flipping),
        "n_wrong": sum(item.always_wrong for item in examples.items),
        "shown": [_example(item, examples) for item in (flipping or examples.items)[:N_STATIC_EXAMPLES]],
        "data": Markup(json_for_script(_packed(examples))) if interactive else "",
    }


def _example(item: Example, examples: ExampleList) -> dict[str, Any]:
    runs_of: dict[str | None, list[str]] = {}
    for run, label in zip(examples.runs, item.predictions, strict=True):
        runs_of.setdefault(label, []).append(run)
    pairs = [(label, [run]) for run, label in zip(examples.runs, item.predictions, strict=True)]
    groups = sorted(runs_of.items(), key=lambda entry: -len(entry[1]))
    return {
        "id": item.id,
        "tags": item.tags,
        "texts": list(zip(examples.fields, item.texts, strict=True)),
        "gold": MISSING if item.gold is None else item.gold,
        "predictions": [
            {
                "label": MISSING if label is None else label,
                "standing": "" if None in (label, item.gold) else "right" if label == item.gold else "wrong",
                "runs": f"{len(runs)} of {len(examples.runs)}: {', '.join(runs)}",
                "run": runs[0] if len(examples.runs) <= MOST_SIDES else "",
            }
            for label, runs in (pairs if len(examples.runs) <= MOST_SIDES else groups)
        ],
    }


def _packed(examples: ExampleList) -> dict[str, Any]:
    """The examples with each text, label and tag written once, and the predictions of an item as one word.

    A letter of the word is the number of a label, a dash where a run has none; where the labels are more than the
    letters, the word is a list of numbers.
    """
    texts: dict[str, int] = {}
    labels: dict[str, int] = {}
    tags: dict[str, int] = {}

    def numbers(values: Sequence[str | None], known: dict[str, int]) -> list[int]:
        return [-1 if value is None else known.setdefault(value, len(known)) for value in values]

    gold = numbers([item.gold for item in examples.items], labels)
    predicted = [numbers(item.predictions, labels) for item in examples.items]
    few = len(labels) <= len(LETTERS)
    words = ["".join((LETTERS + "-")[n] for n in given) if few else given for given in predicted]
    items = [
        [item.id, numbers(item.texts, texts), label, word, numbers(item.tags, tags)]
        for item, label, word in zip(examples.items, gold, words, strict=True)
    ]
    names = {"fields": list(examples.fields), "runs": list(examples.runs)}
    return {**names, "texts": list(texts), "labels": list(labels), "tags": list(tags), "items": items}


def json_for_script(value: Any) -> str:
    """JSON that may stand inside a script element: no text in it can end the element or begin markup.

    >>> json_for_script("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
