"""What a score rests on: known names, the language, one text alone, the templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.names import of_several, placed
from goldproof.report.summary import Cell, Column, Figure, Item, Marked, Missing
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.multiplicity import holm
from goldproof.studies.logic import published
from goldproof.studies.logic.gather import LogicValues
from goldproof.studies.logic.plan import LogicCondition, model_names
from goldproof.studies.logic.scores import (
    ACCURACY,
    ConditionAccuracy,
    above_chance,
    model_title,
    n_tested,
    paper_name,
    with_paper,
)
from goldproof.studies.logic.settings import Config, task_title

_PRESETS = {
    "clcd": "the published templates (clcd)",
    "clcd-few": "the published templates with few names (clcd-few)",
    "closed2": "linked templates (closed2)",
    "closed": "counted templates (closed)",
}
SHARE = Column("accuracy", "Accuracy", 1, "%")
CHANCE_NOTE = (
    "Cannot be distinguished from chance (false discovery rate controlled over the table, or the interval "
    "includes 50 %)"
)


def beside(
    config: Config, plain: Sequence[ConditionAccuracy], scored: dict[LogicCondition, ConditionAccuracy]
) -> list[Figure]:
    """The same models on the same tasks under another preset."""
    other = config.experiments.beside
    if not other:
        return []
    there = [scored[replace(each.condition, preset=other)] for each in plain]
    both = [*((config.data.corpus, each) for each in plain), *((other, each) for each in there)]
    above = above_chance([each for _, each in both])
    rows: list[dict[str, Cell]] = [
        {"cell": cell_title(each), "preset": preset, "accuracy": each.accuracy} for preset, each in both
    ]
    n = len(plain)
    first, second = _counted(above[:n], n_tested(plain)), _counted(above[n:], n_tested(there))
    title = f"Scores shown to be above chance: {first} with {_PRESETS[config.data.corpus]}, {second} with "
    title += _PRESETS[other]
    note = (
        "closed leaves rules that count words at chance; closed2 also leaves those that look for the nearest "
        "sentence at chance; both "
    )
    note += "presets are generated afresh, in the same sizes. False discovery rate controlled over the figure."
    caption = Caption("presets", title, note, [each.key for _, each in both])
    return [dots(rows, "cell", SHARE, series=Column("preset", "Templates"), caption=caption, rule=0.5)]


def _counted(above: Sequence[bool], tested: int) -> str:
    return f"{sum(above)} of {tested}" if tested else "none could be tested"


def cell_title(each: ConditionAccuracy) -> str:
    """Task, language and model of a score."""
    return f"{placed(task_title(each.condition.task), each.language)}, {model_title(each.condition.model)}"


@dataclass(frozen=True, slots=True)
class _Overlap:
    """What it brings a model to know the names: accuracies (known, new) of each task and language, the paper's gain."""

    model: str
    pairs: Sequence[tuple[float, float]]
    paper: float | None

    @property
    def gain(self) -> float:
        """The mean relative gain."""
        return float(np.mean([known / new - 1 for known, new in self.pairs]))


def _mean(values: Sequence[float]) -> Cell:
    return float(np.mean(values)) if values else Missing("every training collapsed")


_OVERLAP_FIELDS: tuple[Field[_Overlap], ...] = (
    Field(Column("model", "Model"), lambda row: row.model),
    Field(Column("new", "New names", 1, "%"), lambda row: _mean([new for _, new in row.pairs])),
    Field(Column("known", "Known names", 1, "%"), lambda row: _mean([known for known, _ in row.pairs])),
    Field(
        Column("gain", "Mean relative gain", 1, "%"), lambda row: _mean([known / new - 1 for known, new in row.pairs])
    ),
    Field(Column("paper", "Mean relative gain", 1, "%", published=True), lambda row: printed_cell(row.paper)),
)


