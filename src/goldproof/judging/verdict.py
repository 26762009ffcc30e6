"""The verdict on a difference: better, worse, tied, or undecided and what it would take; and what it is about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goldproof.judging.metric_numbers import shown, signed, unit
from goldproof.report.numbers import count
from goldproof.statistics.comparison import Comparison, Scope
from goldproof.statistics.planning import Needed, needed, smallest_difference
from goldproof.statistics.power import detectable_difference

VerdictKind = Literal["better", "worse", "tied", "undecided", "unknown"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The items of one side of an unpaired comparison, and the variance of one of them."""

    n: int
    variance: float


@dataclass(frozen=True, slots=True)
class Design:
    """What a comparison rests on: the runs of the side with fewer, and what it is about, in words.

    Where the two sides have different items, `samples` are those.
    """

    n_runs: int = 1
    about: str = ""
    samples: tuple[Sample, ...] = ()
    clustered: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict in one word and one sentence, what it is about, and the smallest difference that would show (80 %).

    `takes` says what it would take where it is undecided.
    """

    kind: VerdictKind
    text: str
    detectable: float
    scope: Scope = "systems"
    about: str = ""
    takes: str = ""


def judge(result: Comparison, design: Design, margin: float, metric: str) -> Verdict:
    """The verdict on B − A.

    Better or worse: the interval excludes 0. Tied: the interval at 1 − 2α lies within ±margin (two one-sided tests).
    Else undecided, with what would show a difference of the margin's size.
    """
    d = result.difference
    scope, about = result.scope, design.about
    if not (math.isfinite(d.low) and math.isfinite(d.high)):
        return Verdict("unknown", f"no verdict: {d.method.removeprefix('no interval: ')}", math.nan, scope, about)
    detectable = smallest_difference(result)
    if d.low > 0 or d.high < 0:
        kind: VerdictKind = "better" if d.low > 0 else "worse"
        size, low, high = sorted_size(d.value, d.low, d.high)
        amount = f"{shown(size, metric)}{unit(metric)} [{shown(low, metric)}, {shown(high, metric)}]"
        return Verdict(kind, f"B is {kind} by {amount}", detectable, scope, about)
    found = f"B − A is {signed(d.value, metric)}{unit(metric)} [{signed(d.low, metric)}, {signed(d.high, metric)}]"
    if is_tied(result, margin):
        text = f"tied: {found}, within ±{shown(margin, metric)}; {_could_show(detectable, metric)}"
        return Verdict("tied", text, detectable, scope, about)
    takes = advice(result, design, margin, metric)
    return Verdict("undecided", f"undecided: {found}; {takes}", detectable, scope, about, takes)


def is_tied(result: Comparison, margin: float) -> bool:
    """Whether equivalence within ±margin is shown: the interval at 1 − 2α lies inside."""
    return -margin < result.inner[0] and result.inner[1] < margin


def _could_show(detectable: float, metric: str) -> str:
    if math.isinf(detectable):
        return "no possible difference would have shown with 80 % power"
    return f"a difference of {shown(detectable, metric)} would have shown with 80 % power"


def advice(result: Comparison, design: Design, margin: float, metric: str) -> str:
    """How many more items or runs would show a difference as large as the margin with 80 % power."""
    aim = f"to show a difference of {shown(margin, metric)}{unit(metric)} with 80 % power"
    if design.samples:
        allowed = (margin / detectable_difference(1.0, math.inf, result.difference.level)) ** 2
        return f"it would take about {_rounded(_more_a_side(design.samples, allowed))} more items on each side {aim}"
    more = needed(result, margin, design.n_runs)
    items = None
    if more.items is not None:
        items = f"about {_rounded(more.items)} more items{' in new clusters' if design.clustered else ''}"
    runs = _more_runs(more)
    if items and runs:
        return f"it would take {items}, or {runs}, {aim}"
    if items:
        return f"it would take {items} {aim}"
    if runs:
        return f"it would take more runs, not more items: {runs} {aim}"
    return f"it would take both more items and more runs {aim}"


def _more_runs(more: Needed) -> str:
    if more.runs is None:
        return ""
    if more.runs_from is not None and more.runs_from < more.runs:
        return f"{more.runs_from} to {_rounded(more.runs)} more runs a side (few runs say little about their spread)"
    return f"about {_rounded(more.runs)} more runs a side"


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
    """Two digits that count, rounded up; the rest would be pretence."""
    unit_of = 10 ** max(0, len(str(n)) - 2)
    return count(-(-n // unit_of) * unit_of)
