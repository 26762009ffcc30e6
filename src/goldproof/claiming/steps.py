"""What the page computes beyond trainings: the audit as a record that may be kept, and rows with one of their texts.

The lights of all questions are decided together later, so the record has each measure of the audit at every level at
which that may ask for it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.jobs import step
from goldproof.judging.audit.audit import Audit, audit_splits
from goldproof.judging.audit.form import audit_form
from goldproof.judging.audit.lights import LightQuestion
from goldproof.judging.audit.questions import questions_of
from goldproof.judging.audit.sentences import light_sentence
from goldproof.judging.audit.settings import AuditSettings, LightThresholds
from goldproof.judging.subsets import subset_text
from goldproof.measures.probe_task import hold_out
from goldproof.statistics.estimate import Estimate

MOST_LIGHTS = 8
HELD_OUT = 0.2
SIDES = ("first", "second")


@step(version=1, name="goldproof.claims.hold")
def hold(data: Dataset, which: Literal["held", "kept"]) -> Dataset:
    """The rows that validate, or the others: a part of each class, chosen by the texts."""
    held = np.asarray(hold_out(data.texts, [label or "" for label in data.table.column("label").to_pylist()], HELD_OUT))
    return data.take(np.flatnonzero(held if which == "held" else ~held))


@step(version=1, name="goldproof.claims.one_side")
def one_side(data: Dataset, side: str) -> Dataset:
    """Rows of two texts with one of them alone, `first` or `second`."""
    table = data.table
    kept = "text" if side == "first" else "pair"
    alone = data.with_column("text", table.column(kept).to_pylist())
    return alone.with_column("pair", [None] * len(data))


def steps_down(level: float, n_gauges: int) -> tuple[float, ...]:
    """Every level at which Holm's procedure over the lights may ask for a measure of a light with so many.

    >>> [round(level, 4) for level in steps_down(0.95, 1)[:2]]
    [0.95, 0.975]
    """
    wanted = [1 - (1 - level) / k for k in range(1, MOST_LIGHTS + 1)]
    wanted += [1 - (1 - each) / n_gauges for each in wanted]
    return tuple(dict.fromkeys([level, *wanted]))


@step(version=1, name="goldproof.claims.audit")
def audit_data(
    splits: dict[str, Dataset], name: str, level: float, thresholds: LightThresholds, labels: bool
) -> dict[str, Any]:
    """The audit of the data, as plain values: its numbers, its lights, what its bag of words answered, the hard items.

    Its report is drawn with the page, as what computes need not be able to draw.
    """
    found = audit_splits(splits, AuditSettings(name=name, level=level, labels=labels, thresholds=thresholds))
    return {
        "form": audit_form(found),
        "lights": {each.name: _light(found, each, level) for each in _questions(found)},
        "words": _words(found),
        "hard": _hard(found),
    }


def _questions(found: Audit) -> tuple[LightQuestion, ...]:
    judged = found.shortcuts if isinstance(found.shortcuts, str) else found.shortcuts.judged
    return questions_of(
        found.material, found.copies, judged, found.suspects, found.noise, found.balance, found.settings.thresholds
    )


def _light(found: Audit, question: LightQuestion, level: float) -> dict[str, Any]:
    """A light's measures at every level, and what it says in each colour."""
    light = found.light(question.name)
    said = {colour: light_sentence(found, replace(light, colour=colour)) for colour in ("red", "green", "grey")}
    return {
        "reason": question.reason,
        "said": said,
        "gauges": [_gauge(each, level, len(question.gauges)) for each in question.gauges],
    }


def _gauge(gauge: Any, level: float, n_gauges: int) -> dict[str, Any]:
    at = [{"level": each, **_estimate(gauge.interval(each))} for each in steps_down(level, n_gauges)]
    fixed = {name: getattr(gauge, name) for name in ("of", "threshold", "unit", "digits", "is_sampled")}
    return {**fixed, "at": at}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    """An estimate whose bounds JSON knows: a bound that is not finite is null."""
    form = asdict(estimate)
    form.pop("level")
    for name in ("value", "low", "high"):
        form[name] = float(form[name]) if np.isfinite(form[name]) else None
    form["n"] = int(form["n"])
    return form


def _words(found: Audit) -> dict[str, Any]:
    """What the bag of words answered to the test items that are no copies; empty where none was tried."""
    part = found.shortcuts
    if isinstance(part, str) or not part.judged.n_classes or "bag of words" not in part.judged.guesses:
        return {}
    data = found.material.splits[found.material.judged]
    ids = data.table.column("id").to_pylist()
    guessed = part.judged.guesses["bag of words"].predicted
    labels = [found.material.labels[code] for code in np.asarray(guessed, int)]
    return {"ids": [ids[row] for row in part.rows], "labels": labels}


def _hard(found: Audit) -> dict[str, Any]:
    made = found.hard_subset()
    if isinstance(made, str):
        return {"reason": made}
    form: dict[str, Any] = json.loads(subset_text(made))
    return form
