"""The findings about scores: baselines and floors (Table 2), the heat maps (Figures 1 to 3), Table 3, controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from goldproof.report.charts import Caption, heat_map
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table, Text
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.power import detectable_difference
from goldproof.studies.beside import Beside
from goldproof.studies.corruption import published
from goldproof.studies.corruption.gather import TaskFacts
from goldproof.studies.corruption.scores import VERDICTS, Baseline, Control, Judged, TaskAnswers
from goldproof.studies.corruption.settings import Config, classes_of

SETTING_TITLES = {"train": "Corrupt-train", "test": "Corrupt-test", "both": "Corrupt-train and test"}
METRIC_TITLES = {"accuracy": "accuracy", "mcc": "Matthews correlation", "pearson": "Pearson correlation"}
COUNTED = {  # of one cell, of several
    "survives": ("survives", "survive"),
    "drops": ("drops", "drop"),
    "collapsed": ("collapsed", "collapsed"),
    "underpowered": ("is underpowered", "are underpowered"),
    "no baseline": ("has no baseline", "have no baseline"),
}
NO_SCORE = "no score: a run gives one answer to all items"


NOT_THE_PAPERS = Beside(False)


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found about one task."""

    runs: TaskAnswers
    baseline: Baseline
    judged: Sequence[Judged]
    paper: Beside = NOT_THE_PAPERS
    facts: TaskFacts = field(default_factory=TaskFacts)

    @property
    def paper_name(self) -> str:
        """What the paper calls the task, where its numbers may stand beside ours; else nothing."""
        return self.runs.task.paper_name if self.paper.stands else ""

    @property
    def trainings(self) -> list[str]:
        """The keys of all trainings."""
        return [key for keys in self.runs.keys.values() for key in keys]

    def cell(self, removed: str, setting: str) -> Judged:
        """One cell."""
        return next(each for each in self.judged if (each.cell.removed, each.cell.setting) == (removed, setting))


def _shown(value: Estimate) -> Estimate | Missing:
    return value if np.isfinite(value.value) else Missing(NO_SCORE)


def _baseline_cell(each: Found) -> Cell:
    score = _shown(each.baseline.score)
    if each.baseline.above_floor:
        return score
    return Marked(score, note="Cannot be distinguished from the best constant answer")


def _printed_baseline(each: Found) -> Cell:
    paper = published.BASELINES.get(each.paper_name)
    return printed_cell(paper.score / 100 if paper else None)


def _second_cell(each: Found) -> Cell:
    return _shown(each.baseline.second) if each.baseline.second else Missing("there is no second score")


_BASELINE_FIELDS: tuple[Field[Found], ...] = (
    Field(Column("task", "Task"), lambda each: each.runs.task.title),
    Field(Column("metric", "Metric"), lambda each: METRIC_TITLES[each.runs.task.metric]),
    Field(Column("score", "Baseline", 1, "points"), _baseline_cell),
    Field(Column("paper", "Baseline", 2, "points", "RoBERTa-base", published=True), _printed_baseline),
    Field(Column("second", "F1 or Spearman", 1, "points", "where GLUE has a second score"), _second_cell),
    Field(
        Column("majority", "Majority", 1, "points", "always the most frequent class of the training data"),
        lambda each: each.baseline.majority,
    ),
    Field(
        Column("constant", "Best constant", 1, "points", "the best-scoring single answer: the floor"),
        lambda each: each.baseline.constant,
    ),
    Field(Column("train", "Training items"), lambda each: each.runs.n_train),
    Field(Column("test", "Test items"), lambda each: len(each.runs.gold)),
)


def baseline_section(found: Sequence[Found]) -> Section:
    """Table 2, with the floors."""
    above = sum(each.baseline.above_floor for each in found)
    title = f"{above} of {len(found)} tasks have a score above the best constant answer to lose"
    if len(found) == 1:
        title = f"The task has {'a' if above else 'no'} score above the best constant answer to lose"
    keys = [key for each in found for key in each.runs.keys[next(iter(each.runs.keys))]]
    heading = Heading("baselines", title, beside_note(found), keys)
    return Section("Without corruption", [make_table(heading, _BASELINE_FIELDS, found)])


def beside_note(found: Sequence[Found]) -> str:
    """In what our run differs from the paper's, where its numbers stand beside ours."""
    return next((each.paper.note for each in found if each.paper_name), "")


def survival_section(config: Config, found: Sequence[Found]) -> Section:
    """Figures 1 to 3 and Table 3."""
    items: list[Item] = [_change_map(config, found, setting) for setting in config.settings]
    return Section("How much survives?", [*items, _scores_table(config, found)])


