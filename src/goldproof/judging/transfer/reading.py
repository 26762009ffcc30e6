"""Reading: panels from a file of predictions over runs, steps, languages and splits; no model is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.predictions import Predictions, Reading
from goldproof.errors import DataError, UsageError
from goldproof.judging.checkpoints import DEVELOPMENT
from goldproof.judging.load import Source, load_predictions
from goldproof.judging.metrics import choose_metric
from goldproof.judging.transfer.analysis import Settings, Transfer, analyse
from goldproof.judging.transfer.panels import (
    DEV,
    ENDED,
    TEST,
    Panel,
    PanelParts,
    Panels,
    Scoring,
    make_panel,
    make_panels,
)
from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.spans import span_counts

NEEDED = ("language", "split", "step")


def judge_transfer(
    source: Source,
    *,
    source_language: str,
    columns: Mapping[str, str] | None = None,
    metric: str | None = None,
    settings: Settings | None = None,
) -> Transfer:
    """What may be claimed of zero-shot transfer from predictions at several checkpoints.

    The rows need `language`, `split` (dev and test) and `step` beside id, gold and prediction, and `run` where there
    are several; probabilities allow averaging and confidence.
    """
    return analyse(
        panels_of(load_predictions(source, Reading(columns or {}, missing="refuse")), source_language, metric), settings
    )


def panels_of(predictions: Predictions, source: str, metric: str | None = None) -> Panels:
    """The panels of a table of predictions."""
    _check_columns(predictions)
    scoring = Scoring(choose_metric(predictions.task, metric), predictions.labels)
    if predictions.task == "regression":
        raise UsageError("transfer is judged for classification and tagging; these predictions are numbers")
    rows = _Rows(predictions)
    _check_splits(rows)
    if predictions.task == "classification":
        _check_labels(rows, source)
    panels = [
        _panel(rows, language, split, scoring)
        for language in dict.fromkeys([source, *rows.languages.names])
        for split in (DEV, TEST)
        if rows.has(language, split)
    ]
    return make_panels(source, rows.runs.names, [int(step) for step in rows.steps.names], panels)


@dataclass(frozen=True, slots=True)
class _Coded:
    """A column as codes of its names, which are sorted (as numbers where they all are)."""

    names: list[str]
    codes: IntArray


@dataclass(slots=True)
class _Rows:
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

    def has(self, language: str, split: str) -> bool:
        """Whether the table has the set."""
        return language in self.languages.names and bool(self.mask(language, split).any())

    def mask(self, language: str, split: str) -> Array:
        """The rows of a set."""
        wanted = [i for i, name in enumerate(self.splits.names) if _split(name) == split]
        at = self.languages.codes == self.languages.names.index(language)
        return np.asarray(at & np.isin(self.splits.codes, wanted))


def _panel(rows: _Rows, language: str, split: str, scoring: Scoring) -> Panel:
    chosen = np.flatnonzero(rows.mask(language, split))
    part = rows.predictions.table.take(pa.array(chosen))
    ids, codes = np.unique(np.array(part.column("id").to_pylist(), object), return_inverse=True)
    position = np.full((len(rows.runs.names), len(rows.steps.names), len(ids)), -1)
    position[rows.runs.codes[chosen], rows.steps.codes[chosen], codes] = np.arange(len(chosen))
    there = _check_whole(position, ids, rows, f"{language} {split}")
    gold_of, answer_of = (_values(part, name, scoring) for name in ("gold", "prediction"))
    first = position[there][0]
    gold = gold_of[first]
    for row in position[there][1:]:
        differs = [i for i, (a, b) in enumerate(zip(gold, gold_of[row], strict=True)) if a is not b and a != b]
        if differs:
            both = part.take(pa.array([first[differs[0]], row[differs[0]]])).to_pylist()
            said = " and ".join(f"{one['gold']!r} at {_when(one)}" for one in both)
            raise DataError(
                f"{language} {split}: the gold of item {ids[differs[0]]!r} differs between runs or steps; it must be "
                f"the same: {said}"
            )
    if scoring.is_tagging:
        answers = np.full((*position.shape, 3), ENDED)
        for place in zip(*np.nonzero(there), strict=True):
            answers[place] = span_counts(list(gold), list(answer_of[position[place]]))
        return make_panel(language, split, scoring, PanelParts(ids, np.zeros(len(ids), np.int64), answers))
    clusters = None
    if "cluster" in part.column_names:
        names = np.array(part.column("cluster").to_pylist(), object)[first]
        clusters = np.unique(names, return_inverse=True)[1]
    answers = np.where(position < 0, ENDED, answer_of[position])
    averaged, confidence = _averages(part, position, there)
    return make_panel(language, split, scoring, PanelParts(ids, gold, answers, averaged, confidence, clusters))


def _when(row: dict[str, Any]) -> str:
    """The run and step of a row in words."""
    return f"run {row['run']!r}, step {row['step']}" if "run" in row else f"step {row['step']}"


def _averages(part: pa.Table, position: IntArray, there: Array) -> tuple[Array | None, FloatArray | None]:
    """The answers of mean log-probabilities over a run's checkpoints, and the mean log-probability of its choices."""
    if "probabilities" not in part.column_names:
        return None, None
    flat = np.asarray(pc.list_flatten(part.column("probabilities")), float).reshape(part.num_rows, -1)
    logs = np.log(np.maximum(flat, 1e-12))
    averaged = np.stack([logs[position[r, there[r]]].mean(axis=0).argmax(axis=-1) for r in range(len(position))])
    confidence = np.full(position.shape[:2], -np.inf)
    confidence[there] = logs.max(axis=1)[position[there]].mean(axis=-1)
    return averaged, confidence


