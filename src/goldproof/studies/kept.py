"""Kept answers: what a study's report is made from, in one Parquet file, so that it can be rendered again anywhere.

A row is an item of a set: gold, the answer of each run, categories, cluster. Settings, what else the report shows
(facts) and what the runs are called lie beside them in the file. Of the texts only those stay that the report shows.
Neither model nor corpus nor store is needed to render the report again: `goldproof report FILE.parquet`.

A study that can be kept shows two functions: `keep(config, results) -> KeptAnswers` and `report_kept(config, kept) ->
Report`; its `report` is the one after the other, so that both give the same page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.data.answers import Answers, Bounds, span_answers
from goldproof.errors import DataError, StoreError
from goldproof.jobs.files import write_durably
from goldproof.jobs.key import canonical

MARK = b"goldproof.kept"
FORMAT = 1
KINDS = ("classification", "regression", "spans", "score")
SPAN_COLUMNS = ("found", "given")


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The sets that a report judges, by name, and the facts that it shows beside them, as JSON has them.

    `study` and `config` (its settings as a plain map) say what was asked for, `left_out` what was not run, `notes` what
    was said of the user's own data.
    """

    answers: Mapping[str, Answers]
    facts: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def part(self, prefix: str) -> KeptAnswers:
        """The sets and facts whose names begin so, under the rest of their names."""
        return replace(
            self,
            answers={name.removeprefix(prefix): each for name, each in self.answers.items() if name.startswith(prefix)},
            facts={name.removeprefix(prefix): each for name, each in self.facts.items() if name.startswith(prefix)},
        )


def join_kept(parts: Mapping[str, KeptAnswers]) -> KeptAnswers:
    """Several as one, each name behind its prefix."""
    answers = {f"{prefix}{name}": each for prefix, part in parts.items() for name, each in part.answers.items()}
    facts = {f"{prefix}{name}": each for prefix, part in parts.items() for name, each in part.facts.items()}
    return KeptAnswers(answers, facts)


def with_texts_of(answers: Answers, ids: Sequence[str]) -> Answers:
    """The answers with the texts of these items alone."""
    shown = set(ids)
    texts = {
        name: [text if str(item) in shown else "" for text, item in zip(values, answers.ids, strict=True)]
        for name, values in (answers.texts or {}).items()
    }
    return replace(answers, texts=texts if shown else dict.fromkeys(texts, [""] * answers.n_items))


def plain_config(config: Any) -> dict[str, Any]:
    """The settings as a plain map, without folders of this machine."""
    form = _untyped(canonical(config))
    form["data"] = {**form["data"], "root": ""} if isinstance(form.get("data"), dict) else form.get("data")
    if "model" in form:
        models = [form["model"]] if isinstance(form["model"], str) else form["model"]
        named = [_title(model) for model in models]
        form["model"] = named[0] if isinstance(form["model"], str) else named
    return {name: _placeless(value) for name, value in form.items() if value is not None or name != "data"}


def _placeless(form: Any) -> Any:
    """The settings with the last part of a folder or file in place of where it lies, as FOLDER or NAME=FOLDER.

    >>> _placeless({"vectors": ["en=/tmp/glove.txt"], "corpus": "glue/mnli"})
    {'vectors': ['en=glove.txt'], 'corpus': 'glue/mnli'}
    """
    if isinstance(form, dict):
        return {name: _placeless(item) for name, item in form.items()}
    if isinstance(form, list):
        return [_placeless(item) for item in form]
    if not isinstance(form, str):
        return form
    name, equals, path = form.rpartition("=")
    return f"{name}{equals}{PurePath(path).name}" if path.startswith(("/", "./", "../", "~")) else form


def _title(model: str) -> str:
    """What a model is called, without its folder; languages after @ stay."""
    from goldproof.studies.shared import parse_folder

    given = parse_folder(model)
    _, at, languages = given.folder.partition("@")
    return given.title.partition("@")[0] + at + languages


def _untyped(form: Any) -> Any:
    if isinstance(form, dict):
        return {name: _untyped(item) for name, item in form.items() if name != "$type"}
    return [_untyped(item) for item in form] if isinstance(form, list) else form


def write_kept(kept: KeptAnswers, path: str | Path) -> Path:
    """Write them as one Parquet file."""
    wrong = [name for name, each in kept.answers.items() if each.task not in KINDS]
    if wrong:
        raise DataError(f"the answers of {wrong[0]!r} are of a kind that is not kept; allowed: {', '.join(KINDS)}")
    tables = [_table(name, each) for name, each in kept.answers.items()]
    head = {
        "format": FORMAT,
        "study": kept.study,
        "config": kept.config,
        "facts": kept.facts,
        "left_out": kept.left_out,
        "notes": kept.notes,
        "sets": {name: _head(each) for name, each in kept.answers.items()},
    }
    table = pa.concat_tables(tables, promote_options="default")
    table = table.replace_schema_metadata({MARK: json.dumps(head, ensure_ascii=False)})  # order tells
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=15)
    try:
        write_durably(Path(path), sink.getvalue().to_pybytes())
    except OSError as error:
        raise StoreError(f"the answers cannot be written to {path}: {error.strerror or error}") from error
    return Path(path)


