"""How many more items or runs a comparison needs to show a difference that matters, and what it can show as it is.

Plans are made for a difference that somebody cares about, never for the one observed, which would promise power to
every lucky pilot. Variances are estimates: what runs add is taken as large as it may well be. Nothing is tested here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.power import detectable_difference
from goldproof.statistics.runs import MeanVariance, RunPart, RunSummary, run_part

ASSURANCE = 0.6
RANGE = (0.1, 0.9)
FEW_DF = 4.0
MOST_ITEMS, MOST_RUNS = 100_000_000, 10_000
HALF_RANGE = 1.959964  # the normal quantile at 95 %


@dataclass(frozen=True, slots=True)
class Needed:
    """How many more items (with the runs there are) or runs a side (with the items there are) would do.

    `items` or `runs` is None where no number of them would. Where the runs there are tell too little of their spread,
    `runs_from` is a low guess and `runs` a high one.
    """

    items: int | None
    runs: int | None = None
    runs_from: int | None = None


def smallest_difference(comparison: Comparison, power: float = 0.8) -> float:
    """The smallest true difference that this comparison would show with this power; infinite where none could be.

    >>> from goldproof.statistics.estimate import Estimate
    >>> found = Comparison(Estimate(0.01, -0.01, 0.03, "t", 400), 0.3, 0.01, math.inf, limit=1.0)
    >>> round(smallest_difference(found), 3)
    0.028
    """
    if not math.isfinite(comparison.standard_error):
        return math.nan
    found = detectable_difference(comparison.standard_error, comparison.df, comparison.difference.level, power)
    return found if found <= comparison.limit else math.inf


def rival_variance(summary: RunSummary, limit: float = 1.0) -> MeanVariance:
    """The variance of the difference to a rival of the same kind, as far as one system's runs tell it.

    The rival has as many runs that vary as much, and differs from this system item by item as two of its runs do.
    With one run, or runs that answer alike, nothing is known of that: the variance is that of a rival on other items.
    Where no item differs from another at all it is what so many items could hide, by Tango's bound; `limit` is the most
    that scores can differ by.
    """
    own = summary.variance()
    part = run_part(summary) if len(summary.scores) > 1 else RunPart(0.0, 0.0, 1)
    if part.interaction > 0:
        return MeanVariance((part, part), 2 * part.interaction * part.n_runs, own.item_df, "items")
    hidden = limit * HALF_RANGE / (own.item_df + 1 + HALF_RANGE**2)
    return MeanVariance((), max(2 * own.item_variance, hidden**2), own.item_df, "items", 2 * own.least)


def needed(comparison: Comparison, difference: float, n_runs: int = 1, power: float = 0.8) -> Needed:
    """How many more items or runs would show a difference of this size with this power.

    The item part of the variance shrinks with items, the run part with runs, their interaction with both. A run part
    that was estimated with ν degrees of freedom is taken at the bound that it stays below with 60 % assurance,
    ν/χ²_ν(0.4) times as large; up to 4 degrees of freedom there is no number, only a range (from 10 to 90 %).

    >>> from goldproof.statistics.estimate import Estimate
    >>> pilot = Comparison(Estimate(0.01, -0.03, 0.05, "t", 400), 0.6, 0.02, math.inf, limit=1.0)
    >>> needed(pilot, 0.02)
    Needed(items=2740, runs=None, runs_from=None)
    """
    if difference <= 0:
        raise UsageError(f"the difference to plan for must be above 0; got {difference}")
    shape = _Shape(comparison, n_runs, power)
    few = shape.runs > 0 and shape.run_df <= FEW_DF
    if few:  # so few runs tell too little of their spread to leave it at more items
        return Needed(None, shape.fewest_runs(difference, RANGE[1]), shape.fewest_runs(difference, RANGE[0]))
    items = shape.fewest_items(difference, ASSURANCE)
    return Needed(items, shape.fewest_runs(difference, ASSURANCE) if shape.runs else None)


class _Shape:
    """The parts of a comparison's variance, and what they become with more items or runs."""

    def __init__(self, comparison: Comparison, n_runs: int, power: float) -> None:
        variance = comparison.variance
        self.level, self.power = comparison.difference.level, power
        self.n_items, self.n_runs = comparison.difference.n, n_runs
        if variance is None or not variance.run_parts:
            self.runs, self.run_df, self.interaction = 0.0, math.inf, 0.0
            self.items = comparison.standard_error**2
            return
        self.interaction, self.run_df = variance.interaction, variance.run_df
        self.runs = variance.run_variance
        self.items = max(variance.item_variance - self.interaction, 0.0)

    def detectable(self, n_items: int, n_runs: int, assurance: float) -> float:
        """The smallest difference shown with that many items and runs."""
        per_item, per_run = self.n_items / n_items, self.n_runs / n_runs
        runs = max(self.largest_runs(assurance) - self.interaction, 0.0) * per_run
        total = runs + self.interaction * per_run * per_item + self.items * per_item
        return detectable_difference(math.sqrt(total), self._df(runs / total, n_runs), self.level, self.power)

    def largest_runs(self, assurance: float) -> float:
        """The variance that runs add, with the interaction, at the bound that it stays below with this assurance."""
        if not self.runs or not math.isfinite(self.run_df):
            return self.runs
        return self.runs * self.run_df / float(special.chdtri(self.run_df, assurance))

    def _df(self, share: float, n_runs: int) -> float:
        """Satterthwaite's degrees of freedom, of which only the runs' are few."""
        if not share or not math.isfinite(self.run_df):
            return math.inf
        return max(2 * (n_runs - 1), 1) / share**2

    def fewest_items(self, difference: float, assurance: float) -> int | None:
        """How many more items than there are."""
        least = _fewest(lambda n: self.detectable(n, self.n_runs, assurance), difference, self.n_items, MOST_ITEMS)
        return None if least is None else least - self.n_items

    def fewest_runs(self, difference: float, assurance: float) -> int | None:
        """How many more runs a side than there are."""
        least = _fewest(lambda n: self.detectable(self.n_items, n, assurance), difference, self.n_runs, MOST_RUNS)
        return None if least is None else least - self.n_runs


def _fewest(detectable: Callable[[int], float], difference: float, first: int, most: int) -> int | None:
    """The smallest count above `first` that shows the difference, by bisection over a falling function."""
    if detectable(most) > difference:
        return None
    low, high = first, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detectable(middle) <= difference else (middle, high)
    return high
