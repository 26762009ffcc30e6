"""Logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, a line for each item and filter, and `results_DATE.json`.

Items are known by the digest of their document, never by their number, which means another item in another revision
of the data. A task without samples has aggregates only, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import (
    Fields,
    as_number,
    first_objects,
    mapping,
    names,
    read_document,
    read_fields,
    settings_of,
)
from goldproof.data.logs.gathering import gather
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import Scale, ScoreRows, Shaped, plain_name, shape
from goldproof.errors import DataError

SAMPLES_KEYS = frozenset({"doc_id", "filtered_resps", "arguments"})
RESULTS_KEYS = frozenset({"results", "configs", "versions", "config"})
NOT_IN_SAMPLES = "counted in the results, not in the samples"
_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)\.jsonl(\.gz)?")
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)\.json(\.gz)?")
_TEXTS = ("question", "query", "problem", "text", "sentence", "goal", "ctx", "premise", "input", "prompt", "q")
_NEVER_MORE = ("perplexity", "bits_per_byte", "word_perplexity", "byte_perplexity", "brier_score")


@dataclass(frozen=True, slots=True)
class _Results:
    """What the results say of one task; empty where there is no such file."""

    task: str
    document: Mapping[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        """An entry of the results that is kept for each task."""
        found = self.document.get(name)
        return found.get(self.task) if isinstance(found, dict) else None

    @property
    def aggregates(self) -> Mapping[str, Any]:
        """The numbers that were printed, by `metric,filter`."""
        found = self.part("results")
        return found if isinstance(found, dict) else {}

    @property
    def config(self) -> Mapping[str, Any]:
        """How the harness was called."""
        found = self.document.get("config")
        return found if isinstance(found, dict) else {}


def read_lm_eval(samples: Sequence[Path], results: Sequence[Path], choice: LogChoice, path: Path) -> list[Log]:
    """The logs of these samples, each with the results that were written with it."""
    documents = {file: mapping(read_document(file)) for file in results}
    if not samples:
        raise _without_samples(documents, path)
    named = {file: _task_name(file) for file in samples}
    wanted = choose_task(list(named.values()), choice, path)
    return gather(
        partial(_read_task, file, _results_of(file, task, documents), choice)
        for file, task in named.items()
        if task in wanted
    )


def siblings(path: Path) -> tuple[list[Path], list[Path]]:
    """The samples and the results that were written with a file, by the date in their names; the file itself first."""
    stamp = _stamp(path)
    is_results = _RESULTS.fullmatch(path.name) is not None
    if not stamp:
        return [path], sorted(path.parent.glob("results_*.json*"))
    if not is_results:
        return [path], sorted(path.parent.glob(f"results_{stamp}.json*"))
    return sorted(path.parent.glob(f"samples_*_{stamp}.jsonl*")), [path]


def newest(samples: Sequence[Path]) -> tuple[list[Path], int]:
    """The newest samples of each task in a folder, by the date in their names, and how many older ones there are."""
    latest: dict[str, Path] = {}
    for file in sorted(samples, key=_stamp):
        latest[_task_name(file)] = file
    return sorted(latest.values()), len(samples) - len(latest)


def _stamp(path: Path) -> str:
    match = _SAMPLES.fullmatch(path.name)
    if match:
        return match.group(2)
    match = _RESULTS.fullmatch(path.name)
    return match.group(1) if match else ""


def _task_name(path: Path) -> str:
    match = _SAMPLES.fullmatch(path.name)
    return match.group(1) if match else path.name.removesuffix(".gz").removesuffix(".jsonl")


def _results_of(samples: Path, task: str, documents: Mapping[Path, Any]) -> _Results:
    """The results with the date of the samples; without a date the only ones beside them that have the task."""
    beside = [file for file in documents if file.parent == samples.parent]
    same = [file for file in beside if _stamp(samples) and _stamp(file) == _stamp(samples)]
    if not same and not _stamp(samples):
        same = [file for file in beside if task in mapping(documents[file].get("results"))]
    return _Results(task, documents[same[0]]) if len(same) == 1 else _Results(task)


def _without_samples(documents: Mapping[Path, Any], path: Path) -> DataError:
    tasks = [task for document in documents.values() for task in mapping(document.get("results"))]
    return DataError(
        f"these are results of lm-evaluation-harness ({listed(tasks)}) without samples, so there is no score for each "
        "item; run it with --log_samples, and give the folder that holds both",
        path=path,
    )


def _read_task(path: Path, results: _Results, choice: LogChoice) -> list[Log]:
    first = first_objects(path)
    if not first:
        raise DataError("the file has no rows", path=path)
    metrics = _metric_names(first)
    scalar = [name for name in metrics if _is_number(name, first)]
    if choice.metric is not None and choice.metric.split("/")[0] in set(metrics) - set(scalar):
        raise _not_an_item_score(choice.metric, scalar, path)
    if not scalar:
        raise DataError(f"no metric has a number for each item; the log has {listed(metrics)}", path=path)
    wanted = ["doc_id", "doc_hash", "prompt_hash", "filter"]
    text = next((f"doc.{name}" for name in _TEXTS if isinstance(mapping(first[0].get("doc")).get(name), str)), None)
    extra = [name for name in (text, _doc_field(choice.cluster), _doc_field(choice.category)) if name]
    columns = read_fields(path, [*wanted, *extra], scalar, first)
    filters = [str(name) for name in pc.unique(pc.fill_null(columns["filter"], "none")).to_pylist()]
    chosen = choose(_offers(scalar, filters, results), choice, path)
    rows = _rows(columns, chosen.offer, choice, text, path)
    shaped = shape(
        rows,
        {"model": _model(results), "dataset": results.task},
        choice,
        path,
        scale=_scale(results, chosen.offer.metric),
    )
    return [_log(shaped, results, chosen.offer, chosen.others)]


def _metric_names(first: Sequence[Mapping[str, Any]]) -> list[str]:
    """The metrics as the lines name them; older logs do not, and have them as the keys that are no other part."""
    named = [name for row in first for name in names(row.get("metrics"))]
    if not named:
        known = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
        named = [name for row in first for name in row if name not in known and not name.endswith("_hash")]
    return list(dict.fromkeys(named))


def _is_number(name: str, first: Sequence[Mapping[str, Any]]) -> bool:
    values = [row.get(name) for row in first]
    return any(isinstance(value, bool | int | float) for value in values)


def _not_an_item_score(metric: str, scalar: Sequence[str], path: Path) -> DataError:
    return DataError(
        f"the metric {metric!r} is computed over all items together, so single lines have no score; metrics that can "
        f"be read: {listed(scalar)}",
        path=path,
    )


def _doc_field(name: str | None) -> str | None:
    return None if name is None else f"doc.{name.removeprefix('doc.')}"


def _offers(metrics: Sequence[str], filters: Sequence[str], results: _Results) -> list[Offer]:
    """What can be read, as the results list it; that is the order of the task's own list of metrics."""
    found = [Offer(metric, name) for name in filters for metric in metrics]
    printed = list(results.aggregates)
    places = {key: place for place, key in enumerate(printed)}
    return sorted(found, key=lambda offer: places.get(f"{offer.metric},{offer.filter}", len(printed)))


