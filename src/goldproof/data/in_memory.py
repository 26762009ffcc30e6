"""Tables that are already in memory: data frames, Arrow tables, rows, columns, arrays, what a Trainer predicted.

Each becomes raw columns as a file's do, so that everything after is the same. Where a thing is of no such kind, the
error says which are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from goldproof.data.formats.parquet import plain_column
from goldproof.data.formats.raw import RawBatch
from goldproof.data.nested import array_at, column_of
from goldproof.errors import DataError, UsageError

KINDS = (
    "a path or several, a pandas or polars DataFrame, an Arrow table, a list of dicts, a dict of columns, "
    "(y_true, y_pred), or a PredictionOutput of transformers"
)


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of a table in memory; `name` is what an error calls it, `notes` says what was made of it."""

    name: str
    table: pa.Table
    notes: tuple[str, ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.table.column_names)

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """All rows in one batch, with large and dictionary types made plain."""
        arrays = []
        for name in wanted:
            start = column_of(name, self.column_names) or name
            column = self.table.column(start).combine_chunks()
            arrays.append(plain_column(array_at(column, name, start, self.name)))
        if self.table.num_rows:
            yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), 0, self.name)


def is_paths(source: Any) -> bool:
    """Whether this is a path or several paths."""
    if isinstance(source, str | Path):
        return True
    several = isinstance(source, Sequence) and len(source) > 0
    return several and all(isinstance(each, str | Path) for each in source)


def open_table(source: Any, what: str = "predictions are") -> TableRows:
    """The table behind what was given, or an error that says what may be given."""
    if hasattr(source, "predictions") and hasattr(source, "label_ids"):
        return _from_prediction_output(source)
    if _is_frame(source, "pandas"):
        return _from_pandas(source)
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table) or hasattr(source, "__arrow_c_stream__"):
        name = "the Arrow table" if isinstance(source, pa.Table) else "the data frame"
        table = pa.table(source)
        _refuse_repeated(table.column_names, name)
        return TableRows(name, table)
    if isinstance(source, Mapping):
        return _from_columns({str(name): values for name, values in source.items()}, "the dict of columns")
    if isinstance(source, Sequence) and not isinstance(source, str | bytes) and len(source):
        if all(isinstance(row, Mapping) for row in source):
            return _from_rows(source)
        if len(source) == 2:
            return _from_arrays(source[0], source[1], what)
    raise UsageError(f"{what} {KINDS}; got {_shown(source)}")


def _is_frame(source: Any, library: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(source, module.DataFrame)


def _from_pandas(frame: Any) -> TableRows:
    names = [str(name) for name in frame.columns]
    _refuse_repeated(names, "the data frame")
    arrays = {}
    for position, name in enumerate(names):
        try:
            arrays[name] = pa.Array.from_pandas(frame.iloc[:, position])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise _mixed("the data frame", name, error) from None
    return TableRows("the data frame", pa.table({name: _whole_array(array) for name, array in arrays.items()}))


def _from_rows(rows: Sequence[Mapping[str, Any]]) -> TableRows:
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    return _from_columns({name: [row.get(name) for row in rows] for name in names}, "the list of rows")


def _from_columns(columns: Mapping[str, Any], name: str) -> TableRows:
    arrays = {column: _array(values, name, column) for column, values in columns.items()}
    lengths = {column: len(array) for column, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{column} {length}" for column, length in lengths.items())
        raise DataError(f"the columns must have the same length; got {shown}", path=name)
    return TableRows(name, pa.table(arrays))


def _from_arrays(gold: Any, predicted: Any, what: str) -> TableRows:
    """The pair (y_true, y_pred)."""
    name = "(y_true, y_pred)"
    for column, values in (("y_true", gold), ("y_pred", predicted)):
        if not hasattr(values, "__len__") or isinstance(values, str | bytes | Mapping):
            raise UsageError(f"{what} {KINDS}; got {_shown((gold, predicted))}")
        if getattr(values, "ndim", 1) != 1:
            shape = " × ".join(str(n) for n in values.shape)
            raise DataError(
                f"{column} must have one answer for each item; got an array of {shape} (of scores for each class, take "
                "the class with the highest)",
                path=name,
            )
    if len(gold) != len(predicted):
        raise DataError(
            (f"y_true and y_pred must have the same length; got {len(gold):,} and {len(predicted):,}"), path=name
        )
    return TableRows(
        name, pa.table({"gold": _array(gold, name, "y_true"), "prediction": _array(predicted, name, "y_pred")})
    )


def _from_prediction_output(output: Any) -> TableRows:
    """What `Trainer.predict` gives: logits and label ids; classes are named by their numbers."""
    name = "the PredictionOutput"
    if output.label_ids is None:
        raise DataError("it has no label_ids, so there is no gold to compare with", path=name)
    notes = []
    scores = output.predictions
    if isinstance(scores, tuple):
        notes.append(f"The PredictionOutput holds {len(scores)} arrays; the first is taken as the class scores.")
        scores = scores[0]
    scores, gold = np.asarray(scores), np.asarray(output.label_ids)
    if len(scores) != len(gold):
        raise DataError(
            f"predictions and label_ids must have the same length; got {len(scores)} and {len(gold)}", path=name
        )
    if gold.ndim == 2 and gold.shape[1] == 1:
        gold = gold[:, 0]
    if gold.ndim != 1 or scores.ndim > 2:
        raise DataError(
            "only one label for each item can be read from it; for tagging give rows with lists of tags as gold and "
            "prediction",
            path=name,
        )
    if scores.ndim == 1 or scores.shape[1] == 1:
        return TableRows(name, pa.table({"gold": gold, "prediction": scores.ravel()}), tuple(notes))
    notes.append("The predictions are taken as logits; probabilities are their softmax.")
    return TableRows(name, _classes(scores, gold), tuple(notes))


def _classes(scores: Any, gold: Any) -> pa.Table:
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities = shifted / shifted.sum(axis=1, keepdims=True)
    keys = [str(number) for number in range(scores.shape[1])]
    cells = [dict(zip(keys, row, strict=True)) for row in probabilities.astype(float).tolist()]
    return pa.table(
        {
            "gold": gold.astype(np.int64),
            "prediction": scores.argmax(axis=1),
            "probabilities": pa.array(cells, pa.map_(pa.string(), pa.float64())),
        }
    )


def _array(values: Any, name: str, column: str) -> pa.Array:
    if not isinstance(values, list | tuple):
        values = values.tolist() if hasattr(values, "tolist") else list(values)
    try:
        return pa.array([None if isinstance(v, float) and v != v else v for v in values])
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise _mixed(name, column, error) from None


def _mixed(name: str, column: str, error: Exception) -> DataError:
    reason = str(error).splitlines()[0]
    return DataError(f"the column {column!r} cannot be read: its values are not of one kind ({reason})", path=name)


def _whole_array(array: Any) -> Any:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _refuse_repeated(names: Sequence[str], where: str) -> None:
    repeated = next((name for name in names if list(names).count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"two columns are named {repeated!r}; rename one of them", path=where)


def _shown(source: Any) -> str:
    if isinstance(source, list | tuple):
        kinds = list(dict.fromkeys(type(each).__name__ for each in source))
        return f"a {type(source).__name__} of {len(source)}" + (f" ({', '.join(kinds[:3])})" if kinds else "")
    return type(source).__name__
