"""Logs of evaluation harnesses from a file or a folder: found by what they hold, each read by its harness's reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from goldproof.data.formats.files import check_file
from goldproof.data.logs.contents import HARNESSES, Content, Kind, look_at
from goldproof.data.logs.inspect_ai import read_inspect
from goldproof.data.logs.lm_eval import newest, read_lm_eval, siblings
from goldproof.data.logs.log import Choice, Log
from goldproof.data.logs.tables import read_table
from goldproof.errors import DataError, UsageError

_LM_EVAL: tuple[Kind, ...] = ("lm_eval samples", "lm_eval results")


def is_log(path: str | Path) -> bool:
    """Whether a file is a log that is read, or a folder holds one."""
    path = Path(path)
    if path.is_dir():
        return any(_look(file).kind is not None for file in _files(path))
    return path.is_file() and _look(path).kind is not None


def read_logs(path: str | Path, choice: Choice | None = None) -> list[Log]:
    """The logs in a file or in a folder and all folders below, one for each model and task."""
    path, choice = Path(path), choice or Choice()
    if path.is_dir():
        return _read_folder(path, choice)
    content = look_at(check_file(path))
    if content.kind is None:
        raise DataError(f"no log that is read: it looks like {content.looks_like}; read are {HARNESSES}", path=path)
    return _read_file(path, content.kind, choice)


def _read_file(path: Path, kind: Kind, choice: Choice) -> list[Log]:
    if kind in _LM_EVAL:
        return read_lm_eval(*siblings(path), choice, path)
    if kind == "table":
        return read_table(path, choice)
    return read_inspect(path, choice, packed=kind == "inspect archive")


def _read_folder(folder: Path, choice: Choice) -> list[Log]:
    kinds = {file: content.kind for file in _files(folder) if (content := _look(file)).kind is not None}
    logs = [file for file, kind in kinds.items() if kind != "table"]
    if not kinds:
        raise DataError(f"the folder holds no log that is read; read are {HARNESSES}", path=folder)
    # A table beside the logs of a harness is what somebody made of them.
    chosen = {file: kind for file, kind in kinds.items() if file in logs or not logs}
    found: list[Log] = []
    refused: list[DataError | UsageError] = []
    for files in _units(chosen):
        try:
            found += _read_unit(files, choice, folder)
        except (DataError, UsageError) as error:
            refused.append(error)
    if not found:
        raise refused[0]
    # A task, metric or filter need not be in each log of a folder; that a log itself cannot be read is said.
    notes = [f"Not read: {error}" for error in refused if isinstance(error, DataError)]
    return [replace(log, notes=(*log.notes, *notes)) for log in found]


def _units(kinds: dict[Path, Kind]) -> Iterator[dict[Path, Kind]]:
    """Files that are read together: samples and results of one folder; every other one by itself."""
    together: dict[Path, dict[Path, Kind]] = {}
    for file, kind in kinds.items():
        if kind in _LM_EVAL:
            together.setdefault(file.parent, {})[file] = kind
        else:
            together[file] = {file: kind}
    yield from together.values()


def _read_unit(files: dict[Path, Kind], choice: Choice, folder: Path) -> list[Log]:
    first, kind = next(iter(files.items()))
    if kind not in _LM_EVAL:
        return _read_file(first, kind, choice)
    samples, n_older = newest([file for file, kind in files.items() if kind == "lm_eval samples"])
    results = [file for file, kind in files.items() if kind == "lm_eval results"]
    logs = read_lm_eval(samples, results, choice, folder)
    if not n_older:
        return logs
    note = f"The folder holds {n_older:,} older samples of the same tasks, which were not read."
    return [replace(log, notes=(*log.notes, note)) for log in logs]


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder in order, without hidden ones."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def _look(path: Path) -> Content:
    """What a file is; one that cannot be opened or is damaged is no log here, and says so when it is read."""
    try:
        return look_at(path)
    except DataError as error:
        return Content(None, str(error))
