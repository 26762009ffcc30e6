"""The columns of predictions: which is which, and what task they are of. It converts no value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import list_columns
from goldproof.data.formats.raw import RawBatch, RawFile
from goldproof.data.nested import column_of
from goldproof.errors import DataError, UsageError

Task = Literal["classification", "regression", "tagging"]
Missing = Literal["wrong", "leave-out", "refuse"]
MISSING: tuple[Missing, ...] = ("wrong", "leave-out", "refuse")
KEY_COLUMNS = ("id", "run", "step", "language", "split", "model", "dataset")
TEXT_COLUMNS = ("run", "language", "split", "model", "dataset", "cluster", "text", "pair")
COLUMNS = ("id", "gold", "prediction", "probabilities", "step", "tags", *TEXT_COLUMNS)
_ALIASES = {
    "id": ("id", "idx", "guid", "doc_id", "index"),
    "gold": ("gold", "true_label", "gold_label", "y_true", "label", "labels", "target"),
    "prediction": ("prediction", "predicted_label", "predicted", "pred", "y_pred", "preds", "predictions"),
    "probabilities": ("probabilities", "probs"),
    "run": ("run", "seed"),
    "language": ("language", "lang"),
}
_NEVER_GUESSED = {"answer": ("gold", "prediction"), "correct": ("gold",)}
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")


@dataclass(frozen=True, slots=True)
class Shape:
    """An opened source of predictions: the column for each of ours, the task, and what a missing prediction means.

    `decimals` are columns of ours whose classes are whole numbers written with a point, as 1.0 for 1.
    """

    file: RawFile
    names: Mapping[str, str]
    task: Task
    missing: Missing = "refuse"
    labels: tuple[str, ...] = ()
    decimals: frozenset[str] = frozenset()

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns of the file that are read."""
        return tuple(self.names.values())


def find_columns(
    given: Mapping[str, str],
    found: Sequence[str],
    path: str | Path,
    *,
    needed: Sequence[str] = ("id", "gold", "prediction"),
) -> dict[str, str]:
    """The column of the file for each of ours that it has; what is needed and not there is named in one error."""
    _check_given(given, found, path)
    by_lower = {name.lower(): name for name in reversed(found)}
    names = dict(given)
    for ours in COLUMNS:
        if ours not in names:
            free = (by_lower[name] for name in _ALIASES.get(ours, (ours,)) if name in by_lower)
            match = next((name for name in free if name not in names.values()), None)
            if match is not None:
                names[ours] = match
    lacking = [ours for ours in needed if ours not in names]
    if lacking:
        raise DataError(_lacking(lacking, found), path=path)
    return names


def _check_given(given: Mapping[str, str], found: Sequence[str], path: str | Path) -> None:
    taken: dict[str, str] = {}
    for ours, theirs in given.items():
        if ours not in COLUMNS:
            raise UsageError(f"predictions have no column {ours!r}; allowed: {', '.join(COLUMNS)}")
        if column_of(theirs, found) is None:
            raise DataError(f"there is no column {theirs!r}; columns found: {list_columns(found)}", path=path)
        if theirs in taken:
            raise UsageError(
                f"the column {theirs!r} is named both for {taken[theirs]!r} and for {ours!r}; each column has one part"
            )
        taken[theirs] = ours


def _lacking(lacking: Sequence[str], found: Sequence[str]) -> str:
    """What is missing, all at once, with the words that would name it."""
    what = " and ".join([", ".join(repr(ours) for ours in lacking[:-1])] * (len(lacking) > 1) + [repr(lacking[-1])])
    message = f"predictions need {'a column' if len(lacking) == 1 else 'the columns'} {what}; "
    message += f"columns found: {list_columns(found)}"
    flags = " ".join(f"--column {ours}=NAME" for ours in lacking)
    python = ", ".join(f"{ours!r}: 'NAME'" for ours in lacking)
    message += (
        f"; say which {'one it is' if len(lacking) == 1 else 'they are'} with {flags}, in Python columns={{{python}}}"
    )
    if "id" in lacking:
        message += "; or match the rows of both by their numbers with --by-row"
    lower = {name.lower(): name for name in found}
    for never, parts in _NEVER_GUESSED.items():
        fitting = [part for part in parts if part in lacking]
        if never in lower and fitting:
            ways = " or ".join(f"--column {part}={lower[never]}" for part in fitting)
            message += (
                f" ({lower[never]!r} may be gold, prediction or whether the answer is right, so it is not guessed: "
                f"{ways})"
            )
    return message


def guess_task(raw: RawBatch, names: Mapping[str, str]) -> tuple[Task, frozenset[str]]:
    """Lists are tagging, numbers with a fraction regression, all else classification; and the columns with decimals.

    Whole numbers with a point (1.0) beside whole numbers without are classes: so data frames write a column of whole
    numbers in which one is missing.
    """
    columns = {ours: raw.columns.column(names[ours]) for ours in ("gold", "prediction")}
    if any(pa.types.is_list(column.type) for column in columns.values()):
        return "tagging", frozenset()
    cells = [cell for column in columns.values() for cell in _texts(column)]
    if cells and all(cell.startswith("[") for cell in cells):
        return "tagging", frozenset()
    kinds = {ours: _number_kind(column) for ours, column in columns.items()}
    if "text" in kinds.values() or not any(kind in ("decimal", "fraction") for kind in kinds.values()):
        return "classification", frozenset()
    if "whole" in kinds.values() and "fraction" not in kinds.values():
        return "classification", frozenset(ours for ours, kind in kinds.items() if kind == "decimal")
    return "regression", frozenset()


def _texts(column: pa.Array) -> list[str]:
    return [cell for cell in column.to_pylist() if cell] if pa.types.is_string(column.type) else []


def _number_kind(column: pa.Array) -> str:
    """What numbers a column holds: none at all, whole, decimal (whole with a point), with a fraction; or text."""
    if pa.types.is_floating(column.type):
        values = column.drop_null().to_numpy(zero_copy_only=False)
        values = values[~np.isnan(values)]
        if not len(values):
            return "none"
        return "decimal" if (np.isfinite(values) & (values == np.round(values))).all() else "fraction"
    if pa.types.is_integer(column.type):
        return "whole"
    if not pa.types.is_string(column.type):
        return "none" if column.null_count == len(column) else "text"
    cells = [cell for cell in pc.unique(column).to_pylist() if cell and cell.lower() != "nan"]
    if not cells:
        return "none"
    if not all(is_number(cell) for cell in cells):
        return "text"
    if all(_WHOLE.fullmatch(cell) for cell in cells):
        return "decimal" if any("." in cell for cell in cells) else "whole"
    return "fraction" if any("." in cell for cell in cells) else "text"


def is_number(cell: str) -> bool:
    """Whether a text is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def resolve_missing(task: Task, asked: str | None) -> Missing:
    """What a missing prediction means: as asked for, else wrong, and refused where a number is wanted."""
    if asked is None:
        return "refuse" if task == "regression" else "wrong"
    if asked not in MISSING:
        raise UsageError(f"missing answers can be {', '.join(MISSING)}; got {asked!r}")
    if task == "regression" and asked == "wrong":
        raise UsageError("a missing number cannot count as wrong, as none is the worst; allowed: leave-out, refuse")
    return asked
