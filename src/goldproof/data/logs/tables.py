"""Plain tables of scores: long, with a row for each item (and model, run), or wide, with a column for each model.

They are CSV, TSV, JSON Lines or Parquet. A long table has the columns `id` and `score`; a wide one an id and at least
two columns that hold numbers alone. A table with gold and predictions is none of these: it is judged by its labels.
Runs (`run`, `seed`) are other trainings, as in tables of predictions; repeats (`repeat`, `epoch`, …) are one system
that was asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns.names import PREDICTION_NAMES, by_normal, guess_names, normal
from goldproof.data.formats.files import FORMATS, check_file, suffix_of
from goldproof.data.formats.raw import RawBatch
from goldproof.data.logs.choosing import choose_task, listed
from goldproof.data.logs.documents import as_number, first_objects, read_fields
from goldproof.data.logs.log import Log, LogChoice
from goldproof.data.logs.rows import ScoreRows, conflict, plain_name, shape
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError, UsageError

NO_SCORE = "no score"
_NAMES: Mapping[str, tuple[str, ...]] = {
    "score": ("score",),
    "id": (*PREDICTION_NAMES["id"], "question_id", "item_id", "sample_id", "example_id", "instance_id"),
    "run": ("run", "seed"),
    "repeat": ("repeat", "epoch", "attempt", "trial"),
    "model": ("model", "model_name", "model_id", "system"),
    "dataset": ("dataset", "benchmark"),
    "language": ("language", "lang"),
    "cluster": ("cluster",),
    "category": ("category", "subject"),
    "task": ("task",),
    "text": ("text", "question", "prompt", "input"),
}
_GROUPS = ("model", "dataset", "language")
_NOT_SCORES = frozenset(PREDICTION_NAMES["gold"]) | frozenset(PREDICTION_NAMES["prediction"])
_ABSENT = frozenset({"", "na", "n/a", "none", "null"})
_TRUTHS = {"true": 1.0, "false": 0.0}
_SNIFFED_ROWS = 200


@dataclass(frozen=True, slots=True)
class _ScoreTable:
    """An opened table: its columns, and the column for each part of ours that it has."""

    path: Path
    columns: tuple[str, ...]
    names: Mapping[str, str]

    @property
    def again(self) -> str | None:
        """The part that tells the answers to one item apart: runs, else repeats, else nothing."""
        return next((name for name in ("run", "repeat") if name in self.names), None)


def column_names(path: Path) -> tuple[str, ...]:
    """The columns of a table."""
    if _is_lines(path):
        return tuple(dict.fromkeys(name for row in first_objects(path) for name in row))
    return open_raw(check_file(path), Layout()).column_names


def is_table(path: Path, named: Mapping[str, str] | None = None) -> bool:
    """Whether this is a table of scores, long or wide; `named` are columns that the user named."""
    if suffix_of(path) not in FORMATS or set(named or ()) - set(_NAMES):
        return False
    table = _open(path, LogChoice(columns=named or {}))
    if "id" not in table.names:
        return False
    if "score" not in table.names:
        return bool(_wide_columns(table))
    found = set(by_normal(table.columns))
    return not (found & set(PREDICTION_NAMES["gold"]) and found & set(PREDICTION_NAMES["prediction"]))


def unnamed_scores(path: Path) -> list[str]:
    """The columns of a table with ids that may be scores under another name; none of one with gold or predictions."""
    if suffix_of(path) not in FORMATS:
        return []
    table = _open(path, LogChoice())
    rest = [name for name in table.columns if name not in table.names.values()]
    if "id" not in table.names or any(normal(name) in _NOT_SCORES for name in table.columns):
        return []
    first = _first_values(table, rest)
    return [name for name in rest if first[name] and all(_number(value) is not None for value in first[name])]


def read_table(path: Path, choice: LogChoice) -> list[Log]:
    """A log for each model, dataset and language of a long table, or for each column of a wide one."""
    table = _open(path, choice)
    wide = _wide_columns(table) if "score" not in table.names else []
    if "id" not in table.names or not ("score" in table.names or wide):
        raise DataError(
            "a table of scores has a column 'id', and a column 'score' or a column of numbers for each model; columns "
            f"found: {listed(table.columns)}",
            path=path,
        )
    return _read_wide(table, wide, choice) if wide else _read_long(table, choice)


def _is_lines(path: Path) -> bool:
    return FORMATS.get(suffix_of(path)) == "jsonl"


def _open(path: Path, choice: LogChoice) -> _ScoreTable:
    columns = column_names(path)
    asked = {"score": choice.metric, "cluster": choice.cluster, "category": choice.category}
    given = {**choice.columns, **{ours: name for ours, name in asked.items() if name is not None}}
    for name in given.values():
        if name not in columns:
            raise UsageError(f"{path}: there is no column {name!r}; the table has {listed(columns)}")
    return _ScoreTable(path, columns, guess_names(given, columns, tuple(_NAMES), _NAMES))


def _wide_columns(table: _ScoreTable) -> list[str]:
    """The columns of models: all that play no other part, if each holds numbers alone; else none."""
    rest = [name for name in table.columns if name not in table.names.values()]
    if len(rest) < 2 or any(normal(name) in _NOT_SCORES for name in rest):
        return []
    first = _first_values(table, rest)
    return (
        rest if all(all(value is None or _number(value) is not None for value in first[name]) for name in rest) else []
    )


def _first_values(table: _ScoreTable, names: Sequence[str]) -> dict[str, list[Any]]:
    if _is_lines(table.path):
        rows = first_objects(table.path)
        return {name: [row.get(name) for row in rows] for name in names}
    batch = next(open_raw(table.path, Layout()).iter_batches(names), None)
    if batch is None:
        return {name: [] for name in names}
    return {name: batch.columns.column(name).slice(0, _SNIFFED_ROWS).to_pylist() for name in names}


def _number(value: Any) -> float | None:
    """A cell as a number; None where it is none."""
    if isinstance(value, str):
        word = value.strip().lower()
        try:
            return _TRUTHS[word] if word in _TRUTHS else float("nan" if word in _ABSENT else word)
        except ValueError:
            return None
    return as_number(value) if isinstance(value, bool | int | float) else None


def _load(table: _ScoreTable, texts: Sequence[str], scores: Sequence[str]) -> pa.Table:
    """Columns of texts and columns of numbers, null where there is none; a cell that is no number is an error."""
    if _is_lines(table.path):
        return pa.table(read_fields(table.path, texts, scores, first_objects(table.path)))
    batches = []
    for raw in open_raw(table.path, Layout()).iter_batches([*texts, *scores]):
        arrays = [raw.columns.column(name).cast(pa.string()) for name in texts]
        arrays += [_score_cells(raw, name) for name in scores]
        batches.append(pa.RecordBatch.from_arrays(arrays, names=[*texts, *scores]))
    if not batches:
        raise DataError("the file has no rows", path=table.path)
    return pa.Table.from_batches(batches)


def _score_cells(raw: RawBatch, name: str) -> pa.Array:
    column = raw.columns.column(name)
    if not pa.types.is_string(column.type):
        try:
            return column.cast(pa.float64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise raw.error(0, f"{name!r} must be a number; got {plain_name(column[0].as_py())!r}") from None
    cells = column.to_pylist()
    numbers = [None if (value or "").strip().lower() in _ABSENT else _number(value) for value in cells]
    for row, (value, number) in enumerate(zip(cells, numbers, strict=True)):
        if number is None and (value or "").strip().lower() not in _ABSENT:
            raise raw.error(row, f"{name!r} must be a number; got {plain_name(value)!r}")
    return pa.array(numbers, pa.float64())


def _read_long(table: _ScoreTable, choice: LogChoice) -> list[Log]:
    parts = {
        "run" if ours == table.again else ours: name
        for ours, name in table.names.items()
        if ours != "score" and (ours != "repeat" or table.again == "repeat")
    }
    loaded = _load(table, list(parts.values()), [table.names["score"]]).rename_columns([*parts, "score"])
    _check_ids(loaded.column("id"), parts["id"], table.path)
    loaded = _of_task(loaded, choice, table.path)
    if choice.repeats == "refuse":
        _refuse_conflicts(loaded, table.path)
    _refuse_shared_ids(loaded, table.path)
    keys = [name for name in _GROUPS if name in parts]
    return [_long_log(table, where, rows, choice) for where, rows in _split(loaded, keys)]


def _check_ids(ids: pa.ChunkedArray, name: str, path: Path) -> None:
    n_empty = int(pc.sum(pc.equal(pc.fill_null(ids, ""), "")).as_py() or 0)
    if n_empty:
        raise DataError(f"{name!r} is empty in {'1 row' if n_empty == 1 else f'{n_empty:,} rows'}", path=path)


def _of_task(loaded: pa.Table, choice: LogChoice, path: Path) -> pa.Table:
    """The rows of the task that was asked for, which is a dataset or, where there is none, a task."""
    if choice.task is None:
        return loaded
    name = next((name for name in ("dataset", "task") if name in loaded.column_names), None)
    known = [] if name is None else pc.unique(loaded.column(name)).drop_null().to_pylist()
    if name == "dataset" and choice.task not in known and "task" in loaded.column_names:
        name, known = "task", [*pc.unique(loaded.column("task")).drop_null().to_pylist()]
    choose_task(known, choice, path)
    return loaded.filter(pc.equal(loaded.column(name), choice.task))


def _refuse_conflicts(loaded: pa.Table, path: Path) -> None:
    """Refuse two scores of one item, model and run that differ, counted over the whole table."""
    keys = [name for name in (*_GROUPS, "run", "id") if name in loaded.column_names]
    scores = pc.if_else(pc.is_nan(loaded.column("score")), pa.scalar(None, pa.float64()), loaded.column("score"))
    places = loaded.column_names.index("score")
    counted = (
        loaded.set_column(places, "score", scores)
        .group_by(keys, use_threads=False)
        .aggregate([("score", "min"), ("score", "max")])
    )
    differ = counted.filter(pc.less(counted.column("score_min"), counted.column("score_max")))
    if differ.num_rows:
        first = differ.slice(0, 1).to_pylist()[0]
        whose = "".join(f" of {name} {plain_name(first[name])!r}" for name in keys if name != "id")
        raise conflict(first["id"], whose, (first["score_min"], first["score_max"]), differ.num_rows, path)


def _refuse_shared_ids(loaded: pa.Table, path: Path) -> None:
    """Refuse one id in two tasks: what is the same item there cannot be told."""
    if "task" not in loaded.column_names:
        return
    keys = [name for name in (*_GROUPS, "id") if name in loaded.column_names]
    counted = loaded.group_by(keys, use_threads=False).aggregate(
        [("task", "count_distinct"), ("task", "min"), ("task", "max")]
    )
    shared = counted.filter(pc.greater(counted.column("task_count_distinct"), 1)).slice(0, 1).to_pylist()
    if shared:
        row = shared[0]
        raise DataError(
            f"the id {plain_name(row['id'])!r} occurs in the tasks {plain_name(row['task_min'])!r} and "
            f"{plain_name(row['task_max'])!r}; choose one task, or call the column 'dataset' to judge them separately",
            path=path,
        )


def _split(loaded: pa.Table, keys: Sequence[str]) -> list[tuple[dict[str, str], pa.Table]]:
    """The rows of each model, dataset and language, in the order in which these come first."""
    if not keys:
        return [({}, loaded)]
    columns = [loaded.column(name).to_pylist() for name in keys]
    rows_of: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*columns, strict=True)):
        rows_of.setdefault(key, []).append(row)
    return [
        (
            {name: str(value) for name, value in zip(keys, key, strict=True) if value is not None},
            loaded.take(pa.array(rows)),
        )
        for key, rows in rows_of.items()
    ]


def _long_log(table: _ScoreTable, where: dict[str, str], loaded: pa.Table, choice: LogChoice) -> Log:
    columns = {
        name: [value or "" for value in loaded.column(name).to_pylist()]
        for name in loaded.column_names
        if name != "score"
    }
    score = loaded.column("score")
    kinds = [columns[name] for name in ("category", "task") if name in columns]
    rows = ScoreRows(
        columns["id"],
        _finite(score),
        runs=columns.get("run"),
        reasons=[NO_SCORE if gone else "" for gone in pc.is_null(score).to_pylist()],
        clusters=columns.get("cluster"),
        tags=[tuple(dict.fromkeys(filter(None, tags))) for tags in zip(*kinds, strict=True)] if kinds else None,
        texts={"text": columns["text"]} if "text" in columns else {},
    )
    shaped = shape(rows, where, choice, table.path, run_kind="seed" if table.again == "run" else "repeat")
    task = where.get("dataset") or choice.task or ""
    return _log(where.get("model", ""), task, table.names["score"], shaped.answers, shaped.notes)


def _finite(column: pa.ChunkedArray) -> Any:
    values = np.asarray(column.to_numpy(), float)
    return np.where(np.isinf(values), np.nan, values)


def _read_wide(table: _ScoreTable, models: Sequence[str], choice: LogChoice) -> list[Log]:
    parts = {ours: name for ours, name in table.names.items() if ours in ("id", "cluster", "category", "text", "task")}
    loaded = _load(table, list(parts.values()), models)
    _check_ids(loaded.column(parts["id"]), parts["id"], table.path)
    columns = {ours: [value or "" for value in loaded.column(name).to_pylist()] for ours, name in parts.items()}
    kinds = [columns[name] for name in ("category", "task") if name in columns]
    logs = []
    for model in models:
        rows = ScoreRows(
            columns["id"],
            _finite(loaded.column(model)),
            reasons=[NO_SCORE if gone else "" for gone in pc.is_null(loaded.column(model)).to_pylist()],
            clusters=columns.get("cluster"),
            tags=[tuple(dict.fromkeys(filter(None, tags))) for tags in zip(*kinds, strict=True)] if kinds else None,
            texts={"text": columns["text"]} if "text" in columns else {},
        )
        shaped = shape(rows, {"model": model}, choice, table.path)
        logs.append(_log(model, "", "score", shaped.answers, shaped.notes))
    return logs


def _log(model: str, task: str, metric: str, answers: Any, notes: tuple[str, ...]) -> Log:
    return Log(
        harness="table",
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(metric),
        filter="",
        answers=answers,
        left_out=answers.reasons_missing(),
        notes=notes,
    )
