"""Where a report has a number that a paper printed: it may stand only beside numbers on that paper's data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from goldproof.report.summary import Report
from goldproof.report.summary_json import report_json


def papers_numbers(report: Report) -> list[str]:
    """The places of its summary.json: a paper's columns, claims and rows, and sentences with a number of it."""
    return list(_places(json.loads(report_json(report))))


def _places(form: Any, where: str = "") -> Iterator[str]:
    if isinstance(form, dict):
        if form.get("published"):
            yield f"{where}: {form.get('key') or form['published']}"
        for key, value in form.items():
            yield from _places(value, f"{where}.{key}")
    elif isinstance(form, list):
        for place, value in enumerate(form):
            yield from _places(value, f"{where}[{place}]")
    elif isinstance(form, str):
        yield from (f"{where}: {sentence}" for sentence in re.split(r"(?<=[.;]) ", form) if _is_papers(sentence))


def _is_papers(sentence: str) -> bool:
    """Whether it gives a number of the paper, or begins a row or a section of what was published."""
    about = re.search(r"\bpaper\b", sentence) is not None
    named = sentence.endswith(", paper") or sentence == "Results in the literature"
    return named or (about and re.search(r"\d", sentence) is not None)
