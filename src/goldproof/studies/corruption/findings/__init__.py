"""The report: how much of each score survives, whether it is the class or mere shortening, and why it survives."""

from __future__ import annotations

from collections.abc import Sequence

from goldproof.jobs import Results
from goldproof.report.summary import Claim, Plain, Report
from goldproof.studies.corruption.findings.author import author_section, retained_claims
from goldproof.studies.corruption.findings.cells import (
    Found,
    baseline_section,
    control_section,
    count_verdicts,
    survival_section,
)
from goldproof.studies.corruption.findings.why import why_section
from goldproof.studies.corruption.plan import outline
from goldproof.studies.corruption.scores import find_baseline, judge_task, load_runs
from goldproof.studies.corruption.settings import Config, language_of
from goldproof.studies.corruption.tasks import find_tasks, settle
from goldproof.studies.shared import only_model


def make_report(config: Config, results: Results) -> Report:
    """What was found with this configuration."""
    config, found = settle(config), []
    for task in find_tasks(config):
        runs = load_runs(config, results, task)
        baseline = find_baseline(config, runs)
        found.append(Found(runs, baseline, judge_task(config, runs, baseline)))
    sections = [
        baseline_section(found),
        survival_section(config, found),
        control_section(config, found),
        why_section(config, results, found),
        author_section(config, results, found),
    ]
    provenance: dict[str, Plain] = {
        "plan": outline(config),
        "model": only_model(config.model).title,
        "tasks": ", ".join(one.runs.task.title for one in found),
        "seeds": ", ".join(map(str, config.seeds)),
        "corruption": f"preset {config.removal.preset}, language {language_of(config)}",
        "test items cut to the longest input, over all trainings of one seed": sum(o.runs.truncated for o in found),
    }
    title = "How much of the score survives nonsense?"
    return Report("corruption", title, _verdict(config, found), sections, provenance)


def _verdict(config: Config, found: Sequence[Found]) -> list[str | Claim]:
    judged = [each for one in found for each in one.judged]
    cells = f"{len(judged)} {'cell' if len(judged) == 1 else 'cells'} (task × class × removed from train, test or both)"
    lines: list[str | Claim] = [f"Of {cells}, {count_verdicts(judged)}."]
    lost = [one.runs.task.title for one in found if any(each.verdict == "no baseline" for each in one.judged)]
    if lost:
        lines.append(
            "No baseline: with all its words the model is not shown to be above the best constant answer on "
            f"{', '.join(lost)}, so there is nothing to lose."
        )
    left_out = [each.one_answer for each in judged if each.one_answer.left_out and each.verdict != "collapsed"]
    if left_out:
        n, of = sum(each.left_out for each in left_out), sum(each.of for each in left_out)
        cells = "1 cell" if len(left_out) == 1 else f"{len(left_out)} cells"
        lines.append(
            f"In {cells} {n} of {of} trainings collapsed, giving one answer to nearly all items; they are in no score."
        )
    controlled = [each.control for each in judged if each.control is not None and each.verdict != "collapsed"]
    if controlled:
        clear = [c.beyond.difference.value for c in controlled if c.p_value < 1 - config.level]
        worse = sum(value < 0 for value in clear)
        lines.append(
            f"Beside the removal of as many random words, a class is shown to cost more in {worse} of "
            f"{len(controlled)} cells and less in {len(clear) - worse}; in the rest it cannot be told from mere "
            "shortening."
        )
    elif config.control == "none":
        lines.append("There is no random control: what a class costs cannot be told from mere shortening.")
    if len(config.seeds) == 1:
        lines.append("One seed only: every interval is over test items, and says nothing of another training.")
    return [*lines, *retained_claims(config, found)]
