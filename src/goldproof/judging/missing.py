"""Missing answers: an item that a run gave no prediction for counts as wrong, is left out or refused; always counted.

An answer that is wrong because it is missing is a label of its own that is never gold and has no F1 of its own; in
tagging it finds no span. What is left out is left out of every run, so that all answer the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldproof.data.prediction_columns import Missing
from goldproof.errors import DataError
from goldproof.judging.arms import Arm
from goldproof.statistics.arrays import Array

NO_ANSWER = "(no answer)"


def settle(arms: Sequence[Arm], missing: Missing, sides: Sequence[str] = ()) -> tuple[list[Arm], list[str]]:
    """Arms of the same items with their missing answers counted as wrong or left out of all, and notes that say so.

    `sides` are names of the arms for the notes, where one name alone would not tell them apart.
    """
    absent = [_absent(arm) for arm in arms]
    if not any(each.any() for each in absent):
        return list(arms), []
    names = [
        " ".join(filter(None, (side, *arm.where.values())))
        for arm, side in zip(arms, sides or [""] * len(arms), strict=True)
    ]
    if missing == "refuse":
        raise DataError(
            f"{int(sum(each.sum() for each in absent)):,} predictions are missing; --missing says what they mean"
        )
    notes = [_note(arm, name, each, missing) for arm, name, each in zip(arms, names, absent, strict=True) if each.any()]
    if missing == "wrong":
        return [_as_wrong(arm, each) for arm, each in zip(arms, absent, strict=True)], notes
    kept = np.flatnonzero(~np.concatenate(absent).any(axis=0))
    if not len(kept):
        raise DataError(f"no item is left: a prediction of each of the {arms[0].n_items:,} is missing in some run")
    notes.append(f"{len(kept):,} of {arms[0].n_items:,} items are left, those that every run answered.")
    return [arm.take(kept) for arm in arms], notes


def label_union(*labels: Iterable[str]) -> tuple[str, ...]:
    """The labels of several arms, sorted, no answer last."""
    union = {label for each in labels for label in each}
    return (*sorted(union - {NO_ANSWER}), *([NO_ANSWER] if NO_ANSWER in union else []))


def _absent(arm: Arm) -> Array:
    """Which answers are missing, runs × items."""
    if arm.task == "classification":
        return np.asarray(arm.runs < 0)
    if arm.task == "regression":
        return np.isnan(arm.runs)
    return np.array([[answer is None for answer in run] for run in arm.runs])


def _note(arm: Arm, name: str, absent: Array, missing: Missing) -> str:
    n = int(absent.sum())
    runs = [f"{name} {count:,}" for name, count in zip(arm.run_names, absent.sum(axis=1), strict=True) if count]
    of_runs = f" (run {', '.join(runs[:5])}{' …' * (len(runs) > 5)})" if len(arm.run_names) > 1 else ""
    is_are, counts = ("is", "counts") if n == 1 else ("are", "count")
    what = f"{counts} as wrong" if missing == "wrong" else f"{is_are} left out, in every run"
    other = "leave-out" if missing == "wrong" else "wrong" if arm.task != "regression" else "refuse"
    where = f"{name}: " if name else ""
    return (
        f"{where}{n:,} of {absent.size:,} predictions {is_are} missing{of_runs} and {what} (--missing {other} instead)."
    )


def _as_wrong(arm: Arm, absent: Array) -> Arm:
    if not absent.any():
        return arm
    if arm.task == "classification":
        if NO_ANSWER in arm.labels:
            raise DataError(f"a label is called {NO_ANSWER!r}, which stands for a missing answer; rename it")
        labels = (*arm.labels, NO_ANSWER)
        return replace(arm, labels=labels, runs=np.where(absent, len(labels) - 1, arm.runs))
    runs: Any = arm.runs.copy()
    for run, item in zip(*np.nonzero(absent), strict=True):
        runs[run, item] = ["O"] * len(arm.gold[item])
    return replace(arm, runs=runs)
