"""A named part of a test set, as a file of ids: written by `audit --hard`, read by `score --subset NAME=FILE`.

The file is JSON with the ids and, where an audit made it, the estimated share of wrong labels in the part and in the
rest; a plain text file with one id on each line is read too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError, UsageError
from goldproof.judging.metrics import mean_score
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate

PRODUCT, KIND, FORMAT = "goldproof", "subset", 1
BIAS = (
    "Parts that were chosen by gold differ in more than cues. In simulations a model that uses no cue and "
    "is as good on every label scored within 1 point on both parts; one that is 20 points better on one "
    "label scored 8 to 11 points apart, and 0 at equal label balance; with 5 % of wrong labels it scored "
    "10 points lower on the hard part."
)


@dataclass(frozen=True, slots=True)
class Subset:
    """Ids of items under a name; `judged` are all ids that were divided (none: all items), `wrong` the estimated share
    of wrong labels in the part (first) and in the rest.
    """

    name: str
    ids: tuple[str, ...]
    judged: tuple[str, ...] = ()
    wrong: tuple[Estimate | None, Estimate | None] = (None, None)


@dataclass(frozen=True, slots=True)
class PartScore:
    """The score on a part of a set: its items, its labels with their shares, the floor, and its wrong labels.

    `alike` is the accuracy if the labels were as frequent in this part as in both together, so that parts of different
    balance can be compared; NaN where a label stands in one part only.
    """

    where: Mapping[str, str]
    part: str
    n: int
    estimate: Estimate
    labels: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.0
    wrong: Estimate | None = None
    alike: float = math.nan


def subset_text(subset: Subset) -> str:
    """The file's text."""
    form = {
        "product": PRODUCT,
        "kind": KIND,
        "format": FORMAT,
        "name": subset.name,
        "ids": list(subset.ids),
        "judged": list(subset.judged),
        "wrong": [None if each is None else asdict(each) for each in subset.wrong],
    }
    return json.dumps(form, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read_subset(given: str) -> Subset:
    """The subset that NAME=FILE names."""
    name, equals, file = given.partition("=")
    if not equals or not name or not file:
        raise UsageError(f"--subset takes NAME=FILE, and got {given!r}")
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError("there is no such file; `goldproof audit … --hard FILE` writes one", path=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the file of ids cannot be read: {error}", path=path) from None
    if text.lstrip().startswith("{"):
        return _from_json(name, text, path)
    ids = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not ids:
        raise DataError("the file holds no id; one on each line is needed", path=path)
    return Subset(name, ids)


def _from_json(name: str, text: str, path: Path) -> Subset:
    try:
        form = load_json(text)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
    known = (form.get("product"), form.get("kind"), form.get("format"))
    if known != (PRODUCT, KIND, FORMAT):
        raise DataError(
            f"not a subset that this version reads; allowed: {(PRODUCT, KIND, FORMAT)}; got {known}", path=path
        )
    try:
        first, second = (None if each is None else Estimate(**each) for each in form["wrong"])
        return Subset(name, tuple(map(str, form["ids"])), tuple(map(str, form["judged"])), (first, second))
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"the subset is incomplete or altered: {type(error).__name__}: {error}", path=path) from None


def score_parts(several: Sequence[Answers], metric: str, subset: Subset, level: float) -> list[PartScore]:
    """The score of each set on the part and on the rest; items that were never divided are in neither."""
    found = []
    for answers in several:
        ids = np.asarray(answers.ids).astype(str)
        inside = np.isin(ids, subset.ids)
        if not inside.any():
            raise UsageError(
                f"none of the {len(subset.ids)} ids of the subset {subset.name!r} is among the items of "
                f"{answers.name()}; ids are compared as they are written"
            )
        rest = ~inside & (np.isin(ids, subset.judged) if subset.judged else True)
        parts = ((subset.name, inside, subset.wrong[0]), ("the rest", rest, subset.wrong[1]))
        for name, mask, wrong in parts:
            if mask.any():
                part = _part(answers.take(np.flatnonzero(mask)), name, metric, level, wrong)
                found.append(replace(part, alike=_alike(answers, mask, inside | rest)))
    return found


def _alike(answers: Answers, part: Array, both: Array) -> float:
    """The accuracy on a part with the label balance of both, the mean over runs."""
    if answers.task != "classification" or (np.unique(answers.gold[both]).size > np.unique(answers.gold[part]).size):
        return math.nan
    right = (answers.runs == answers.gold).mean(axis=0)
    labels, counts = np.unique(answers.gold[both], return_counts=True)
    by_label = [right[part & (answers.gold == label)].mean() for label in labels]
    return float(np.average(by_label, weights=counts))


def _part(answers: Answers, name: str, metric: str, level: float, wrong: Estimate | None) -> PartScore:
    estimate = mean_score(answers, metric, level)
    if answers.task != "classification":
        return PartScore(answers.where, name, answers.n_items, estimate, {}, float("nan"), wrong)
    counts = np.bincount(answers.gold, minlength=len(answers.labels)) / answers.n_items
    labels = {label: float(counts[code]) for code, label in enumerate(answers.labels) if counts[code] > 0}
    return PartScore(answers.where, name, answers.n_items, estimate, labels, float(counts.max()), wrong)


def plain_parts(parts: Sequence[PartScore]) -> list[dict[str, Any]]:
    """The parts as plain values for JSON."""
    return [
        {
            **each.where,
            "part": each.part,
            "n": each.n,
            "value": each.estimate.value,
            "low": each.estimate.low,
            "high": each.estimate.high,
            "labels": dict(each.labels),
            "floor": each.floor if np.isfinite(each.floor) else None,
            "accuracy_at_equal_balance": each.alike if np.isfinite(each.alike) else None,
            "wrong_labels": None if each.wrong is None else each.wrong.value,
        }
        for each in parts
    ]
