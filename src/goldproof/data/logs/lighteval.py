"""Details of lighteval: a Parquet file for each task, in two layouts, and `results_DATE.json` in a folder beside.

Today's has the columns `doc`, `metric` and `model_response`, the one before `example`, `metrics` and others. Items are
known by what was asked and what there was to choose from: their numbers mean nothing in another revision of the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.formats.parquet import ParquetRows, iter_record_batches
from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import as_number, as_text, digest, mapping, objects, read_document
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import Scale, ScoreRows, Shaped, plain_name, shape
from goldproof.errors import DataError

NEW_COLUMNS, OLD_COLUMNS = frozenset({"doc", "metric"}), frozenset({"example", "metrics"})
RESULTS_KEYS = frozenset({"config_general", "results", "config_tasks"})
_DETAILS = re.compile(r"details_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)\.parquet")


@dataclass(frozen=True, slots=True)
class _Details:
    """The rows of a task: what was asked, what there was to choose from, the prompt, and the numbers by metric."""

    path: Path
    task: str
    queries: Sequence[str]
    choices: Sequence[Any]
    prompts: Sequence[str] | None
    extra: Sequence[Mapping[str, Any]]
    scores: Mapping[str, pa.ChunkedArray]


def read_lighteval(path: Path, choice: LogChoice) -> list[Log]:
    """The log in a file of details, as a list of one."""
    match = _DETAILS.fullmatch(path.name)
    details = _read_details(path, match.group(1) if match else "")
    results = _results(path, match.group(2)) if match else {}
    name, _, shots = details.task.rpartition("|")
    task = name if name and shots.isdecimal() else details.task
    choose_task([task], choice, path)
    return [_log(details, results, (task, int(shots) if name and shots.isdecimal() else None), choice)]


def no_items(path: Path) -> DataError:
    """The error of results that were given without details."""
    tasks = mapping(mapping(read_document(path)).get("results"))
    return DataError(
        f"these are results of lighteval ({listed(list(tasks))}) without the score of each item; run it with "
        "--save-details, and give the folder 'details' or the one that holds both",
        path=path,
    )


def _read_details(path: Path, task: str) -> _Details:
    columns = ParquetRows.open(path).column_names
    is_new = set(columns) >= NEW_COLUMNS
    wanted = (
        ["doc", "metric"] if is_new else [name for name in ("example", "metrics", "full_prompt") if name in columns]
    )
    batches = list(iter_record_batches(path, wanted))
    if not batches:
        raise DataError("the file has no rows", path=path)
    table = pa.Table.from_batches(batches)
    if not is_new:
        queries = [as_text(value or "") for value in table.column("example").to_pylist()]
        prompts = table.column("full_prompt").to_pylist() if "full_prompt" in wanted else None
        known = None if prompts is None else [digest(as_text(prompt)) for prompt in prompts]
        return _Details(
            path, task, queries, [None] * len(queries), known, [{}] * len(queries), _scores(table, "metrics", path)
        )
    docs = table.column("doc").to_pylist()
    return _Details(
        path,
        task or as_text(docs[0].get("task_name") or ""),
        [as_text(doc.get("query") or "") for doc in docs],
        [doc.get("choices") for doc in docs],
        None,
        docs,
        _scores(table, "metric", path),
    )


def _scores(table: pa.Table, column: str, path: Path) -> dict[str, pa.ChunkedArray]:
    """The metrics that are numbers; a metric of all items together holds parts of it, as a list or an object."""
    kind = table.schema.field(column).type
    fields = [kind.field(number) for number in range(kind.num_fields)] if pa.types.is_struct(kind) else []
    numbers = [
        field.name
        for field in fields
        if pa.types.is_floating(field.type) or pa.types.is_integer(field.type) or pa.types.is_boolean(field.type)
    ]
    if not numbers:
        names = listed([field.name for field in fields])
        raise DataError(f"no metric has a number for each item; the details have {names}", path=path)
    return {name: pc.struct_field(table.column(column), name).cast(pa.float64()) for name in numbers}


def _results(path: Path, date: str) -> Mapping[str, Any]:
    """The results of the same date: in `results/MODEL` where the details stand in `details/MODEL`, or beside them."""
    beside = [path.with_name(f"results_{date}.json")]
    for folder in path.parents:
        if folder.name == "details":
            model = path.parent.parent.relative_to(folder)
            beside.append(folder.parent / "results" / model / f"results_{date}.json")
    found = next((file for file in beside if file.is_file()), None)
    return mapping(read_document(found)) if found is not None else {}


def _log(details: _Details, results: Mapping[str, Any], named: tuple[str, int | None], choice: LogChoice) -> Log:
    task, shots = named
    aggregates = _of_task(results.get("results"), details.task)
    places = {name: place for place, name in enumerate(aggregates)}
    names = sorted(details.scores, key=lambda name: places.get(name, len(places)))
    chosen = choose([Offer(name) for name in names], choice, details.path)
    metric = chosen.offer.metric
    general = mapping(results.get("config_general"))
    model = str(general.get("model_name") or mapping(general.get("model_config")).get("model_name") or "")
    where = {"model": model, "dataset": task}
    scale = _scale(_of_task(results.get("config_tasks"), details.task), metric)
    shaped = shape(_rows(details, metric, choice), where, choice, details.path, scale=scale)
    printed = as_number(aggregates.get(metric))
    notes = () if results else ("There are no results with the details: model and means are unknown.",)
    return Log(
        harness="lighteval",
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(metric),
        filter="",
        answers=shaped.answers,
        printed=None if np.isnan(printed) else printed,
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        conditions=_conditions(results, details, shots, shaped),
        notes=(*shaped.notes, *notes),
    )


def _of_task(parts: Any, task: str) -> Mapping[str, Any]:
    """The entry of a task; file names may have another sign where the results have `|`."""
    if not isinstance(parts, dict):
        return {}
    found: Any = parts.get(task) or next(
        (parts[key] for key in parts if key.replace("|", ":") == task.replace("|", ":")), {}
    )
    return found if isinstance(found, dict) else {}


def _scale(config: Mapping[str, Any], metric: str) -> Scale:
    """Whether more is better, as the task's list of metrics says it; one entry may be of several metrics."""
    for entry in objects(config.get("metrics")):
        names = entry.get("metric_name") if isinstance(entry, dict) else None
        if metric == names or (isinstance(names, list) and metric in names):
            higher = entry.get("higher_is_better")
            return Scale(more_is_better=bool(higher.get(metric, True) if isinstance(higher, dict) else higher))
    return Scale()