def _rows(columns: Fields, offer: Offer, choice: LogChoice, text: str | None, path: Path) -> ScoreRows:
    mask = pc.equal(pc.fill_null(columns["filter"], "none"), offer.filter)
    kept = {name: column.filter(mask) for name, column in columns.items()}
    scores = np.asarray(kept[offer.metric].to_numpy(), float)
    reasons = ["no score" if gone else "" for gone in pc.is_null(kept[offer.metric]).to_pylist()]
    hashes = kept["prompt_hash"].to_pylist()
    return ScoreRows(
        _ids(kept, path),
        scores,
        reasons=reasons if any(reasons) else None,
        clusters=_doc_texts(kept, choice.cluster, path),
        tags=None if choice.category is None else [(name,) for name in _doc_texts(kept, choice.category, path) or ()],
        texts={} if text is None else {"text": [value or "" for value in kept[text].to_pylist()]},
        prompts=None if None in hashes else hashes,
    )


def _ids(kept: Fields, path: Path) -> list[str]:
    """The digest of each document; a document that stands in the data again is told by which time it comes."""
    numbers = kept["doc_id"].to_pylist()
    hashes: list[str] = kept["doc_hash"].to_pylist()
    if None in hashes:
        if None in numbers:
            raise DataError("a line has neither 'doc_hash' nor 'doc_id', so its item is unknown", path=path)
        return [str(number) for number in numbers]
    if len(set(hashes)) == len(set(zip(hashes, numbers, strict=True))):
        return hashes
    times: dict[str, dict[str, int]] = {}
    for digest, number in zip(hashes, numbers, strict=True):
        seen = times.setdefault(digest, {})
        seen.setdefault(number, len(seen))
    places = (times[digest][number] for digest, number in zip(hashes, numbers, strict=True))
    return [digest if not place else f"{digest}.{place + 1}" for digest, place in zip(hashes, places, strict=True)]


