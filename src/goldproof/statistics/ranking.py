"""Rankings: which models of a board are shown to be better than which, and the places that each may have.

Two questions. *These tasks*: the items are a sample, the tasks are not; max-T with normal draws that vary as the
scores of all models do (a Gaussian multiplier, stratified by task). *Tasks like these*: the tasks are a sample too;
sign flips of whole tasks, jointly over all pairs (Romano & Wolf 2005), which needs no more than that a difference of
two equal models is as likely to be +d as −d. A multiplier over few tasks finds orders that are not there. Both step
down over all pairs and both directions (`step_down.py`), so that every statement of a ranking holds together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_level
from goldproof.statistics.board import Board, PairReader, Pairs, all_pairs
from goldproof.statistics.step_down import Steps, step_down

DRAWS = 10_000
NUMBERS_AT_ONCE = 1_000_000
MOST_KEPT = 32_000_000
MOST_FLIPPED = 13
FEWEST_TASKS = 6
TINY = 1e-12
NO_STEPS = Steps(np.empty(0), np.full(1, math.inf))
Question = Literal["these tasks", "tasks like these"]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Which models are shown better, all claims together; models × models, a row against a column.

    `difference` is row minus column on what both answered, `adjusted` its p over all pairs, `better` where the row is
    shown to be better, `comparable` where the two share enough. `low` and `high` are the places that each model may
    have: all true places lie within at once with probability `level`. `critical` is the normal quantile at which a
    pair by itself is judged, which stands for the search over all pairs.
    """

    question: Question
    difference: FloatArray = field(repr=False)
    adjusted: FloatArray = field(repr=False)
    better: Array = field(repr=False)
    comparable: Array = field(repr=False)
    low: IntArray
    high: IntArray
    critical: float
    level: float
    method: str

    @property
    def may_be_first(self) -> Array:
        """Which models no other is shown to be better than."""
        return np.asarray(self.low == 1)

    @property
    def n_shown(self) -> int:
        """How many pairs are distinguished."""
        return int(self.better.sum())


