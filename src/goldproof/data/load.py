"""Loading: predictions from files or memory as one table; several files without a model column are several models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from goldproof.data.in_memory import is_paths
from goldproof.data.predictions import Predictions, Reading, read_with
from goldproof.errors import DataError, UsageError

Files = str | Path | Sequence[str | Path]
Source = Any  # Predictions or Answers that were read before, or what `in_memory.KINDS` lists


def load_predictions(source: Source, reading: Reading) -> Predictions:
    """The predictions of one file or several, or of a table in memory; what was read before stays as it is."""
    if isinstance(source, Predictions):
        return source
    if not is_paths(source):
        return read_with(source, reading)
    paths = file_list(source)
    parts = [read_with(path, reading) for path in paths]
    if len(parts) == 1:
        return parts[0]
    tasks = {part.task: path for part, path in zip(parts, paths, strict=True)}
    if len(tasks) > 1:
        raise DataError(
            f"the files hold different kinds of task: {', '.join(f'{path} {task}' for task, path in tasks.items())}"
        )
    tables = [part.table for part in parts]
    if any("model" not in table.column_names for table in tables):
        names = model_names(paths)
        tables = [_with_model(table, name) for table, name in zip(tables, names, strict=True)]
    labels = tuple(sorted({label for part in parts for label in part.labels}))
    if any(part.labels != labels for part in parts):
        tables = [table.drop_columns([n for n in ("probabilities",) if n in table.column_names]) for table in tables]
    files = tuple(file for part in parts for file in part.provenance.files)
    provenance = replace(parts[0].provenance, corpus="several files", files=files)
    table = pa.concat_tables(tables, promote_options="permissive")
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Predictions(table, parts[0].task, labels, provenance, parts[0].missing, notes)


def file_list(source: Files) -> list[Path]:
    """One path or several as a list; an error where one is given twice, as its items would count twice."""
    paths = [Path(source)] if isinstance(source, str | Path) else [Path(path) for path in source]
    places = [path.resolve() for path in paths]
    for number, path in enumerate(paths):
        if places[number] in places[:number]:
            raise UsageError(f"the file {path} is given twice; give each file once")
    return paths


def _with_model(table: pa.Table, name: str) -> pa.Table:
    if "model" in table.column_names:
        return table
    return table.append_column("model", pa.array([name] * table.num_rows, pa.string()))


def model_names(paths: Sequence[Path]) -> list[str]:
    """What the model of each file is called: the file's name, with as many folders as tell two of one name apart.

    >>> model_names([Path("a.jsonl"), Path("old/x/b.jsonl"), Path("new/x/b.jsonl")])
    ['a', 'old/x/b', 'new/x/b']
    """
    whole = [path.resolve() for path in paths]
    stems = [path.with_suffix("") for path in whole]
    told = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, whole, strict=True)]
    return [_shortest(path.parts, [other.parts for other in told if other != path]) for path in told]


def _shortest(parts: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    length = 1
    while any(other[-length:] == parts[-length:] for other in others):
        length += 1
    return "/".join(parts[-length:])