def _doc_texts(kept: Fields, name: str | None, path: Path) -> list[str] | None:
    if name is None:
        return None
    column = kept[_doc_field(name) or ""]
    if column.null_count == len(column):
        raise DataError(f"the documents have no field {name!r}", path=path)
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _scale(results: _Results, metric: str) -> Scale:
    higher = results.part("higher_is_better")
    told = higher.get(metric) if isinstance(higher, dict) else None
    return Scale(more_is_better=metric not in _NEVER_MORE if told is None else bool(told))


def _model(results: _Results) -> str:
    document = results.document
    return str(document.get("model_name") or results.config.get("model") or "")


def _log(shaped: Shaped, results: _Results, offer: Offer, others: tuple[str, ...]) -> Log:
    answers = shaped.answers
    left_out = answers.reasons_missing()
    notes = list(shaped.notes)
    counted = results.part("n-samples")
    effective = counted.get("effective") if isinstance(counted, dict) else None
    if isinstance(effective, int) and effective > answers.n_items:
        left_out[NOT_IN_SAMPLES] = effective - answers.n_items
        notes.append(f"The samples hold {answers.n_items:,} of the {effective:,} items that the results count.")
    printed = as_number(results.aggregates.get(f"{offer.metric},{offer.filter}"))
    version = results.document.get("lm_eval_version")
    if not results.document:
        notes.append("There are no results with the samples: model, shots and seeds are unknown.")
    return Log(
        harness=plain_name(f"lm-evaluation-harness {version or ''}"),
        model=plain_name(_model(results)),
        task=plain_name(results.task),
        metric=plain_name(offer.metric),
        filter=plain_name(offer.filter),
        answers=answers,
        printed=None if np.isnan(printed) else printed,
        left_out=left_out,
        others=others,
        conditions=_conditions(results, shaped),
        notes=tuple(notes),
    )


def _conditions(results: _Results, shaped: Shaped) -> Conditions:
    config = results.config
    task = results.part("configs")
    shots = results.part("n-shot")
    kwargs = mapping(mapping(task).get("dataset_kwargs"))
    seeds = [config.get(name) for name in ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")]
    return Conditions(
        dataset_revision=str(kwargs.get("revision") or ""),
        n_shots=shots if isinstance(shots, int) else None,
        limit=_limit(results),
        seed=" ".join(str(seed) for seed in seeds) if any(seed is not None for seed in seeds) else "",
        prompts=shaped.prompts,
        settings=settings_of(
            {
                "version of the task": results.part("versions"),
                "dataset": mapping(task).get("dataset_path"),
                "subset": mapping(task).get("dataset_name"),
                **mapping(mapping(task).get("generation_kwargs")),
                **mapping(config.get("gen_kwargs")),
                "chat template": results.document.get("chat_template_sha"),
                "system instruction": results.document.get("system_instruction_sha"),
            }
        ),
    )


def _limit(results: _Results) -> float | None:
    """How many of the first items were taken; none where that is all that there are."""
    limit, counted = results.config.get("limit"), mapping(results.part("n-samples"))
    original, effective = counted.get("original"), counted.get("effective")
    if isinstance(original, int) and isinstance(effective, int) and effective >= original:
        return None
    return float(limit) if isinstance(limit, int | float) else None
