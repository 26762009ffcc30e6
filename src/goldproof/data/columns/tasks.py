"""What predictions are of (classes, numbers, tags of tokens), seen from their values, and what a missing one means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns.values import WHOLE, is_number
from goldproof.data.formats.raw import RawBatch
from goldproof.errors import UsageError

PredictionTask = Literal["classification", "regression", "tagging", "score"]
MissingPolicy = Literal["wrong", "leave-out", "refuse"]
MOST_NUMBERED = 20  # different whole numbers with a point, up to which they are labels
AS_LABELS = (
    "Gold and prediction are whole numbers (1.0, 0.0) and are treated as labels; if they are numbers to predict, use "
    "--metric pearson or spearman, in Python also read_predictions(…, task='regression')."
)
MISSING: tuple[MissingPolicy, ...] = ("wrong", "leave-out", "refuse")


def guess_task(raw: RawBatch, names: Mapping[str, str]) -> tuple[PredictionTask, frozenset[str]]:
    """Lists are tagging, numbers with a fraction regression, all else classification; and the columns with decimals.

    Whole numbers with a point (1.0) beside whole numbers without are classes: so data frames write a column of whole
    numbers in which one is missing. Where both have a point they are classes if they are few, which `taken_as_labels`
    says, else numbers; a label of data, which is never a number to predict, is a class even so.
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
    if set(kinds.values()) <= {"decimal", "none"} and _n_values(list(columns.values())) <= MOST_NUMBERED:
        return "classification", frozenset(columns)
    return "regression", frozenset()


def taken_as_labels(task: PredictionTask, decimals: frozenset[str]) -> tuple[str, ...]:
    """What is said where both gold and prediction are whole numbers with a point."""
    return (AS_LABELS,) if task == "classification" and len(decimals) > 1 else ()


def _n_values(columns: list[pa.Array]) -> int:
    """How many different numbers the columns hold."""
    found = [column.drop_null().to_pylist() for column in columns]
    numbers = {float(cell) for cells in found for cell in cells if cell != ""}
    return len({number for number in numbers if not math.isnan(number)})


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
    if all(WHOLE.fullmatch(cell) for cell in cells):
        return "decimal" if any("." in cell for cell in cells) else "whole"
    return "fraction" if any("." in cell for cell in cells) else "text"


def resolve_missing(task: PredictionTask, asked: str | None) -> MissingPolicy:
    """What a missing answer means: as asked for, else wrong, refused where a number is wanted, left out of scores.

    An item without a score was not judged, by an error or a harness that gave up: nobody knows whether it is wrong.
    """
    if asked is None:
        return "refuse" if task == "regression" else "leave-out" if task == "score" else "wrong"
    if asked not in MISSING:
        raise UsageError(f"missing answers can be {', '.join(MISSING)}; got {asked!r}")
    if task == "regression" and asked == "wrong":
        raise UsageError(
            "a missing number cannot count as wrong, because no number is the worst; allowed: leave-out, refuse"
        )
    return asked
