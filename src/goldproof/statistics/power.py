"""Planning: the smallest difference that a design can show, and how many more items or runs a wish would take.

Everything here is normal- or t-theory; it plans, it does not test.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import optimize, special

from goldproof.errors import UsageError
from goldproof.statistics.components import VarianceComponents
from goldproof.statistics.intervals import normal_quantile, t_quantile


def detectable_difference(
    standard_error: float, df: float = math.inf, level: float = 0.95, power: float = 0.8
) -> float:
    """The smallest true difference found significant with probability `power`: (t_{1−α/2} + t_power)·se.

    >>> round(detectable_difference(0.01), 4)
    0.028
    """
    _check_power(power)
    if math.isinf(df):
        return (normal_quantile(level) + float(special.ndtri(power))) * standard_error
    return (t_quantile(level, df) + float(special.stdtrit(df, power))) * standard_error


def detectable_unpaired(n: int, proportion: float = 0.5, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest detectable difference of accuracy between two systems on different items, n each.

    >>> round(100 * detectable_unpaired(4000), 2)
    3.13
    """
    _check_n(n)
    return detectable_difference(math.sqrt(2 * proportion * (1 - proportion) / n), math.inf, level, power)


def detectable_paired(n: int, discordance: float, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest detectable difference of accuracy on the same n items (Connor 1987).

    With a share ψ of items on which exactly one system is right, it solves √n·δ = z_{1−α/2}·√ψ + z_power·√(ψ − δ²).
    A difference cannot be larger than ψ; where even ψ would not show, the result is infinite.

    >>> round(100 * detectable_paired(1000, 0.1), 2)
    2.8
    """
    _check_n(n)
    _check_power(power)
    if not 0 < discordance <= 1:
        raise UsageError(f"the share of discordant items must be above 0 and at most 1; got {discordance}")
    a, b = normal_quantile(level) * math.sqrt(discordance), float(special.ndtri(power))
    # (√n·δ − a)² = b²(ψ − δ²) is quadratic in δ; the larger root is the one with √n·δ ≥ a.
    quadratic, linear, constant = n + b * b, -2 * a * math.sqrt(n), a * a - b * b * discordance
    root = math.sqrt(max(linear**2 - 4 * quadratic * constant, 0.0))
    difference = (-linear + math.copysign(root, b)) / (2 * quadratic)
    return difference if difference <= discordance else math.inf


def least_discordance(n: int, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest share of discordant items at which any difference of accuracy can be detected on n items.

    At that share ψ all differ in favour of one system, so that δ = ψ: √(n·ψ) = z_{1−α/2} + z_power·√(1 − ψ). Infinite
    where even ψ = 1 is too little.

    >>> round(least_discordance(100), 3), least_discordance(3)
    (0.077, inf)
    """
    _check_n(n)
    a, b = normal_quantile(level), float(special.ndtri(_check_power(power)))
    if math.sqrt(n) < a:
        return math.inf
    return float(optimize.brentq(lambda share: math.sqrt(n * share) - a - b * math.sqrt(1 - share), 0.0, 1.0))


def items_for_difference(
    standard_error: float, n: int, difference: float, level: float = 0.95, power: float = 0.8
) -> int:
    """How many items in all would show this difference with this power, if the error shrinks as 1/√items.

    >>> items_for_difference(0.02, 500, 0.03)
    1745
    """
    _check_n(n)
    if difference == 0:
        raise UsageError("no number of items shows a difference of 0; got 0")
    factor = (normal_quantile(level) + float(special.ndtri(_check_power(power)))) * standard_error / abs(difference)
    return math.ceil(n * factor**2)


def half_width(components: VarianceComponents, n_runs: int, n_items: int, level: float = 0.95) -> float:
    """The half width to expect of the interval of a mean over n_runs × n_items (see `runs.MeanVariance`).

    The run part has n_runs − 1 degrees of freedom. One run has no run part that could be estimated: the result is
    infinite unless the seed has no variance.
    """
    _check_n(min(n_runs, n_items))
    if n_runs == 1 and components.seed > 0:
        return math.inf
    normal = normal_quantile(level)
    run_quantile = t_quantile(level, n_runs - 1) if n_runs > 1 else normal
    item_part = normal**2 * (components.item / n_items + components.interaction / (n_items * n_runs))
    return math.sqrt(run_quantile**2 * components.seed / n_runs + item_part)


def runs_needed(
    components: VarianceComponents, wanted: float, n_items: int | None = None, level: float = 0.95, most: int = 10_000
) -> int | None:
    """The fewest runs on n_items that give a half width of at most `wanted`; None where more runs cannot.

    >>> runs_needed(VarianceComponents(0.0004, 0.1, 0.05, 3, 1000), 0.03)
    6
    """
    items = n_items or components.n_items
    return _fewest(lambda runs: half_width(components, runs, items, level), wanted, most)


def items_needed(
    components: VarianceComponents,
    wanted: float,
    n_runs: int | None = None,
    level: float = 0.95,
    most: int = 100_000_000,
) -> int | None:
    """The fewest items for n_runs that give a half width of at most `wanted`; None where more items cannot.

    >>> items_needed(VarianceComponents(0.0, 0.1, 0.05, 5, 100), 0.02)
    1057
    """
    runs = n_runs or components.n_runs
    return _fewest(lambda items: half_width(components, runs, items, level), wanted, most)


def _fewest(width: Callable[[int], float], wanted: float, most: int) -> int | None:
    """The smallest count whose width is at most `wanted`, by bisection over a falling function."""
    if wanted <= 0:
        raise UsageError(f"the wanted half width must be above 0; got {wanted}")
    if width(most) > wanted:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width(middle) <= wanted else (middle, high)
    return high


def _check_n(n: int) -> None:
    if n < 1:
        raise UsageError(f"counts of items and runs must be at least 1; got {n}")


def _check_power(power: float) -> float:
    if not 0 < power < 1:
        raise UsageError(f"the power must be above 0 and below 1; got {power}")
    return power
