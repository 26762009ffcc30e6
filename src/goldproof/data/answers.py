"""Answers: what one or several runs answered to the same items; the one container of gold and runs × items.

It is made from a file, a table, a training, a log or a prompt, and says nothing about where it came from. Several sets,
languages or checkpoints are several Answers, which differ in `where` or `step`. It is checked here; no score is
computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from goldproof.errors import DataError

Array = npt.NDArray[Any]
AnswerKind = Literal["classification", "regression", "tagging", "spans", "score"]
RunKind = Literal["seed", "prompt", "examples", "repeat", "step"]
UNTOLD = "no answer"
SPANS = np.dtype([("found", np.int32), ("given", np.int32)])
"""An answer of the kind `spans`: how many gold spans it found, and how many spans it gave."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a score that each item has by itself, and whether more is better.

    With `of_means` an item is itself a mean over many, as the score of one draw of training examples is.
    """

    low: float = 0.0
    high: float = 1.0
    more_is_better: bool = True
    of_means: bool = False


@dataclass(frozen=True, slots=True)
class Answers:
    """Runs × items of one set (`where`: its model, dataset, language, split) and step.

    Classification: `gold` and `runs` are codes of `labels`. Regression: numbers. Tagging: `gold` and `runs` hold lists
    of tags. Spans: `gold` is how many spans an item has, `runs` are of the type `SPANS`. Score: each answer has a
    number within `bounds`, and gold means nothing. A run is another `run_kind`: a seed, a prompt, a draw of examples,
    a repeat, a step.

    An answer that is missing is −1, not a number, or None; `absent` (runs × items) says why, as a number of `reasons`
    counted from 1, and 0 where there is an answer. `tags` are the items' categories, `clusters` a code per item of
    those that go together, `weights` how much an item counts, `texts` what people read, `probabilities` runs ×
    items × labels.

    >>> answers = Answers({"language": "en"}, None, "classification", ("no", "yes"), np.array(["a", "b"]),
    ...                   np.array([0, 1]), np.array([[0, 1], [1, 1]]), ("1", "2"))
    >>> answers.n_runs, answers.n_items, answers.name()
    (2, 2, 'en')
    """

    where: Mapping[str, str]
    step: int | None
    task: str
    labels: tuple[str, ...]
    ids: Array
    gold: Array
    runs: Array
    run_names: tuple[str, ...]
    clusters: Array | None = None
    tags: tuple[tuple[str, ...], ...] | None = None
    texts: Mapping[str, Sequence[str]] | None = None
    probabilities: Array | None = None
    run_kind: RunKind = "seed"
    bounds: Bounds | None = None
    weights: Array | None = None
    absent: Array | None = None
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other, so that nothing after has to look."""
        n_runs, n_items = self.runs.shape[:2]
        lengths = {
            "gold": self.gold,
            "ids": self.ids,
            "clusters": self.clusters,
            "weights": self.weights,
            "tags": self.tags,
        }
        wrong = {name: len(part) for name, part in lengths.items() if part is not None and len(part) != n_items}
        if wrong or len(self.run_names) != n_runs:
            said = ", ".join(f"{name} {length}" for name, length in {**wrong, "run names": len(self.run_names)}.items())
            raise DataError(f"answers of {n_runs} runs to {n_items} items must have that shape; got {said}")
        if self.task not in get_args(AnswerKind):
            raise DataError(f"answers are {', '.join(get_args(AnswerKind))}; got {self.task!r}")
        if self.task == "score":
            _check_bounds(self.runs, self.bounds)
        if self.task == "spans" and self.runs.dtype != SPANS:
            raise DataError(f"make answers that are spans with span_answers(found, given); got {self.runs.dtype}")

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.ids)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.run_names)

    def name(self) -> str:
        """The set in words."""
        return " ".join(self.where.values()) or "all"

    def missing(self) -> Array:
        """Which answers are missing, runs × items."""
        if self.task == "classification":
            return np.asarray(self.runs < 0)
        if self.task in ("regression", "score"):
            return np.isnan(self.runs)
        if self.task == "spans":
            return np.asarray(self.runs["given"] < 0)
        return np.array([[answer is None for answer in run] for run in self.runs]).reshape(self.runs.shape[:2])

    def reasons_missing(self) -> dict[str, int]:
        """How many answers are missing for each reason.

        >>> answers = Answers({}, None, "score", (), np.arange(3), np.zeros(3),
        ...                   np.array([[0.5, np.nan, np.nan]]), ("1",), bounds=Bounds(),
        ...                   absent=np.array([[0, 1, 2]]), reasons=("time ran out", "refused"))
        >>> answers.reasons_missing()
        {'time ran out': 1, 'refused': 1}
        """
        missing = self.missing()
        if self.absent is None:
            return {UNTOLD: int(missing.sum())} if missing.any() else {}
        counts = {reason: int((self.absent == code).sum()) for code, reason in enumerate(self.reasons, start=1)}
        untold = int((missing & (self.absent == 0)).sum())
        return {reason: n for reason, n in {**counts, UNTOLD: untold}.items() if n}

    def take(self, items: Array) -> Answers:
        """The same with these items only, in this order."""

        def of(part: Array | None) -> Array | None:
            return None if part is None else part[items]

        return replace(
            self,
            ids=self.ids[items],
            gold=self.gold[items],
            runs=self.runs[:, items],
            clusters=of(self.clusters),
            weights=of(self.weights),
            tags=None if self.tags is None else tuple(self.tags[i] for i in items),
            texts=None if self.texts is None else {k: [v[i] for i in items] for k, v in self.texts.items()},
            probabilities=None if self.probabilities is None else self.probabilities[:, items],
            absent=None if self.absent is None else self.absent[:, items],
        )

    def with_runs_of(self, other: Answers) -> Answers:
        """These runs and beneath them those of other answers to the same items, coded by the same labels."""
        return replace(
            self,
            runs=np.concatenate([self.runs, other.runs]),
            run_names=(*self.run_names, *other.run_names),
            probabilities=None,
            absent=None,
            reasons=(),
        )

    def only_runs(self, runs: Sequence[int]) -> Answers:
        """The same with these runs only, in this order."""
        chosen = list(runs)
        return replace(
            self,
            runs=self.runs[chosen],
            run_names=tuple(self.run_names[i] for i in chosen),
            probabilities=None if self.probabilities is None else self.probabilities[chosen],
            absent=None if self.absent is None else self.absent[chosen],
        )


def span_answers(found: Array, given: Array) -> Array:
    """Answers of the type `SPANS`, from how many spans were found and how many were given.

    >>> span_answers(np.array([1, 0]), np.array([2, 1])).tolist()
    [(1, 2), (0, 1)]
    """
    answers = np.empty(np.shape(found), SPANS)
    answers["found"], answers["given"] = found, given
    return answers


def _check_bounds(scores: Array, bounds: Bounds | None) -> None:
    if bounds is None:
        raise DataError("answers that are scores need bounds: the lowest and the highest score an item can have")
    present = scores[~np.isnan(scores)]
    if present.size and not (bounds.low <= present.min() and present.max() <= bounds.high):
        raise DataError(
            f"a score lies outside its bounds: allowed are {bounds.low:g} to {bounds.high:g}; got {present.min():g} to "
            f"{present.max():g}"
        )
