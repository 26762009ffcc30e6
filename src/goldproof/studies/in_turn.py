"""Several models in a study that judges one: each in turn, and what was found of each in one report.

It compares no model with another: `goldproof compare` does that with their predictions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from goldproof.report.summary import Claim, Item, Plain, Report, Section, Text
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
    verdict: list[str | Claim] = [f"{len(made)} models were judged in turn, and not compared with each other."]
    verdict += [_led(title, line) for title, report in made.items() for line in report.verdict]
    sections = [
        Section(f"{title}: {section.title}", [_renamed(item, place) for item in section.items])
        for place, (title, report) in enumerate(made.items(), 1)
        for section in report.sections
    ]
    return Report(first.name, first.title, verdict, sections, _provenance(made))


def _led(title: str, line: str | Claim) -> str | Claim:
    if isinstance(line, Claim):
        return dataclasses.replace(line, text=f"{title}: {line.text}")
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
