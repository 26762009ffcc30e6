"""Scores: the runs as they are stored become answers of every language at every checkpoint, which are judged.

`with_paper` says whether the paper's numbers may stand beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldproof.data.answers import Answers, Bounds, span_answers
from goldproof.errors import DataError
from goldproof.judging.checkpoints.experiment import Experiment, make_experiment
from goldproof.judging.checkpoints.sets import EvaluationSet, make_set
from goldproof.statistics.arrays import Array
from goldproof.studies.beside import Beside, beside, is_model
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.transfer import published
from goldproof.studies.transfer.parts import FEWEST_POINTS
from goldproof.studies.transfer.settings import PAPER, Config
from goldproof.studies.transfer.steps import StoredRun, StoredSet


def with_paper(config: Config) -> Beside:
    """Whether the paper's rows stand beside ours: on its corpora and with its model, accuracies from English on."""
    is_english = config.source == "en" and config.analysis.metric in ("", "accuracy")
    has_train = config.rows.dev_share == 0 and config.rows.train_split == "train"
    return beside(
        same_corpus=is_english and not has_own(config) and config.data.corpus in published.TABLE_2,
        same_model=is_model(only_model(config.model).folder, str(PAPER.model)),
        same_size=has_train and not any(":" in text for text in config.rows.corpora) and config.data.most_train is None,
        same_training=(config.of, len(config.seeds)) == (PAPER.of, len(PAPER.seeds)),
    )


def experiment_of_runs(config: Config, runs: Sequence[StoredRun]) -> Experiment:
    """The experiment of a configuration's runs; one that ended early is absent from later checkpoints."""
    points = max((run.points for run in runs), key=len)
    for run in runs:
        if run.points != points[: len(run.points)]:
            raise DataError("the runs have different checkpoints; they must come from one recipe")
    if len(points) < FEWEST_POINTS:
        got = f"{points[-1]} {'step' if points[-1] == 1 else 'steps'}"
        raise DataError(
            f"a run must have at least {FEWEST_POINTS} checkpoints to choose from; these end after {got} of training, "
            "so train longer (recipe.epochs), on more data (data.most_train) or in smaller batches (recipe.batch)"
        )
    metric = config.analysis.metric or {"tokens": "span_f1", "question": "answer_f1"}.get(config.task, "accuracy")
    names = [f"{language}/{split}" for language in (config.source, *config.data.languages) for split in ("dev", "test")]
    return make_experiment(
        config.source, [_set(name, metric, config, runs, points) for name in names if name in runs[0].sets]
    )


def _set(name: str, metric: str, config: Config, runs: Sequence[StoredRun], points: Sequence[int]) -> EvaluationSet:
    """One evaluation set of all runs."""
    sets = [run.sets[name] for run in runs]
    labels, seeds = runs[0].classes, [str(seed) for seed in config.seeds]
    checkpoints = []
    for point, step in enumerate(points):
        there = [i for i, run in enumerate(runs) if point < len(run.points)]
        answers = [sets[i].answers[point] for i in there]
        own = [seeds[i] for i in there]
        checkpoints.append(_answers(name, sets[0], labels, _of_metric(answers, metric), own, step))
    confidence = np.full((len(runs), len(points)), -np.inf)
    for row, each in zip(confidence, sets, strict=True):
        row[: len(each.confidence)] = each.confidence
    weights = [each.averaged_weights for each in sets if each.averaged_weights is not None]
    return make_set(
        checkpoints,
        metric,
        confidence=confidence,
        averaged=_answers(name, sets[0], labels, [each.averaged for each in sets], seeds)
        if sets[0].averaged.size
        else None,
        averaged_weights=_answers(name, sets[0], labels, _of_metric(weights, metric), seeds)
        if len(weights) == len(sets)
        else None,
    )


def _of_metric(runs: Sequence[Array], metric: str) -> list[Array]:
    """What is stored of each run; of questions the score of each item that is asked for."""
    place = {"exact_match": 0, "answer_f1": 1}.get(metric)
    return [run if place is None else run[..., place] for run in runs]


def _answers(
    name: str,
    stored: StoredSet,
    labels: tuple[str, ...],
    runs: Sequence[Array],
    names: Sequence[str],
    step: int | None = None,
) -> Answers:
    """What is stored of one set (class numbers, or hits, gold spans and predicted spans) as Answers."""
    language, _, split = name.rpartition("/")
    answers = np.stack(runs)
    is_tagging = answers.ndim == 3
    is_score = answers.dtype.kind == "f"
    kind = "spans" if is_tagging else "score" if is_score else "classification"
    return Answers(
        where={"language": language, "split": split},
        step=step,
        task=kind,
        labels=labels if kind == "classification" else (),
        ids=np.array(stored.ids, object),
        gold=answers[0, :, 1].astype(np.int64) if is_tagging else stored.gold.astype(np.int64),
        runs=span_answers(answers[..., 0], answers[..., 2])
        if is_tagging
        else answers.astype(np.float64 if is_score else np.int64),
        run_names=tuple(names),
        clusters=None if stored.clusters is None else stored.clusters.astype(np.int64),
        bounds=Bounds() if is_score else None,
    )