def rank_items(board: Board, rng: np.random.Generator, level: float = 0.95, draws: int = DRAWS) -> Ranking:
    """Rank the models of a board on these tasks, over new items (and, where the board has them, new runs).

    Each pair's difference, weighted over tasks, is divided by its standard error; its tail under Student's t is put on
    the normal scale, and no pair is surer than the signs of the clusters in which the two differ can make it, 2^(1−k).

    >>> rng = np.random.default_rng(0); right = rng.random((3, 400)) < np.array([[0.9], [0.6], [0.58]])
    >>> found = rank_items(Board(right.astype(float), np.zeros(400, int), np.ones(1)), rng)
    >>> found.low.tolist(), found.high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return rank_pairs(PairReader(board), read_pairs(board), rng, level, draws)


def read_pairs(board: Board) -> Pairs:
    """Every pair of models of a board."""
    return PairReader(board).read(*all_pairs(board.n_models))


def rank_pairs(
    reader: PairReader, pairs: Pairs, rng: np.random.Generator, level: float = 0.95, draws: int = DRAWS
) -> Ranking:
    """The same from pairs that were read before."""
    check_level(level)
    first, second, board = pairs.first, pairs.second, reader.board
    use = np.flatnonzero(pairs.comparable)
    statistics = normal_scores(pairs)[use]
    error = np.sqrt(pairs.variance)[use]
    error = np.where(error > TINY, error, math.inf)  # two that never differ tell nothing of how far they might
    if board.is_complete:
        chunks = _model_draws(reader, (first[use], second[use]), error, rng, draws)
    else:
        chunks = _multiplier_draws(reader, (first[use], second[use]), error, rng, draws)
    steps = step_down(statistics, chunks) if len(use) else NO_STEPS
    steps = replace(steps, adjusted=np.maximum(steps.adjusted, 2 * special.ndtr(-np.abs(statistics))))
    method = f"step-down max-T over {len(use)} pairs, {draws} normal draws, items by task"
    return _ranking("these tasks", pairs, use, steps, level, method)


def rank_tasks(board: Board, rng: np.random.Generator, level: float = 0.95, draws: int = DRAWS) -> Ranking:
    """Rank the models over tasks like these: each task is one observation, whatever its number of items.

    The statistic of a pair is Σd / √Σd² over tasks, which no flip changes but in its sum. With up to 13 tasks all
    flips are taken. Below 6 tasks no p can be below 0.05, and nothing is shown.

    >>> scores = np.array([[0.9, 0.8, 0.7, 0.9, 0.8, 0.7], [0.5, 0.5, 0.6, 0.4, 0.5, 0.3]])
    >>> found = rank_tasks(Board(scores, np.arange(6), np.ones(6)), np.random.default_rng(0))
    >>> found.may_be_first.tolist(), float(found.adjusted[0, 1])
    ([True, False], 0.03125)
    """
    return rank_by_task(read_pairs(board), rng, level, draws)


def rank_by_task(pairs: Pairs, rng: np.random.Generator, level: float = 0.95, draws: int = DRAWS) -> Ranking:
    """The same from the differences of each pair by task (`Pairs.by_task`)."""
    check_level(level)
    use = np.flatnonzero(pairs.comparable)
    of_task = pairs.by_task[use]
    of_task = np.where(np.abs(of_task) > 1e-12, of_task, 0.0)
    spread = np.sqrt((of_task**2).sum(axis=1))
    scaled = of_task / np.where(spread > 0, spread, 1.0)[:, None]
    n_tasks = pairs.by_task.shape[1]
    exact = n_tasks <= MOST_FLIPPED
    n_draws = 2**n_tasks if exact else draws
    steps = NO_STEPS
    if len(use):
        steps = step_down(scaled.sum(axis=1), _flips(scaled, rng, n_draws, exact), observed_among=exact)
    how = f"all {n_draws}" if exact else f"{n_draws}"
    method = f"step-down max-T over {len(use)} pairs, {how} sign flips of {n_tasks} tasks"
    return _ranking("tasks like these", pairs, use, steps, level, method)


def normal_scores(pairs: Pairs) -> FloatArray:
    """The statistic of each pair on the normal scale: as far out as its t is with its degrees of freedom."""
    error = np.sqrt(np.maximum(pairs.variance, 0.0))
    size = np.abs(pairs.difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(size > 1e-12, size / error, 0.0)
    tail = np.where(np.isinf(t), 0.0, special.stdtr(pairs.df, -np.where(np.isinf(t), 0.0, t)))
    least = np.exp2(-np.maximum(pairs.n_signs, 1).astype(float))
    tail = np.clip(np.maximum(tail, least), 1e-300, 0.5)
    return np.asarray(np.sign(pairs.difference) * -special.ndtri(tail))


def rank_sets(better: Array) -> tuple[IntArray, IntArray]:
    """The first and the last place that each model may have, from who is shown to be better than whom.

    What follows from two that are shown counts too: a is better than c where it is better than b, and b than c. That
    adds no error of its own; it matters where a and c could not be compared.

    >>> better = np.zeros((3, 3), bool); better[0, 2] = True
    >>> [places.tolist() for places in rank_sets(better)]
    [[1, 1, 2], [2, 3, 3]]
    """
    better = _with_what_follows(np.asarray(better, bool))
    return 1 + better.sum(axis=0).astype(np.int64), len(better) - better.sum(axis=1).astype(np.int64)


def _with_what_follows(better: Array) -> Array:
    """The transitive closure; none where orders on different items go round in a circle."""
    found = better
    while True:
        numbers = found.astype(np.float32)
        more = found | (numbers @ numbers > 0)
        if more.diagonal().any():
            return better
        if (more == found).all():
            return found
        found = more


def _ranking(question: Question, pairs: Pairs, use: Array, steps: Steps, level: float, method: str) -> Ranking:
    m = int(pairs.second.max()) + 1
    adjusted, comparable = np.full((m, m), math.nan), np.eye(m, dtype=bool)
    difference = np.full((m, m), math.nan)
    np.fill_diagonal(difference, 0.0)
    first, second = pairs.first[use], pairs.second[use]
    for rows, columns, sign in ((first, second, 1.0), (second, first, -1.0)):
        adjusted[rows, columns] = steps.adjusted
        difference[rows, columns] = sign * pairs.difference[use]
        comparable[rows, columns] = True
    better = (np.nan_to_num(adjusted, nan=1.0) <= 1 - level + 1e-12) & (np.nan_to_num(difference) > 0)
    low, high = rank_sets(better)
    critical = steps.critical(level)
    if question == "these tasks":
        critical = max(critical, float(special.ndtri((1 + level) / 2)))  # of one pair by itself, at least
    return Ranking(question, difference, adjusted, better, comparable, low, high, critical, level, method)


def _model_draws(
    reader: PairReader, pairs: tuple[IntArray, IntArray], error: FloatArray, rng: np.random.Generator, draws: int
) -> Iterator[Array]:
    """Draws of all models' scores, as they vary together, as differences of pairs in standard errors."""
    covariance = reader.own().covariance(reader.board.run_variance)
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T  # the root that rounding does not turn
    scale = (1.0 / error).astype(np.float32)[:, None]
    first, second = pairs
    for n in _sizes(draws, len(error)):
        drawn = (root @ rng.standard_normal((len(root), n))).astype(np.float32)
        yield (drawn[first] - drawn[second]) * scale