def _change_map(config: Config, found: Sequence[Found], setting: str) -> Item:
    cells = [each for one in found for each in one.judged if each.cell.setting == setting]
    unclear = [not _is_significant(each.p_value, config) for each in cells]
    rows = [_map_row(each, each.delta, mark) for each, mark in zip(cells, unclear, strict=True)]
    clear, tested = len(unclear) - sum(unclear), sum(each.verdict != "collapsed" for each in cells)
    title = f"{SETTING_TITLES[setting]}: {clear} of {tested} cells are shown to differ from the baseline"
    caption = Caption(f"change-{setting}", title, "Holm over the cells of a task.", training_keys(found))
    return _map(rows, caption, "Δ to the baseline", "no change")


def _map_row(each: Judged, comparison: Comparison, unclear: bool) -> dict[str, Cell]:
    return {
        "task": each.cell.task.title,
        "removed": each.cell.removed,
        "change": comparison.difference,
        "unclear": unclear,
    }


def _map(rows: Sequence[Mapping[str, Cell]], caption: Caption, title: str, like: str) -> Item:
    return heat_map(
        rows,
        Column("removed", "Removed"),
        Column("task", "Task"),
        Column("change", title, 1, "points"),
        caption=caption,
        chance=Column("unclear", like),
    )


def training_keys(found: Sequence[Found]) -> list[str]:
    """The keys of all trainings of all tasks."""
    return [key for each in found for key in each.trainings]


def _is_significant(p_value: float, config: Config) -> bool:
    return p_value < 1 - config.level


@dataclass(frozen=True, slots=True)
class _Without:
    """A task without a class of words: a row of Table 3."""

    found: Found
    removed: str

    def at(self, setting: str) -> Judged:
        """The cell of a setting."""
        return self.found.cell(self.removed, setting)


def _scores_table(config: Config, found: Sequence[Found]) -> Table:
    """Table 3: for each class and task the scores and differences, the paper's differences beside ours."""
    every = [_Without(one, removed) for removed in config.classes for one in found]
    fields: list[Field[_Without]] = [
        Field(Column("data", "Data"), lambda row: f"{row.found.runs.task.title}-{row.removed}")
    ]
    for setting in config.settings:
        fields += _setting_fields(config, setting)
    kept = sum(each.verdict == "survives" for one in found for each in one.judged)
    tested = sum(each.verdict not in ("collapsed", "no baseline") for one in found for each in one.judged)
    title = f"In {kept} of {tested} cells the loss is shown to be below {100 * config.margin:g} points"
    title = title if tested else "No cell has a score to lose, or every run collapsed"
    note = f"Named by the task and the class removed. {beside_note(found)}".strip()
    return make_table(Heading("scores", title, note, training_keys(found)), fields, every)


def _setting_fields(config: Config, setting: str) -> list[Field[_Without]]:
    """The score under a setting, its change to the baseline, and the paper's change."""
    beside = Column(f"p_{setting}", "Δ", 2, "points", "RoBERTa-base", published=True)
    return [
        Field(Column(setting, SETTING_TITLES[setting], 1, "points"), lambda row: _shown(row.at(setting).score)),
        Field(Column(f"d_{setting}", "Δ", 1, "points"), lambda row: _marked_change(config, row.at(setting))),
        Field(beside, lambda row: _paper_delta(row.found, row.at(setting))),
    ]


def _marked_change(config: Config, each: Judged) -> Cell:
    change = _shown(each.delta.difference)
    if _is_significant(each.p_value, config):
        return change
    return Marked(change, note="Cannot be distinguished from no change (Holm over the cells of a task)")


def _paper_delta(found: Found, each: Judged) -> Cell:
    printed = published.SCORES.get((found.paper_name, "+".join(classes_of(each.cell.removed))))
    return printed_cell(printed[published.SETTINGS.index(each.cell.setting)].delta / 100 if printed else None)


def control_section(config: Config, found: Sequence[Found]) -> Section:
    """Each cell beside its control."""
    items: list[Item] = []
    if config.control != "none":
        items += [_beyond_map(config, found, setting) for setting in config.settings]
    title = "Is it the class, or mere shortening?" if items else "Every cell"
    return Section(title, [*items, Text(_verdicts_text(config)), *(_cells_table(config, one) for one in found)])


def _verdicts_text(config: Config) -> str:
    """What the verdicts of cells mean."""
    return (
        f"A score survives if a loss of {100 * config.margin:g} points or more is outside the cell's own interval "
        "(not adjusted over cells). It drops if the loss is significant. It has collapsed if most runs give one "
        "answer to nearly all items, and is then not tested. A cell is underpowered if neither could be shown, and "
        "has no baseline if the original score is not shown to be above the best constant answer. If fewer runs "
        "collapsed, they are left out of the cell, and the cell says so."
    )


