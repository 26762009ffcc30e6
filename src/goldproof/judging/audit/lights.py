"""The five lights: red where a lower bound lies above its threshold, green where the upper lies below, grey otherwise.

A light rests on one measure or more, each of which gives its interval at any level. Holm's procedure goes over the
lights: the level of each step is that of the lights still undecided. A light is red where one of its measures is above
its threshold (the level shared out among them), green where all are below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from goldproof.statistics.estimate import Estimate

Colour = Literal["red", "green", "grey"]
Interval = Callable[[float], Estimate]


@dataclass(frozen=True, slots=True)
class Gauge:
    """One measure of a light: its interval at a level, its threshold, what it is, and how to print it.

    `of` finishes the sentence "the share of …". `is_sampled` is False where bounds are a range of cases and no interval
    from a sample: such a light takes no part in Holm's procedure.
    """

    of: str
    interval: Interval
    threshold: float
    unit: str = "%"
    digits: int = 1
    is_sampled: bool = True


@dataclass(frozen=True, slots=True)
class Light:
    """A light: its colour, the measure that decides it with the interval at which it was decided, and why it is grey.

    `level` is the level of that interval; a light without a measure is grey and has a reason. `also` are the other
    measures that turn it red.
    """

    name: str
    colour: Colour
    gauge: Gauge | None
    estimate: Estimate | None
    level: float
    reason: str = ""
    also: tuple[tuple[Gauge, Estimate], ...] = ()


@dataclass(frozen=True, slots=True)
class LightQuestion:
    """What a light is asked: its measures, or the reason why there are none."""

    name: str
    gauges: tuple[Gauge, ...]
    reason: str = ""


def turn_on(questions: Sequence[LightQuestion], level: float = 0.95) -> tuple[Light, ...]:
    """Decide all lights together."""
    alpha = 1 - level
    found = {
        each.name: Light(each.name, "grey", None, None, level, each.reason) for each in questions if not each.gauges
    }
    fixed = [each for each in questions if each.gauges and not each.gauges[0].is_sampled]
    found |= {each.name: _decide(each, level) for each in fixed}
    left = [each for each in questions if each.name not in found]
    while left:
        step = 1 - alpha / len(left)
        lights = {each.name: _decide(each, step) for each in left}
        decided = {name: light for name, light in lights.items() if light.colour != "grey"}
        found |= decided or lights
        left = [each for each in left if each.name not in found]
    return tuple(found[each.name] for each in questions)


def _decide(question: LightQuestion, level: float) -> Light:
    """The light at a level: red by the measure furthest above its threshold, else green, else grey by the highest."""
    shared = 1 - (1 - level) / len(question.gauges)
    strict = [(gauge, gauge.interval(shared)) for gauge in question.gauges]
    above = [(gauge, estimate) for gauge, estimate in strict if estimate.low > gauge.threshold]
    if above:
        gauge, estimate = max(above, key=lambda pair: _times(pair[1].low, pair[0].threshold))
        also = tuple(pair for pair in above if pair[0] is not gauge)
        return Light(question.name, "red", gauge, estimate, shared, also=also)
    plain = [(gauge, gauge.interval(level)) for gauge in question.gauges]
    gauge, estimate = max(plain, key=lambda pair: _times(pair[1].value, pair[0].threshold))
    colour: Colour = "green" if all(each.high < one.threshold for one, each in plain) else "grey"
    return Light(question.name, colour, gauge, estimate, level)


def _times(value: float, threshold: float) -> float:
    """How many times its threshold a value is; a threshold of 0 gives the value itself."""
    return value / threshold if threshold else value


def at_level(estimate: Estimate, level: float) -> Estimate:
    """An interval made wider or narrower as a normal one would be, where only one level was computed."""
    from goldproof.statistics.intervals import normal_quantile

    scale = normal_quantile(level) / normal_quantile(estimate.level)
    low, high = (estimate.value + scale * (end - estimate.value) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high, level=level)
