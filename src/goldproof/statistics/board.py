"""A board: the score of each model on each item, in tasks that have weights; and what it says of each pair of models.

A pair is judged on the items that both answered, task by task; nothing is filled in for a cell that is missing. What a
pair's difference adds up from is kept by cluster (by item, where there are none), so that `ranking.py` can say how all
pairs vary together. No test is made here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray

CELLS_AT_ONCE = 4_000_000
LEAST_OVERLAP = 0.8


@dataclass(frozen=True, slots=True)
class Board:
    """Models × items: `scores` (not a number where a cell is missing), and the task of each item as a code 0, 1, ….

    `weights` is one number for each task, `clusters` a code for each item of those that go together (also over
    tasks). `run_variance` is what other runs would add to the variance of each model's score: None where the systems
    are judged as they are. It is the difference of `run_measured`, known with `run_df` degrees of freedom, and of what
    the items' variance has already.
    """

    scores: FloatArray
    tasks: IntArray
    weights: FloatArray
    clusters: IntArray | None = None
    run_variance: FloatArray | None = None
    run_measured: FloatArray | None = None
    run_df: float = math.inf

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other."""
        m, n = self.scores.shape
        if m < 2:
            raise UsageError(f"a ranking needs at least 2 models; got {m}")
        lengths = {"tasks": self.tasks, "clusters": self.clusters}
        wrong = {name: len(part) for name, part in lengths.items() if part is not None and len(part) != n}
        if wrong:
            raise UsageError(f"each of the {n} items needs a task and a cluster; got {wrong}")
        if len(self.weights) != int(self.tasks.max()) + 1 or (self.weights < 0).any() or not self.weights.sum() > 0:
            raise UsageError(
                f"each of the {int(self.tasks.max()) + 1} tasks needs a weight of at least 0, not all 0; got "
                f"{self.weights.tolist()}"
            )

    @property
    def n_models(self) -> int:
        """How many models."""
        return len(self.scores)

    @property
    def n_tasks(self) -> int:
        """How many tasks."""
        return len(self.weights)

    @property
    def is_complete(self) -> bool:
        """Whether every model answered every item."""
        return not np.isnan(self.scores).any()

    def task_scores(self) -> FloatArray:
        """The mean of each model on each task, over the items that it answered: models × tasks."""
        present = ~np.isnan(self.scores)
        filled = np.where(present, self.scores, 0.0)
        sums, counts = (_by_code(part, self.tasks, self.n_tasks) for part in (filled, present.astype(float)))
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))

    def totals(self) -> FloatArray:
        """The score of each model: the weighted mean over the tasks that it has items of.

        >>> Board(np.array([[1.0, 0, 1], [1, 1, np.nan]]), np.array([0, 0, 1]), np.ones(2)).totals().tolist()
        [0.75, 1.0]
        """
        means = self.task_scores()
        weights = np.where(np.isnan(means), 0.0, self.weights)
        return np.asarray((np.nan_to_num(means) * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-300))

    def shares_answered(self) -> FloatArray:
        """The share of the board that each model answered, each task counted by its weight."""
        present = (~np.isnan(self.scores)).astype(float)
        return np.asarray(_by_code(present, self.tasks, self.n_tasks) @ (self._weights() / self._task_sizes()))

    def overlaps(self) -> FloatArray:
        """The share of the board that both models of each pair answered (models × models), tasks by their weights."""
        present = (~np.isnan(self.scores)).astype(float)
        per_item = (self._weights() / self._task_sizes())[self.tasks]
        return np.asarray((present * per_item) @ present.T)

    def _weights(self) -> FloatArray:
        return np.asarray(self.weights / self.weights.sum())

    def _task_sizes(self) -> FloatArray:
        return np.asarray(np.maximum(np.bincount(self.tasks, minlength=self.n_tasks).astype(float), 1.0))


def _by_code(values: FloatArray, codes: IntArray, n: int) -> FloatArray:
    """Columns summed by their code."""
    member = np.zeros((len(codes), n))
    member[np.arange(len(codes)), codes] = 1.0
    return np.asarray(values @ member)


