"""Several models in a study that judges one: each in turn, and what was found of each in one report.

It compares no model with another: `goldproof compare` does that with their predictions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from goldproof.report.summary import Answer, Claim, Item, Plain, Report, Section, Text
from goldproof.studies.shared import each_model, only_model

C = TypeVar("C", bound=Any)


def in_turn(config: C) -> list[C]:
    """The Config once for each of its models, with that model alone."""
    return [dataclasses.replace(config, model=model) for model in each_model(config.model)]


def report_in_turn(config: C, make: Callable[[C], Report]) -> Report:
    """The report of the study; of several models one after the other, each under its name."""
    made = {only_model(one.model).title: make(one) for one in in_turn(config)}
    first = next(iter(made.values()))
    if len(made) == 1:
        return first
    verdict = [_led(title, line, place) for place, title, report in _placed(made) for line in report.verdict]
    answer = _answer(made)
    if answer is None:
        verdict.insert(0, _not_compared(made))
    sections = [
        Section(f"{title}: {section.title}", [_renamed(item, place) for item in section.items])
        for place, title, report in _placed(made)
        for section in (*_first_screen(report), *report.sections)
    ]
    return Report(first.name, first.title, verdict, sections, _provenance(made), answer)


def _placed(made: Mapping[str, Report]) -> list[tuple[int, str, Report]]:
    return [(place, title, report) for place, (title, report) in enumerate(made.items(), 1)]


def _not_compared(made: Mapping[str, Report]) -> str:
    return f"{len(made)} models were judged one by one; they were not compared with each other."


def _answer(made: Mapping[str, Report]) -> Answer | None:
    """The answers of all models one after the other; each with its chart begins the sections of its model."""
    several = [f"{title}: {report.answer.sentence}" for title, report in made.items() if report.answer is not None]
    alike = next(iter(made.values())).answer
    kinds = {None if report.answer is None else report.answer.kind for report in made.values()}
    kind = alike.kind if alike is not None and len(kinds) == 1 else "measured"
    takes = _not_compared(made)
    notes = [f"{title}: {note}" for title, report in made.items() if report.answer for note in report.answer.notes]
    return Answer(kind, "", " ".join(several), takes, notes) if several else None


def _first_screen(report: Report) -> list[Section]:
    answer = report.answer
    if answer is None or answer.figure is None:
        return []
    return [Section(report.title, [answer.figure, Text(" ".join([answer.sentence, answer.takes]).strip())])]


def _led(title: str, line: str | Claim, place: int) -> str | Claim:
    if isinstance(line, Claim):
        where = f"model-{place}-{line.place}" if line.place else ""
        return dataclasses.replace(line, text=f"{title}: {line.text}", place=where)
    return f"{title}: {line}"


def _renamed(item: Item, place: int) -> Item:
    """The item under a name that those of the other models do not have."""
    return item if isinstance(item, Text) else dataclasses.replace(item, name=f"model-{place}-{item.name}")


def _provenance(made: Mapping[str, Report]) -> dict[str, Plain]:
    """What all reports say alike once, and the rest for each model."""
    first = next(iter(made.values())).provenance
    shared = {key for key, value in first.items() if all(each.provenance.get(key) == value for each in made.values())}
    found: dict[str, Plain] = {"model": ", ".join(made)}
    found |= {key: first[key] for key in first if key in shared}
    for title, report in made.items():
        rest = {key: value for key, value in report.provenance.items() if key not in shared and key != "model"}
        found |= {f"{title}: {key}": value for key, value in rest.items()}
    return found
