"""Runs over checkpoints with known scores, as evaluation sets and as rows of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.checkpoints.experiment import Experiment, make_experiment
from goldproof.judging.checkpoints.sets import EvaluationSet, make_set

LABELS = ("no", "yes")


def checkpoints(language: str, split: str, gold: Any, codes: Any, clusters: Any = None) -> list[Answers]:
    """Answers at each step, from codes (runs × checkpoints × items) that are −1 where a run has ended."""
    codes = np.asarray(codes)
    ids = np.array([f"{i:04}" for i in range(codes.shape[-1])], object)
    where = {"language": language, "split": split}
    found = []
    for point in range(codes.shape[1]):
        there = (codes[:, point] >= 0).all(axis=1)
        runs, of = codes[there, point], tuple(str(run) for run in np.flatnonzero(there))
        found.append(Answers(where, point + 1, "classification", LABELS, ids, np.asarray(gold), runs, of, clusters))
    return found


def right_codes(scores: Any, n: int) -> tuple[Any, Any]:
    """Gold and codes of runs × checkpoints that have exactly these scores: the first items are the right ones."""
    gold = np.arange(n) % 2
    right = np.arange(n) < np.round(np.asarray(scores)[..., None] * n)
    return gold, np.where(right, gold, 1 - gold)


def exact_set(
    language: str, split: str, scores: Any, n: int = 200, metric: str = "accuracy", **more: Any
) -> EvaluationSet:
    """A set whose runs × checkpoints have exactly these scores."""
    answers = checkpoints(language, split, *right_codes(scores, n), more.pop("clusters", None))
    return make_set(answers, metric, **more)


def noisy_set(language: str, split: str, chances: Any, rng: np.random.Generator, n: int = 200) -> EvaluationSet:
    """A set whose runs × checkpoints answer each item right with these probabilities."""
    gold = np.arange(n) % 2
    right = rng.random((*np.shape(chances), n)) < np.asarray(chances)[..., None]
    return make_set(checkpoints(language, split, gold, np.where(right, gold, 1 - gold)), "accuracy")


def experiment(sets: list[EvaluationSet], source: str = "en") -> Experiment:
    return make_experiment(source, sets)


def rows_of(made: Experiment) -> list[dict[str, Any]]:
    """The rows of a file of predictions."""
    return [
        {
            "id": str(item),
            "run": run,
            "step": answers.step,
            "language": answers.where["language"],
            "split": answers.where["split"],
            "gold": LABELS[answers.gold[i]],
            "prediction": LABELS[codes[i]],
        }
        for each in made.sets.values()
        for name in made.run_names
        for answers in each.checkpoints
        for run, codes in zip(answers.run_names, answers.runs, strict=True)
        if run == name
        for i, item in enumerate(answers.ids)
    ]