@dataclass(frozen=True, slots=True)
class Pairs:
    """What a board says of pairs of models: `first` minus `second`, an entry for each pair.

    `difference` is on the items that both answered, `variance` over new items (and new runs), with `df` degrees of
    freedom (Satterthwaite's); `n_signs` counts the clusters in which the two differ at all, `by_task` is pairs × tasks
    of weighted differences, which sum to the difference. `overlap` is the share of the board that both answered.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    variance: FloatArray
    df: FloatArray
    n_signs: IntArray
    by_task: FloatArray = field(repr=False)
    overlap: FloatArray

    @property
    def comparable(self) -> Array:
        """Which pairs share enough of the board to be judged."""
        return np.asarray(self.overlap >= LEAST_OVERLAP - 1e-12)


class PairReader:
    """Reads pairs off a board, some at a time: items are kept sorted by task and cluster."""

    def __init__(self, board: Board) -> None:
        n = board.scores.shape[1]
        clusters = np.arange(n) if board.clusters is None else np.asarray(board.clusters)
        order = np.lexsort((clusters, board.tasks))
        tasks, clusters = board.tasks[order], clusters[order]
        starts = np.flatnonzero(np.r_[True, (np.diff(tasks) != 0) | (np.diff(clusters) != 0)])
        self.board = board
        self.present = ~np.isnan(board.scores[:, order])
        self.scores = np.where(self.present, board.scores[:, order], 0.0)
        self.tasks, self.parts = tasks, starts
        self.task_starts = np.flatnonzero(np.r_[True, np.diff(tasks) != 0])
        self.task_codes = tasks[self.task_starts]
        self.weights = board.weights[self.task_codes] / board.weights.sum()
        self.task_of_item = np.searchsorted(self.task_starts, np.arange(n), side="right") - 1
        self.task_of_part = self.task_of_item[starts]
        self.part_starts = np.searchsorted(self.task_of_part, np.arange(len(self.task_starts)))
        self.cluster_of_part = np.unique(clusters[starts], return_inverse=True)[1]
        self.n_clusters = int(self.cluster_of_part.max()) + 1
        self.crossing = self.n_clusters < len(starts)
        self.alone = len(starts) == n  # every item is its own cluster

    def blocks(self, first: IntArray, second: IntArray) -> Iterator[slice]:
        """Slices of the pairs, so that no more than a few million cells are held at once."""
        size = max(1, CELLS_AT_ONCE // self.scores.shape[1])
        for start in range(0, len(first), size):
            yield slice(start, min(start + size, len(first)))

    def influence(self, first: IntArray, second: IntArray) -> Influence:
        """What each cluster adds to the difference of each of these pairs, beyond its share."""
        both = self.present[first] & self.present[second]
        return self.influence_of(self.scores[first] - self.scores[second], both)

    def influence_of(self, values: FloatArray, present: Array) -> Influence:
        """What each cluster adds to the weighted means of these values (rows × items), where they are present."""
        counts = np.add.reduceat(present, self.task_starts, axis=1, dtype=float)
        weights = np.where(counts > 0, self.weights, 0.0)
        per_item = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300) / np.maximum(counts, 1.0)
        added = values * present * per_item[:, self.task_of_item]
        by_task = np.add.reduceat(added, self.task_starts, axis=1)
        sums, sizes = self._by_part(added), self._by_part(present.astype(float))
        shares = sizes / np.maximum(counts, 1.0)[:, self.task_of_part]
        # A task of one cluster says nothing about its spread: its whole difference counts as such.
        centred = np.add.reduceat(sizes > 0, self.part_starts, axis=1, dtype=float) > 1
        centre = np.where(centred, by_task, 0.0)[:, self.task_of_part] * shares
        leverage = np.where(centred[:, self.task_of_part], 1.0 - shares, 1.0)
        influence = (sums - centre) / np.sqrt(np.maximum(leverage, 1e-12))
        spread = np.add.reduceat(influence**2, self.part_starts, axis=1)
        worth = 1.0 / np.maximum(np.add.reduceat(shares**2, self.part_starts, axis=1), 1e-12)
        return Influence(influence, by_task, spread, np.maximum(worth - 1.0, 1.0), np.asarray(np.abs(sums) > 1e-12))

    def _by_part(self, values: FloatArray) -> FloatArray:
        return values if self.alone else np.asarray(np.add.reduceat(values, self.parts, axis=1))

    def gathered(self, influence: FloatArray) -> FloatArray:
        """Influence of clusters within tasks summed to clusters, which may lie in several tasks."""
        return _by_code(influence, self.cluster_of_part, self.n_clusters) if self.crossing else influence

    def read(self, first: IntArray, second: IntArray) -> Pairs:
        """The pairs (codes of models)."""
        found = [self._read(first[block], second[block]) for block in self.blocks(first, second)]
        difference, variance, df, n_signs = (np.concatenate([each[i] for each in found]) for i in range(4))
        by_task = np.zeros((len(first), self.board.n_tasks))
        by_task[:, self.task_codes] = np.concatenate([each[4] for each in found])
        overlap = self.board.overlaps()[first, second]
        pairs = Pairs(first, second, difference, variance, df, n_signs.astype(np.int64), by_task, overlap)
        return _with_runs(pairs, self.board)

    def _read(self, first: IntArray, second: IntArray) -> tuple[FloatArray, ...]:
        found = self.influence(first, second)
        n_signs = (self.gathered(found.differs.astype(float)) > 0).sum(axis=1).astype(float)
        variance, df = self._spread_of(found)
        return found.by_task.sum(axis=1), variance, df, n_signs, found.by_task

    def _spread_of(self, found: Influence) -> tuple[FloatArray, FloatArray]:
        """Variance and Satterthwaite's degrees of freedom over the tasks, no more than all clusters have."""
        variance = (self.gathered(found.influence) ** 2).sum(axis=1)
        df = found.spread.sum(axis=1) ** 2 / np.maximum((found.spread**2 / found.df).sum(axis=1), 1e-300)
        return variance, np.clip(df, 1.0, max(self.n_clusters - 1, 1))

    def own(self) -> Own:
        """Of each model by itself: the variance of its score over new items and runs, its degrees, its influence."""
        models = np.arange(self.board.n_models)
        parts = []
        for block in self.blocks(models, models):
            found = self.influence_of(self.scores[block], self.present[block])
            parts.append((self.gathered(found.influence), *self._spread_of(found)))
        influence, variance, df = (np.concatenate([part[i] for part in parts]) for i in range(3))
        runs, measured = self.board.run_variance, self.board.run_measured
        if runs is not None and measured is not None and runs.any():
            total = variance + runs
            df = total**2 / np.maximum(variance**2 / df + measured**2 / self.board.run_df, 1e-300)
            variance = total
        return Own(variance, df, influence)