def overlap(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> list[Item]:
    """Experiment (ii): what it brings to know the names."""
    if not config.experiments.overlap:
        return []
    every = []
    for model in model_names(config):
        pairs = [(known.accuracy.value, new.accuracy.value) for known, new in _both(scored, model)]
        gain = published.OVERLAP_GAIN.get(paper_name(config, model)) if with_paper(config) else None
        every.append(_Overlap(model_title(model), pairs, gain))
    gains = ", ".join(f"{row.model} {100 * row.gain:+.1f} %" for row in every if row.pairs).replace("-", "−")
    title = f"What known names add, on average (not tested): {gains or 'unknown, because every training collapsed'}"
    note = "Means over tasks and languages; by task, with intervals, in the next table."
    table = make_table(Heading("overlap", title, note), _OVERLAP_FIELDS, every)
    return [table, *_known_names(config, scored)]


def _both(
    scored: dict[LogicCondition, ConditionAccuracy], model: str
) -> list[tuple[ConditionAccuracy, ConditionAccuracy]]:
    """A model's scores with known names and with new ones, on each task in each language; none that collapsed."""
    both = [
        (scored[replace(cell, shared_names=True)], each)
        for cell, each in scored.items()
        if cell.is_plain and cell.model == model
    ]
    return [(known, new) for known, new in both if not (known.is_collapsed or new.is_collapsed)]


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """A model on a task with known and with new names: both scores, their difference, p adjusted over the table."""

    known: ConditionAccuracy
    new: ConditionAccuracy
    result: Comparison
    adjusted: float


_KNOWN_FIELDS: tuple[Field[_KnownNames], ...] = (
    Field(Column("task", "Task"), lambda row: placed(task_title(row.new.condition.task), row.new.language)),
    Field(Column("model", "Model"), lambda row: model_title(row.new.condition.model)),
    Field(Column("new", "New names", 1, "%"), lambda row: row.new.accuracy),
    Field(Column("known", "Known names", 1, "%"), lambda row: row.known.accuracy),
    Field(Column("difference", "Known − new", 1, "points"), lambda row: row.result.difference),
    Field(Column("p", "p", 3, "p-value", "two-sided, Holm over the table"), lambda row: row.adjusted),
)


def _known_names(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> list[Item]:
    """By task: test item i says the same with known names and with new ones, so that items are paired."""
    both = [each for model in model_names(config) for each in _both(scored, model)]
    if not both:
        return []
    results = [compare_runs(ACCURACY, new.gold, known.runs, new.runs) for known, new in both]
    adjusted = holm(np.array([result.p_value if np.isfinite(result.p_value) else 1.0 for result in results]))
    every = [
        _KnownNames(known, new, result, float(p))
        for (known, new), result, p in zip(both, results, adjusted, strict=True)
    ]
    better = sum(row.adjusted < 0.05 and row.result.difference.value > 0 for row in every)
    title = of_several(
        better,
        len(every),
        "{} scores are shown to be higher with known names",
        "The score is not shown to be higher with known names",
        "The score is shown to be higher with known names",
    )
    keys = [each.key for known, new in both for each in (known, new)]
    note = "Models are trained separately with each; the test pairs have the same forms."
    return [make_table(Heading("known-names", title, note, keys), _KNOWN_FIELDS, every)]


@dataclass(frozen=True, slots=True)
class _Tested:
    """A score on the test set of a language, and whether it is above chance."""

    scored: ConditionAccuracy
    is_above: bool


_TESTED_FIELDS: tuple[Field[_Tested], ...] = (
    Field(Column("task", "Task"), lambda row: task_title(row.scored.condition.task)),
    Field(Column("model", "Model"), lambda row: model_title(row.scored.condition.model)),
    Field(Column("language", "Tested on"), lambda row: row.scored.language),
    Field(
        SHARE,
        lambda row: row.scored.accuracy if row.is_above else Marked(row.scored.accuracy, note=CHANCE_NOTE),
    ),
)


def across(config: Config, values: LogicValues) -> list[Item]:
    """Experiment (iii): trained on one language, tested on the others."""
    source = config.experiments.source
    if not source or len(config.data.languages) < 2:
        return []
    found = [
        values.score(LogicCondition(task, source, model), language)
        for task in config.tasks
        for model in model_names(config)
        for language in config.data.languages
    ]
    every = [_Tested(each, above) for each, above in zip(found, above_chance(found), strict=True)]
    away = [row for row in every if row.scored.language != source]
    above, n = sum(row.is_above for row in away), n_tested([row.scored for row in away])
    other = f"Trained on {source}, the score on the other language is"
    title = of_several(
        above,
        n,
        f"Trained on {source}, {{}} scores on other languages are shown to be above chance",
        f"{other} not shown to be above chance",
        f"{other} shown to be above chance",
    )
    if not n:
        title = f"Trained on {source}, no score on another language could be tested: every training collapsed"
    return [make_table(Heading("transfer", title, "", [each.key for each in found]), _TESTED_FIELDS, every)]


def controls(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> list[Item]:
    """Experiment (iv), Figure 4: labels at random, premise only, hypothesis only."""
    found = [each for cell, each in scored.items() if cell.control]
    if not found:
        return []
    above = above_chance(found)
    rows: list[dict[str, Cell]] = [
        {
            "cell": cell_title(e),
            "control": e.condition.control,
            "accuracy": e.accuracy,
        }
        for e in found
    ]
    title = of_several(
        sum(above),
        n_tested(found),
        "{} controls are shown to be above chance",
        "The control is not shown to be above chance",
        "The control is shown to be above chance",
    )
    names = {"noise": "labels at random", "premise": "premise only", "hypothesis": "hypothesis only"}
    rows = [{**row, "control": names[str(row["control"])]} for row in rows]
    alike = [
        f"{cell_title(each)}, {names[each.condition.control]}: {each.n_collapsed} of {each.n_trained}"
        for each in found
        if each.n_collapsed
    ]
    note = "False discovery rate controlled over the figure."
    if alike:
        note += (
            f" Seeds that give one answer to nearly all pairs: {'; '.join(alike)}. Where all do, they are shown and "
            "not tested; others are left out."
        )
    caption = Caption("controls", title, note, [each.key for each in found])
    return [dots(rows, "cell", SHARE, series=Column("control", "Control"), caption=caption, rule=0.5)]
