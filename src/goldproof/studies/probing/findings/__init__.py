"""The findings in order: answer, layers, twins, controls, baselines, neurons, similarity, tuning, limits, data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.summary import Cell, Column, Report, Section, Table, Text
from goldproof.studies.own import has_own, own_name
from goldproof.studies.probing.findings.answer import QUESTION, probing_answer, probing_findings
from goldproof.studies.probing.findings.coarse import coarse_section
from goldproof.studies.probing.findings.controls import controls_section
from goldproof.studies.probing.findings.layers import baselines_section, layers_section, twins_section
from goldproof.studies.probing.findings.neurons import neurons_section
from goldproof.studies.probing.findings.similarity import similarity_section
from goldproof.studies.probing.gather import ProbingValues
from goldproof.studies.probing.published import FIGURES, canonical_name
from goldproof.studies.probing.scores import ProbingFindings, task_title
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.tasks import Facts

FEW = 100  # test items


def make_report(config: Config, gathered: ProbingValues) -> Report:
    """What was found."""
    found = ProbingFindings(config, gathered)
    sections = [
        *([layers_section(found)] if found.own else []),
        *twins_section(found),
        *controls_section(found),
        *([baselines_section(found)] if found.baselines else []),
        *neurons_section(found),
        *similarity_section(found),
        *coarse_section(found),
        Section("Limits", [Text(line) for line in _limits(found)]),
        Section("Data", [_data(found), *(Text(line) for line in _notes(found))]),
    ]
    answer, findings = probing_answer(found), probing_findings(found)
    return Report("probing", QUESTION, findings, sections, _provenance(found), answer)


@dataclass(frozen=True, slots=True)
class _TaskFigures:
    """A task's figures, and those that the paper prints of it: tokens, unique tokens, tokens a sentence, labels."""

    title: str
    facts: Facts
    paper: tuple[str, str, str, str] | None


def _rows_of(split: str, task: _TaskFigures) -> Cell:
    return task.facts.parts[split].rows


def _printed(place: int, task: _TaskFigures) -> Cell:
    return printed_cell(task.paper[place] if task.paper else None)


def _mean_tokens(task: _TaskFigures) -> Cell:
    whole = task.facts.parts["overall"]
    return whole.tokens / whole.rows


_DATA_FIELDS: tuple[Field[_TaskFigures], ...] = (
    Field(Column("task", "Task"), lambda task: task.title),
    Field(Column("train", "Train"), partial(_rows_of, "train")),
    Field(Column("validation", "Validation"), partial(_rows_of, "validation")),
    Field(Column("test", "Test"), partial(_rows_of, "test")),
    Field(
        Column("left_out", "Left out", note="training texts that also occur in test"),
        lambda task: task.facts.n_left_out,
    ),
    Field(Column("tokens", "Tokens"), lambda task: task.facts.parts["overall"].tokens),
    Field(Column("paper_tokens", "Tokens", published=True), partial(_printed, 0)),
    Field(Column("unique", "Unique tokens"), lambda task: task.facts.parts["overall"].unique_tokens),
    Field(Column("paper_unique", "Unique tokens", published=True), partial(_printed, 1)),
    Field(Column("mean", "Tokens a sentence", 2), _mean_tokens),
    Field(Column("paper_mean", "Tokens a sentence", published=True), partial(_printed, 2)),
    Field(Column("labels", "Labels, %"), lambda task: _labels(task.facts)),
    Field(Column("paper_labels", "Labels, %", published=True), partial(_printed, 3)),
)


def _data(found: ProbingFindings) -> Table:
    """Table 11: the figures of the tasks."""
    every = []
    for (language, task), facts in found.facts.items():
        paper = FIGURES.get((language, canonical_name(task))) if found.is_papers(language) else None
        every.append(_TaskFigures(task_title(task, language), facts, paper))
    left_out = sum(task.facts.n_left_out for task in every)
    tasks = "1 task" if len(every) == 1 else f"{len(every)} tasks"
    texts = "1 training text was" if left_out == 1 else f"{left_out:,} training texts were"
    title = f"{tasks}; {texts if left_out else 'no training text was'} left out because of a copy in test"
    note = "The paper's samples are 120k each." if any(task.paper for task in every) else ""
    keys = [found.key("facts", *place) for place in found.tasks]
    return make_table(Heading("data", title, note, keys), _DATA_FIELDS, every)


def _labels(facts: Facts) -> str:
    labels = facts.parts["overall"].labels
    if not labels:
        return f"{facts.n_classes} labels"
    return "/".join(f"{100 * n / facts.parts['overall'].rows:.1f}" for n in labels.values())


def _notes(found: ProbingFindings) -> list[str]:
    """What was done to the splits, tasks with the same notes together."""
    by_note: dict[str, list[str]] = {}
    for (language, task), facts in found.facts.items():
        for note in facts.notes:
            by_note.setdefault(note, []).append(task_title(task, language))
    total = len(found.facts)
    return [f"{note}: {'all tasks' if len(tasks) == total else ', '.join(tasks)}." for note, tasks in by_note.items()]


def _limits(found: ProbingFindings) -> list[str]:
    config = found.config
    lines = [
        "What a probe can read is not necessarily what the model uses, and what a probe cannot read may still be "
        "there.",
        "The best layer is chosen on test, as in the paper; the bands, which hold for all layers together, allow for "
        "that. Twins are compared at the layer that is best on validation.",
    ]
    cut = {each.cell.arm.title: each.probed.n_cut for each in found.scored.values() if each.probed.n_cut}
    if cut:
        lines.append("Texts were cut to the maximum input length of: " + ", ".join(cut) + ".")
    few = [
        f"{task_title(task, language)}: {facts.parts['test'].rows}"
        for (language, task), facts in found.facts.items()
        if facts.parts["test"].rows < FEW
    ]
    if few:
        lines.append(f"With so few test items, an accuracy is known to ±10 points at best: {'; '.join(few)}.")
    if config.data.corpus == "generated" and not has_own(config):
        lines.append("The data are generated; the numbers only show what the report looks like.")
    return lines


def _provenance(found: ProbingFindings) -> dict[str, str | int]:
    config, readout = found.config, found.config.readout
    special = "with" if readout.special_tokens else "without"
    return {
        "models": ", ".join(arm.title for arm in found.own) or "none",
        "corpus": own_name(config.data) if has_own(config) else config.data.corpus.rstrip("/").rpartition("/")[2],
        "languages": ", ".join(config.data.languages),
        "vectors": f"{readout.pooling} pooling, {special} special tokens, kept in {readout.dtype}",
        "probes": f"{', '.join(config.probe.kinds)}; L2 from {', '.join(f'{value:g}' for value in config.probe.l2)}",
        "most training and test items": f"{config.data.most_train or 'all'}, {config.splits.most_test or 'all'}",
    }
