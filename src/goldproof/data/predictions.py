"""Predictions from a file or from memory, checked: what every analysis that needs no model starts from.

Columns: `id`, `gold` and `prediction`, and any of `probabilities` (a list in the order of the labels, or a mapping from
label to probability), `run`, `step`, `language`, `split`, `model`, `dataset`, `cluster`, `tags`, `text`, `pair`.
Gold and prediction are strings (classification), numbers (regression) or lists of strings (tagging). JSON Lines, CSV,
TSV and Parquet are read, a JSON list of objects, the JSON documents in which some systems' XNLI predictions are
published, and tables in memory (`in_memory.KINDS`). A prediction that is missing stays null in the table; `missing`
says what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import (
    KEY_COLUMNS,
    READ_BY_PEOPLE,
    MissingPolicy,
    PredictionTask,
    Shape,
    check_fields,
    find_columns,
    guess_task,
    holds_texts,
    resolve_missing,
    shape_predictions,
    taken_as_labels,
)
from goldproof.data.dataset import Provenance
from goldproof.data.formats.files import check_file, describe_file, suffix_of
from goldproof.data.formats.json_documents import read_json_document
from goldproof.data.formats.raw import RawFile, inner_names
from goldproof.data.in_memory import TableRows, open_table
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError

RowIds = Literal["never", "alone", "always"]
ROWS_AS_IDS = "There is no column 'id', so items are identified by row number; --column id=NAME names one."


@dataclass(frozen=True, slots=True, repr=False)
class Predictions:
    """A checked table of predictions; `labels` is the order of the probabilities (empty unless classification).

    `missing` says what a null prediction means, `notes` what a reader should know of how the rows were read.
    """

    table: pa.Table
    task: PredictionTask
    labels: tuple[str, ...]
    provenance: Provenance
    missing: MissingPolicy = "refuse"
    notes: tuple[str, ...] = ()

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


@dataclass(frozen=True, slots=True)
class Reading:
    """How predictions are read: names of columns, the task and labels where they are known, and what is allowed.

    `row_ids` says when row numbers stand in for ids: never, where the rows are of one run and place and have no id
    ("alone"), or always, counted anew in each run and place. `without` are texts that are not read. With `numbers` a
    few whole numbers with a point are numbers to predict and no labels.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    task: PredictionTask | None = None
    labels: tuple[str, ...] = ()
    missing: str | None = None
    row_ids: RowIds = "never"
    without: tuple[str, ...] = ()
    numbers: bool = False


def read_predictions(
    source: Any,
    columns: Mapping[str, str] | None = None,
    *,
    task: PredictionTask | None = None,
    labels: Sequence[str] = (),
    missing: str | None = None,
) -> Predictions:
    """The predictions in a file or a table; `columns` says which column is which: `{"gold": "true_label"}`.

    Without `task` it is seen from the values: lists are tagging, numbers with a fraction regression, all else
    classification. Without `labels` the order of the probabilities is that of the sorted labels that occur. `missing`
    says what a null prediction means: "wrong" (the default; not for regression), "leave-out" or "refuse".
    """
    return read_with(source, Reading(columns or {}, task, tuple(labels), missing))


def read_with(source: Any, reading: Reading) -> Predictions:
    """The predictions in a file or a table, read as asked for."""
    path = check_file(source) if isinstance(source, str | Path) else None
    table_source = None if path is not None else open_table(source)
    where: str | Path = path if path is not None else table_source.name  # type: ignore[union-attr]
    shape = _open(path if path is not None else table_source, where, reading)
    batches = [shape_predictions(raw, shape) for raw in shape.file.iter_batches(shape.wanted)]
    if not sum(batch.num_rows for batch in batches):
        raise (
            DataError("there are no rows", path=where) if path is None else DataError("the file has no rows", path=path)
        )
    table = pa.Table.from_batches(batches)
    table, notes = _with_ids(table, shape, reading, where)
    notes = (*notes, *taken_as_labels(shape.task, shape.decimals))
    _check_repeated(table, shape)
    seen = _seen_labels(table, shape.task)
    if shape.task == "classification":
        _check_labels(table, shape, seen, reading.labels)
    files = (describe_file(path),) if path is not None else ()
    provenance = Provenance(corpus=path.name if path is not None else str(where), files=files)
    notes = (*(table_source.notes if table_source is not None else ()), *notes)
    return Predictions(table, shape.task, reading.labels or seen, provenance, shape.missing, notes)


def iter_prediction_batches(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    task: PredictionTask | None = None,
    missing: str | None = None,
    without: Sequence[str] = (),
) -> Iterator[pa.RecordBatch]:
    """The same rows as `read_predictions`, in batches and in bounded memory; repeated ids are not looked for.

    `without` names texts ("text", "pair") that are not needed, and so are not read.
    """
    reading = Reading(columns or {}, task, missing=missing, row_ids="alone", without=tuple(without))
    yield from stream_predictions(path, reading).batches


@dataclass(frozen=True, slots=True)
class StreamedPredictions:
    """The rows of a file in batches, to be read once, and what is to be said of how they are read."""

    batches: Iterator[pa.RecordBatch]
    notes: tuple[str, ...]


