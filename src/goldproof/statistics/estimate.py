"""Estimate: a number with its interval, how the interval was made, and from how many items."""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.jobs.names import named


@named("statistics.Estimate")
@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the interval [low, high], the method that gave it, and the number of items behind it.

    An interval that does not exist (one run only, say) is NaN on both sides and `method` says why.
    """

    value: float
    low: float
    high: float
    method: str
    n: int
    level: float = 0.95
