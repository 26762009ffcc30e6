"""The values of predictions: each column in one type, and an error with the line of the first that cannot be scored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import kind_name
from goldproof.data.formats.raw import RawBatch
from goldproof.data.prediction_columns import COLUMNS, Shape, is_number

_TOLERANCE = 1e-3


def shape_predictions(raw: RawBatch, shape: Shape) -> pa.RecordBatch:
    """A raw batch with our names and types; raises a `DataError` with the line of the first value that is wrong.

    A prediction that is missing stays null, unless the shape refuses it.
    """
    made: dict[str, pa.Array] = {}
    absent = _absent(raw.columns.column(shape.names["prediction"]))
    if absent.any() and shape.missing == "refuse":
        row = int(np.flatnonzero(absent)[0])
        ways = "leave-out" if shape.task == "regression" else "wrong, leave-out"
        raise raw.error(row, f"{shape.names['prediction']!r} is missing or null; --missing takes {ways} to allow that")
    for ours in COLUMNS:
        if ours not in shape.names:
            continue
        theirs = shape.names[ours]
        column = raw.columns.column(theirs)
        if absent.any() and ours in ("prediction", "probabilities"):
            made[ours] = _convert_present(raw, ours, shape, absent)
            continue
        _refuse_null(raw, theirs, column, optional=ours == "tags")
        made[ours] = _convert(raw, ours, theirs, column, shape)
    if shape.task == "tagging":
        _check_lengths(raw, made["gold"], made["prediction"])
    return pa.RecordBatch.from_pydict(made)


def _absent(column: pa.Array) -> Any:
    """Which predictions are missing: null, an empty cell, or not a number."""
    absent = np.array(pc.is_null(column, nan_is_null=pa.types.is_floating(column.type)))
    if pa.types.is_string(column.type):
        absent |= np.array(pc.fill_null(pc.is_in(pc.utf8_lower(column), pa.array(["", "nan"])), True))
    return absent


def _convert_present(raw: RawBatch, ours: str, shape: Shape, absent: Any) -> pa.Array:
    """The column converted where a prediction is there, and null elsewhere."""
    rows = np.flatnonzero(~absent)
    theirs = shape.names[ours]
    kept = raw.take(rows.tolist())
    column = kept.columns.column(theirs)
    _refuse_null(kept, theirs, column, optional=False)
    converted = _convert(kept, ours, theirs, column, shape) if len(rows) else pa.nulls(0, _type_of(ours, shape))
    places = np.full(len(absent), -1)
    places[rows] = np.arange(len(rows))
    return converted.take(pa.array(np.where(absent, 0, places), mask=absent))


def _type_of(ours: str, shape: Shape) -> pa.DataType:
    if ours == "probabilities":
        return pa.list_(pa.float64())
    return {"regression": pa.float64(), "tagging": pa.list_(pa.string())}.get(shape.task, pa.string())


def _convert(raw: RawBatch, ours: str, theirs: str, column: pa.Array, shape: Shape) -> pa.Array:
    if ours in ("gold", "prediction"):
        if shape.task == "regression":
            return _numbers(raw, theirs, column)
        return (
            _lists(raw, theirs, column)
            if shape.task == "tagging"
            else _classes(raw, theirs, column, ours in shape.decimals)
        )
    if ours == "probabilities":
        return _probabilities(raw, theirs, column, shape.labels)
    if ours == "tags":
        return _tags(column)
    if ours == "step":
        return _whole_numbers(raw, theirs, column)
    return _texts(raw, theirs, column)


def _refuse_null(raw: RawBatch, theirs: str, column: pa.Array, *, optional: bool) -> None:
    if column.null_count and not optional:
        row = int(np.flatnonzero(np.asarray(pc.is_null(column)))[0])
        raise raw.error(row, f"{theirs!r} is missing or null; every row needs it")


def _texts(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.string())
    raise raw.error(0, f"{theirs!r} must be text or a whole number; got {kind_name(column.type)}: {_shown(column, 0)}")


def _classes(raw: RawBatch, theirs: str, column: pa.Array, decimal: bool) -> pa.Array:
    if decimal:
        column = _without_point(raw, theirs, column)
    if pa.types.is_boolean(column.type):
        return column.cast(pa.string())
    classes = _texts(raw, theirs, column)
    bad = np.asarray(pc.is_in(pc.utf8_lower(classes), pa.array(["", "nan"])))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise raw.error(row, f"{theirs!r} must be a class; got {classes[row].as_py()!r}")
    return classes


def _without_point(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    """Whole numbers that are written with a point (1.0), without it."""
    numbers = _numbers(raw, theirs, column).to_numpy(zero_copy_only=False)
    if (numbers != np.round(numbers)).any():
        row = int(np.flatnonzero(numbers != np.round(numbers))[0])
        raise raw.error(row, f"{theirs!r} must be a class as in the rows before; got {_shown(column, row)}")
    return pa.array(numbers.astype(np.int64))


def _numbers(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type):
        cells = column.to_pylist()
        wrong = next((row for row, cell in enumerate(cells) if not is_number(cell)), None)
        if wrong is not None:
            raise raw.error(wrong, f"{theirs!r} must be a number; got {cells[wrong]!r}")
        column = pa.array([float(cell) for cell in cells])
    elif not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise raw.error(0, f"{theirs!r} must be a number; got {kind_name(column.type)}: {_shown(column, 0)}")
    column = column.cast(pa.float64())
    finite = np.isfinite(column.to_numpy(zero_copy_only=False))
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise raw.error(row, f"{theirs!r} must be a finite number; got {_shown(column, row)}")
    return column


def _whole_numbers(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type):
        cells = column.to_pylist()
        wrong = next((row for row, cell in enumerate(cells) if not cell.isdecimal()), None)
        if wrong is not None:
            raise raw.error(wrong, f"{theirs!r} must be a whole number; got {cells[wrong]!r}")
        return pa.array([int(cell) for cell in cells], pa.int64())
    if not pa.types.is_integer(column.type):
        raise raw.error(0, f"{theirs!r} must be a whole number; got {kind_name(column.type)}: {_shown(column, 0)}")
    return column


def _lists(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    if column.type == pa.list_(pa.string()):
        return column
    if not pa.types.is_string(column.type):
        raise raw.error(0, f"{theirs!r} must be a list of strings; got {kind_name(column.type)}: {_shown(column, 0)}")
    rows = [_from_json(raw, row, theirs, cell) for row, cell in enumerate(column.to_pylist())]
    for row, value in enumerate(rows):
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise raw.error(row, f"{theirs!r} must be a list of strings; got {_shown(column, row)}")
    return pa.array(rows, pa.list_(pa.string()))


def _tags(column: pa.Array) -> pa.Array:
    cells = [cell.split(";") if isinstance(cell, str) else cell or [] for cell in column.to_pylist()]
    return pa.array([[tag.strip() for tag in tags if tag.strip()] for tags in cells], pa.list_(pa.string()))


def _check_lengths(raw: RawBatch, gold: pa.Array, prediction: pa.Array) -> None:
    lengths = pc.list_value_length(gold), pc.list_value_length(prediction)
    differs = np.asarray(pc.fill_null(pc.not_equal(*lengths), False))
    if differs.any():
        row = int(np.flatnonzero(differs)[0])
        n_gold, n_predicted = (column[row].as_py() for column in lengths)
        raise raw.error(row, f"as many predicted as gold tags are needed; got {n_predicted} for {n_gold}")


def _probabilities(raw: RawBatch, theirs: str, column: pa.Array, labels: Sequence[str]) -> pa.Array:
    column = _as_number_lists(raw, theirs, column, labels)
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any() or not lengths[0]:
        row = int(np.flatnonzero((lengths != lengths[0]) | (lengths == 0))[0])
        message = f"{theirs!r} needs the same number of classes in every row; got {lengths[row]} after {lengths[0]}"
        raise raw.error(row, message)
    values = column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1)
    outside = ~((values >= 0) & (values <= 1 + 1e-6)).all(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise raw.error(row, f"{theirs!r} must lie between 0 and 1; got {_shown(column, row)}")
    sums = values.sum(axis=1)
    if (np.abs(sums - 1) > _TOLERANCE).any():
        row = int(np.flatnonzero(np.abs(sums - 1) > _TOLERANCE)[0])
        raise raw.error(row, f"{theirs!r} must sum to 1 (within {_TOLERANCE}); got {sums[row]:.6g}")
    return column


def _as_number_lists(raw: RawBatch, theirs: str, column: pa.Array, labels: Sequence[str]) -> pa.Array:
    """Probabilities as lists; mappings from label to probability are put in the order of the labels, else sorted."""
    if column.type == pa.list_(pa.float64()):
        return column
    cells = column.to_pylist()
    if pa.types.is_string(column.type):
        cells = [_from_json(raw, row, theirs, cell) for row, cell in enumerate(cells)]
    rows, keys = [], list(labels)
    for row, cell in enumerate(cells):
        pairs = dict(cell) if pa.types.is_map(column.type) or isinstance(cell, dict) else None
        if pairs is not None:
            keys = keys or sorted(pairs)
            if set(pairs) != set(keys):
                message = f"{theirs!r} needs the labels {', '.join(keys)} in every row; got {', '.join(sorted(pairs))}"
                raise raw.error(row, message)
            cell = [pairs[key] for key in keys]
        if not (isinstance(cell, list) and all(isinstance(value, int | float) for value in cell)):
            raise raw.error(
                row, f"{theirs!r} must be a list of numbers or a mapping from label to number; got {cell!r}"
            )
        rows.append(cell)
    return pa.array(rows, pa.list_(pa.float64()))


def _from_json(raw: RawBatch, row: int, theirs: str, cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise raw.error(row, f"{theirs!r} must be JSON, such as [0.2, 0.8]; got {cell[:60]!r}") from None


def _shown(column: pa.Array, row: int) -> str:
    text = str(column[row].as_py())
    return text if len(text) <= 60 else text[:59] + "…"
