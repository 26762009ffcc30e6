"""Loading: prediction files joined into one table; several files without a model column are several models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from assay.data.predictions import Predictions, read_predictions
from assay.errors import DataError

Files = str | Path | Sequence[str | Path]
Source = Files | Predictions


def load_predictions(source: Source, columns: Mapping[str, str] | None = None) -> Predictions:
    """The predictions of one file or several as one table; a table that was read before stays as it is."""
    if isinstance(source, Predictions):
        return source
    paths = file_list(source)
    parts = [read_predictions(path, columns) for path in paths]
    if len(parts) == 1:
        return parts[0]
    tasks = {part.task: path for part, path in zip(parts, paths, strict=True)}
    if len(tasks) > 1:
        raise DataError(
            f"the files hold different tasks: {', '.join(f'{path} {task}' for task, path in tasks.items())}"
        )
    tables = [part.table for part in parts]
    if any("model" not in table.column_names for table in tables):
        names = _names(paths)
        tables = [_with_model(table, name) for table, name in zip(tables, names, strict=True)]
    labels = tuple(sorted({label for part in parts for label in part.labels}))
    if any(part.labels != labels for part in parts):
        tables = [table.drop_columns([n for n in ("probabilities",) if n in table.column_names]) for table in tables]
    files = tuple(file for part in parts for file in part.provenance.files)
    provenance = replace(parts[0].provenance, corpus="several files", files=files)
    return Predictions(pa.concat_tables(tables, promote_options="permissive"), parts[0].task, labels, provenance)


def file_list(source: Files) -> list[Path]:
    """One path or several as a list."""
    return [Path(source)] if isinstance(source, str | Path) else [Path(path) for path in source]


def _with_model(table: pa.Table, name: str) -> pa.Table:
    if "model" in table.column_names:
        return table
    return table.append_column("model", pa.array([name] * table.num_rows, pa.string()))


def _names(paths: Sequence[Path]) -> list[str]:
    """File names, with their folder where two are the same."""
    stems = [path.stem for path in paths]
    return [path.stem if stems.count(path.stem) == 1 else f"{path.parent.name}/{path.stem}" for path in paths]