def _rows(details: _Details, metric: str, choice: LogChoice) -> ScoreRows:
    column = details.scores[metric]
    return ScoreRows(
        _ids(details),
        np.asarray(column.to_numpy(), float),
        reasons=["no score" if gone else "" for gone in pc.is_null(column).to_pylist()],
        clusters=_specific(details, choice.cluster),
        tags=None if choice.category is None else [(tag,) for tag in _specific(details, choice.category) or ()],
        texts={"text": details.queries},
        prompts=details.prompts,
    )


def _ids(details: _Details) -> list[str]:
    """A digest of each question and its choices; one that comes again is told by which time it comes."""
    times: Counter[str] = Counter()
    ids = []
    for query, options in zip(details.queries, details.choices, strict=True):
        item = digest(f"{query}\x1f{options!r}")
        times[item] += 1
        ids.append(item if times[item] == 1 else f"{item}.{times[item]}")
    return ids


def _specific(details: _Details, name: str | None) -> list[str] | None:
    """A field of what a task keeps of its own in a document, or of the document itself."""
    if name is None:
        return None
    found = [mapping(doc.get("specific")).get(name, doc.get(name)) for doc in details.extra]
    if all(value is None for value in found):
        raise DataError(f"the documents have no field {name!r}", path=details.path)
    return ["" if value is None else as_text(value) for value in found]


def _conditions(results: Mapping[str, Any], details: _Details, shots: int | None, shaped: Shaped) -> Conditions:
    """Where lighteval takes fewer items than there are, it has shuffled them before: no limit to the first ones."""
    task = _of_task(results.get("config_tasks"), details.task)
    return Conditions(
        dataset_revision=str(task.get("hf_revision") or ""),
        n_shots=shots,
        prompts=shaped.prompts,
    )