def _check_whole(position: IntArray, ids: Array, rows: _Rows, where: str) -> Array:
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
    for run, row in enumerate(there):
        if not row.any() or (np.diff(row.astype(int)) > 0).any():
            missing = [rows.steps.names[i] for i in np.flatnonzero(~row)]
            raise DataError(
                f"{where}: run {rows.runs.names[run]!r} has no predictions at step {missing[0]}; a run may end early, "
                "but may not leave a step out"
            )
    return there


def _values(part: pa.Table, name: str, scoring: Scoring) -> Array:
    column = part.column(name).combine_chunks()
    if scoring.is_tagging:
        cells = np.empty(len(column), object)
        cells[:] = column.to_pylist()
        return cells
    return np.asarray(pc.index_in(column, pa.array(scoring.labels, column.type))).astype(np.int64)


def _check_columns(predictions: Predictions) -> None:
    for name in NEEDED:
        if name not in predictions:
            raise DataError(
                f"transfer needs a column {name!r}; columns found: {', '.join(predictions.table.column_names)}"
            )
    for name in ("model", "dataset"):
        if name in predictions:
            values = pc.unique(predictions.table.column(name)).to_pylist()
            if len(values) > 1:
                raise DataError(f"transfer is judged for one {name} at a time; got {', '.join(map(str, values[:5]))}")


def _check_splits(rows: _Rows) -> None:
    """No language has development sets by two names: which of them chooses would be left to the order of rows."""
    for i, language in enumerate(rows.languages.names):
        there = np.unique(rows.splits.codes[rows.languages.codes == i])
        names = [rows.splits.names[code] for code in there if _split(rows.splits.names[code]) == DEV]
        if len(names) > 1:
            raise DataError(
                f"{language}: a language may have one development set; got {len(names)}, as the splits "
                f"{', '.join(map(repr, names))}"
            )


def _check_labels(rows: _Rows, source: str) -> None:
    """Every language's gold labels are among the source's."""
    gold = rows.predictions.table.column("gold")
    of: dict[str, set[Any]] = {
        name: set(pc.unique(gold.filter(pa.array(rows.languages.codes == i))).to_pylist())
        for i, name in enumerate(rows.languages.names)
    }
    for language, labels in of.items():
        strange = sorted(labels - of.get(source, labels))
        if strange:
            raise DataError(
                f"the labels differ between languages: {language!r} has {strange[0]!r}, which the source {source!r} "
                f"does not have; its labels: {', '.join(sorted(of[source]))}"
            )


def _split(name: str) -> str:
    return DEV if name in DEVELOPMENT else name


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
