"""The report of an audit: the answer and five lights first, then what shortcuts reach, leaks, labels, size, items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldproof.judging.audit.lights import Light
from goldproof.judging.audit.report_items import copy_items, suspect_items, test_items
from goldproof.judging.audit.report_size import balance_items, noise_items
from goldproof.judging.audit.sentences import answer, exchange_sentence, light_sentence, tried_sentence
from goldproof.judging.audit.tables import hard_items, language_items, leak_items, shortcut_items, word_items
from goldproof.measures.shortcuts.items import joined
from goldproof.report.numbers import count
from goldproof.report.summary import Answer, Claim, Figure, Item, ReplyKind, Report, Section, Text
from goldproof.statistics.estimate import Estimate

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit

METHOD = (
    "A light is red if the lower bound of its measure is above the threshold, green only if the upper bound is below "
    "it, and grey otherwise. Holm's procedure is applied to the lights that rest on a sample. Leaks and size do not: "
    "leaks are counted, and the bounds of size are the best and the worst case."
)
WORDS = (
    "A shortcut that gets far shows that a cue can solve items, not that a given model uses it. A shortcut that gets "
    "nowhere shows only that this rule does not help. Nothing here shows that a model understands."
)


def audit_report(audit: Audit) -> Report:
    """The report of what was found."""
    sections, reached = [], shortcut_items(audit)
    figure = next((item for item in reached if isinstance(item, Figure)), None)
    for title, items in (
        ("How far shortcuts get", [item for item in reached if item is not figure]),
        ("Which words give labels away?", word_items(audit)),
        ("Hard items", hard_items(audit)),
        ("Leaks between splits", [*leak_items(audit), *copy_items(audit), *language_items(audit)]),
        ("Are the labels right?", suspect_items(audit)),
        ("What can this test set show?", noise_items(audit)),
        ("Balance", balance_items(audit)),
        ("Items", test_items(audit)),
        ("Method and limits", _limits(audit)),
    ):
        if items:
            sections.append(Section(title, items))
    return Report("audit", _question(audit), _lights(audit), sections, _source(audit), _answer(audit, figure))


def _question(audit: Audit) -> str:
    return f"Can {audit.name} be solved without understanding?"


def _answer(audit: Audit, figure: Figure | None = None) -> Answer:
    """The first screen: the answer with what the shortcuts reach."""
    kinds: dict[str, ReplyKind] = {"red": "yes", "green": "no", "grey": "open"}
    head, _, text = answer(audit).partition(": ")
    red = [light.name for light in audit.lights if light.colour == "red"]
    lights = f" Red {'light' if len(red) == 1 else 'lights'}: {joined(red)}." if red else " No light is red."
    return Answer(kinds[audit.light("shortcuts").colour], head, text + lights, figure=figure)


def _lights(audit: Audit) -> list[str | Claim]:
    return [
        Claim(
            light_sentence(audit, light),
            light.colour,
            _shown(light),
            digits=None if light.gauge is None else light.gauge.digits,
            unit="" if light.gauge is None else light.gauge.unit,
        )
        for light in audit.lights
    ]


def _shown(light: Light) -> Estimate | None:
    """The estimate of a light; the bounds of what is no sample are no interval."""
    if light.estimate is None or light.gauge is None or light.gauge.is_sampled:
        return light.estimate
    return replace(light.estimate, level=1.0)


def _limits(audit: Audit) -> list[Item]:
    texts = [METHOD, WORDS]
    if not isinstance(audit.shortcuts, str):
        texts += [tried_sentence(audit.shortcuts.judged)]
        texts += [exchange_sentence(audit.shortcuts.judged, audit.shortcuts.clusters.shared or "a sentence")]
    return [Text(text) for text in (*texts, *audit.notes)]


def _source(audit: Audit) -> dict[str, str | int | float | bool | None]:
    files = [file.name for data in audit.material.splits.values() for file in data.provenance.files]
    rows = ", ".join(f"{role} {count(len(data))}" for role, data in audit.material.splits.items())
    languages = ", ".join(dict.fromkeys(each for data in audit.material.splits.values() for each in data.languages))
    return {"files": ", ".join(dict.fromkeys(files)) or audit.name, "rows": rows, "languages": languages}
