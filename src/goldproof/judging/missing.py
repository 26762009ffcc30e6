"""Missing answers: an item that a run gave no prediction for counts as wrong, is left out or refused; always counted.

An answer that is wrong because it is missing is a label of its own that is never gold and has no F1 of its own; in
tagging it finds no span. What is left out is left out of every run, so that all answer the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.columns import MissingPolicy
from goldproof.errors import DataError
from goldproof.statistics.arrays import Array

NO_ANSWER = "(no answer)"


def settle(
    several: Sequence[Answers], missing: MissingPolicy, sides: Sequence[str] = ()
) -> tuple[list[Answers], list[str]]:
    """Answers to the same items with their missing answers counted as wrong or left out of all, and notes that say so.

    `sides` name them in the notes, where the set alone would not tell them apart.
    """
    absent = [answers.missing() for answers in several]
    if not any(each.any() for each in absent):
        return list(several), []
    names = [
        " ".join(filter(None, (side, *answers.where.values())))
        for answers, side in zip(several, sides or [""] * len(several), strict=True)
    ]
    if missing == "refuse":
        raise DataError(
            f"{int(sum(each.sum() for each in absent)):,} predictions are missing; --missing says what they mean"
        )
    notes = [
        _note(answers, name, each, missing)
        for answers, name, each in zip(several, names, absent, strict=True)
        if each.any()
    ]
    if missing == "wrong":
        return [_as_wrong(answers, each) for answers, each in zip(several, absent, strict=True)], notes
    kept = np.flatnonzero(~np.concatenate(absent).any(axis=0))
    if not len(kept):
        raise DataError(f"no item is left: each of the {several[0].n_items:,} lacks a prediction in some run")
    notes.append(f"{len(kept):,} of {several[0].n_items:,} items are left, those that every run answered.")
    return [answers.take(kept) for answers in several], notes


def fill_repeats(answers: Answers) -> tuple[Answers, list[str]]:
    """Scores of repeats that are missing, taken as the mean of those that the item has, as harnesses do; and a note.

    An item that has no score at all stays without. Only the items' means count for inference over repeats.
    """
    missing = answers.missing()
    partly = missing.any(axis=0) & ~missing.all(axis=0)
    if answers.task != "score" or answers.run_kind != "repeat" or not partly.any():
        return answers, []
    means = np.nanmean(answers.runs[:, partly], axis=0)
    runs = answers.runs.copy()
    runs[:, partly] = np.where(missing[:, partly], means, answers.runs[:, partly])
    n = int(missing[:, partly].sum())
    of = f"{n:,} of {missing.size:,} repeats"
    note = f"{answers.name()}: {of} have no score; an item's mean is over those that have one."
    return replace(answers, runs=runs, absent=None, reasons=()), [note]


def label_union(*labels: Iterable[str]) -> tuple[str, ...]:
    """The labels of several sets, sorted, no answer last."""
    union = {label for each in labels for label in each}
    return (*sorted(union - {NO_ANSWER}), *([NO_ANSWER] if NO_ANSWER in union else []))


def recode(answers: Answers, labels: tuple[str, ...]) -> Answers:
    """Answers coded by these labels, which hold their own; probabilities, whose columns are labels, are dropped."""
    if answers.labels == labels or answers.task != "classification":
        return answers
    codes = np.array([labels.index(label) for label in answers.labels])
    runs = np.where(answers.runs >= 0, codes[answers.runs], -1)
    return replace(answers, labels=labels, gold=codes[answers.gold], runs=runs, probabilities=None)


def _note(answers: Answers, name: str, absent: Array, missing: MissingPolicy) -> str:
    n = int(absent.sum())
    runs = [f"{name} {count:,}" for name, count in zip(answers.run_names, absent.sum(axis=1), strict=True) if count]
    of_runs = f" (run {', '.join(runs[:5])}{' …' * (len(runs) > 5)})" if len(answers.run_names) > 1 else ""
    is_are, counts = ("is", "counts") if n == 1 else ("are", "count")
    what = f"{counts} as wrong" if missing == "wrong" else f"{is_are} left out, in every run"
    other = "leave-out" if missing == "wrong" else "wrong" if answers.task != "regression" else "refuse"
    where = f"{name}: " if name else ""
    return (
        f"{where}{n:,} of {absent.size:,} predictions {is_are} missing{of_runs} and {what} (--missing {other} instead)."
    )


def _as_wrong(answers: Answers, absent: Array) -> Answers:
    if not absent.any():
        return answers
    if answers.task == "classification":
        if NO_ANSWER in answers.labels:
            raise DataError(f"a label is called {NO_ANSWER!r}, which stands for a missing answer; rename it")
        labels = (*answers.labels, NO_ANSWER)
        return replace(answers, labels=labels, runs=np.where(absent, len(labels) - 1, answers.runs))
    runs: Any = answers.runs.copy()
    if answers.task in ("spans", "score"):
        runs[absent] = (0, 0) if answers.task == "spans" else _worst(answers)
        return replace(answers, runs=runs)
    for run, item in zip(*np.nonzero(absent), strict=True):
        runs[run, item] = ["O"] * len(answers.gold[item])
    return replace(answers, runs=runs)


def _worst(answers: Answers) -> float:
    assert answers.bounds is not None
    return answers.bounds.low if answers.bounds.more_is_better else answers.bounds.high