def _multiplier_draws(
    reader: PairReader, pairs: tuple[IntArray, IntArray], error: FloatArray, rng: np.random.Generator, draws: int
) -> Iterator[Array]:
    """Draws of all pairs' differences, each on its own items: the same normal multiplier for all that a cluster adds.

    What other runs add is drawn for each model.
    """
    first, second = pairs
    runs = reader.board.run_variance
    spread = None if runs is None else np.sqrt(runs)
    kept = list(_scaled_influence(reader, pairs, error)) if len(error) * reader.n_clusters <= MOST_KEPT else None
    for n in _sizes(draws, len(error), 4 if kept is None else 1):
        multipliers = rng.standard_normal((reader.n_clusters, n), np.float32)
        drawn = np.empty((len(error), n), np.float32)
        for block, influence in kept or _scaled_influence(reader, pairs, error):
            np.matmul(influence, multipliers, out=drawn[block])
        if spread is not None:
            shifts = spread[:, None] * rng.standard_normal((len(spread), n))
            drawn += ((shifts[first] - shifts[second]) / error[:, None]).astype(np.float32)
        yield drawn


def _scaled_influence(
    reader: PairReader, pairs: tuple[IntArray, IntArray], error: FloatArray
) -> Iterator[tuple[slice, Array]]:
    first, second = pairs
    for block in reader.blocks(first, second):
        influence = reader.gathered(reader.influence(first[block], second[block]).influence)
        yield block, (influence / error[block, None]).astype(np.float32)


def _flips(scaled: FloatArray, rng: np.random.Generator, draws: int, exact: bool) -> Iterator[Array]:
    """The statistics of all pairs under flips of the tasks' signs, the same for all pairs."""
    n_tasks, done = scaled.shape[1], 0
    weights = scaled.astype(np.float32)
    for n in _sizes(draws, len(scaled)):
        if exact:
            bits = (np.arange(done, done + n)[None, :] >> np.arange(n_tasks)[:, None]) & 1
        else:
            bits = rng.integers(0, 2, (n_tasks, n))
        done += n
        yield weights @ (1 - 2 * bits).astype(np.float32)


def _sizes(draws: int, n_pairs: int, more: int = 1) -> Iterator[int]:
    """How many draws are taken at once, so that pairs × draws stay few."""
    if draws < 1:
        raise UsageError(f"at least one draw is needed; got {draws}")
    size = max(1, more * NUMBERS_AT_ONCE // max(n_pairs, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)
