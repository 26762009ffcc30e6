"""From trainings on the user's own data to Answers: the point that counts, and what each run answers there.

It scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import softmax

from goldproof.data.answers import AnswerKind, Answers
from goldproof.data.dataset import Dataset
from goldproof.models.protocols import Task
from goldproof.statistics.arrays import Array
from goldproof.studies.own.checks import labels_of
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.selection import best_point, last_point

ANSWERS: Mapping[Task, AnswerKind] = {
    "text": "classification",
    "pair": "classification",
    "tokens": "tagging",
    "regression": "regression",
}
"""The kind of answers that each kind of task has."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Trainings of one recipe: their outcomes, the evaluation point of each that counts, and what each is called."""

    outcomes: Sequence[TrainingOutcome]
    points: Sequence[int]
    names: tuple[str, ...]


def chosen_point(kind: Task, outcome: TrainingOutcome, held: Dataset, select: Literal["best", "last"] = "best") -> int:
    """The evaluation point that counts: the best on validation, by accuracy or, of numbers, by their squared error."""
    if select == "last":
        return last_point(outcome)
    if kind == "regression":
        return best_point(outcome, "validation", held.table["score"].to_pylist(), "loss")
    return best_point(outcome, "validation", labels_of(kind, held))


def trained_answers(
    kind: Task,
    data: Dataset,
    trained: Trained,
    where: Mapping[str, str],
    asked: str = "test",
    *,
    with_probabilities: bool = False,
) -> Answers:
    """What the runs answered to the items of an evaluation set, whose name in the outcomes is `asked`."""
    classes = trained.outcomes[0].classes
    logits = [outcome.at(asked)[point] for outcome, point in zip(trained.outcomes, trained.points, strict=True)]
    of_classes = kind in ("text", "pair")
    tags = tuple(tuple(row) for row in data.table["tags"].to_pylist())
    return Answers(
        where=where,
        step=None,
        task=ANSWERS[kind],
        labels=classes if of_classes else (),
        ids=np.array(data.table["id"].to_pylist(), object),
        gold=_gold(kind, classes, data),
        runs=_stacked([_run(kind, each, classes, data) for each in logits]),
        run_names=trained.names,
        tags=tags if any(tags) else None,
        texts=texts_of(data),
        probabilities=softmax(np.stack(logits).astype(float), axis=-1) if with_probabilities and of_classes else None,
    )


def texts_of(data: Dataset) -> dict[str, Sequence[str]]:
    """The texts of the rows as people read them."""
    second = [pair or "" for pair in data.pairs]
    return {"text": data.texts, **({"pair": second} if any(second) else {})}


def _run(kind: Task, logits: Array, classes: Sequence[str], data: Dataset) -> Array:
    if kind == "regression":
        return np.asarray(logits[:, 0], np.float64)
    codes = np.argmax(np.nan_to_num(logits), axis=-1)
    if kind != "tokens":
        return np.asarray(codes, np.int64)
    # Words beyond the longest length have no logits: nothing is found there.
    names = np.where(np.isnan(logits).any(axis=-1), "O", np.array(classes, object)[codes])
    ends = np.cumsum([len(labels) for labels in data.table["token_labels"].to_pylist()])
    return _lists([list(part) for part in np.split(names, ends[:-1])])


def _gold(kind: Task, classes: Sequence[str], data: Dataset) -> Array:
    if kind == "regression":
        return np.array(data.table["score"].to_pylist(), np.float64)
    if kind == "tokens":
        return _lists(data.table["token_labels"].to_pylist())
    return np.array([classes.index(label) for label in labels_of(kind, data)])


def _lists(rows: Sequence[list[str]]) -> Array:
    """Lists of tags as an array of objects, also where all are as long as each other."""
    found = np.empty(len(rows), object)
    found[:] = rows
    return found


def _stacked(runs: Sequence[Array]) -> Array:
    found = np.empty((len(runs), len(runs[0])), runs[0].dtype)
    for row, run in zip(found, runs, strict=True):
        row[:] = run
    return found
