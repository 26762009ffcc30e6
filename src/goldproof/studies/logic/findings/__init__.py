"""The findings: who solves which task, what it rests on, and where it breaks; the paper's numbers stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from goldproof.builders.logic.build import find_task
from goldproof.report.charts import Caption, curves, heat_map
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.names import of_several, placed
from goldproof.report.numbers import format_number
from goldproof.report.summary import Cell, Column, Item, Marked, Plain, Report, Section, Table
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.studies.logic import published
from goldproof.studies.logic.findings.answer import (
    QUESTION,
    control_claims,
    judged_models,
    judged_of,
    logic_answer,
    logic_findings,
)
from goldproof.studies.logic.findings.corpus import corpus_section
from goldproof.studies.logic.findings.grounds import (
    CHANCE_NOTE,
    SHARE,
    across,
    beside,
    controls,
    overlap,
)
from goldproof.studies.logic.findings.method import pieces, searches
from goldproof.studies.logic.gather import LogicValues
from goldproof.studies.logic.plan import LogicCondition, conditions, languages_trained, model_names
from goldproof.studies.logic.scores import (
    ACCURACY,
    ConditionAccuracy,
    above_chance,
    model_title,
    n_tested,
    paper_name,
    unlike_paper,
    with_paper,
)
from goldproof.studies.logic.settings import Config, task_title
from goldproof.studies.own import has_own, own_name
from goldproof.studies.shared import each_model

_TWINS = "With closed and closed2, a bag of known words gets 50 % by construction: each contradiction has a twin."
SIZE = "n is the number of people, places or facts that a pair strings together"


def make_report(config: Config, values: LogicValues) -> Report:
    """What was found with these settled settings."""
    scored = {cell: values.score(cell) for cell in conditions(config)}
    plain = [each for cell, each in scored.items() if cell.is_plain]
    told = above_chance(plain)
    beside_us = beside(config, judged_models(plain), scored)
    judged = judged_of(config, values, plain, told)
    sections = [
        Section(
            "Who solves it?", [_table_2(config, plain, told), *_paired(config, scored), *_learning(config, scored)]
        ),
        *([Section("Does it hold with other templates?", beside_us)] if beside_us else []),
        *([Section("Where does it break?", broken)] if (broken := _breakdown(plain)) else []),
    ]
    more = [*overlap(config, scored), *across(config, values), *controls(config, scored)]
    if more:
        sections.append(Section("What does it rest on?", more))
    sections.append(corpus_section(config, values))
    method = [*searches(config, values), *pieces(values)]
    if method:
        sections.append(Section("How was it trained and read?", method))
    cut = sum(each.truncated for each in plain)
    encoder = [model_title(model) for model in each_model(config.model)]
    provenance: dict[str, Plain] = {
        "models": ", ".join([*config.learners, *encoder]),
        "corpus": f"{_corpus_name(config)}, {config.sizes.train:,} training pairs",
        "tasks": ", ".join(task_title(task) if has_own(config) else task for task in config.tasks),
        "languages": ", ".join(config.data.languages),
        "seeds": ", ".join(map(str, config.seeds)),
        "test items cut to the maximum input length, over all models and corpora": cut,
    }
    findings = [*logic_findings(judged, values, beside_us), *control_claims(config, plain, told)]
    return Report("logic", QUESTION, findings, sections, provenance, logic_answer(judged))


def _corpus_name(config: Config) -> str:
    return own_name(config.data) if has_own(config) else f"preset {config.data.corpus}"


@dataclass(frozen=True, slots=True)
class _TaskScores:
    """A task in a language: by model its score, and whether that is above chance."""

    task: str
    language: str
    by_model: Mapping[str, tuple[ConditionAccuracy, bool]]


def _score_cell(model: str, row: _TaskScores) -> Cell:
    if model not in row.by_model:
        return None
    scored, above = row.by_model[model]
    if above and not scored.n_collapsed:
        return scored.accuracy
    some = f"{scored.n_collapsed} of {scored.n_trained} seeds collapsed and are left out"
    notes = [] if above else [_why(scored)]
    return Marked(scored.accuracy, note="; ".join([*notes, *([some] if _partly(scored) else [])]))


def _partly(scored: ConditionAccuracy) -> bool:
    return bool(scored.n_collapsed) and not scored.is_collapsed


def _printed(config: Config, model: str, row: _TaskScores) -> Cell:
    if not with_paper(config):
        return printed_cell(None)
    return printed_cell(published.ACCURACY.get((row.language, find_task(row.task).value, paper_name(config, model))))


def _why(each: ConditionAccuracy) -> str:
    """Why a score is marked as not above chance; runs that give one answer have exactly 50 % and are no evidence."""
    if each.is_collapsed:
        return f"Not tested: every one of {each.n_trained} seeds gives one answer to nearly all items"
    return CHANCE_NOTE


def _table_2(config: Config, plain: list[ConditionAccuracy], told: list[bool]) -> Table:
    judged = list(zip(plain, told, strict=True))
    every = []
    for language in config.data.languages:
        for task in config.tasks:
            here = [(each, above) for each, above in judged if (each.language, each.condition.task) == (language, task)]
            by_model = {each.condition.model: (each, above) for each, above in here}
            every += [_TaskScores(task, language, by_model)] if by_model else []
    fields: list[Field[_TaskScores]] = [
        Field(Column("task", "Task"), lambda row: f"{task_title(row.task)} ({row.language})")
    ]
    for place, model in enumerate(model_names(config)):
        beside = model_title(model) if model in config.learners else "BERT"
        fields += [
            Field(Column(f"m{place}", model_title(model), 1, "%"), partial(_score_cell, model)),
            Field(Column(f"p{place}", beside, 1, "%", published=True), partial(_printed, config, model)),
        ]
    title = of_several(
        sum(told),
        n_tested(plain),
        "{} scores are shown to be above chance",
        "The score is not shown to be above chance",
        "The score is shown to be above chance",
    )
    note = "Checkpoints were chosen on a validation split"
    if with_paper(config):
        note += "; the paper's table is the best on test over training sizes, and "
        note += "its recurrent networks read one way or both"
        differs = unlike_paper(config)
        note += f". Here: {', '.join(differs)}" if differs else ""
    note += "." if has_own(config) or with_paper(config) else f". {_TWINS}"
    if with_paper(config) and any(paper_name(config, model) == published.CHINESE for model in model_names(config)):
        solved = ", ".join(task_title(task) for task in published.CHINESE_SOLVES)
        note += f" Of the Chinese BERT the paper prints no number: that in Portuguese it solves {solved}, and that it "
        note += "stays random on the mixed task."
    heading = Heading("accuracy", title, note, [each.key for each in plain])
    return make_table(heading, fields, every)


@dataclass(frozen=True, slots=True)
class _Against:
    """A model against the first: its scores, the comparison, and p adjusted over the table."""

    ours: ConditionAccuracy
    result: Comparison
    adjusted: float


def _paired(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> list[Item]:
    """Each model against the first on the same items; their trainings are independent."""
    first, *others = model_names(config)
    results = []
    for task in config.tasks:
        for language in languages_trained(config):
            base = scored[LogicCondition(task, language, first)]
            for model in others:
                ours = scored[LogicCondition(task, language, model)]
                if not (ours.is_collapsed or base.is_collapsed):
                    results.append((ours, compare_runs(ACCURACY, base.gold, ours.runs, base.runs)))
    if not results:
        return []
    adjusted = holm(np.array([result.p_value if np.isfinite(result.p_value) else 1.0 for _, result in results]))
    every = [_Against(ours, result, float(p)) for (ours, result), p in zip(results, adjusted, strict=True)]
    fields: list[Field[_Against]] = [
        Field(Column("task", "Task"), lambda each: placed(task_title(each.ours.condition.task), each.ours.language)),
        Field(Column("model", "Model"), lambda each: model_title(each.ours.condition.model)),
        Field(Column("difference", f"Model − {model_title(first)}", 1, "points"), lambda each: each.result.difference),
        Field(Column("p", "p", 3, "p-value", "two-sided, Holm over the table"), lambda each: each.adjusted),
    ]
    better = sum(each.adjusted < 0.05 and each.result.difference.value > 0 for each in every)
    title = of_several(
        better,
        len(every),
        f"{{}} comparisons show a model better than {model_title(first)}",
        f"No model is shown to be better than {model_title(first)}",
        f"A model is shown to be better than {model_title(first)}",
    )
    keys = [each.ours.key for each in every]
    return [make_table(Heading("paired", title, "On the same items.", keys), fields, every)]


def _learning(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> list[Item]:
    """Figures 1 to 3: accuracy over the share of the training data."""
    if len(config.experiments.fractions) < 2:
        return []
    rows: list[dict[str, Cell]] = []
    keys = []
    for cell, each in scored.items():
        if cell.control or cell.shared_names or cell.preset:
            continue
        panel = f"{task_title(cell.task)} ({cell.language})"
        rows.append(
            {"share": cell.fraction, "model": model_title(cell.model), "task": panel, "accuracy": each.accuracy}
        )
        keys.append(each.key)
    rows.sort(key=lambda row: float(row["share"]))  # type: ignore[arg-type]
    known = {each.key: each for each in scored.values()}
    n = sum(known[key].is_collapsed for key in keys)
    note = f"At {n} of {len(keys)} points every training collapsed; they are not in the means." if n else ""
    caption = Caption("training-size", _learning_title(config, scored), note, keys)
    share = Column("share", f"Share of {config.sizes.train:,} pairs", 0, "%")
    return [curves(rows, share, SHARE, series=Column("model", "Model"), facet="task", caption=caption, rule=0.5)]


def _learning_title(config: Config, scored: dict[LogicCondition, ConditionAccuracy]) -> str:
    """From where to where the mean accuracy goes, of the scores of which not every training collapsed."""
    parts = []
    for fraction in (min(config.experiments.fractions), max(config.experiments.fractions)):
        values = [
            each.accuracy.value
            for cell, each in scored.items()
            if cell.fraction == fraction and not (cell.control or cell.shared_names or cell.preset or each.is_collapsed)
        ]
        if not values:
            return "Accuracy by share of the training data: at one end, every training collapsed"
        parts.append((format_number(fraction, 0, "%"), f"{100 * float(np.mean(values)):.1f} %"))
    (first, low), (last, high) = parts
    return f"From {first} to {last} % of the training data, mean accuracy goes from {low} to {high}"


def _breakdown(plain: list[ConditionAccuracy]) -> list[Item]:
    """Accuracy by template, and over n where templates have a size."""
    plain = [each for each in plain if each.has_templates and not each.is_collapsed]
    if not plain:
        return []
    strict = 1 - 0.05 / sum(len(np.unique(each.templates)) for each in plain)
    templates: list[dict[str, Cell]] = []
    sizes: list[dict[str, Cell]] = []
    for each in plain:
        cell = each.condition
        where = f"{task_title(cell.task)} ({cell.language})"
        for name in np.unique(each.templates):
            items = np.flatnonzero(each.templates == name)
            inside, wide = each.within(items), each.within(items, strict)
            chance = not (wide.low > 0.5 or wide.high < 0.5)
            templates.append(
                {"template": f"{where}: {name}", "model": model_title(cell.model), "accuracy": inside, "chance": chance}
            )
        for low, high in _bins(each.sizes[each.sizes > 0]):
            items = np.flatnonzero((each.sizes >= low) & (each.sizes <= high))
            row: dict[str, Cell] = {"n": (low + high) / 2, "model": model_title(cell.model), "task": where}
            sizes.append({**row, "accuracy": each.within(items)})
    keys = [each.key for each in plain]
    steady = sum(not row["chance"] for row in templates)
    title = f"{steady} of {len(templates)} scores by template are shown to differ from 50 %"
    note = "Shown: the interval excludes 50 %, adjusted over the cells (Bonferroni)."
    found: list[Item] = [
        heat_map(
            templates,
            Column("model", "Model"),
            Column("template", "Template"),
            SHARE,
            caption=Caption("templates", title, note, keys),
            centre=0.5,
            chance="chance",
        )
    ]
    if sizes:
        note = f"{SIZE}, grouped into up to five ranges, each drawn at its middle."
        caption = Caption("sizes", _sizes_title(sizes), note, keys)
        model = Column("model", "Model")
        found.append(curves(sizes, Column("n", "n"), SHARE, series=model, facet="task", caption=caption, rule=0.5))
    return found


def _sizes_title(rows: list[dict[str, Cell]]) -> str:
    """In how many cases accuracy is lower at the largest n than at the smallest, their intervals apart."""
    cases: dict[tuple[Cell, Cell], list[Estimate]] = {}
    for row in rows:
        if isinstance(cell := row["accuracy"], Estimate):
            cases.setdefault((row["task"], row["model"]), []).append(cell)
    falling = sum(values[-1].high < values[0].low for values in cases.values())
    return (
        f"With larger n, accuracy is shown to fall in {falling} of {len(cases)} cases (intervals that do not overlap)"
    )


def _bins(sizes: np.ndarray) -> list[tuple[int, int]]:
    if not len(sizes):
        return []
    groups = np.array_split(np.unique(sizes), min(5, len(np.unique(sizes))))
    return [(int(group[0]), int(group[-1])) for group in groups]
