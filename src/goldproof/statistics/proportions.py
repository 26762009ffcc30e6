"""Tests and intervals for differences of proportions: McNemar, Cochran's Q, Tango's interval, the z test.

Only right-or-wrong answers are dealt with here; for other metrics, clusters and runs see `comparison.py`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import normal_quantile, wilson


def mcnemar(only_a: int, only_b: int, method: str = "mid-p") -> float:
    """McNemar's (1947) p-value from the items that only A, and only B, has right.

    `exact` is the two-sided binomial, `mid-p` takes off the chance of the observed outcome, half of it at b = c
    (Fagerland, Lydersen & Laake 2013), `chi2` is (b − c)²/(b + c), and `chi2-corrected` (|b − c| − 1)²/(b + c).
    Without a discordant item p is 1.

    >>> [round(mcnemar(10, 2, method), 4) for method in ("exact", "mid-p", "chi2", "chi2-corrected")]
    [0.0386, 0.0225, 0.0209, 0.0433]
    """
    if only_a < 0 or only_b < 0:
        raise UsageError(f"counts of discordant items must not be negative; got {only_a} and {only_b}")
    discordant = only_a + only_b
    if method not in ("exact", "mid-p", "chi2", "chi2-corrected"):
        raise UsageError(f"method must be exact, mid-p, chi2 or chi2-corrected; got {method!r}")
    if discordant == 0:
        return 1.0
    if method.startswith("chi2"):
        gap = max(abs(only_a - only_b) - (1 if method == "chi2-corrected" else 0), 0)
        return float(special.chdtrc(1, gap**2 / discordant))
    fewer = min(only_a, only_b)
    tail = float(special.bdtr(fewer, discordant, 0.5))
    exact = min(1.0, 2 * tail)
    if method == "exact":
        return exact
    point = tail - (float(special.bdtr(fewer - 1, discordant, 0.5)) if fewer else 0.0)
    return exact - (point / 2 if only_a == only_b else point)


def paired_proportions(only_a: int, only_b: int, n: int, level: float = 0.95) -> Estimate:
    """Tango's (1998) score interval of the difference A − B of two proportions on the same n items.

    It holds the differences d with |b − c − n·d| ≤ z·√(n·(2·q(d) + d·(1 − d))), where q(d) is the share of items
    that only B has right, estimated under d. It leaves 0 out exactly when McNemar's chi² without correction is
    significant.

    >>> estimate = paired_proportions(12, 2, 100)
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.1, 0.031, 0.182)
    """
    if n < 1 or min(only_a, only_b) < 0 or only_a + only_b > n:
        raise UsageError(f"discordant items must be counts of at most n; got {only_a} and {only_b} of {n}")
    value, quantile = (only_a - only_b) / n, normal_quantile(level)

    def excess(difference: float, side: float) -> float:
        return side * _tango_statistic(only_a, only_b, n, difference) - quantile

    edge = 1 - 1e-12
    low = optimize.brentq(excess, -edge, value, args=(1.0,)) if value > -edge and excess(-edge, 1.0) > 0 else -1.0
    high = optimize.brentq(excess, value, edge, args=(-1.0,)) if value < edge and excess(edge, -1.0) > 0 else 1.0
    return Estimate(value, float(low), float(high), "Tango score", n, level)


def cochran_q(right: Array) -> float:
    """Cochran's (1950) p-value for k runs on the same n items (runs × items of right or wrong) being equally good.

    Q = (k−1)(k·ΣG² − (ΣG)²) / (k·ΣL − ΣL²), G the right answers of a run, L those on an item; chi² with k − 1
    degrees of freedom. For two runs it is McNemar's chi² without correction. 1 where no item tells runs apart.

    >>> right = np.array([[1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 0, 0, 1, 0, 0, 1], [1, 1, 0, 0, 1, 1, 0, 1]])
    >>> round(cochran_q(right), 4)
    0.0498
    """
    table = np.asarray(right, float)
    if table.ndim != 2 or len(table) < 2:
        raise UsageError(f"Cochran's Q needs at least 2 runs (runs × items); got an array of shape {table.shape}")
    runs, items, k = table.sum(axis=1), table.sum(axis=0), len(table)
    spread = k * items.sum() - (items**2).sum()
    if spread == 0:
        return 1.0
    return float(special.chdtrc(k - 1, (k - 1) * (k * (runs**2).sum() - runs.sum() ** 2) / spread))


def two_proportion_test(successes_a: float, n_a: int, successes_b: float, n_b: int) -> float:
    """The two-sided z test of two independent proportions with pooled variance (unpaired: different items).

    z = (p_A − p_B) / √(p(1−p)(1/n_A + 1/n_B)), p pooled.

    >>> round(two_proportion_test(80, 100, 65, 100), 4)
    0.0175
    """
    if min(n_a, n_b) < 1 or not (0 <= successes_a <= n_a and 0 <= successes_b <= n_b):
        raise UsageError(f"successes must lie between 0 and n; got {successes_a} of {n_a} and {successes_b} of {n_b}")
    pooled = (successes_a + successes_b) / (n_a + n_b)
    error = math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    if error == 0:
        return 1.0
    return float(2 * special.ndtr(-abs(successes_a / n_a - successes_b / n_b) / error))


def unpaired_proportions(successes_a: float, n_a: int, successes_b: float, n_b: int, level: float = 0.95) -> Estimate:
    """Newcombe's (1998, method 10) interval of the difference A − B of two independent proportions.

    With Wilson's bounds l and u of each: from (p_A − p_B) − √((p_A − l_A)² + (u_B − p_B)²) to (p_A − p_B) +
    √((u_A − p_A)² + (p_B − l_B)²).

    >>> estimate = unpaired_proportions(56, 70, 48, 80)
    >>> round(estimate.value, 3), round(estimate.low, 4), round(estimate.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    a, b = wilson(successes_a, n_a, level), wilson(successes_b, n_b, level)
    value = a.value - b.value
    low = value - math.hypot(a.value - a.low, b.high - b.value)
    high = value + math.hypot(a.high - a.value, b.value - b.low)
    return Estimate(value, low, high, "Newcombe", n_a + n_b, level)


def significant_difference(n: int, proportion: float = 0.5, level: float = 0.95) -> float:
    """The smallest difference of two proportions on n items each (unpaired) that the z test calls significant.

    z·√(2·p(1−p)/n); with p = ½ it is the largest over p. At n = 4000 it is 2.19 points, at n = 5010 it is 1.96.

    >>> round(100 * significant_difference(4000), 2), round(100 * significant_difference(5010), 2)
    (2.19, 1.96)
    """
    if n < 1 or not 0 <= proportion <= 1:
        raise UsageError(f"n must be at least 1 and the proportion from 0 to 1; got {n} and {proportion}")
    return normal_quantile(level) * math.sqrt(2 * proportion * (1 - proportion) / n)


def _tango_statistic(only_a: int, only_b: int, n: int, difference: float) -> float:
    a = 2 * n
    b = -only_a - only_b + (2 * n - only_a + only_b) * difference
    c = -only_b * difference * (1 - difference)
    share_b = max((math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a), 0.0)
    variance = n * (2 * share_b + difference * (1 - difference))
    gap = only_a - only_b - n * difference
    if variance <= 1e-15:
        return 0.0 if abs(gap) < 1e-9 else math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)
