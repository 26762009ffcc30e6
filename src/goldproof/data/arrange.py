"""Arranging: a table of predictions as Answers, one for each model, dataset, language, split and step.

Every run of a set answers the same items with the same gold; where they do not, it is an error that names the items,
or with `common` the items that all share are used, and that is noted. It computes no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.answers import Answers, Array
from goldproof.data.columns import MissingPolicy, PredictionTask, resolve_missing
from goldproof.data.load import Source, load_predictions
from goldproof.data.predictions import Predictions, Reading
from goldproof.errors import DataError, UsageError

WHERE = ("model", "dataset", "language", "split")
CLUSTERINGS = ("auto", "none", "cluster", "text", "pair", "twins")


@dataclass(frozen=True, slots=True)
class Arranging:
    """How rows become Answers: which items go together, whether only shared items count, whether rows are matched."""

    cluster: str = "auto"
    common: bool = False
    by_row: bool = False


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """Answers that were read, what a missing one means, what was noted on the way, and the files' names."""

    answers: Sequence[Answers]
    missing: MissingPolicy
    notes: Sequence[str]
    files: str


def read_answers(source: Source, reading: Reading, arranging: Arranging) -> ReadAnswers:
    """The answers of files, of a table in memory, of predictions, or those given as they are."""
    if given := answers_in(source):
        return ReadAnswers(given, resolve_missing(cast(PredictionTask, given[0].task), reading.missing), (), "answers")
    predictions = load_predictions(source, reading)
    found, notes = arrange(predictions, cluster=arranging.cluster, common=arranging.common, by_row=arranging.by_row)
    files = ", ".join(file.name for file in predictions.provenance.files) or predictions.provenance.corpus
    return ReadAnswers(found, predictions.missing, [*predictions.notes, *notes], files)


def answers_in(source: object) -> tuple[Answers, ...]:
    """The Answers that a source consists of; none where it is files or predictions."""
    if isinstance(source, Answers):
        return (source,)
    if not isinstance(source, Sequence) or isinstance(source, str):
        return ()
    found = tuple(each for each in source if isinstance(each, Answers))
    if found and len(found) < len(source):
        raise UsageError("answers and other predictions cannot be judged together; give one kind only")
    if len({each.task for each in found}) > 1:
        raise UsageError(
            f"only answers of one kind can be judged together; got {', '.join(sorted({e.task for e in found}))}"
        )
    return found


def arrange(
    predictions: Predictions, *, cluster: str = "auto", common: bool = False, by_row: bool = False
) -> tuple[list[Answers], list[str]]:
    """The answers in a table of predictions, and notes on what was left out; `by_row`, texts must agree."""
    if cluster not in CLUSTERINGS:
        raise UsageError(f"there is no clustering {cluster!r}; allowed: {', '.join(CLUSTERINGS)}")
    table = predictions.table
    keys = [name for name in (*WHERE, "step") if name in table.column_names]
    found: list[Answers] = []
    notes: list[str] = []
    for group, rows in _groups(table, keys):
        if by_row:
            _check_texts(rows, group)
        answers, left_out = _arrange(predictions, rows, group, common)
        found.append(replace(answers, clusters=_cluster(rows, answers, cluster)))
        notes += left_out
    return found, notes


def _groups(table: pa.Table, keys: list[str]) -> list[tuple[dict[str, Any], pa.Table]]:
    if not keys:
        return [({}, table)]
    different = (
        table.select(keys).group_by(keys, use_threads=False).aggregate([]).sort_by([(key, "ascending") for key in keys])
    )
    groups = []
    for group in different.to_pylist():
        mask = np.ones(table.num_rows, bool)
        for key, value in group.items():
            column = table.column(key)
            mask &= np.asarray(pc.is_null(column) if value is None else pc.fill_null(pc.equal(column, value), False))
        groups.append((group, table.filter(pa.array(mask))))
    return groups


def _arrange(
    predictions: Predictions, rows: pa.Table, group: dict[str, Any], common: bool
) -> tuple[Answers, list[str]]:
    """One set: rows sorted into runs × items."""
    ids, id_codes = np.unique(_strings(rows, "id"), return_inverse=True)
    names, run_codes = np.unique(
        _strings(rows, "run") if "run" in rows.column_names else np.full(len(rows), "", object), return_inverse=True
    )
    order = _natural(names)
    position = np.full((len(names), len(ids)), -1)
    position[run_codes, id_codes] = np.arange(rows.num_rows)
    position = position[order]
    full = np.asarray((position >= 0).all(axis=0))
    notes = _missing(full, position, ids, [str(names[i]) for i in order], group, common)
    position, ids = position[:, full], ids[full]
    gold, given = _answers(predictions, rows)
    _same_gold(rows, gold, position, group)
    first = position[0]
    probabilities = None
    if "probabilities" in rows.column_names and predictions.task == "classification":
        if rows.column("probabilities").null_count:
            notes.append("Some predictions are missing, and so are their probabilities: calibration is left out.")
        else:
            flat = np.asarray(pc.list_flatten(rows.column("probabilities")), float)
            probabilities = flat.reshape(rows.num_rows, -1)[position]
            notes += _contradictions(probabilities, given[position])
    answers = Answers(
        where={key: str(group[key]) for key in WHERE if group.get(key) is not None},
        step=group.get("step"),
        task=predictions.task,
        labels=predictions.labels,
        ids=ids,
        gold=gold[first],
        runs=given[position],
        run_names=tuple(str(names[i]) for i in order),
        tags=_tags(rows, first),
        texts={k: rows.column(k).take(pa.array(first)).to_pylist() for k in ("text", "pair") if k in rows.column_names},
        probabilities=probabilities,
    )
    return answers, notes


