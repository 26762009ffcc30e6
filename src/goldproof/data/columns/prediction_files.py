"""Raw batches of predictions with our names and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import values
from goldproof.data.columns.names import (
    PREDICTION_NAMES,
    VAGUE_LABELS,
    check_given,
    check_part,
    guess_names,
    lacking_columns,
    normal,
)
from goldproof.data.columns.tasks import MissingPolicy, PredictionTask
from goldproof.data.formats.files import shortened
from goldproof.data.formats.raw import RawBatch, RawFile
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError

KEY_COLUMNS = ("id", "run", "step", "language", "split", "model", "dataset")
READ_BY_PEOPLE = ("text", "pair")
_NAMING = ("run", "language", "split", "model", "dataset", "cluster")
COLUMNS = ("id", "gold", "prediction", "probabilities", "step", "tags", *_NAMING, *READ_BY_PEOPLE)
_NEVER_GUESSED = {"answer": ("gold", "prediction"), "correct": ("gold",)}
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Shape:
    """An opened source of predictions: the column for each of ours, the task, and what a missing prediction means.

    `decimals` are columns of ours whose classes are whole numbers written with a point, as 1.0 for 1.
    """

    file: RawFile
    names: Mapping[str, str]
    task: PredictionTask
    missing: MissingPolicy = "refuse"
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
    inner: Sequence[str] = (),
) -> dict[str, str]:
    """The column of the file for each of ours that it has; what is needed and not there is named in one error."""
    for ours in given:
        check_part("predictions", ours, COLUMNS)
    check_given(given, found, path)
    names = guess_names(given, found, COLUMNS, PREDICTION_NAMES)
    doubtful = [name for name in found if normal(name) in _NEVER_GUESSED and name not in given.values()]
    passed = names.get("gold", "") if doubtful and "gold" not in given else ""
    if normal(passed) in VAGUE_LABELS:
        del names["gold"]  # a category beside an answer: data have one label, here either may be what is right
    lacking = {ours: PREDICTION_NAMES.get(ours, (ours,)) for ours in needed if ours not in names}
    if lacking:
        flags = " ".join(f"--column {ours}=NAME" for ours in lacking)
        python = ", ".join(f"{ours!r}: 'NAME'" for ours in lacking)
        how = f"{flags}, in Python columns={{{python}}}"
        message = lacking_columns("predictions", lacking, found, how, inner)
        if "id" in lacking:
            message += "; or match the rows of both by row number with --by-row"
        raise DataError(message + _doubts(doubtful, passed, list(lacking)), path=path)
    return names


def _doubts(doubtful: Sequence[str], passed: str, lacking: Sequence[str]) -> str:
    """Why columns that may be meant were not guessed: the doubtful ones, and the category that was passed over."""
    message = ""
    for column in doubtful:
        fitting = [part for part in _NEVER_GUESSED[normal(column)] if part in lacking]
        if fitting:
            ways = [f"--column {part}={column}" for part in fitting] + [f"--column gold={passed}"] * bool(passed)
            what = f"neither it nor {passed!r} is guessed" if passed else "it is not guessed"
            message += (
                f" ({column!r} may be gold, prediction or whether the answer is right, so {what}: {' or '.join(ways)})"
            )
    return message


def holds_texts(file: RawFile, name: str) -> bool:
    """Whether the first rows of a column can be shown to people, so that a guess of it does not cost the file."""
    try:
        first = next(file.iter_batches((name,)), None)
    except DataError:
        return False
    kind = pa.string() if first is None else first.columns.column(name).type
    return bool(pa.types.is_string(kind) or pa.types.is_integer(kind))


def shape_predictions(raw: RawBatch, shape: Shape) -> pa.RecordBatch:
    """A raw batch with our names and types; raises a `DataError` with the line of the first value that is wrong.

    A prediction that is missing stays null, unless the shape refuses it.
    """
    made: dict[str, pa.Array] = {}
    absent = _absent(raw.columns.column(shape.names["prediction"]))
    if absent.any() and shape.missing == "refuse":
        ways = "leave-out" if shape.task == "regression" else "wrong, leave-out"
        message = f"{shape.names['prediction']!r} is missing or null; --missing takes {ways} to allow that"
        raise raw.error(values.first_row(absent), message)
    for ours in COLUMNS:
        if ours in shape.names:
            partly = absent.any() and ours in ("prediction", "probabilities")
            made[ours] = _convert_present(raw, ours, shape, absent) if partly else _convert(raw, ours, shape)
    if shape.task == "tagging":
        values.check_lengths(raw, made["gold"], made["prediction"], "predicted as gold tags")
    if shape.task == "classification" and "probabilities" in made:
        _check_keys(raw, shape, made)
    return pa.RecordBatch.from_pydict(made)


def _check_keys(raw: RawBatch, shape: Shape, made: dict[str, pa.Array]) -> None:
    """Refuse probabilities that are keyed by other labels than those of gold and prediction."""
    theirs = shape.names["probabilities"]
    column = raw.columns.column(theirs).drop_null()
    cell = column[0].as_py() if len(column) else None
    if isinstance(cell, str):
        cell = _from_json(raw, 0, theirs, cell)
    if not isinstance(cell, dict) and not pa.types.is_map(column.type):
        return
    keys = sorted(dict(cell or {}))
    for ours in ("prediction", "gold"):
        strange = ~np.array(pc.is_in(made[ours], pa.array(keys, pa.string()))) & ~np.array(pc.is_null(made[ours]))
        if strange.any():
            row = values.first_row(strange)
            message = f"{theirs!r} has the labels {', '.join(keys)}; {ours} is {made[ours][row].as_py()!r}"
            raise raw.error(row, message)


def _absent(column: pa.Array) -> Any:
    """Which predictions are missing: null, an empty cell, or not a number."""
    absent = np.array(pc.is_null(column, nan_is_null=pa.types.is_floating(column.type)))
    if pa.types.is_string(column.type):
        absent |= np.array(pc.fill_null(pc.is_in(pc.utf8_lower(column), pa.array(["", "nan"])), True))
    return absent


def _convert_present(raw: RawBatch, ours: str, shape: Shape, absent: Any) -> pa.Array:
    """The column converted where a prediction is there, and null elsewhere."""
    rows = np.flatnonzero(~absent)
    kept = raw.take(rows.tolist())
    converted = _convert(kept, ours, shape) if len(rows) else pa.nulls(0, _type_of(ours, shape))
    places = np.full(len(absent), -1)
    places[rows] = np.arange(len(rows))
    return converted.take(pa.array(np.where(absent, 0, places), mask=absent))


def _type_of(ours: str, shape: Shape) -> pa.DataType:
    if ours == "probabilities":
        return pa.list_(pa.float64())
    return {"regression": pa.float64(), "tagging": pa.list_(pa.string())}.get(shape.task, pa.string())


def _convert(raw: RawBatch, ours: str, shape: Shape) -> pa.Array:
    theirs = shape.names[ours]
    if ours == "tags":
        # One column of tags whose name is ours to choose; in data there may be several, and each is a group.
        return values.tag_lists(raw, theirs, raw.columns.column(theirs))
    if ours in READ_BY_PEOPLE:
        # It is shown, not judged: a row may lack it, as one with an empty cell does. Data are texts: all rows need one.
        return pc.fill_null(values.texts_or_whole(raw, theirs, raw.columns.column(theirs)), "")
    column = values.present(raw, theirs)
    if ours in ("gold", "prediction"):
        return _answers(raw, ours, column, shape)
    if ours == "probabilities":
        return _probabilities(raw, theirs, column, shape.labels)
    return (values.whole_numbers if ours == "step" else values.texts_or_whole)(raw, theirs, column)


def _answers(raw: RawBatch, ours: str, column: pa.Array, shape: Shape) -> pa.Array:
    theirs = shape.names[ours]
    if shape.task == "regression":
        return values.numbers(raw, theirs, column)
    if shape.task == "tagging":
        return _tagged(raw, theirs, column)
    classes = values.classes(raw, theirs, column, kept=shape.labels, numbered=ours in shape.decimals)
    if classes.null_count:  # data may hide a label; what is judged needs one
        row = values.first_row(pc.is_null(classes))
        raise raw.error(row, f"{theirs!r} must be a class; got {_shown(column, row)!r}")
    return classes


def _tagged(raw: RawBatch, theirs: str, column: pa.Array) -> pa.Array:
    if not pa.types.is_string(column.type):
        return values.string_lists(raw, theirs, column)
    rows = [_from_json(raw, row, theirs, cell) for row, cell in enumerate(column.to_pylist())]
    for row, value in enumerate(rows):
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise raw.error(row, f"{theirs!r} must be a list of strings; got {_shown(column, row)}")
    return pa.array(rows, pa.list_(pa.string()))


def _probabilities(raw: RawBatch, theirs: str, column: pa.Array, labels: Sequence[str]) -> pa.Array:
    column = _as_number_lists(raw, theirs, column, labels)
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any() or not lengths[0]:
        row = int(np.flatnonzero((lengths != lengths[0]) | (lengths == 0))[0])
        message = f"{theirs!r} needs the same number of classes in every row; got {lengths[row]} after {lengths[0]}"
        raise raw.error(row, message)
    shares = column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1)
    outside = ~((shares >= 0) & (shares <= 1 + 1e-6)).all(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise raw.error(row, f"{theirs!r} must lie between 0 and 1; got {_shown(column, row)}")
    sums = shares.sum(axis=1)
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
        return load_json(cell)
    except ValueError:
        raise raw.error(row, f"{theirs!r} must be JSON, such as [0.2, 0.8]; got {cell[:60]!r}") from None


def _shown(column: pa.Array, row: int) -> str:
    return shortened(column[row].as_py())
