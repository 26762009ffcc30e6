"""The lights of the page, decided together: those of the audit that a score hangs on, three of trainings or prompts.

Red where the lower bound lies beyond its threshold, green only where the upper bound lies within, grey otherwise;
Holm's procedure goes over those that rest on a sample. Leaks, size and constant trainings are counted and are no part
of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scipy import stats

from goldproof.claiming.scores import FEWEST, Evidence
from goldproof.claiming.titles import WORDS_LIGHT
from goldproof.errors import UsageError
from goldproof.judging.audit.lights import Colour, Gauge, Light, LightQuestion, turn_on
from goldproof.judging.metric_numbers import score_format, shown, signed, unit
from goldproof.judging.metrics import is_share
from goldproof.report.numbers import count, format_number
from goldproof.statistics.estimate import Estimate

OF_AUDIT = ("leaks", "shortcuts", "labels", "size")
SPREAD = "the standard deviation of the score over {runs}"
CONSTANT = "{runs} that give one answer to nearly everything"
AHEAD = "by how much a bag of words is ahead"


@dataclass(frozen=True, slots=True)
class PageLight:
    """A light with its sentence."""

    name: str
    colour: Colour
    sentence: str
    estimate: Estimate | None
    digits: int
    unit: str


def find_lights(evidence: Evidence) -> tuple[PageLight, ...]:
    """All lights, decided together."""
    questions = {name: _audited(evidence.audit["lights"][name], name) for name in OF_AUDIT}
    questions |= {"spread": _spread(evidence), "constant": _constant(evidence), "words": _words(evidence)}
    lights = turn_on(list(questions.values()), evidence.config.level)
    return tuple(_worded(evidence, light) for light in lights)


def _audited(form: Mapping[str, Any], name: str) -> LightQuestion:
    """A light of the audit, from its record."""
    return LightQuestion(name, tuple(map(_gauge, form["gauges"])), form["reason"])


def _gauge(form: Mapping[str, Any]) -> Gauge:
    table = {_rounded(each["level"]): each for each in form["at"]}
    fixed = {name: form[name] for name in ("of", "threshold", "unit", "digits", "is_sampled")}
    return Gauge(interval=partial(_at, table), **fixed)


def _at(table: Mapping[float, Mapping[str, Any]], level: float) -> Estimate:
    form = table.get(_rounded(level))
    if form is None:
        raise UsageError(f"the audit was not asked at the level {level}; it was at {', '.join(map(str, table))}")
    value, low, high = (math.inf if form[name] is None else form[name] for name in ("value", "low", "high"))
    return Estimate(value, low, high, form["method"], form["n"], level)


def _rounded(level: float) -> float:
    return round(level, 9)


def _spread(evidence: Evidence) -> LightQuestion:
    """Whether trainings that differ in nothing but the seed, or prompts that ask for the same, score alike."""
    scores = evidence.per_training
    if reason := _mostly_constant(evidence) or _too_few(evidence, len(scores)):
        return LightQuestion("spread", (), reason)
    threshold = evidence.config.thresholds.spread
    scale = "points" if is_share(evidence.metric) else ""
    step = 1 / evidence.test.n_items
    interval = partial(deviation_interval, float(scores.std(ddof=1)), len(scores), step=step)
    of = SPREAD.format(runs=f"{evidence.run_kind}s")
    return LightQuestion("spread", (Gauge(of, interval, threshold, scale, 1 if scale else 3),))


def _too_few(evidence: Evidence, n: int) -> str:
    """Why the spread of fewer than three trainings is not judged; empty of more."""
    if n >= FEWEST:
        return ""
    collapse = evidence.collapse
    if collapse is not None and collapse.n and evidence.asked is None:
        whole = len(collapse.collapsed)
        said = "did not give one answer to nearly everything"
        return f"{whole - collapse.n} of {evidence.runs(whole)} {said}: at least 3 are needed"
    say = "says" if n == 1 else "say"
    return f"{evidence.runs(n)} {say} too little about others: at least 3 are needed"


def _mostly_constant(evidence: Evidence) -> str:
    """Why nothing is said of runs of which at most one did more than give one answer; empty where more did."""
    collapse = evidence.collapse
    if collapse is None:
        return ""
    n, n_constant = len(collapse.collapsed), int((collapse.collapsed | collapse.unclear).sum())
    if not n_constant or n_constant < n - 1:
        return ""
    some = f"{n_constant} of {evidence.runs(n)}"
    return f"{some if n_constant < n else _all(evidence, n)} {_gave(evidence)} one answer to nearly everything"


def _all(evidence: Evidence, n: int) -> str:
    return f"the one {evidence.run_kind}" if n == 1 else f"all {evidence.runs(n)}"


def _gave(evidence: Evidence) -> str:
    """What trainings do and prompts have done to them."""
    return "gave" if evidence.asked is None else "got"


def deviation_interval(deviation: float, n: int, level: float, step: float = 0.0) -> Estimate:
    """The interval of the standard deviation of n normal values, by the χ² distribution.

    Values that are scores of items come in steps, and few items hide what moves. The upper end is that of a deviation
    one step wider: with less, runs that all score alike on few items would be shown not to vary
    (`benchmarks/spread_light.py`).

    >>> found = deviation_interval(1.0, 10, 0.95)
    >>> round(found.low, 3), round(found.high, 3)
    (0.688, 1.826)
    >>> round(deviation_interval(0.0, 5, 0.95, step=1 / 12).high, 3)
    0.239
    """
    ends = (stats.chi2.ppf(p, n - 1) for p in ((1 + level) / 2, (1 - level) / 2))
    low, high = (
        float(each * math.sqrt((n - 1) / end)) for each, end in zip((deviation, deviation + step), ends, strict=True)
    )
    method = f"χ² with {n - 1} degrees of freedom{', one item wider' if step else ''}"
    return Estimate(deviation, low, high, method, n, level)


def _constant(evidence: Evidence) -> LightQuestion:
    """Whether a training ended by giving one answer to nearly everything; each that did is a fact."""
    collapse = evidence.collapse
    if collapse is None:
        return LightQuestion("constant", (), "that is looked for in answers of classes and numbers, of at least two")
    if collapse.unclear.any():
        return LightQuestion("constant", (), "one label is so frequent that always giving it looks like any training")
    share, n = collapse.n / len(collapse.collapsed), len(collapse.collapsed)
    found = Estimate(share, share, share, "a count", n)
    return LightQuestion(
        "constant",
        (Gauge(CONSTANT.format(runs=f"{evidence.run_kind}s"), lambda _: found, 1e-9, "%", 0, is_sampled=False),),
    )


def _words(evidence: Evidence) -> LightQuestion:
    """Whether the model does better than a bag of words learned from the same training data."""
    if evidence.words is None:
        reason = "none was tried on these data" if evidence.data.has_classes else "it is tried on data of classes only"
        return LightQuestion("words", (), reason)
    scale = "points" if is_share(evidence.metric) else ""
    return LightQuestion("words", (Gauge(AHEAD, evidence.words_ahead, 0.0, scale),))


def _worded(evidence: Evidence, light: Light) -> PageLight:
    if light.name in OF_AUDIT:
        sentence = evidence.audit["lights"][light.name]["said"][light.colour]
    elif light.gauge is None or light.estimate is None:
        sentence = f"{_title(evidence, light.name)}: not judged, because {light.reason}."
    else:
        sentence = f"{_title(evidence, light.name)}: {WORDS[light.name](evidence, light.colour, light.estimate)}."
    gauge = light.gauge
    digits, scale = (gauge.digits, gauge.unit) if gauge is not None else (1, "")
    sampled = light.estimate if gauge is not None and gauge.is_sampled else None  # what is counted has no interval
    if sampled is not None and light.name == "words":  # the sentence speaks of the model, the measure of the bag
        sampled = replace(sampled, value=-sampled.value, low=-sampled.high, high=-sampled.low)
    return PageLight(light.name, light.colour, sentence, sampled, digits, scale)


def _spread_words(evidence: Evidence, colour: Colour, found: Estimate) -> str:
    metric, scores = evidence.metric, evidence.per_training
    low, high = (_number(float(end), metric) for end in (scores.min(), scores.max()))
    limit = f"{shown(evidence.config.thresholds.spread, metric)}{unit(metric)}"
    said = {"red": "credibly more than", "green": "credibly less than", "grey": "neither credibly more nor less than"}
    at = f"{shown(found.value, metric)} [{shown(found.low, metric)}, {shown(found.high, metric)}]{unit(metric)}"
    from_to = f"{evidence.runs(len(scores))} score from {low} to {high}"
    return f"{from_to}; their standard deviation, {at}, is {said[colour]} {limit}"


def _constant_words(evidence: Evidence, colour: Colour, found: Estimate) -> str:
    n = round(found.value * found.n)
    if colour == "green" and found.n == 1:
        return f"the one {evidence.run_kind} did not end with one answer to nearly everything"
    if colour == "green":
        return f"none of {evidence.runs(found.n)} gave one answer to nearly everything"
    is_in, gave = "is" if n == 1 else "are", f"{_gave(evidence)} one answer to nearly everything"
    if n == found.n:
        return f"{_all(evidence, n)} {gave}; the scores below are of {'it' if n == 1 else 'them'} all the same"
    if evidence.asked is not None:
        return f"{count(n)} of {evidence.runs(found.n)} {gave}, and {is_in} in the score"
    return f"{count(n)} of {evidence.runs(found.n)} {gave}, and {is_in} in no score here"


def _words_words(evidence: Evidence, colour: Colour, found: Estimate) -> str:
    metric = evidence.metric
    rival = evidence.rivals[0]
    low, high = (signed(-end, metric) for end in (found.high, found.low))
    interval = f" [{low}, {high}]" if math.isfinite(found.low) else ", no interval"
    at = f"{signed(-found.value, metric)}{unit(metric)}{interval}"
    said = {
        "red": "the model is credibly worse",
        "green": "the model is credibly better",
        "grey": "the two cannot be distinguished",
    }
    return (
        f"a bag of words learned from the same data reaches {_number(rival.score.value, metric)} on the "
        f"{count(rival.n_items)} items that are not copies; {said[colour]}, {at}"
    )


def _number(value: float, metric: str) -> str:
    form = score_format(metric)
    return f"{format_number(value, form.digits, form.unit)} {form.unit}".strip()


def _title(evidence: Evidence, name: str) -> str:
    """What a light is called."""
    titles = {
        "spread": f"{evidence.run_kind.capitalize()}s",
        "constant": f"Constant {evidence.run_kind}s",
        "words": WORDS_LIGHT,
    }
    return titles[name]


WORDS = {"spread": _spread_words, "constant": _constant_words, "words": _words_words}