def _contradictions(probabilities: Array, given: Array) -> list[str]:
    """A note where predictions are not the labels that have the largest probability."""
    known = given >= 0
    of_given = np.take_along_axis(probabilities, np.maximum(given, 0)[..., None], axis=-1)[..., 0]
    n = int((known & (of_given < probabilities.max(axis=-1) - 1e-6)).sum())
    if not n:
        return []
    share = 100 * n / max(int(known.sum()), 1)
    return [
        f"In {n:,} of {int(known.sum()):,} rows ({share:.1f} %) the prediction is not the label with the largest "
        "probability: perhaps the columns do not belong together, or the labels are in another order."
    ]


def _check_texts(rows: pa.Table, group: dict[str, Any]) -> None:
    """Rows that are matched by their numbers must hold the same texts in every run."""
    for name in ("text", "pair"):
        if name not in rows.column_names:
            continue
        first: dict[str, str] = {}
        for number, text in zip(rows.column("id").to_pylist(), rows.column(name).to_pylist(), strict=True):
            if first.setdefault(number, text) != text:
                where = f" of {group}" if group else ""
                raise DataError(
                    f"matching by row needs the same texts in every run{where}, but {name!r} differs in row "
                    f"{int(number) + 1}; give the rows of all runs in one order, or ids"
                )


def _missing(
    full: Array, position: Array, ids: Array, names: list[str], group: dict[str, Any], common: bool
) -> list[str]:
    if full.all():
        return []
    run = int(np.argmax((position < 0).any(axis=1)))
    lacking = ids[position[run] < 0]
    what = f"run {names[run]!r} lacks {len(lacking)} of {len(ids)} items" + (f" of {group}" if group else "")
    example = ", ".join(repr(str(i)) for i in lacking[:3])
    if not common:
        raise DataError(
            f"the runs do not answer the same items: {what} ({example}…); --common uses those they all share"
        )
    if not full.any():
        raise DataError(f"the runs share no item: {what} ({example}…)")
    return [f"{what}; the {int(full.sum())} items that all runs share are used"]


def _answers(predictions: Predictions, rows: pa.Table) -> tuple[Array, Array]:
    """Gold and prediction of each row as codes, numbers or lists."""
    columns = [rows.column(name).combine_chunks() for name in ("gold", "prediction")]
    if predictions.task == "classification":
        labels = pa.array(predictions.labels, columns[0].type)
        gold, answers = (
            np.asarray(pc.fill_null(pc.index_in(column, labels), -1)).astype(np.int64) for column in columns
        )
        return gold, answers
    if predictions.task == "regression":
        gold, answers = (column.to_numpy(zero_copy_only=False).astype(float) for column in columns)
        return gold, answers
    lists = []
    for column in columns:
        cells = np.empty(len(column), object)
        cells[:] = column.to_pylist()
        lists.append(cells)
    return lists[0], lists[1]


def _same_gold(rows: pa.Table, gold: Array, position: Array, group: dict[str, Any]) -> None:
    for run in position[1:]:
        differs = np.flatnonzero([a != b for a, b in zip(gold[position[0]], gold[run], strict=True)])
        if len(differs):
            both = rows.take(pa.array([position[0][differs[0]], run[differs[0]]])).to_pylist()
            where = f" of {group}" if group else ""
            said = " and ".join(f"{row['gold']!r} in run {row['run']!r}" for row in both)
            raise DataError(
                f"the gold of item {both[0]['id']!r}{where} differs between runs; it must be the same: {said}"
            )


def _tags(rows: pa.Table, first: Array) -> tuple[tuple[str, ...], ...] | None:
    if "tags" not in rows.column_names:
        return None
    return tuple(tuple(cell or ()) for cell in rows.column("tags").take(pa.array(first)).to_pylist())


def _cluster(rows: pa.Table, answers: Answers, cluster: str) -> Array | None:
    """A code per item: which items belong together."""
    if cluster == "none" or (cluster == "auto" and "cluster" not in rows.column_names):
        return None
    name = "cluster" if cluster == "auto" else cluster
    texts = answers.texts or {}
    if name == "twins":
        if not {"text", "pair"} <= set(texts):
            raise UsageError("--cluster twins needs the columns 'text' and 'pair'")
        labels = ["\x00".join(sorted(both)) for both in zip(texts["text"], texts["pair"], strict=True)]
        return np.unique(np.array(labels, object), return_inverse=True)[1]
    if name not in rows.column_names:
        raise UsageError(f"--cluster {name} needs a column {name!r}; columns found: {', '.join(rows.column_names)}")
    by_id = dict(zip(_strings(rows, "id"), _strings(rows, name), strict=True))
    return np.unique(np.array([by_id[i] for i in answers.ids], object), return_inverse=True)[1]


def _strings(rows: pa.Table, name: str) -> Array:
    return np.array([str(value) for value in rows.column(name).to_pylist()], object)


def _natural(names: Array) -> list[int]:
    """The order of run names: as numbers where they all are."""
    try:
        return [int(i) for i in np.argsort([float(name) for name in names], kind="stable")]
    except ValueError:
        return list(range(len(names)))
