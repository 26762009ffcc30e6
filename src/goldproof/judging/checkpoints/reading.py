"""Reading: the answers of checkpoints from a file of predictions over runs, steps, languages and splits, and judging
them; no model is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.answers import Answers
from goldproof.data.arrange import answers_in
from goldproof.data.load import Source, load_predictions
from goldproof.data.predictions import Predictions, Reading
from goldproof.errors import DataError
from goldproof.judging.checkpoints.analysis import Transfer, TransferSettings, analyse
from goldproof.judging.checkpoints.experiment import DEV, TEST, check_one, check_task, experiment_of, split_of
from goldproof.judging.metrics import choose_metric
from goldproof.statistics.arrays import Array, FloatArray, IntArray

NEEDED = ("language", "split", "step")


def judge_transfer(
    source: Source,
    *,
    source_language: str,
    columns: Mapping[str, str] | None = None,
    metric: str | None = None,
    settings: TransferSettings | None = None,
) -> Transfer:
    """What may be claimed of zero-shot transfer from predictions at several checkpoints.

    The rows need `language`, `split` (dev and test) and `step` beside id, gold and prediction, and `run` where there
    are several; probabilities allow averaging and confidence. Answers need the same in `where` and `step`.
    """
    given: Sequence[Answers] = answers_in(source)
    if not given:
        given = answers_of(load_predictions(source, Reading(columns or {}, missing="refuse")), metric)
    return analyse(experiment_of(given, source_language, metric), settings)


def answers_of(predictions: Predictions, metric: str | None = None) -> list[Answers]:
    """The answers of each language, dev or test split, and step of a table of predictions."""
    _check_columns(predictions)
    choose_metric(predictions.task, metric)
    check_task(predictions.task)
    rows = _CheckpointRows(predictions)
    splits = [split for split in rows.splits.names if split_of(split) in (DEV, TEST)]
    sets = [(language, split) for language in rows.languages.names for split in splits]
    return [answers for each in sets if rows.mask(*each).any() for answers in _answers(rows, *each)]


@dataclass(frozen=True, slots=True)
class _Coded:
    """A column as codes of its names, which are sorted (as numbers where they all are)."""

    names: list[str]
    codes: IntArray


@dataclass(slots=True)
class _CheckpointRows:
    """The table with what is looked up again and again as codes."""

    predictions: Predictions
    languages: _Coded = field(init=False)
    splits: _Coded = field(init=False)
    runs: _Coded = field(init=False)
    steps: _Coded = field(init=False)

    def __post_init__(self) -> None:
        table = self.predictions.table
        self.languages, self.steps = _coded(table.column("language")), _coded(table.column("step"))
        absent = pa.chunked_array([pa.array([""] * table.num_rows)])
        self.runs = _coded(table.column("run") if "run" in self.predictions else absent)
        self.splits = _coded(table.column("split"))

    def mask(self, language: str, split: str) -> Array:
        """The rows of a set."""
        at = self.languages.codes == self.languages.names.index(language)
        return np.asarray(at & (self.splits.codes == self.splits.names.index(split)))


def _answers(rows: _CheckpointRows, language: str, split: str) -> list[Answers]:
    """The answers to one set at each step at which a run has any."""
    chosen = np.flatnonzero(rows.mask(language, split))
    part = rows.predictions.table.take(pa.array(chosen))
    ids, codes = np.unique(np.array(part.column("id").to_pylist(), object), return_inverse=True)
    position = np.full((len(rows.runs.names), len(rows.steps.names), len(ids)), -1)
    position[rows.runs.codes[chosen], rows.steps.codes[chosen], codes] = np.arange(len(chosen))
    there = _check_whole(position, ids, rows, f"{language} {split}")
    gold_of, answer_of = (_values(part, name, rows.predictions) for name in ("gold", "prediction"))
    gold = gold_of[position[there][0]]
    _check_gold(part, gold_of, position[there], f"{language} {split}")
    shares = _probabilities(part) if rows.predictions.task == "classification" else None
    clusters = _clusters(part, position[there][0])
    found = []
    for step, name in enumerate(rows.steps.names):
        runs = np.flatnonzero(there[:, step])
        at = position[runs, step]
        if not len(runs):
            continue
        answers = Answers(
            where={"language": language, "split": split},
            step=int(name),
            task=rows.predictions.task,
            labels=rows.predictions.labels,
            ids=ids,
            gold=gold,
            runs=answer_of[at],
            run_names=tuple(rows.runs.names[run] for run in runs),
            clusters=clusters,
            probabilities=None if shares is None else shares[at],
        )
        found.append(answers)
    return found


def _check_gold(part: pa.Table, gold_of: Array, positions: IntArray, where: str) -> None:
    first = positions[0]
    for row in positions[1:]:
        golds = zip(gold_of[first], gold_of[row], strict=True)
        differs = [i for i, (a, b) in enumerate(golds) if a is not b and a != b]
        if differs:
            both = part.take(pa.array([first[differs[0]], row[differs[0]]])).to_pylist()
            said = " and ".join(f"{one['gold']!r} at {_when(one)}" for one in both)
            item = both[0]["id"]
            raise DataError(
                f"{where}: the gold of item {item!r} differs between runs or steps; it must be the same: {said}"
            )


def _when(row: dict[str, Any]) -> str:
    """The run and step of a row in words."""
    return f"run {row['run']!r}, step {row['step']}" if "run" in row else f"step {row['step']}"


def _clusters(part: pa.Table, first: IntArray) -> IntArray | None:
    if "cluster" not in part.column_names:
        return None
    names = np.array(part.column("cluster").to_pylist(), object)[first]
    return np.unique(names, return_inverse=True)[1]


def _probabilities(part: pa.Table) -> FloatArray | None:
    if "probabilities" not in part.column_names:
        return None
    return np.asarray(pc.list_flatten(part.column("probabilities")), float).reshape(part.num_rows, -1)


def _check_whole(position: IntArray, ids: Array, rows: _CheckpointRows, where: str) -> Array:
    """Which runs have which steps; a run that answers only some of the items at a step is an error."""
    answered = position >= 0
    there = np.asarray(answered.all(axis=-1))
    partly = np.argwhere(answered.any(axis=-1) & ~there)
    if len(partly):
        run, step = partly[0]
        lacking = ids[~answered[run, step]]
        raise DataError(
            f"{where}: run {rows.runs.names[run]!r} lacks {len(lacking)} of {len(ids)} items at step "
            f"{rows.steps.names[step]}, such as {lacking[0]!r}; every run needs the same items"
        )
    return there


def _values(part: pa.Table, name: str, predictions: Predictions) -> Array:
    column = part.column(name).combine_chunks()
    if predictions.task == "tagging":
        cells = np.empty(len(column), object)
        cells[:] = column.to_pylist()
        return cells
    return np.asarray(pc.index_in(column, pa.array(predictions.labels, column.type))).astype(np.int64)


def _check_columns(predictions: Predictions) -> None:
    for name in NEEDED:
        if name not in predictions:
            raise DataError(
                f"transfer needs a column {name!r}; columns found: {', '.join(predictions.table.column_names)}"
            )
    for name in ("model", "dataset"):
        if name in predictions:
            check_one(name, map(str, pc.unique(predictions.table.column(name)).to_pylist()))


def _coded(column: pa.ChunkedArray) -> _Coded:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = [str(name) for name in encoded.dictionary.to_pylist()]
    try:
        order = np.argsort([float(name) for name in names], kind="stable")
    except ValueError:
        order = np.argsort(names, kind="stable")
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return _Coded([names[i] for i in order], rank[np.asarray(encoded.indices)])
