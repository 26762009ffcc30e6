"""The verdict on a difference in words: better, worse, tied, or undecided and what it would take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goldproof.judging.metric_numbers import shown, signed, unit
from goldproof.report.numbers import count
from goldproof.statistics.comparison import Comparison, equivalence_test
from goldproof.statistics.power import detectable_difference

VerdictKind = Literal["better", "worse", "tied", "undecided", "unknown"]
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Sample:
    """The items of one side of an unpaired comparison, and the variance of one of them."""

    n: int
    variance: float


@dataclass(frozen=True, slots=True)
class Design:
    """What a comparison rests on: items, runs a side, and the part of its variance that only more runs can shrink.

    Where the two sides have different items, `samples` are those.
    """

    n_items: int
    n_runs: int = 1
    seed_variance: float = 0.0
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict in one word and in one sentence, with the smallest difference that would have shown."""

    kind: VerdictKind
    text: str
    detectable: float


def judge(result: Comparison, design: Design, margin: float, metric: str) -> Verdict:
    """The verdict on B − A.

    Better or worse: the interval excludes 0. Tied: two one-sided tests put the difference within ±margin. Else
    undecided.
    """
    d = result.difference
    if not (math.isfinite(d.low) and math.isfinite(d.high)):
        return Verdict("unknown", f"nothing can be said: {d.method}", math.nan)
    detectable = detectable_difference(result.standard_error, result.df, d.level)
    if d.low > 0 or d.high < 0:
        kind: VerdictKind = "better" if d.low > 0 else "worse"
        size, low, high = sorted_size(d.value, d.low, d.high)
        amount = f"{shown(size, metric)}{unit(metric)} [{shown(low, metric)}, {shown(high, metric)}]"
        return Verdict(kind, f"B is {kind} by {amount}", detectable)
    alpha = 1 - d.level
    if equivalence_test(result, margin) < alpha:
        bound = max(abs(d.low), abs(d.high))
        text = (
            f"tied: B − A is {signed(d.value, metric)}{unit(metric)} "
            f"[{signed(d.low, metric)}, {signed(d.high, metric)}], within ±{shown(margin, metric)}; "
            f"a difference above {shown(max(detectable, bound), metric)} would have shown"
        )
        return Verdict("tied", text, detectable)
    text = (
        f"undecided: B − A is {signed(d.value, metric)}{unit(metric)} "
        f"[{signed(d.low, metric)}, {signed(d.high, metric)}]; "
        f"{wanted(result, design, max(abs(d.value), margin), metric)}"
    )
    return Verdict("undecided", text, detectable)


def wanted(result: Comparison, design: Design, target: float, metric: str) -> str:
    """How many more items or runs would show a difference of the target size with 80 % power."""
    aim = f"to show a difference of {shown(target, metric)}{unit(metric)}"
    factor = detectable_difference(1.0, math.inf, result.difference.level)
    allowed = (target / factor) ** 2
    if design.samples:
        return f"about {_rounded(_more_a_side(design.samples, allowed))} more items on each side needed {aim}"
    total = result.standard_error**2
    seeds = min(design.seed_variance, total)
    if seeds < allowed:
        more = max(1, math.ceil(design.n_items * ((total - seeds) / (allowed - seeds) - 1)))
        return f"about {_rounded(more)} more items needed {aim}"
    items = total - seeds
    if design.n_runs > 1 and items < allowed:
        runs = math.ceil(seeds * design.n_runs / (allowed - items))
        if runs - design.n_runs < _MOST:
            return f"about {max(1, runs - design.n_runs)} more runs a side needed {aim}; more items alone would not do"
    return f"more items and more runs needed {aim}"


def _more_a_side(samples: Sequence[Sample], allowed: float) -> int:
    """The fewest items more on each side with which the difference has this variance, by bisection."""

    def variance(more: int) -> float:
        return sum(sample.variance / (sample.n + more) for sample in samples)

    low, high = 0, 1
    while variance(high) > allowed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if variance(middle) <= allowed else (middle, high)
    return high


def sorted_size(value: float, low: float, high: float) -> tuple[float, float, float]:
    """The size of a difference with its bounds, all positive for a difference that excludes 0."""
    return (value, low, high) if value > 0 else (-value, -high, -low)


def _rounded(n: int) -> str:
    """Two digits that count; the rest would be pretence."""
    digits = max(0, len(str(n)) - 2)
    return count(round(n, -digits))
