"""Predictions from a file, checked: what every analysis that needs no model starts from.

Columns: `id`, `gold` and `prediction`, and any of `probabilities` (a list in the order of the labels, or a mapping from
label to probability), `run`, `step`, `language`, `split`, `model`, `dataset`, `cluster`, `tags`, `text`, `pair`.
Gold and prediction are strings (classification), numbers (regression) or lists of strings (tagging). JSON Lines, CSV,
TSV and Parquet are read, and the JSON documents in which some systems' XNLI predictions are published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.dataset import Provenance
from goldproof.data.files import check_file, describe_file, suffix_of
from goldproof.data.prediction_columns import KEY_COLUMNS, Shape, Task, find_columns, guess_task, shape_predictions
from goldproof.data.prediction_json import read_json_document
from goldproof.data.raw import RawFile
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError


@dataclass(frozen=True, slots=True, repr=False)
class Predictions:
    """A checked table of predictions; `labels` is the order of the probabilities (empty unless classification)."""

    table: pa.Table
    task: Task
    labels: tuple[str, ...]
    provenance: Provenance

    def __repr__(self) -> str:
        """What a reader at a prompt wants to know; the table itself is `table`."""
        return f"<Predictions: {len(self):,} rows of {self.task}; columns {', '.join(self.table.column_names)}>"

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, column: str) -> bool:
        return column in self.table.column_names

    def values(self, column: str) -> list[Any]:
        """The values of a column in order."""
        return list(self.table.column(column).to_pylist())


def read_predictions(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    task: Task | None = None,
    labels: Sequence[str] = (),
) -> Predictions:
    """The predictions in a file; `columns` says which column of the file is which: `{"gold": "true_label"}`.

    Without `task` it is seen from the values: lists are tagging, numbers with a fraction regression, all else
    classification. Without `labels` the order of the probabilities is that of the sorted labels that occur.
    """
    path = check_file(path)
    shape = _open(path, columns, task, labels)
    batches = [shape_predictions(raw, shape) for raw in shape.file.iter_batches(shape.wanted)]
    if not sum(batch.num_rows for batch in batches):
        raise DataError("the file has no rows", path=path)
    table = pa.Table.from_batches(batches)
    _check_repeated(table, shape)
    seen = _seen_labels(table, shape.task)
    if shape.task == "classification":
        _check_labels(table, shape, seen, labels)
    provenance = Provenance(corpus=path.name, files=(describe_file(path),))
    return Predictions(table, shape.task, tuple(labels) or seen, provenance)


def iter_prediction_batches(
    path: str | Path, columns: Mapping[str, str] | None = None, *, task: Task | None = None
) -> Iterator[pa.RecordBatch]:
    """The same rows as `read_predictions`, in batches and in bounded memory; repeated ids are not looked for."""
    path = check_file(path)
    shape = _open(path, columns, task)
    for raw in shape.file.iter_batches(shape.wanted):
        yield shape_predictions(raw, shape)


def _open(path: Path, columns: Mapping[str, str] | None, task: Task | None, labels: Sequence[str] = ()) -> Shape:
    file: RawFile = read_json_document(path) if suffix_of(path) == ".json" else open_raw(path, Layout())
    names = find_columns(columns or {}, file.column_names, path)
    first = next(file.iter_batches(tuple(names.values())), None)
    if first is None:
        raise DataError("the file has no rows", path=path)
    return Shape(file, names, task or guess_task(first, names), tuple(labels))


def _check_repeated(table: pa.Table, shape: Shape) -> None:
    keys = [name for name in KEY_COLUMNS if name in table.column_names]
    counts = table.select(keys).group_by(keys, use_threads=False).aggregate([([], "count_all")])
    repeated = counts.filter(pc.greater(counts.column("count_all"), 1))
    if not repeated.num_rows:
        return
    key = {name: repeated.column(name)[0].as_py() for name in keys}
    mask = np.logical_and.reduce([np.asarray(pc.equal(table.column(name), value)) for name, value in key.items()])
    first, second = np.flatnonzero(mask)[:2]
    within = ", ".join(f"{name} {value!r}" for name, value in key.items() if name != "id") or "this file"
    raise error_at(shape, int(second), f"the id {key['id']!r} stands twice within {within}; first in row {first + 1}")


def _seen_labels(table: pa.Table, task: Task) -> tuple[str, ...]:
    if task == "regression":
        return ()
    columns = [table.column(name) for name in ("gold", "prediction")]
    flat = [pc.list_flatten(column) if task == "tagging" else column for column in columns]
    return tuple(sorted({label for column in flat for label in pc.unique(column).to_pylist()}))


def _check_labels(table: pa.Table, shape: Shape, seen: Sequence[str], given: Sequence[str]) -> None:
    unknown = [label for label in seen if given and label not in given]
    if unknown:
        masks = [np.asarray(pc.equal(table.column(name), unknown[0])) for name in ("gold", "prediction")]
        row = int(np.flatnonzero(masks[0] | masks[1])[0])
        raise error_at(shape, row, f"the label {unknown[0]!r} is not known; allowed: {', '.join(given)}")
    if "probabilities" not in table.column_names:
        return
    labels = given or seen
    n_classes = len(table.column("probabilities")[0])
    if n_classes != len(labels):
        message = (
            f"{n_classes} probabilities but {len(labels)} labels ({', '.join(labels)}); give all labels with labels=…"
        )
        raise error_at(shape, 0, message)


def error_at(shape: Shape, row: int, message: str) -> DataError:
    """Read the file again up to a row to say on which line it stands."""
    path = Path()
    for raw in shape.file.iter_batches(shape.wanted[:1]):
        path = raw.path
        if raw.first_row <= row < raw.first_row + raw.columns.num_rows:
            return raw.error(row - raw.first_row, message)
    return DataError(message, path=path)
