"""Orders of a board: the aggregates that boards use, how far they agree, and groups that cannot be distinguished.

Mean rank, win rate over tasks and Borda points are one order where every model has every task: each is a straight line
in the others. They differ where tasks are missing. Tests are `ranking.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import stats

from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.board import Board, Pairs

AggregateName = Literal["mean over tasks", "mean rank", "win rate", "Borda", "item wins"]
AGGREGATES: tuple[AggregateName, ...] = ("mean over tasks", "mean rank", "win rate", "Borda", "item wins")


def task_points(task_scores: Array, name: AggregateName) -> FloatArray:
    """Each model's points on each task (models × tasks; more is better), whose mean over tasks is the aggregate.

    Of m models that have a task: mean rank takes −rank (equal scores share one), Borda m − rank, win rate the share of
    the others that are beaten, an equal one counted half.

    >>> task_points(np.array([[0.9, 0.5], [0.7, 0.5], [0.8, 0.6]]), "win rate").tolist()
    [[1.0, 0.25], [0.0, 0.25], [0.5, 1.0]]
    """
    scores = np.asarray(task_scores, float)
    if name == "mean over tasks":
        return scores
    ranks = stats.rankdata(-scores, axis=0, nan_policy="omit")
    counts = (~np.isnan(scores)).sum(axis=0)
    if name == "mean rank":
        return np.asarray(-ranks)
    return np.asarray((counts - ranks) / (np.maximum(counts - 1, 1) if name == "win rate" else 1))


def item_wins(scores: Array) -> FloatArray:
    """For each model and item the share of the other models that score less there, equal ones counted half.

    It is a score per item again. Of right and wrong answers its order is that of the mean.

    >>> item_wins(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])).tolist()
    [[0.75, 0.25], [0.0, 0.25], [0.75, 1.0]]
    """
    scores = np.asarray(scores, float)
    counts = (~np.isnan(scores)).sum(axis=0)
    ranks = stats.rankdata(scores, axis=0, nan_policy="omit")
    return np.asarray((ranks - 1) / np.maximum(counts - 1, 1))


def aggregate_values(board: Board, name: AggregateName) -> FloatArray:
    """The aggregate of each model; of mean rank less is better, of all others more."""
    if name == "item wins":
        return replace(board, scores=item_wins(board.scores)).totals()
    points = task_points(board.task_scores(), name)
    weights = np.where(np.isnan(points), 0.0, board.weights)
    values = (np.nan_to_num(points) * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-300)
    return np.asarray(-values if name == "mean rank" else values)


def pairs_of_points(pairs: Pairs, points: Array, weights: Array) -> Pairs:
    """The same pairs with the differences of these points by task in the place of those of the scores."""
    both = points[pairs.first] - points[pairs.second]
    by_task = np.nan_to_num(both) * (np.asarray(weights) / np.sum(weights))
    return replace(pairs, by_task=by_task, difference=by_task.sum(axis=1))


def places_of(values: Array, less_is_better: bool = False) -> IntArray:
    """The place of each model, 1 for the first; equal ones share the better place.

    >>> places_of(np.array([0.7, 0.9, 0.7])).tolist()
    [2, 1, 2]
    """
    values = np.round(np.asarray(values, float), 12)  # sums of the same numbers in another order are equal
    return np.asarray(stats.rankdata(values if less_is_better else -values, method="min"), np.int64)


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Two orders beside each other: Kendall's τ, and how many pairs stand the other way round."""

    tau: float
    reversed_pairs: int


def agreement_of(one: Array, other: Array) -> OrderAgreement:
    """How far two orders (places) agree.

    >>> agreement_of(np.array([1, 2, 3]), np.array([2, 1, 3]))
    OrderAgreement(tau=0.333, reversed_pairs=1)
    """
    a, b = (np.sign(np.subtract.outer(np.asarray(places), np.asarray(places))) for places in (one, other))
    reversed_pairs = int((a * b < 0).sum()) // 2
    tau = stats.kendalltau(one, other).statistic
    return OrderAgreement(round(float(tau), 3) if np.isfinite(tau) else 1.0, reversed_pairs)


@dataclass(frozen=True, slots=True)
class Groups:
    """Stretches of the order within which no two models are distinguished, each as long as it can be: (first, last).

    A model may be in several: two that cannot be distinguished from a third need not be alike. `beyond` counts the
    pairs that share no stretch and yet are not distinguished.
    """

    spans: Sequence[tuple[int, int]]
    beyond: int

    def letters(self, n_models: int) -> list[str]:
        """For each model the letters of its groups; models that share one cannot be distinguished."""
        names = [_letters(number) for number in range(len(self.spans))]
        spans = list(zip(names, self.spans, strict=True))
        return [" ".join(name for name, (low, high) in spans if low <= model <= high) for model in range(n_models)]


def _letters(number: int) -> str:
    """The name of a group: a, b, and so on to z, then aa, ab."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def groups_of(better: Array) -> Groups:
    """The groups of models that stand in their order.

    >>> better = np.zeros((4, 4), bool); better[0, 2:] = better[1, 3] = True
    >>> found = groups_of(better)
    >>> found.spans, found.beyond, found.letters(4)
    ([(0, 1), (1, 2), (2, 3)], 0, ['a', 'a b', 'b c', 'c'])
    """
    told = np.asarray(better | better.T)
    m, spans, high = len(told), [], -1
    for low in range(m):
        last = max(high, low)
        while last + 1 < m and not told[low : last + 1, last + 1].any():
            last += 1
        if told[low, low : last + 1].any():
            last = low + int(np.argmax(told[low, low : last + 1])) - 1
        if last > high:
            spans.append((low, last))
            high = last
    together = np.zeros((m, m), bool)
    for first, last in spans:
        together[first : last + 1, first : last + 1] = True
    return Groups(spans, int((~told & ~together).sum()) // 2)