def stream_predictions(path: str | Path, reading: Reading) -> StreamedPredictions:
    """The rows of a file in batches, read as asked for; repeated ids are not looked for."""
    path = check_file(path)
    shape = _open(path, path, reading)
    batches = (shape_predictions(raw, shape) for raw in shape.file.iter_batches(shape.wanted))
    return StreamedPredictions(batches, taken_as_labels(shape.task, shape.decimals))


def _open(source: Path | TableRows | None, where: str | Path, reading: Reading) -> Shape:
    if isinstance(source, Path):
        file: RawFile = read_json_document(source) if suffix_of(source) == ".json" else open_raw(source, Layout())
    else:
        assert source is not None
        file = source
    needed = ("id", "gold", "prediction") if reading.row_ids == "never" else ("gold", "prediction")
    names = find_columns(reading.columns, file.column_names, where, needed=needed, inner=inner_names(file))
    for ours in READ_BY_PEOPLE:
        is_guess = ours in names and ours not in reading.columns
        if ours in reading.without or (is_guess and not holds_texts(file, names[ours])):
            names.pop(ours, None)
    first = next(file.iter_batches(tuple(names.values())), None)
    if first is None:
        raise DataError("there are no rows" if isinstance(source, TableRows) else "the file has no rows", path=where)
    check_fields(names, file.column_names, first)
    task, decimals = guess_task(first, names)
    as_numbers: PredictionTask | None = "regression" if reading.numbers and len(decimals) > 1 else None
    task = reading.task or as_numbers or task
    return Shape(
        file,
        names,
        task,
        resolve_missing(task, reading.missing),
        reading.labels,
        decimals if task == "classification" else frozenset(),
    )


def _with_ids(table: pa.Table, shape: Shape, reading: Reading, where: str | Path) -> tuple[pa.Table, tuple[str, ...]]:
    """The table with ids; where row numbers stand in for them, that is noted."""
    if "id" in shape.names and reading.row_ids != "always":
        return table, ()
    groups = [name for name in KEY_COLUMNS if name != "id" and name in table.column_names]
    several = [name for name in groups if len(pc.unique(table.column(name))) > 1]
    if several and reading.row_ids != "always":
        listed = ", ".join(repr(name) for name in several)
        raise DataError(
            f"predictions from several places ({listed}) need a column 'id' that says which items are the same; "
            f"columns found: {', '.join(shape.file.column_names)}; name one with --column id=NAME, or say with "
            "--by-row that their rows are in the same order",
            path=where,
        )
    numbers = _numbers_within(table, groups)
    ids = pa.array([str(number) for number in numbers], pa.string())
    if "id" in table.column_names:
        table = table.drop_columns(["id"])
        note = "Items are identified by row number, as requested; the column 'id' was not used."
    else:
        note = "Items are identified by row number, as requested." if reading.row_ids == "always" else ROWS_AS_IDS
    return table.add_column(0, "id", ids), (note,)


def _numbers_within(table: pa.Table, groups: Sequence[str]) -> list[int]:
    """The number of each row among those of its run and place, from 0."""
    if not groups:
        return list(range(table.num_rows))
    keys = zip(*(table.column(name).to_pylist() for name in groups), strict=True)
    seen: dict[tuple[Any, ...], int] = {}
    numbers = []
    for key in keys:
        numbers.append(seen.get(key, 0))
        seen[key] = numbers[-1] + 1
    return numbers


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
    raise error_at(shape, int(second), f"the id {key['id']!r} occurs twice within {within}; first in row {first + 1}")


def _seen_labels(table: pa.Table, task: PredictionTask) -> tuple[str, ...]:
    if task == "regression":
        return ()
    columns = [table.column(name) for name in ("gold", "prediction")]
    flat = [pc.list_flatten(column) if task == "tagging" else column for column in columns]
    return tuple(sorted({label for column in flat for label in pc.unique(column).to_pylist() if label is not None}))


def _check_labels(table: pa.Table, shape: Shape, seen: Sequence[str], given: Sequence[str]) -> None:
    unknown = [label for label in seen if given and label not in given]
    if unknown:
        masks = [
            np.asarray(pc.fill_null(pc.equal(table.column(name), unknown[0]), False)) for name in ("gold", "prediction")
        ]
        row = int(np.flatnonzero(masks[0] | masks[1])[0])
        raise error_at(shape, row, f"the label {unknown[0]!r} is not known; allowed: {', '.join(given)}")
    if "probabilities" not in table.column_names:
        return
    labels = given or seen
    present = table.column("probabilities").drop_null()
    n_classes = len(present[0]) if len(present) else len(labels)
    if n_classes != len(labels):
        message = (
            f"{n_classes} probabilities but {len(labels)} labels ({', '.join(labels)}); give all labels with labels=…"
        )
        raise error_at(shape, 0, message)


def error_at(shape: Shape, row: int, message: str) -> DataError:
    """Read the file again up to a row to say on which line it stands."""
    path: str | Path = Path()
    for raw in shape.file.iter_batches(shape.wanted[:1]):
        path = raw.path
        if raw.first_row <= row < raw.first_row + raw.columns.num_rows:
            return raw.error(row - raw.first_row, message)
    return DataError(message, path=path)
