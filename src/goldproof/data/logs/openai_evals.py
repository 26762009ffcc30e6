"""Logs of OpenAI evals: a line with the specification, then events, then a final report.

The score of a sample is `correct` of its event `match`; where the evaluation wrote events `metrics` instead, one of
their numbers. Several events of one sample are repeats of it, in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.logs.choosing import Offer, choose, choose_task
from goldproof.data.logs.documents import as_number, as_text, iter_objects, mapping, names
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import ScoreRows, plain_name, shape
from goldproof.errors import DataError

KEYS, WITHIN = ("spec",), b'"completion_fns"'  # the only key of the first line, and one inside
ERROR = "error"
_MATCH, _METRICS = "match", "metrics"


def read_openai_evals(path: Path, choice: LogChoice) -> list[Log]:
    """The log in a file, as a list of one."""
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    events = []
    for _, row in iter_objects(path):
        if isinstance(row.get("spec"), dict):
            spec = row["spec"]
        elif isinstance(row.get("final_report"), dict):
            report = row["final_report"]
        elif row.get("type") in (_MATCH, _METRICS, ERROR) and isinstance(row.get("data"), dict):
            events.append(row)
    task = str(spec.get("eval_name") or spec.get("base_eval") or "")
    choose_task([task], choice, path)
    if report is None and not choice.unfinished:
        raise DataError(
            f"the evaluation has no final report: it is still running, or it died; {len(events):,} events with "
            "scores are written; --log unfinished=yes reads those",
            path=path,
        )
    return [_log(path, spec, report or {}, events, choice)]


def _log(
    path: Path,
    spec: Mapping[str, Any],
    report: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    choice: LogChoice,
) -> Log:
    chosen = choose(_offers(events, path), choice, path, filters="event")
    kind, metric = chosen.offer.filter, chosen.offer.metric
    key = "correct" if kind == _MATCH else metric
    rows = _rows([event for event in events if event["type"] in (kind, ERROR)], key)
    models = names(spec.get("completion_fns"))
    task = str(spec.get("eval_name") or spec.get("base_eval") or "")
    where = {"model": ", ".join(models), "dataset": task}
    shaped = shape(rows, where, choice, path)
    printed = as_number(report.get(metric))
    config = mapping(spec.get("run_config"))
    return Log(
        harness="OpenAI evals",
        model=plain_name(where["model"]),
        task=plain_name(task),
        metric=plain_name(metric),
        filter=kind,
        answers=shaped.answers,
        printed=None if np.isnan(printed) else printed,
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        # Where fewer samples are taken than there are, they were shuffled before: no limit to the first ones.
        conditions=Conditions(seed="" if config.get("seed") is None else str(config["seed"])),
        notes=shaped.notes,
    )


def _offers(events: Sequence[Mapping[str, Any]], path: Path) -> list[Offer]:
    """Accuracy of the matches first; then each number of the events `metrics`."""
    found = [Offer("accuracy", _MATCH)] if any(event["type"] == _MATCH for event in events) else []
    names = [
        name
        for event in events
        if event["type"] == _METRICS
        for name, value in event["data"].items()
        if isinstance(value, bool | int | float)
    ]
    found += [Offer(name, _METRICS) for name in dict.fromkeys(names)]
    if not found:
        raise DataError("there is no event 'match', nor one 'metrics' with a number", path=path)
    return found


def _rows(events: Sequence[Mapping[str, Any]], key: str) -> ScoreRows:
    """A row for each event; an error of a sample that was scored in another attempt is none of its own."""
    scored = {as_text(event.get("sample_id")) for event in events if event["type"] != ERROR}
    kept = [event for event in events if event["type"] != ERROR or as_text(event.get("sample_id")) not in scored]
    times: Counter[str] = Counter()
    ids, runs = [], []
    for event in kept:
        item = as_text(event.get("sample_id"))
        times[item] += 1
        ids.append(item)
        runs.append(str(times[item]))
    failed = [event["type"] == ERROR for event in kept]
    scores = [np.nan if bad else as_number(event["data"].get(key)) for event, bad in zip(kept, failed, strict=True)]
    return ScoreRows(ids, np.array(scores, float), runs=runs, reasons=[ERROR if bad else "" for bad in failed])
