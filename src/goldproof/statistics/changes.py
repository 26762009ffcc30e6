"""How predictions of two models, or of two runs, differ item by item: flips and churn. No tests here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, check_same_length


@dataclass(frozen=True, slots=True)
class Flips:
    """Items by who is right: both, only A, only B, neither; and those that both have wrong in different ways."""

    both: int
    only_a: int
    only_b: int
    neither: int
    wrong_differently: int

    @property
    def n(self) -> int:
        """The number of items."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def churn(self) -> float:
        """The share of items whose prediction differs."""
        return (self.only_a + self.only_b + self.wrong_differently) / self.n


def flips(gold: Array, a: Array, b: Array) -> Flips:
    """Count who is right on each item; labels may be of any kind.

    >>> flips(np.array([1, 1, 0, 2]), np.array([1, 0, 0, 0]), np.array([1, 1, 1, 1]))
    Flips(both=1, only_a=1, only_b=1, neither=1, wrong_differently=1)
    """
    gold, a, b = np.asarray(gold), np.asarray(a), np.asarray(b)
    check_same_length(gold=gold, a=a, b=b)
    right_a, right_b = a == gold, b == gold
    return Flips(
        int((right_a & right_b).sum()),
        int((right_a & ~right_b).sum()),
        int((~right_a & right_b).sum()),
        int((~right_a & ~right_b).sum()),
        int((~right_a & ~right_b & (a != b)).sum()),
    )


def churn(a: Array, b: Array) -> float:
    """The share of items on which two prediction vectors differ (Milani Fard et al. 2016).

    >>> churn(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.25
    """
    check_same_length(a=np.asarray(a), b=np.asarray(b))
    return float((np.asarray(a) != np.asarray(b)).mean())


def seed_churn(runs: Array) -> float:
    """The mean churn over all pairs of runs (runs × items): how much a new seed alone changes.

    >>> round(seed_churn(np.array([[0, 0, 1], [0, 1, 1], [0, 0, 1]])), 4)
    0.2222
    """
    runs = np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2:
        raise UsageError(f"seed churn needs at least 2 runs (runs × items); got an array of shape {runs.shape}")
    return float(np.mean([churn(first, second) for first, second in combinations(runs, 2)]))


def model_churn(runs_a: Array, runs_b: Array) -> float:
    """The mean churn over all pairs of one run of A and one run of B (runs × items each)."""
    pairs = [churn(first, second) for first in np.atleast_2d(runs_a) for second in np.atleast_2d(runs_b)]
    return float(np.mean(pairs))
