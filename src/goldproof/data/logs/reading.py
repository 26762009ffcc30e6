"""Logs of evaluation harnesses from a file or a folder: found by what they hold, each read by its harness's reader."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from goldproof.data.formats.files import check_file
from goldproof.data.logs import tables
from goldproof.data.logs.contents import HARNESSES, Content, Kind, is_no_table, look_at
from goldproof.data.logs.every_eval_ever import read_every_eval_ever
from goldproof.data.logs.gathering import gather
from goldproof.data.logs.helm import read_helm
from goldproof.data.logs.inspect_ai import read_inspect
from goldproof.data.logs.lighteval import no_items, read_lighteval
from goldproof.data.logs.lm_eval import newest, read_lm_eval, siblings
from goldproof.data.logs.log import Log, LogChoice
from goldproof.data.logs.mteb import read_mteb
from goldproof.data.logs.openai_evals import read_openai_evals
from goldproof.data.logs.promptfoo import read_promptfoo
from goldproof.data.logs.tables import read_table
from goldproof.data.logs.transformers_scripts import no_gold
from goldproof.errors import DataError, UsageError

_ROUNDED = 1e-6  # harnesses print six digits and more
_LM_EVAL: tuple[Kind, ...] = ("lm_eval samples", "lm_eval results")


def is_log(path: str | Path, columns: Mapping[str, str] | None = None) -> bool:
    """Whether a file is a log that is read, or a folder holds one; `columns` are those of tables that were named."""
    path = Path(path)
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
        return any(_look(file, columns).kind is not None for file in _files(path))
    return os.path.isfile(path) and _look(path, columns).kind is not None  # noqa: PTH113 - likewise


def refuse_others(path: Path) -> None:
    """An error for what is no log and cannot be predictions either, which says what it looks like."""
    if not os.path.exists(path):  # noqa: PTH110 - see is_log; whoever opens it says so
        return
    if os.path.isdir(path) or (os.path.isfile(path) and is_no_table(path)):  # noqa: PTH112, PTH113 - see is_log
        read_logs(path)
    try:
        scores = tables.unnamed_scores(path)
    except DataError:
        return  # the reader of predictions says what is wrong with it
    if scores:
        raise DataError(
            "a table with an id, but with neither gold and predictions nor a column 'score'; if one of "
            f"{', '.join(map(repr, scores))} is the score, use --column score=NAME",
            path=path,
        )


def read_logs(path: str | Path, choice: LogChoice | None = None) -> list[Log]:
    """The logs in a file or in a folder and all folders below, one for each model and task."""
    path, choice = Path(path), choice or LogChoice()
    found = _read_folder(path, choice) if path.is_dir() else _read_one(path, choice)
    return [_compared(log if log.path is not None else replace(log, path=path)) for log in found]


def _compared(log: Log) -> Log:
    """The log, with a note where its own number is not the mean of its scores."""
    mean = log.mean()
    near = _ROUNDED * max(1.0, abs(mean))
    if log.printed is None or abs(mean - log.printed) <= near:
        return log
    if abs(log.mean_over_answers() - log.printed) <= near:
        note = (
            f"The log's own {log.metric}, {log.printed:.6g}, is the mean over all answers; here each item counts the "
            f"same, however many of its answers have a score: {mean:.6g}."
        )
        return replace(log, notes=(*log.notes, note))
    note = (
        f"The log's own {log.metric} is {log.printed:.6g}, but the mean of the scores read here is {mean:.6g}: the "
        "log's number is not their mean, or comes from other items."
    )
    return replace(log, notes=(*log.notes, note))


def _read_one(path: Path, choice: LogChoice) -> list[Log]:
    content = look_at(check_file(path), choice.columns)
    if content.kind is None:
        raise DataError(
            f"not a log that can be read: it looks like {content.looks_like}; logs that can be read: {HARNESSES}",
            path=path,
        )
    return _read_file(path, content.kind, choice)


def _read_file(path: Path, kind: Kind, choice: LogChoice) -> list[Log]:
    if choice.columns and kind != "table":
        raise UsageError(f"--column names columns of tables, and {path} is a log of a harness; see --metric and --log")
    if kind in _LM_EVAL:
        return read_lm_eval(*siblings(path), choice, path)
    match kind:
        case "table":
            return read_table(path, choice)
        case "inspect archive" | "inspect document":
            return read_inspect(path, choice, packed=kind == "inspect archive")
        case "helm":
            return read_helm(path.parent, choice)
        case "mteb":
            return read_mteb(path, choice)
        case "lighteval details":
            return read_lighteval(path, choice)
        case "lighteval results":
            raise no_items(path)
        case "openai evals":
            return read_openai_evals(path, choice)
        case "promptfoo document" | "promptfoo lines":
            return read_promptfoo(path, choice, lines=kind == "promptfoo lines")
        case "every eval ever document" | "every eval ever lines":
            return read_every_eval_ever(path, choice, lines=kind == "every eval ever lines")
    raise no_gold(path)


def _read_folder(folder: Path, choice: LogChoice) -> list[Log]:
    looks = {file: _look(file, choice.columns) for file in _files(folder)}
    kinds = {file: content.kind for file, content in looks.items() if content.kind is not None}
    logs = [file for file, kind in kinds.items() if kind != "table"]
    if not kinds:
        raise DataError(f"the folder holds no log that can be read; logs that can be read: {HARNESSES}", path=folder)
    # A table beside the logs of a harness is what somebody made of them.
    chosen = {file: kind for file, kind in kinds.items() if file in logs or not logs}
    return _by_shots(gather(partial(_read_unit, files, choice, folder) for files in _units(chosen)))


def _by_shots(logs: list[Log]) -> list[Log]:
    """Where a run of lighteval has one task with several numbers of examples, these are tasks of their own."""
    shots: dict[tuple[str, str], set[int | None]] = {}
    for log in logs:
        shots.setdefault((log.model, log.task), set()).add(log.conditions.n_shots)
    return [
        _renamed(log, f"{log.task}|{log.conditions.n_shots}")
        if log.harness == "lighteval" and len(shots[log.model, log.task]) > 1
        else log
        for log in logs
    ]


def _renamed(log: Log, task: str) -> Log:
    return replace(log, task=task, answers=replace(log.answers, where={**log.answers.where, "dataset": task}))


def _units(kinds: dict[Path, Kind]) -> Iterator[dict[Path, Kind]]:
    """Files that are read together: those of a run, where a harness writes several; every other one by itself."""
    together: dict[Path, dict[Path, Kind]] = {}
    for file, kind in kinds.items():
        if kind in _LM_EVAL or kind == "helm":
            together.setdefault(file.parent, {})[file] = kind
        elif kind == "every eval ever lines" and file.with_name(file.name.replace("_samples.jsonl", ".json")) in kinds:
            continue  # it is read with its document
        elif kind == "lighteval results" and "lighteval details" in kinds.values():
            continue
        else:
            together[file] = {file: kind}
    yield from together.values()


def _read_unit(files: dict[Path, Kind], choice: LogChoice, folder: Path) -> list[Log]:
    first, kind = next(iter(files.items()))
    if kind not in _LM_EVAL:
        place = first.parent if kind == "helm" else first
        return [replace(log, path=place) for log in _read_file(first, kind, choice)]
    samples, n_older = newest([file for file, kind in files.items() if kind == "lm_eval samples"])
    results = [file for file, kind in files.items() if kind == "lm_eval results"]
    logs = [replace(log, path=first.parent) for log in read_lm_eval(samples, results, choice, folder)]
    if not n_older:
        return logs
    note = f"The folder holds {n_older:,} older samples of the same tasks, which were not read."
    return [replace(log, notes=(*log.notes, note)) for log in logs]


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder in order, without hidden ones."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def _look(path: Path, columns: Mapping[str, str] | None = None) -> Content:
    """What a file is; one that cannot be opened or is damaged is no log here, and says so when it is read."""
    try:
        return look_at(path, columns)
    except DataError as error:
        return Content(None, str(error))