@dataclass(frozen=True, slots=True)
class Own:
    """Of each model: the variance of its score, its degrees of freedom, and models × clusters of influence."""

    variance: FloatArray
    df: FloatArray
    influence: FloatArray = field(repr=False)

    def covariance(self, run_variance: FloatArray | None) -> FloatArray:
        """How the scores of complete models vary together: models × models."""
        found = self.influence @ self.influence.T
        if run_variance is not None:
            found[np.diag_indices(len(found))] += run_variance
        return np.asarray(found)


@dataclass(frozen=True, slots=True)
class Influence:
    """Of some pairs: the influence of each part (cluster within task), and by task its sum, spread and degrees."""

    influence: FloatArray
    by_task: FloatArray
    spread: FloatArray
    df: FloatArray
    differs: Array


def _with_runs(pairs: Pairs, board: Board) -> Pairs:
    """The pairs with what other runs would add to their variance."""
    if board.run_variance is None or board.run_measured is None or not board.run_variance.any():
        return pairs
    total = pairs.variance + board.run_variance[pairs.first] + board.run_variance[pairs.second]
    # What all models' runs have in common is one estimate, so that the errors of two of them do not cancel out.
    measured = board.run_measured[pairs.first] + board.run_measured[pairs.second]
    parts = pairs.variance**2 / pairs.df + measured**2 / board.run_df
    df = np.clip(total**2 / np.maximum(parts, 1e-300), 1.0, 1e9)
    return Pairs(pairs.first, pairs.second, pairs.difference, total, df, pairs.n_signs, pairs.by_task, pairs.overlap)


def all_pairs(n_models: int) -> tuple[IntArray, IntArray]:
    """The codes of the first and of the second model of every pair."""
    first, second = np.triu_indices(n_models, 1)
    return first.astype(np.int64), second.astype(np.int64)
