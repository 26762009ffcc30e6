"""Several attempts at each item: the chance that one of k passes, that all of k pass, and their mean.

From n attempts of which c passed, pass@k = 1 − C(n−c, k)/C(n, k) is unbiased for the chance that at least one of k
passes (Chen et al. 2021), and pass^k = C(c, k)/C(n, k) for the chance that all k do. Each is a number of an item, so
that its mean has the interval of a score per item: attempts at one item are never taken for more items.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.item_scores import item_scores_interval

AttemptKind = Literal["any", "all"]


def attempts_of(passed: Array, k: int, kind: AttemptKind = "any") -> FloatArray:
    """pass@k (`any`) or pass^k (`all`) of each item, from attempts × items of passed or not.

    >>> attempts_of(np.array([[1, 0], [0, 0], [1, 0], [0, 1]]), 2).round(3).tolist()
    [0.833, 0.5]
    >>> attempts_of(np.array([[1, 0], [0, 0], [1, 0], [0, 1]]), 2, "all").round(3).tolist()
    [0.167, 0.0]
    """
    table = np.atleast_2d(np.asarray(passed, float))
    n = len(table)
    if not np.isin(table, (0.0, 1.0)).all():
        raise UsageError("attempts must have passed or not: 1 or 0 for each; got other numbers")
    if not 1 <= k <= n:
        raise UsageError(f"k must be from 1 to the number of attempts, {n}; got {k}")
    counted = table.sum(axis=0)
    ways = special.comb(n, k)
    if kind == "all":
        return np.asarray(special.comb(counted, k) / ways)
    return np.asarray(1 - special.comb(n - counted, k) / ways)


def attempts_interval(
    passed: Array, k: int, kind: AttemptKind = "any", clusters: Array | None = None, level: float = 0.95
) -> Estimate:
    """The mean of pass@k or pass^k over items with its interval over new items and attempts.

    >>> rng = np.random.default_rng(0); passed = rng.random((5, 100)) < rng.random(100)
    >>> estimate = attempts_interval(passed, 3)
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    return item_scores_interval(attempts_of(passed, k, kind), clusters, level)
