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
from scipy.stats import rankdata

from goldproof.data.answers import Answers
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError, UsageError
from goldproof.judging.metrics import mean_score
from goldproof.report.numbers import percent, points
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate

PRODUCT, KIND, FORMAT = "goldproof", "subset", 1
GOOD, WEAK = 0.9, 0.7  # accuracies of the model without cues that stands for the bias of a split
SMALL_BIAS = 0.01
WRONG_TOGETHER = (
    "Choosing by gold also gathers wrong labels in the hard part: in simulations, 5 % of wrong labels cost a model "
    "10 points there."
)


@dataclass(frozen=True, slots=True)
class SplitBias:
    """How a model that uses no cue would differ between the parts, its accuracy on the hard one minus on the rest.

    `length`: one that has 90 % of the shortest items right, falling to 70 % of the longest. `label`: one that has 90 %
    of the items of label `of` right and 70 % of the others; at equal label balance this is 0.
    """

    length: float
    label: float
    of: str


def split_bias(hard: Array, lengths: Array, labels: Array) -> SplitBias:
    """The bias of a split: which items are in the hard part, how long each is, and the label of each.

    >>> found = split_bias(np.array([True, True, False, False]), np.array([1, 2, 3, 4]), np.array(["a", "a", "b", "a"]))
    >>> round(found.length, 3), round(found.label, 3), found.of
    (0.133, 0.1, 'a')
    """
    rank = (rankdata(lengths) - 1) / max(len(lengths) - 1, 1)
    by_length = GOOD - (GOOD - WEAK) * rank
    apart = {
        str(label): (GOOD - WEAK) * float((labels[hard] == label).mean() - (labels[~hard] == label).mean())
        for label in np.unique(labels)
    }
    of = max(apart, key=lambda label: apart[label])
    return SplitBias(float(by_length[hard].mean() - by_length[~hard].mean()), apart[of], of)


def bias_sentence(bias: SplitBias | None) -> str:
    """What the split itself does to a model that uses no cue; empty for parts of which this is not known."""
    if bias is None:
        return ""
    size = f"within {points(SMALL_BIAS, 0).removesuffix('s')}" if abs(bias.length) < SMALL_BIAS else "which is a bias"
    return (
        "The parts differ in more than cues. Here a model that uses none, and has "
        f"{percent(GOOD, 0)} of the shortest items right and {percent(WEAK, 0)} of the longest, scores "
        f"{_apart(bias.length)} on the hard part than on the rest ({size}); one that has {percent(GOOD, 0)} of "
        f"“{bias.of}” right and {percent(WEAK, 0)} of the others {_apart(bias.label)}, and 0 apart at "
        f"equal label balance. {WRONG_TOGETHER}"
    )


def _apart(difference: float) -> str:
    return f"{points(abs(difference))} {'higher' if difference >= 0 else 'lower'}"


@dataclass(frozen=True, slots=True)
class Subset:
    """Ids of items under a name; `judged` are all ids that were divided (none: all items), `wrong` the estimated share
    of wrong labels in the part (first) and in the rest, `bias` that of the split where an audit made it.
    """

    name: str
    ids: tuple[str, ...]
    judged: tuple[str, ...] = ()
    wrong: tuple[Estimate | None, Estimate | None] = (None, None)
    bias: SplitBias | None = None


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
    bias: SplitBias | None = None


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
        "bias": None if subset.bias is None else asdict(subset.bias),
    }
    return json.dumps(form, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read_subset(given: str) -> Subset:
    """The subset that NAME=FILE names."""
    name, equals, file = given.partition("=")
    if not equals or not name or not file:
        raise UsageError(f"--subset takes NAME=FILE; got {given!r}")
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
        raise DataError("the file holds no ids; write one on each line", path=path)
    return Subset(name, ids)


def _from_json(name: str, text: str, path: Path) -> Subset:
    try:
        form = load_json(text)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
    known = (form.get("product"), form.get("kind"), form.get("format"))
    if known != (PRODUCT, KIND, FORMAT):
        raise DataError(
            f"not a subset that this version can read; allowed: {(PRODUCT, KIND, FORMAT)}; got {known}", path=path
        )
    try:
        return subset_of(name, form)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"the subset is incomplete or altered: {type(error).__name__}: {error}", path=path) from None


def subset_of(name: str, form: Mapping[str, Any]) -> Subset:
    """The subset of what its JSON text holds."""
    first, second = (None if each is None else Estimate(**each) for each in form["wrong"])
    bias = None if form.get("bias") is None else SplitBias(**form["bias"])
    return Subset(name, tuple(map(str, form["ids"])), tuple(map(str, form["judged"])), (first, second), bias)


def score_parts(several: Sequence[Answers], metric: str, subset: Subset, level: float) -> list[PartScore]:
    """The score of each set on the part and on the rest; items that were never divided are in neither."""
    found = []
    for answers in several:
        ids = np.asarray(answers.ids).astype(str)
        inside = np.isin(ids, subset.ids)
        if not inside.any():
            raise UsageError(
                f"none of the {len(subset.ids)} ids of the subset {subset.name!r} is among the items of "
                f"{answers.name()}; ids are compared exactly as written"
            )
        rest = ~inside & (np.isin(ids, subset.judged) if subset.judged else True)
        parts = ((subset.name, inside, subset.wrong[0]), ("the rest", rest, subset.wrong[1]))
        for name, mask, wrong in parts:
            if mask.any():
                part = _part(answers.take(np.flatnonzero(mask)), name, metric, level, wrong)
                found.append(replace(part, alike=_alike(answers, mask, inside | rest), bias=subset.bias))
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
            "bias": None if each.bias is None else asdict(each.bias),
        }
        for each in parts
    ]
