"""Panels: the answers of every run at every checkpoint to one evaluation set, and the panels of one experiment.

A panel is runs × checkpoints × items. Here it is scored, cut and checked; nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.errors import DataError, UsageError
from goldproof.judging.metrics import Scorable, scorable_spans
from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.metrics import metric

DEV, TEST = "dev", "test"
ENDED = -1


@dataclass(frozen=True, slots=True)
class Scoring:
    """How answers become a score: the metric's name and, for classification, the labels behind the codes."""

    metric: str
    labels: tuple[str, ...] = ()

    @property
    def is_tagging(self) -> bool:
        """Whether answers are span counts rather than codes."""
        return self.metric == "span_f1"


@dataclass(frozen=True, slots=True)
class Panel:
    """One evaluation set.

    Classification: `gold` has a code for each item, `answers` (runs × checkpoints × items) too, −1 where a run has
    ended. Tagging: `answers` has one more axis: hits, gold spans and predicted spans of each sentence. `averaged` are
    the answers of the checkpoints' mean log-probabilities (runs × items), where they are known; `confidence` is the
    mean log-probability of a run's own choices (runs × checkpoints). `clusters` are codes of items that share
    their fate (hypotheses of one premise). `averaged_weights` are the answers of the checkpoints' mean weights (runs ×
    items), where they were averaged. `scores` is runs × checkpoints, NaN where a run has ended.
    """

    language: str
    split: str
    scoring: Scoring
    ids: Array
    gold: Array
    answers: Array
    scores: FloatArray
    averaged: Array | None = None
    confidence: FloatArray | None = None
    clusters: IntArray | None = None
    averaged_weights: Array | None = None

    @property
    def n_items(self) -> int:
        """The number of items (sentences, for tagging)."""
        return len(self.ids)

    def answers_at(self, points: IntArray) -> Array:
        """The answers of each run at its own checkpoint: runs × items (× 3 for tagging)."""
        return np.asarray(self.answers[np.arange(len(points)), points])

    def at(self, points: IntArray) -> Scorable:
        """The same in the form that the statistics take."""
        return to_scorable(self.scoring, self.gold, self.answers_at(points))

    def score_at(self, points: IntArray) -> FloatArray:
        """The score of each run at its own checkpoint."""
        return np.asarray(self.scores[np.arange(len(points)), points])

    def take(self, items: Array) -> Panel:
        """The panel of some of the items."""
        answers = self.answers[:, :, items]
        return replace(
            self,
            ids=self.ids[items],
            gold=self.gold[items],
            answers=answers,
            scores=_scores(self.scoring, self.gold[items], answers),
            averaged=None if self.averaged is None else self.averaged[:, items],
            clusters=None if self.clusters is None else self.clusters[items],
            averaged_weights=None if self.averaged_weights is None else self.averaged_weights[:, items],
        )

    def halves(self, rng: np.random.Generator) -> tuple[Panel, Panel]:
        """Two panels of about half of the items each, drawn at random; clusters stay whole."""
        groups = np.arange(self.n_items) if self.clusters is None else self.clusters
        names = np.unique(groups)
        first = np.isin(groups, rng.permutation(names)[: (len(names) + 1) // 2])
        return self.take(np.flatnonzero(first)), self.take(np.flatnonzero(~first))


@dataclass(frozen=True, slots=True)
class PanelParts:
    """What a panel is made of; see `Panel`."""

    ids: Array
    gold: Array
    answers: Array
    averaged: Array | None = None
    confidence: FloatArray | None = None
    clusters: IntArray | None = None
    averaged_weights: Array | None = None


def make_panel(language: str, split: str, scoring: Scoring, given: PanelParts) -> Panel:
    """The panel with its scores."""
    return Panel(
        language=language,
        split=split,
        scoring=scoring,
        ids=given.ids,
        gold=given.gold,
        answers=given.answers,
        scores=_scores(scoring, given.gold, given.answers),
        averaged=given.averaged,
        confidence=given.confidence,
        clusters=given.clusters,
        averaged_weights=given.averaged_weights,
    )


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of one experiment: the source language, the target languages, runs and steps; `notes` say what is
    not there.
    """

    source: str
    targets: tuple[str, ...]
    run_names: tuple[str, ...]
    steps: tuple[int, ...]
    sets: Mapping[tuple[str, str], Panel]
    notes: tuple[str, ...] = ()

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.run_names)

    @property
    def scoring(self) -> Scoring:
        """How all of them are scored."""
        return self.sets[self.source, DEV].scoring

    def dev(self, language: str) -> Panel | None:
        """The development set of a language, where it has one."""
        return self.sets.get((language, DEV))

    def test(self, language: str) -> Panel:
        """The test set of a language."""
        return self.sets[language, TEST]

    def last_points(self) -> IntArray:
        """The last checkpoint of each run."""
        return np.asarray(np.isfinite(self.sets[self.source, DEV].scores).sum(axis=1) - 1)


def make_panels(source: str, run_names: Sequence[str], steps: Sequence[int], panels: Sequence[Panel]) -> Panels:
    """The panels, checked: the source has a development set, runs and checkpoints are the same everywhere."""
    sets = {(panel.language, panel.split): panel for panel in panels}
    languages = list(dict.fromkeys(panel.language for panel in panels))
    if source not in languages:
        raise UsageError(f"there is no source language {source!r} among the predictions; there are: {_list(languages)}")
    if (source, DEV) not in sets:
        raise DataError(
            f"the source language {source!r} has no development set, so no checkpoint can be chosen by it; its sets: "
            f"{_list([split for language, split in sets if language == source])}"
        )
    for panel in panels:
        if panel.answers.shape[:2] != (len(run_names), len(steps)):
            got = panel.answers.shape
            raise DataError(
                f"{panel.language} {panel.split}: {got[0]} runs × {got[1]} checkpoints, but {len(run_names)} × "
                f"{len(steps)} elsewhere; every set needs the same runs and checkpoints"
            )
    targets = tuple(name for name in languages if name != source and (name, TEST) in sets)
    if not targets:
        raise DataError(f"there is no test set in a language other than the source {source!r}; nothing was transferred")
    return Panels(
        source, targets, tuple(run_names), tuple(steps), sets, tuple(_notes(source, languages, sets, run_names))
    )


def _notes(
    source: str, languages: Sequence[str], sets: Mapping[tuple[str, str], Panel], run_names: Sequence[str]
) -> list[str]:
    notes = []
    targets = [name for name in languages if name != source]
    if without_test := [name for name in targets if (name, TEST) not in sets]:
        notes.append(f"No test set, so left out: {_list(without_test)}.")
    if without_dev := [name for name in targets if (name, DEV) not in sets and (name, TEST) in sets]:
        notes.append(
            f"No development set in {_list(without_dev)}: the oracle (choosing by target dev) is not available there."
        )
    if len(run_names) == 1:
        notes.append("One run only: nothing is claimed about another run, and intervals over runs are absent.")
    return notes


def to_scorable(scoring: Scoring, gold: Array, answers: Array) -> Scorable:
    """Answers of several runs (runs × items, or × 3 for span counts) in the form that the statistics take."""
    if not scoring.is_tagging:
        return Scorable(metric(scoring.metric, max(2, len(scoring.labels))), gold, answers.astype(np.int64))
    return scorable_spans(answers)


def _scores(scoring: Scoring, gold: Array, answers: Array) -> FloatArray:
    """The score of every run at every checkpoint; NaN where the run has ended."""
    n_runs, n_points = answers.shape[:2]
    flat = answers.reshape(n_runs * n_points, *answers.shape[2:])
    ended = (flat == ENDED).all(axis=tuple(range(1, flat.ndim)))
    if scoring.is_tagging:
        hits, in_gold, predicted = np.moveaxis(flat.sum(axis=1, dtype=float), -1, 0)
        total = in_gold + predicted
        scores = np.divide(2 * hits, total, out=np.zeros(len(flat)), where=total > 0)
    elif scoring.metric == "accuracy":
        scores = (flat == gold).mean(axis=1)
    else:
        measure = metric(scoring.metric, max(2, len(scoring.labels)))
        scores = np.array([measure(gold, np.maximum(run, 0)) for run in flat.astype(np.int64)])
    return np.where(ended, np.nan, scores).reshape(n_runs, n_points)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