def _beyond_map(config: Config, found: Sequence[Found], setting: str) -> Item:
    cells = [(each, each.control) for one in found for each in one.judged if each.cell.setting == setting]
    rows = [_map_row(e, c.beyond, not _is_significant(c.p_value, config)) for e, c in cells if c is not None]
    tested = sum(each.verdict != "collapsed" for each, _ in cells)
    clear = [row["change"] for row in rows if not row["unclear"]]
    worse = sum(isinstance(each, Estimate) and each.value < 0 for each in clear)
    title = (
        f"{SETTING_TITLES[setting]}: the class is shown to cost more than the same number of random words in {worse} "
        f"of {tested} cells, less in {len(clear) - worse}"
    )
    caption = Caption(f"beyond-{setting}", title, "Holm over the cells of a task.", training_keys(found))
    return _map(rows, caption, "class − random", "what random words cost")


def count_verdicts(judged: Sequence[Judged]) -> str:
    """How many cells have which verdict, in words."""
    verdicts = [each.verdict for each in judged]
    counts = {name: verdicts.count(name) for name in VERDICTS if name in verdicts}
    return ", ".join(f"{n} {COUNTED[name][n > 1]}" for name, n in counts.items())


def _cells_table(config: Config, one: Found) -> Table:
    task = one.runs.task
    title = f"{task.title}: of {len(one.judged)} cells, {count_verdicts(one.judged)}"
    heading = Heading(f"cells-{task.slug}", title, "", one.trainings)
    return make_table(heading, _cell_fields(config, len(one.judged)), one.judged)


def _cell_fields(config: Config, n_cells: int) -> list[Field[Judged]]:
    fields: list[Field[Judged]] = [
        Field(Column("removed", "Removed"), lambda each: "+".join(classes_of(each.cell.removed))),
        Field(Column("setting", "Corrupted"), lambda each: each.cell.setting),
        Field(Column("verdict", "Verdict"), lambda each: _verdict(config, each, n_cells)),
        Field(Column("score", "Score", 1, "points"), lambda each: _shown(each.score)),
        Field(Column("delta", "Δ", 1, "points"), lambda each: _shown(each.delta.difference)),
        Field(
            Column("p", "p", 3, "p-value", "two-sided, Holm over the table"),
            lambda each: _tested(each.delta, each.p_value),
        ),
    ]
    return fields if config.control == "none" else [*fields, *_CONTROL_FIELDS]


def _tested(comparison: Comparison, p_value: float) -> Cell:
    """The p-value of a comparison that has one; in the adjustment of others, one without counts as 1."""
    if np.isfinite(comparison.p_value) and np.isnan(p_value):
        return Missing("not tested: most runs collapsed")
    return p_value if np.isfinite(comparison.p_value) else Missing(NO_SCORE)


def _of_control(read: Callable[[Control], Cell], each: Judged) -> Cell:
    return None if each.control is None else read(each.control)


_CONTROL_FIELDS: tuple[Field[Judged], ...] = (
    Field(
        Column("random", "Δ of random words", 1, "points", "the same number of words from each text, drawn at random"),
        partial(_of_control, lambda control: _shown(control.delta.difference)),
    ),
    Field(
        Column("beyond", "Class − random", 1, "points"),
        partial(_of_control, lambda control: _shown(control.beyond.difference)),
    ),
    Field(
        Column("q", "p", 3, "p-value", "of class − random, two-sided, Holm over the table"),
        partial(_of_control, lambda control: _tested(control.beyond, control.p_value)),
    ),
)


def _verdict(config: Config, each: Judged, n_cells: int) -> Cell:
    if each.verdict == "collapsed":
        note = f"{each.one_answer.n} of {each.one_answer.of} runs give one answer to nearly all items"
        return Marked(each.verdict, note=note)
    if each.one_answer.left_out:
        note = f"{each.one_answer.left_out} of {each.one_answer.of} runs collapsed and are left out"
        return Marked(each.verdict, note=note)
    if each.verdict == "underpowered" and not np.isfinite(each.delta.standard_error):
        return Marked(each.verdict, note=NO_SCORE.capitalize())
    if each.verdict == "underpowered":
        strict = 1 - (1 - config.level) / n_cells  # Holm asks this of the first cell, and less of the others
        least = detectable_difference(each.delta.standard_error, each.delta.df, strict)
        note = f"A change of {100 * least:.1f} points would show (80 % power, adjusted for {n_cells} cells)"
        if least > each.delta.limit:
            note = f"No possible change would show (80 % power, adjusted for {n_cells} cells)"
        return Marked(each.verdict, note=note)
    return each.verdict