def _head(answers: Answers) -> dict[str, Any]:
    """What a set is, apart from its items."""
    return {
        "where": dict(answers.where),
        "step": answers.step,
        "task": answers.task,
        "labels": answers.labels,
        "runs": answers.run_names,
        "run_kind": answers.run_kind,
        "bounds": None if answers.bounds is None else canonical_bounds(answers.bounds),
    }


def canonical_bounds(bounds: Bounds) -> dict[str, Any]:
    """Bounds as JSON has them."""
    return {
        "low": bounds.low,
        "high": bounds.high,
        "more_is_better": bounds.more_is_better,
        "of_means": bounds.of_means,
    }


def _table(name: str, answers: Answers) -> pa.Table:
    columns: dict[str, Any] = {
        "set": pa.array([name] * answers.n_items).dictionary_encode(),
        "id": pa.array([str(item) for item in answers.ids]),
        "gold": pa.array(np.asarray(answers.gold, np.float64)),
        **_runs_columns(answers),
        "cluster": None if answers.clusters is None else pa.array(np.asarray(answers.clusters, np.int32)),
        "weight": None if answers.weights is None else pa.array(np.asarray(answers.weights, np.float64)),
        "tags": None if answers.tags is None else pa.array([list(row) for row in answers.tags], pa.list_(pa.string())),
    }
    columns |= {f"text: {key}": pa.array(list(values), pa.string()) for key, values in (answers.texts or {}).items()}
    return pa.table({key: column for key, column in columns.items() if column is not None})


def _runs_columns(answers: Answers) -> dict[str, Any]:
    """What the runs answered, a list for each item: codes, numbers, or how many spans were found and given."""
    runs, whole = np.asarray(answers.runs).T, pa.list_(pa.int16())
    if answers.task == "spans":
        return {name: pa.array([list(row) for row in runs[name].tolist()], whole) for name in SPAN_COLUMNS}
    coded = answers.task == "classification"
    kind = whole if coded else pa.list_(pa.float64())
    return {"answers" if coded else "scores": pa.array([list(row) for row in runs.tolist()], kind)}


def read_kept(path: str | Path) -> KeptAnswers:
    """Read such a file."""
    try:
        table = pq.read_table(path)
        head = json.loads((table.schema.metadata or {})[MARK])
    except FileNotFoundError:
        raise DataError("there is no such file", path=path) from None
    except KeyError:
        raise DataError(
            "this Parquet file holds no kept answers; `goldproof report STUDY --keep FILE` writes them", path=path
        ) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise DataError(f"it cannot be read as kept answers ({error})", path=path) from None
    if head.get("format") != FORMAT:
        raise DataError(f"it is of format {head.get('format')!r}; this version reads {FORMAT}", path=path)
    names = np.array(table.column("set").to_pylist(), object)
    answers = {
        name: _answers(table.take(pa.array(np.flatnonzero(names == name))), form) for name, form in head["sets"].items()
    }
    return KeptAnswers(
        answers, head["facts"], head["study"], head["config"], tuple(head["left_out"]), tuple(head["notes"])
    )


def is_kept(path: str | Path) -> bool:
    """Whether a Parquet file holds kept answers."""
    try:
        return MARK in (pq.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False


def _answers(table: pa.Table, form: Mapping[str, Any]) -> Answers:
    coded = form["task"] in ("classification", "spans")
    gold = np.array(table.column("gold").to_pylist(), np.float64)
    texts = {
        key.removeprefix("text: "): [text or "" for text in table.column(key).to_pylist()]
        for key in table.column_names
        if key.startswith("text: ") and table.column(key).null_count < len(table)
    }
    tags = _column(table, "tags")
    clusters, weights = _column(table, "cluster"), _column(table, "weight")
    return Answers(
        where=form["where"],
        step=form["step"],
        task=form["task"],
        labels=tuple(form["labels"]),
        ids=np.array(table.column("id").to_pylist(), object),
        gold=gold.astype(np.int64) if coded else gold,
        runs=_runs(table, form["task"]),
        run_names=tuple(form["runs"]),
        clusters=None if clusters is None else np.array(clusters, np.int64),
        tags=None if tags is None else tuple(tuple(row) for row in tags),
        texts=texts or None,
        run_kind=form["run_kind"],
        bounds=None if form["bounds"] is None else Bounds(**form["bounds"]),
        weights=None if weights is None else np.array(weights),
    )


def _runs(table: pa.Table, task: str) -> Any:
    """The answers, runs × items."""
    if task == "spans":
        return span_answers(*(np.array(table.column(name).to_pylist(), np.int32).T for name in SPAN_COLUMNS))
    coded = task == "classification"
    given = table.column("answers" if coded else "scores").to_pylist()
    return np.ascontiguousarray(np.array(given, np.int64 if coded else np.float64).T)


def _column(table: pa.Table, name: str) -> list[Any] | None:
    """The values of a column; None where the file has none for this set."""
    if name not in table.column_names or table.column(name).null_count == len(table):
        return None
    values: list[Any] = table.column(name).to_pylist()
    return values
