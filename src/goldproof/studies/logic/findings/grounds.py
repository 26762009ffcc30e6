"""What a score rests on: known names, the language, one text alone, the templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.jobs import Results
from goldproof.report.charts import Caption, dots
from goldproof.report.summary import Cell, Column, Figure, Item, Marked, Missing, Table
from goldproof.studies.logic import published
from goldproof.studies.logic.plan import LogicCondition as Condition
from goldproof.studies.logic.plan import model_names
from goldproof.studies.logic.scores import ConditionAccuracy as Scored
from goldproof.studies.logic.scores import above_chance, model_title, score, task_title
from goldproof.studies.logic.settings import Config

_PRESETS = {"clcd": "the published templates (clcd)", "closed": "templates without leaks (closed)"}
SHARE = Column("accuracy", "Accuracy", 1, "%")
NOT_PRINTED = "not in the paper"
CHANCE_NOTE = "Cannot be told from chance (false discoveries controlled over the table, or the interval holds 50 %)"


def beside(config: Config, plain: Sequence[Scored], scored: dict[Condition, Scored]) -> list[Figure]:
    """The same models on the same tasks under another preset."""
    other = config.experiments.beside
    if not other:
        return []
    there = [scored[replace(each.condition, preset=other)] for each in plain]
    both = [*((config.data.corpus, each) for each in plain), *((other, each) for each in there)]
    told = above_chance([each for _, each in both])
    rows: list[dict[str, Cell]] = [
        {"cell": cell_title(each), "preset": preset, "accuracy": each.accuracy} for preset, each in both
    ]
    n = len(plain)
    title = (
        f"With {_PRESETS[config.data.corpus]} {sum(told[:n])} of {n} scores are above chance, "
        f"with {_PRESETS[other]} {sum(told[n:])}"
    )
    note = (
        "closed adds templates that leave every rule of words and lengths at chance; both are made anew, with the same "
    )
    note += "names and sizes. False discoveries controlled over the figure."
    caption = Caption("presets", title, note, [each.key for _, each in both])
    return [dots(rows, "cell", SHARE, series=Column("preset", "Templates"), caption=caption, rule=0.5)]


def cell_title(each: Scored) -> str:
    """Task, language and model of a score."""
    return f"{task_title(each.condition.task)} ({each.language}), {model_title(each.condition.model)}"


def overlap(config: Config, scored: dict[Condition, Scored]) -> list[Item]:
    """Experiment (ii): what it brings to know the names."""
    if not config.experiments.overlap:
        return []
    rows: list[dict[str, Cell]] = []
    for model in model_names(config):
        pairs = [
            (scored[replace(cell, shared_names=True)].accuracy.value, each.accuracy.value)
            for cell, each in scored.items()
            if cell.is_plain and cell.model == model
        ]
        gain = float(np.mean([known / new - 1 for known, new in pairs]))
        name = model if model in config.learners else "encoder"
        paper = published.OVERLAP_GAIN.get(name)
        rows.append(
            {
                "model": model_title(model),
                "new": float(np.mean([new for _, new in pairs])),
                "known": float(np.mean([known for known, _ in pairs])),
                "gain": gain,
                "paper": Missing(NOT_PRINTED) if paper is None else paper,
            }
        )
    columns = [
        Column("model", "Model"),
        Column("new", "New names", 1, "%"),
        Column("known", "Known names", 1, "%"),
        Column("gain", "Mean relative gain", 1, "%"),
        Column("paper", "Mean relative gain", 1, "%", published=True),
    ]
    largest = max(rows, key=lambda row: row["gain"])  # type: ignore[arg-type, return-value]
    title = f"Known names bring {largest['model']} most, on average {100 * largest['gain']:+.1f} %".replace("-", "−")  # type: ignore[operator]
    note = "Means over tasks and languages; the test pairs differ in their names, and no interval is given."
    return [Table("overlap", title, columns, rows, note)]


def across(config: Config, results: Results) -> list[Item]:
    """Experiment (iii): trained on one language, tested on the others."""
    source = config.experiments.source
    if not source or len(config.data.languages) < 2:
        return []
    rows: list[dict[str, Cell]] = []
    found = [
        score(config, results, Condition(task, source, model), language)
        for task in config.tasks
        for model in model_names(config)
        for language in config.data.languages
    ]
    told = above_chance(found)
    for each, above in zip(found, told, strict=True):
        rows.append(
            {
                "task": task_title(each.condition.task),
                "model": model_title(each.condition.model),
                "language": each.language,
                "accuracy": each.accuracy if above else Marked(each.accuracy, note=CHANCE_NOTE),
            }
        )
    away = [above for each, above in zip(found, told, strict=True) if each.language != source]
    title = f"Trained on {source}, {sum(away)} of {len(away)} scores on other languages are above chance"
    columns = [Column("task", "Task"), Column("model", "Model"), Column("language", "Tested on"), SHARE]
    return [Table("transfer", title, columns, rows, "", [each.key for each in found])]


def controls(config: Config, scored: dict[Condition, Scored]) -> list[Item]:
    """Experiment (iv), Figure 4: labels at random, premise only, hypothesis only."""
    found = [each for cell, each in scored.items() if cell.control]
    if not found:
        return []
    told = above_chance(found)
    rows: list[dict[str, Cell]] = [
        {
            "cell": cell_title(e),
            "control": e.condition.control,
            "accuracy": e.accuracy,
        }
        for e in found
    ]
    title = f"{sum(told)} of {len(told)} controls are above chance"
    names = {"noise": "labels at random", "premise": "premise only", "hypothesis": "hypothesis only"}
    rows = [{**row, "control": names[str(row["control"])]} for row in rows]
    caption = Caption("controls", title, "False discoveries controlled over the figure.", [e.key for e in found])
    return [dots(rows, "cell", SHARE, series=Column("control", "Control"), caption=caption, rule=0.5)]
