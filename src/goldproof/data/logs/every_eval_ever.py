"""Files of Every Eval Ever: a document with the results of one model, and a file of lines with a score for each sample.

The document names the metric, its range and its mean. The lines have no field for a run: it is read from the metadata,
where `goldproof export` puts it (as it does with clusters and categories); else a sample that comes again with another
score is refused, unless a rule says which is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.answers import RunKind
from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import as_number, as_text, digest, iter_objects, mapping, objects, read_document
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import Scale, ScoreRows, plain_name, shape
from goldproof.errors import DataError

DOCUMENT_KEYS = frozenset({"schema_version", "evaluation_id", "evaluation_results"})
LINE_KEYS = frozenset({"schema_version", "evaluation_id", "sample_id", "evaluation"})
ERROR = "error"


def read_every_eval_ever(path: Path, choice: LogChoice, *, lines: bool) -> list[Log]:
    """A log for each result of the document that has samples."""
    document_path = _document_of(path) if lines else path
    document = mapping(read_document(document_path)) if document_path else {}
    samples_path = path if lines else _samples_of(path, document)
    rows = [row for _, row in iter_objects(samples_path)]
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_task.setdefault(as_text(row.get("evaluation_name") or ""), []).append(row)
    wanted = choose_task(list(by_task), choice, path)
    logs = [_log(samples_path, document, task, by_task[task], choice) for task in wanted]
    counted = mapping(document.get("detailed_evaluation_results")).get("total_rows")
    if not isinstance(counted, int) or counted == len(rows):
        return logs
    note = f"The document announces {counted:,} samples; there are {len(rows):,}."
    return [replace(log, notes=(*log.notes, note)) for log in logs]


def _document_of(samples: Path) -> Path | None:
    """The document beside a file of samples; its name is that of the samples without the ending."""
    found = samples.with_name(samples.name.replace("_samples.jsonl", ".json"))
    return found if found != samples and found.is_file() else None


def _samples_of(path: Path, document: Mapping[str, Any]) -> Path:
    named = str(mapping(document.get("detailed_evaluation_results")).get("file_path") or "")
    found = path.with_name(Path(named).name) if named else None
    if found is not None and found.is_file():
        return found
    results = [str(result.get("evaluation_name")) for result in objects(document.get("evaluation_results"))]
    missing = (
        f"its file of samples, {Path(named).name}, is not in the same folder"
        if named
        else "it names no file of samples"
    )
    raise DataError(
        f"a document of Every Eval Ever ({listed(results)}), which has one number for all items; {missing}", path=path
    )


def _log(
    path: Path, document: Mapping[str, Any], task: str, rows: Sequence[Mapping[str, Any]], choice: LogChoice
) -> Log:
    results = [r for r in objects(document.get("evaluation_results")) if r.get("evaluation_name") == task]
    by_id = {as_text(result.get("evaluation_result_id")): result for result in results}
    ids = list(dict.fromkeys(as_text(row.get("evaluation_result_id") or "") for row in rows))
    offers = {Offer(_metric(by_id.get(each, {})), each if len(ids) > 1 else ""): each for each in ids}
    chosen = choose(list(offers), choice, path, filters="result")
    kept = [row for row in rows if as_text(row.get("evaluation_result_id") or "") == offers[chosen.offer]]
    result = by_id.get(offers[chosen.offer], {})
    config = mapping(result.get("metric_config"))
    model = str(mapping(document.get("model_info")).get("id") or kept[0].get("model_id") or "")
    where = {"model": model, "dataset": task}
    again: RunKind = "seed" if _kept_by_us(kept, "run") else "repeat"
    shaped = shape(_rows(kept, choice, path), where, choice, path, scale=_scale(config), run_kind=again)
    printed = as_number(mapping(result.get("score_details")).get("score"))
    library = mapping(document.get("eval_library"))
    return Log(
        harness=plain_name(f"Every Eval Ever {document.get('schema_version') or kept[0].get('schema_version') or ''}"),
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(chosen.offer.metric),
        filter=plain_name(chosen.offer.filter),
        answers=shaped.answers,
        printed=None if np.isnan(printed) else printed,
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        conditions=Conditions(prompts=shaped.prompts),
        notes=(*shaped.notes, *_notes(document, library)),
    )


def _metric(result: Mapping[str, Any]) -> str:
    config = mapping(result.get("metric_config"))
    return str(config.get("metric_id") or config.get("metric_name") or "score")


def _scale(config: Mapping[str, Any]) -> Scale:
    low, high = as_number(config.get("min_score")), as_number(config.get("max_score"))
    told = low < high
    return Scale(low if told else None, high if told else None, not config.get("lower_is_better"))


def _rows(rows: Sequence[Mapping[str, Any]], choice: LogChoice, path: Path) -> ScoreRows:
    scores = [as_number(mapping(row.get("evaluation")).get("score")) for row in rows]
    failed = [score != score and bool(row.get("error")) for row, score in zip(rows, scores, strict=True)]
    inputs = [mapping(row.get("input")) for row in rows]
    texts = [as_text(given.get("raw") or "") for given in inputs]
    prompts = [as_text(given.get("formatted") or "") for given in inputs]
    category = choice.category or _kept_by_us(rows, "category")
    return ScoreRows(
        [as_text(row.get("sample_id")) for row in rows],
        np.array(scores, float),
        runs=_metadata(rows, _kept_by_us(rows, "run") or _kept_by_us(rows, "repeat"), path),
        reasons=[ERROR if bad else "" for bad in failed],
        clusters=_metadata(rows, choice.cluster or _kept_by_us(rows, "cluster"), path),
        tags=None if category is None else [(tag,) for tag in _metadata(rows, category, path) or ()],
        texts={"text": texts} if any(texts) else {},
        prompts=[digest(prompt) for prompt in prompts] if any(prompts) else None,
    )


def _kept_by_us(rows: Sequence[Mapping[str, Any]], name: str) -> str | None:
    """A field of the metadata that every sample has: the name, else None."""
    return name if all(isinstance(mapping(row.get("metadata")).get(name), str) for row in rows) else None


def _metadata(rows: Sequence[Mapping[str, Any]], name: str | None, path: Path) -> list[str] | None:
    if name is None:
        return None
    found = [mapping(row.get("metadata")).get(name) for row in rows]
    if all(value is None for value in found):
        raise DataError(f"the samples' metadata have no field {name!r}", path=path)
    return ["" if value is None else as_text(value) for value in found]


def _notes(document: Mapping[str, Any], library: Mapping[str, Any]) -> list[str]:
    notes = []
    if not document:
        notes.append("There is no document with the samples: metric, range and mean are unknown.")
    name = str(library.get("name") or "")
    if name and name != "unknown":
        notes.append(f"The evaluation was run with {plain_name(name)} {plain_name(library.get('version') or '')}.")
    return notes
