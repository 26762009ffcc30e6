"""The report: how much of each score survives, whether it is the class or mere shortening, and why it survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldproof.report.summary import Plain, Report, Section
from goldproof.studies.corruption.findings.answer import QUESTION, corruption_answer, corruption_findings
from goldproof.studies.corruption.findings.author import author_section
from goldproof.studies.corruption.findings.cells import (
    Found,
    baseline_section,
    control_section,
    survival_section,
)
from goldproof.studies.corruption.findings.power import power_items
from goldproof.studies.corruption.findings.runs import cut_items, runs_told
from goldproof.studies.corruption.findings.why import why_section
from goldproof.studies.corruption.gather import TaskValues
from goldproof.studies.corruption.plan import outline
from goldproof.studies.corruption.scores import find_baseline, judge_task, with_paper
from goldproof.studies.corruption.settings import Config, language_of
from goldproof.studies.shared import only_model


def _controlled(config: Config, found: list[Found]) -> Section:
    """Each cell beside its control, and how many seeds that takes."""
    section = control_section(config, found)
    n_maps = len(config.settings) if config.control != "none" else 0
    items = [*section.items[:n_maps], *power_items(config, found), *section.items[n_maps:]]
    return replace(section, items=items)


def make_report(config: Config, gathered: Sequence[TaskValues]) -> Report:
    """What was found with these settled settings."""
    found = []
    for runs, facts in ((values.runs, values.facts) for values in gathered):
        baseline = find_baseline(config, runs)
        found.append(Found(runs, baseline, judge_task(config, runs, baseline), with_paper(config, runs.task), facts))
    sections = [
        survival_section(config, found),
        _controlled(config, found),
        why_section(config, found),
        author_section(config, found),
        baseline_section(found),
    ]
    provenance: dict[str, Plain] = {
        "plan": outline(config),
        "model": only_model(config.model).title,
        "tasks": ", ".join(one.runs.task.title for one in found),
        **runs_told(config),
        "corruption": f"preset {config.removal.preset}, language {language_of(config)}",
        cut_items(config): sum(o.runs.truncated for o in found),
    }
    answer, findings = corruption_answer(config, found), corruption_findings(config, found)
    return Report("corruption", QUESTION, findings, sections, provenance, answer)
