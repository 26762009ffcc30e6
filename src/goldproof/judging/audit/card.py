"""The card of a dataset: what an audit found, in Markdown for the dataset's own README."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldproof.judging.audit.sentences import TITLES, answer, light_sentence, tried_sentence
from goldproof.report.markdown import escape
from goldproof.report.numbers import count, estimate_text, points
from goldproof.version import __version__

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit

MARKS = {"red": "🔴", "green": "🟢", "grey": "⚪"}


def audit_card(audit: Audit) -> str:
    """The card: the answer, five lights, the best shortcut, and what the test set can show."""
    splits = ", ".join(f"{role} {count(len(data))}" for role, data in audit.material.splits.items())
    lines = [
        "## Can this data be solved without understanding?",
        "",
        f"{escape(answer(audit))} Rows: {splits}.",
        "",
        "| | light | what was found |",
        "|---|---|---|",
    ]
    for light in audit.lights:
        said = light_sentence(audit, light).removeprefix(f"{TITLES[light.name]}: ")
        lines.append(f"| {MARKS[light.colour]} {light.colour} | {light.name} | {escape(said)} |")
    lines.append("")
    if not isinstance(audit.shortcuts, str):
        judged = audit.shortcuts.judged
        unit = "%" if judged.n_classes else ""
        score = estimate_text(judged.best.score, 1 if judged.n_classes else 3, unit)
        what = "Accuracy" if judged.n_classes else "Correlation"
        floor = f", always the most frequent label {100 * judged.floor:.1f} %" if judged.n_classes else ""
        best = f"{what} of the best shortcut, {escape(judged.best.name)}: {score}{floor}."
        lines += [f"{best} {escape(tried_sentence(judged))}", ""]
    whole = audit.noise.whole
    if whole.typical < 1 and audit.material.task != "numbers":
        lines += [
            f"Two models that answer 10 % of the items differently must differ by {points(whole.typical)} of accuracy "
            "for this test set to show it (80 % power).",
            "",
        ]
    legend = "Red: credibly above its threshold; green: credibly below it."
    lines.append(f"<sub>`goldproof audit`, version {__version__}. {legend}</sub>")
    return "\n".join(lines) + "\n"
