"""What every report promises its reader: whole sentences, and no table or figure without rows."""

from __future__ import annotations

import re

from goldproof.report.summary import Claim, ExampleList, Figure, Report, Table

OPEN_END = re.compile(r"(?:[:,;]|\b(?:by|of|to|over|with|and|in|than|gains|this))[.]?$")
UNSAID = re.compile(r"\bthis (?:share|accuracy|score|number)\b")


def unfinished(report: Report) -> list[str]:
    """Claims and titles that stop before they say their point, and tables, figures and examples that are empty."""
    claims = [line.text if isinstance(line, Claim) else line for line in report.verdict]
    if report.answer is not None:
        claims += [line for line in (report.answer.sentence, report.answer.takes, *report.answer.notes) if line]
    items = [item for section in report.sections for item in section.items]
    named = [item for item in items if isinstance(item, Table | Figure | ExampleList)]
    titles = [report.title, *(section.title for section in report.sections), *(item.title for item in named)]
    wrong = [text for text in claims if not text.endswith(".")]
    wrong += [text for text in titles if text.endswith(".")]
    wrong += [text for text in [*claims, *titles] if not text.strip() or OPEN_END.search(text) or UNSAID.search(text)]
    wrong += [
        f"empty: {item.name}" for item in named if not (item.items if isinstance(item, ExampleList) else item.rows)
    ]
    return wrong
