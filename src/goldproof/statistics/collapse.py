"""Collapsed runs: trainings that ended by giving one answer to everything. They are found, named and counted.

Of labels by `find_collapse`, of numbers by `find_flat`, of spans by `find_unmarked`.

An interval over runs is about trainings that worked; how often one does not is a rate of its own, and no interval
pretends to cover the mixture of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from goldproof.statistics.arrays import Array, check_same_length
from goldproof.statistics.clusters import t_tail
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import clopper_pearson

ONE_ANSWER = 0.975
MOST_COMMON = 0.9
FLAT = 0.05
_ONE_SIDED = 1.6449


@dataclass(frozen=True, slots=True)
class Collapse:
    """Which runs collapsed, which cannot be distinguished from the majority answer, and the rate of collapse.

    Where gold's commonest label has more than 90 % of the items, a run that gives it nearly always may be as good as
    runs get there; such runs are `unclear`, and none counts as collapsed.
    """

    collapsed: Array
    unclear: Array
    rate: Estimate

    @property
    def n(self) -> int:
        """How many runs collapsed."""
        return int(self.collapsed.sum())

    @property
    def is_whole(self) -> bool:
        """Whether every run collapsed, so that nothing can be found."""
        return bool(self.collapsed.all())

    @property
    def kept(self) -> Array:
        """The runs that are judged: those that did not collapse, or all of them where all did."""
        return np.flatnonzero(~self.collapsed) if not self.is_whole else np.arange(len(self.collapsed))


def find_collapse(gold: Array, runs: Array, level: float = 0.95) -> Collapse:
    """The runs (runs × items of codes) that give one answer to at least 97.5 % of the items, with an MCC not above 0.

    "Not above 0" is a one-sided test at 5 %: the number of right answers against what the same answers, dealt to the
    items at random, would have right.

    >>> gold = np.repeat([0, 1], [45, 55]); runs = np.stack([gold, np.ones(100, int), np.r_[0, np.ones(99, int)]])
    >>> find_collapse(gold, runs).collapsed.tolist()
    [False, True, True]
    """
    gold, runs = np.asarray(gold), np.atleast_2d(np.asarray(runs))
    n = check_same_length(gold=gold, runs=runs)
    n_labels = int(max(gold.max(), runs.max())) + 1
    counts = np.bincount(gold, minlength=n_labels)
    one = np.array([_gives_one_answer(gold, run, counts) for run in runs])
    common = bool(counts.max() > MOST_COMMON * n)
    nothing = np.zeros(len(runs), bool)
    collapsed = nothing if common else one
    return Collapse(collapsed, one if common else nothing, clopper_pearson(int(collapsed.sum()), len(runs), level))


def find_flat(gold: Array, runs: Array, level: float = 0.95) -> Collapse:
    """The runs (runs × items of numbers) that hardly vary, with a correlation with gold that is not above 0.

    "Hardly" is less than 5 % of the deviation of gold, "not above 0" a one-sided t test of Pearson's r at 5 %: answers
    on a smaller scale that follow gold are no collapse.

    >>> gold = np.linspace(0, 5, 50); runs = np.stack([gold, gold / 100, np.full(50, 2.5)])
    >>> find_flat(gold, runs).collapsed.tolist()
    [False, False, True]
    """
    gold, runs = np.asarray(gold, float), np.atleast_2d(np.asarray(runs, float))
    check_same_length(gold=gold, runs=runs)
    flat = np.array([_hardly_varies(gold, run) for run in runs])
    return Collapse(flat, np.zeros(len(runs), bool), clopper_pearson(int(flat.sum()), len(runs), level))


def find_unmarked(gold: Array, found: Array, given: Array, level: float = 0.95) -> Collapse:
    """The runs that mark next to no span of words, and none that is right: less than 2.5 % as many as gold has.

    `gold` are the spans of each item, `found` and `given` (runs × items) those that are right and those marked at all.

    >>> gold, found = np.array([2, 1, 3]), np.array([[2, 0, 1], [0, 0, 0]])
    >>> find_unmarked(gold, found, found).collapsed.tolist()
    [False, True]
    """
    n_given, n_found = np.atleast_2d(given).sum(axis=1), np.atleast_2d(found).sum(axis=1)
    bare = (n_found == 0) & (n_given <= (1 - ONE_ANSWER) * np.asarray(gold).sum())
    return Collapse(bare, np.zeros(len(bare), bool), clopper_pearson(int(bare.sum()), len(bare), level))


def _hardly_varies(gold: Array, run: Array) -> bool:
    if not run.std() < FLAT * gold.std():
        return False
    if run.std() < 1e-12 * max(1.0, float(np.abs(run).max())) or len(gold) < 3:
        return True
    r = float(np.corrcoef(gold, run)[0, 1])
    return r * math.sqrt((len(gold) - 2) / max(1 - r**2, 1e-12)) <= t_tail(0.1, len(gold) - 2)


def _gives_one_answer(gold: Array, run: Array, gold_counts: Array) -> bool:
    n = len(gold)
    counts = np.bincount(run, minlength=len(gold_counts))
    if counts.max() < ONE_ANSWER * n:
        return False
    if n < 2:
        return True
    products = float(counts @ gold_counts)
    expected = products / n
    # The variance of the number of matches when one list is shuffled (Hoeffding 1951).
    spread = products - float(gold_counts @ counts**2 + counts @ gold_counts**2) / n + expected**2
    if spread <= 1e-9:
        return True
    return float((gold == run).sum()) - expected <= _ONE_SIDED * math.sqrt(spread / (n - 1))
