"""Scores: the condensed runs become panels, runs × checkpoints × items of every language, which are judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldproof.errors import DataError
from goldproof.judging.transfer.panels import ENDED, Panel, PanelParts, Panels, Scoring, make_panel, make_panels
from goldproof.statistics.arrays import Array
from goldproof.studies.transfer.plan import Course
from goldproof.studies.transfer.settings import Config

FEWEST_POINTS = 3


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
            "so train longer (recipe.epochs), on more data (data.most_train) or in smaller batches (recipe.batch)"
        )
    metric = config.analysis.metric or ("span_f1" if config.task == "tokens" else "accuracy")
    scoring = Scoring(metric, courses[0].classes)
    languages = (config.source, *config.data.languages)
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
