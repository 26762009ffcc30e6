"""The findings: the condensed runs become panels, which are judged; the paper's numbers stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from goldproof.errors import DataError
from goldproof.jobs import Results
from goldproof.judging.transfer.analysis import Settings, analyse
from goldproof.judging.transfer.guide import Counting
from goldproof.judging.transfer.panels import ENDED, Panel, PanelParts, Panels, Scoring, make_panel, make_panels
from goldproof.judging.transfer.report import Context, transfer_report
from goldproof.judging.transfer.wide import PrintedRow, wide_table
from goldproof.report.summary import Cell, Missing, Report, Section, Table
from goldproof.statistics.arrays import Array
from goldproof.studies.transfer import published
from goldproof.studies.transfer.corpora import find_sets
from goldproof.studies.transfer.course import Course
from goldproof.studies.transfer.plan import Config, jobs, make_recipe

FEWEST_POINTS = 3


def report(config: Config, results: Results) -> Report:
    """What was found with this configuration."""
    planned = jobs(config)
    courses = [results[job] for job in planned]
    given = config.analysis
    counting = Counting(given.threshold, given.ties, given.across_runs)
    found = analyse(panels_of_courses(config, courses), Settings(margin=given.margin, counting=counting))
    context = Context(
        printed=printed_rows(config.corpus),
        keys=[job.key for job in planned],
        notes=find_sets(config).notes,
        sections=_literature(config),
        provenance=_provenance(config, courses),
    )
    return transfer_report(found, context)


def panels_of_courses(config: Config, courses: Sequence[Course]) -> Panels:
    """The panels of the runs of a configuration; runs that ended early are filled up."""
    points = max((course.points for course in courses), key=len)
    for course in courses:
        if course.points != points[: len(course.points)]:
            raise DataError("the runs have different checkpoints; they must come from one recipe")
    if len(points) < FEWEST_POINTS:
        got = f"{points[-1]} {'step' if points[-1] == 1 else 'steps'}"
        raise DataError(
            f"a run must have at least {FEWEST_POINTS} checkpoints to choose from; these end after {got} of training, "
            "so train longer (training.epochs), on more data (data.most_train) or in smaller batches (training.batch)"
        )
    metric = config.analysis.metric or ("span_f1" if config.task == "tokens" else "accuracy")
    scoring = Scoring(metric, courses[0].classes)
    languages = (config.source, *config.targets)
    names = [(language, split) for language in languages for split in ("dev", "test")]
    panels = [
        _panel(language, split, scoring, courses, len(points))
        for language, split in names
        if f"{language}/{split}" in courses[0].sets
    ]
    return make_panels(config.source, [str(seed) for seed in config.seeds], points, panels)


def _panel(language: str, split: str, scoring: Scoring, courses: Sequence[Course], n_points: int) -> Panel:
    sets = [course.sets[f"{language}/{split}"] for course in courses]
    first = sets[0]
    answers = np.stack([_filled(each.answers, n_points, ENDED) for each in sets])
    confidence = np.stack([_filled(each.confidence.astype(float), n_points, -np.inf) for each in sets])
    given = PanelParts(
        np.array(first.ids, object),
        first.gold.astype(np.int64),
        answers,
        np.stack([each.averaged for each in sets]),
        confidence,
        None if first.clusters is None else first.clusters.astype(np.int64),
        _stacked([each.averaged_weights for each in sets]),
    )
    return make_panel(language, split, scoring, given)


def _stacked(arrays: Sequence[Array | None]) -> Array | None:
    """The arrays of all runs; None where a run has none."""
    known = [array for array in arrays if array is not None]
    return np.stack(known) if len(known) == len(arrays) else None


def _filled(array: Array, n_points: int, fill: float) -> Array:
    missing = n_points - len(array)
    return np.concatenate([array, np.full((missing, *array.shape[1:]), fill, array.dtype)]) if missing else array


def printed_rows(corpus: str) -> Mapping[str, Sequence[PrintedRow]]:
    """The rows that the paper prints for a corpus, by table, as shares."""
    if corpus not in published.TABLE_2:
        return {}
    ranges, oracles = published.TABLE_2[corpus], published.TABLE_4[corpus]
    return {
        "runs": [
            PrintedRow("Max", {name: _share(cell.highest) for name, cell in ranges.items()}),
            PrintedRow("Min", {name: _share(cell.lowest) for name, cell in ranges.items()}),
            PrintedRow("Δ", {name: _share(cell.delta) for name, cell in ranges.items()}),
        ],
        "agreement": [
            PrintedRow("en dev", published.AGREEMENT_SOURCE[corpus]),
            PrintedRow("target dev", published.AGREEMENT_TARGET[corpus]),
        ],
        "oracle": [
            PrintedRow("target dev (oracle)", {name: _share(cell.target_dev) for name, cell in oracles.items()}),
            PrintedRow("best en dev", {name: _share(cell.source_dev) for name, cell in oracles.items()}),
            PrintedRow("best published", {name: _share(cell.published) for name, cell in oracles.items()}),
        ],
    }


def _share(points: float | None) -> float | None:
    return None if points is None else points / 100


def _literature(config: Config) -> list[Section]:
    """Earlier results on the corpus, as the paper gathers them."""
    rows = published.LITERATURE.get(config.corpus)
    if not rows:
        return []
    languages = tuple(rows[0].cells)
    cells: list[dict[str, Cell]] = []
    for row in rows:
        made: dict[str, Cell] = {"row": f"{row.source} {row.model}"}
        for language, value in row.cells.items():
            made[language] = Missing("lost in the text at hand") if value is None else value / 100
        cells.append(made)
    title = f"Published baselines on {config.corpus} differ by points, too"
    table: Table = wide_table("literature", title, cells, languages, note="As gathered by Keung et al. (2020).")
    return [Section("Results in the literature", [table])]


def _provenance(config: Config, courses: Sequence[Course]) -> dict[str, str | int | float]:
    recipe = make_recipe(config)
    stopped = [str(course.stopped_at) for course in courses if course.stopped_at is not None]
    return {
        "corpus": config.corpus,
        "task": config.task,
        "model": config.model.rstrip("/").rpartition("/")[2],
        "runs": len(courses),
        "checkpoints": len(max((course.points for course in courses), key=len)),
        "epochs": recipe.epochs,
        "batch": recipe.batch,
        "learning rate": recipe.learning_rate,
        "schedule": recipe.schedule,
        "precision": recipe.precision,
        "stopped early at step": ", ".join(stopped) or "no run",
    }
