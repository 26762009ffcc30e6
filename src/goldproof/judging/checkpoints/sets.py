"""An evaluation set over training: the answers of every run at every checkpoint, and their scores.

A checkpoint is an `Answers` of its own, in which a run that has ended is absent; those of a set differ in `step`. Here
they are scored and cut; nothing is concluded from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.metrics import OF_QUESTIONS, countable, run_scores
from goldproof.statistics.arrays import Array, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """One evaluation set over training: its answers at each step, and what they score.

    `scores` and `confidence`, the mean log-probability of a run's own choices, are runs × checkpoints, NaN and −∞
    where a run has ended. `averaged` are the answers of the checkpoints' mean log-probabilities, where they are
    known, and `averaged_weights` those of their mean weights, where these were averaged.
    """

    metric: str
    checkpoints: tuple[Answers, ...]
    scores: FloatArray
    confidence: FloatArray | None = None
    averaged: Answers | None = None
    averaged_weights: Answers | None = None

    @property
    def first(self) -> Answers:
        """The answers at the first step, at which every run is there."""
        return self.checkpoints[0]

    @property
    def language(self) -> str:
        """The language of the set."""
        return self.first.where["language"]

    @property
    def split(self) -> str:
        """The split: dev or test."""
        return self.first.where["split"]

    @property
    def n_items(self) -> int:
        """The number of items (sentences, for tagging)."""
        return self.first.n_items

    @property
    def is_tagging(self) -> bool:
        """Whether answers are spans."""
        return self.first.task == "spans"

    def at(self, points: IntArray) -> Answers:
        """The answers of each run at its own checkpoint."""
        first, chosen = self.first, [self.checkpoints[point] for point in points]
        runs = [each.runs[each.run_names.index(name)] for each, name in zip(chosen, first.run_names, strict=True)]
        return replace(first, step=None, runs=np.stack(runs))

    def score_at(self, points: IntArray) -> FloatArray:
        """The score of each run at its own checkpoint."""
        return np.asarray(self.scores[np.arange(len(points)), points])

    def take(self, items: Array) -> EvaluationSet:
        """The same set with some of its items."""
        checkpoints = tuple(each.take(items) for each in self.checkpoints)
        return replace(
            self,
            checkpoints=checkpoints,
            scores=_score_all(checkpoints, self.metric),
            averaged=None if self.averaged is None else self.averaged.take(items),
            averaged_weights=None if self.averaged_weights is None else self.averaged_weights.take(items),
        )

    def candidates(self, run: int) -> Answers:
        """The answers of one run at each checkpoint that it has, as runs of their own named by the step."""
        name = self.first.run_names[run]
        there = [each for each in self.checkpoints if name in each.run_names]
        runs = np.stack([each.runs[each.run_names.index(name)] for each in there])
        return replace(there[0], runs=runs, run_names=tuple(str(each.step) for each in there), step=None)

    def only_runs(self, runs: Sequence[int]) -> EvaluationSet:
        """The same set with these runs only, in this order."""
        chosen = list(runs)
        names = [self.first.run_names[run] for run in chosen]
        checkpoints = tuple(
            each.only_runs([each.run_names.index(name) for name in names if name in each.run_names])
            for each in self.checkpoints
        )
        return replace(
            self,
            checkpoints=checkpoints,
            scores=self.scores[chosen],
            confidence=None if self.confidence is None else self.confidence[chosen],
            averaged=None if self.averaged is None else self.averaged.only_runs(chosen),
            averaged_weights=None if self.averaged_weights is None else self.averaged_weights.only_runs(chosen),
        )


def make_set(
    checkpoints: Sequence[Answers],
    metric: str,
    *,
    confidence: FloatArray | None = None,
    averaged: Answers | None = None,
    averaged_weights: Answers | None = None,
) -> EvaluationSet:
    """The set with its scores; confidence and averaged answers come from probabilities where there are any."""
    with_shares = all(each.task == "classification" and each.probabilities is not None for each in checkpoints)
    if with_shares and confidence is None and averaged is None:
        confidence, averaged = _confidence(checkpoints), _averaged(checkpoints)
    held = tuple(replace(countable(each), probabilities=None) for each in checkpoints)
    return EvaluationSet(metric, held, _score_all(held, metric), confidence, averaged, averaged_weights)


def _score_all(checkpoints: Sequence[Answers], metric: str) -> FloatArray:
    """The score of every run at every checkpoint; NaN where the run has ended."""
    return _grid(checkpoints, [_scores(each, metric) for each in checkpoints], np.nan)


def _scores(answers: Answers, metric: str) -> Array:
    """The score of each run; what is scored for each half of the items again and again has the short way."""
    if metric == "accuracy":
        return np.asarray((answers.runs == answers.gold).mean(axis=1))
    if metric in OF_QUESTIONS:
        return np.asarray(answers.runs.mean(axis=1))
    if metric == "span_f1":
        hits, total = (
            part.sum(axis=1, dtype=float) for part in (answers.runs["found"], answers.gold + answers.runs["given"])
        )
        return np.asarray(np.divide(2 * hits, total, out=np.zeros(len(hits)), where=total > 0))
    return run_scores(answers, metric)


def _grid(checkpoints: Sequence[Answers], columns: Sequence[Array], ended: float) -> FloatArray:
    """Runs × checkpoints, from a number for each run that is there at each checkpoint."""
    names = checkpoints[0].run_names
    grid = np.full((len(names), len(checkpoints)), ended)
    for point, (answers, column) in enumerate(zip(checkpoints, columns, strict=True)):
        grid[[names.index(name) for name in answers.run_names], point] = column
    return grid


def _confidence(checkpoints: Sequence[Answers]) -> FloatArray:
    """The mean log-probability of a run's own choices: runs × checkpoints."""
    return _grid(checkpoints, [_logs(each).max(axis=-1).mean(axis=-1) for each in checkpoints], -np.inf)


def _averaged(checkpoints: Sequence[Answers]) -> Answers:
    """The answers of the mean log-probabilities over a run's checkpoints."""
    first = checkpoints[0]
    logs = [dict(zip(each.run_names, _logs(each), strict=True)) for each in checkpoints]
    runs = [np.mean([each[name] for each in logs if name in each], axis=0).argmax(axis=-1) for name in first.run_names]
    return replace(first, step=None, runs=np.stack(runs), probabilities=None)


def _logs(answers: Answers) -> FloatArray:
    assert answers.probabilities is not None
    return np.log(np.maximum(answers.probabilities, 1e-12))
