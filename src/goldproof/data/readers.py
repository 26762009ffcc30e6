"""Reading a file of one's own in one line, or in batches of bounded memory: JSON (lines or a list), CSV, TSV, Parquet,
words with their tags line by line (CoNLL), gzipped, and what installed plugins read.

    goldproof.read("my.jsonl", text="premise", pair="hypothesis", label="gold")

Columns that are not named are guessed from common names; what is not in the file (split, language) is given or guessed
from the file's name. Nothing in the data is executed or interpreted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import ColumnNames, Columns, Filling, check_fields, guess_columns, no_column, shape_batch
from goldproof.data.dataset import SCHEMA, UNKNOWN_LANGUAGE, Dataset, Provenance, find_repeated_id
from goldproof.data.formats.added import open_added, unknown_format
from goldproof.data.formats.delimited import Delimited, find_delimiter
from goldproof.data.formats.files import FORMATS, JSON, check_file, describe_file, suffix_of
from goldproof.data.formats.json_list import open_json
from goldproof.data.formats.parquet import ParquetRows
from goldproof.data.formats.raw import RawBatch, RawFile, inner_names
from goldproof.data.formats.tagged_rows import SUFFIXES, is_tagged, open_tagged
from goldproof.data.naming import split_in_name
from goldproof.errors import DataError, UsageError


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out; the default of each part is "see for yourself".

    `header` names the columns of a file that has no header line, `labels` says which labels are allowed and what they
    are called here, `splits` what the splits of a split column are called; with `exact` nothing is guessed and every
    column must be there, save the `optional` parts.
    """

    format: str | None = None
    columns: Columns = field(default_factory=Columns)
    header: tuple[str, ...] | None = None
    delimiter: str | None = None
    quoted: bool | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    optional: tuple[str, ...] = ("tags",)


def read(
    path: str | Path,
    *,
    name: str | None = None,
    split: str | None = None,
    language: str = UNKNOWN_LANGUAGE,
    labels: Mapping[str, str] | Sequence[str] = (),
    layout: Layout | None = None,
    **columns: Unpack[ColumnNames],
) -> Dataset:
    """A dataset from a file of one's own.

    `text`, `pair`, `label`, `score`, `id`, `tokens`, `token_labels`, `split_column`, `language_column` and `tags` name
    columns; `split` and `language` are values for all rows. `labels` are the allowed labels, or a mapping from the
    file's labels to ours.
    """
    layout = layout or Layout(columns=_columns(columns), labels=_label_mapping(labels))
    path = check_file(path)
    filling = Filling(split or split_in_name(path.name) or "all", language, layout.labels)
    batches = list(_iter_shaped(path, layout, filling))
    table = pa.Table.from_batches(batches, schema=SCHEMA)
    _check_labels(table, path, layout)
    provenance = Provenance(corpus=name or path.name, files=(describe_file(path),))
    try:
        return Dataset(name or path.name, table, provenance)
    except DataError:
        _refuse_repeated_id(table, path, layout)  # says the line as well
        raise


def iter_batches(
    path: str | Path,
    *,
    split: str | None = None,
    language: str = UNKNOWN_LANGUAGE,
    labels: Mapping[str, str] | Sequence[str] = (),
    layout: Layout | None = None,
    **columns: Unpack[ColumnNames],
) -> Iterator[pa.RecordBatch]:
    """The same rows as `read`, in batches of the dataset schema and in bounded memory.

    What takes all rows at once (an id that stands twice, a label absent in some rows only) is not checked here.
    """
    layout = layout or Layout(columns=_columns(columns), labels=_label_mapping(labels))
    path = check_file(path)
    yield from _iter_shaped(path, layout, Filling(split or split_in_name(path.name) or "all", language, layout.labels))


def open_raw(path: Path, layout: Layout) -> RawFile:
    """The file behind a path, opened by its layout or by its extension, which may be that of a plugin."""
    form = layout.format or FORMATS.get(suffix_of(path))
    if form == "jsonl" or (form is None and suffix_of(path) == JSON):
        return open_json(path)
    if suffix_of(path) in SUFFIXES or (form == "tsv" and layout.header is None and is_tagged(path)):
        return open_tagged(path)
    if form is None:
        added = open_added(path)
        if added is None:
            raise unknown_format(path)
        return added
    if form == "parquet":
        return ParquetRows.open(path)
    delimiter = layout.delimiter or find_delimiter(path, form, layout.header)
    quoted = layout.quoted if layout.quoted is not None else form == "csv" and delimiter != "\t"
    return Delimited.open(path, delimiter=delimiter, quoted=quoted, header=layout.header)


def _iter_shaped(path: Path, layout: Layout, filling: Filling) -> Iterator[pa.RecordBatch]:
    raw_file = open_raw(path, layout)
    columns = _find_columns(layout, raw_file, path)
    n_rows = 0
    for raw in raw_file.iter_batches(columns.named):
        if not n_rows:
            check_fields(columns.parts, raw_file.column_names, raw)
        batch = shape_batch(raw, columns, filling)
        if layout.splits:
            batch = _rename_splits(batch, layout.splits, raw)
        n_rows += batch.num_rows
        yield batch
    if not n_rows:
        raise DataError("the file has no rows", path=path)


def _refuse_repeated_id(table: pa.Table, path: Path, layout: Layout) -> None:
    repeated = find_repeated_id(table)
    if repeated is not None:
        _, split, identity = repeated
        keys = zip(*(table.column(name).to_pylist() for name in ("language", "split", "id")), strict=True)
        rows = [row for row, key in enumerate(keys) if key == repeated]
        message = f"the id {identity!r} occurs {len(rows)} times in split {split!r}, first in row {rows[0] + 1}"
        raise _error_at(rows[1], message, path, layout) from None


def _check_labels(table: pa.Table, path: Path, layout: Layout) -> None:
    """Either all rows of a split have a label, or none."""
    if not 0 < table.column("label").null_count < table.num_rows:
        return
    for split in pc.unique(table.column("split")).to_pylist():
        absent = np.asarray(pc.is_null(table.column("label"))) & np.asarray(pc.equal(table.column("split"), split))
        n_split = int(pc.sum(pc.equal(table.column("split"), split)).as_py())
        if 0 < absent.sum() < n_split:
            have = f"{n_split - absent.sum()} of the {n_split} rows of split {split!r}"
            message = f"no label here, but {have} have one; give it one, or leave the row out"
            raise _error_at(int(np.flatnonzero(absent)[0]), message, path, layout)


def _error_at(row: int, message: str, path: Path, layout: Layout) -> DataError:
    """Read the file again up to a row to say on which line it stands."""
    raw_file = open_raw(path, layout)
    columns = _find_columns(layout, raw_file, path)
    for raw in raw_file.iter_batches(columns.named[:1]):
        if raw.first_row <= row < raw.first_row + raw.columns.num_rows:
            return raw.error(row - raw.first_row, message)
    return DataError(message, path=path)


def _find_columns(layout: Layout, file: RawFile, path: Path) -> Columns:
    if layout.exact:
        return _require(layout, file.column_names, path)
    return guess_columns(layout.columns, file.column_names, path, inner_names(file))


def _require(layout: Layout, found: Sequence[str], path: Path) -> Columns:
    """The columns of a published layout: all must be there but the optional parts."""
    columns = layout.columns
    absent = {part: None for part in layout.optional if part != "tags" and getattr(columns, part) not in (None, *found)}
    tags = columns.tags
    if "tags" in layout.optional:
        tags = tuple(name for name in tags if name in found)
    columns = replace(columns, tags=tags, **absent)
    for name in columns.named:
        if name not in found:
            raise no_column(name, found, path)
    return columns


def _rename_splits(batch: pa.RecordBatch, splits: Mapping[str, str], raw: RawBatch) -> pa.RecordBatch:
    named = batch.column("split").to_pylist()
    for row, split in enumerate(named):
        if split not in splits:
            raise raw.error(row, f"the split {split!r} is not known; allowed: {', '.join(splits)}")
    position = SCHEMA.get_field_index("split")
    return batch.set_column(position, SCHEMA.field("split"), pa.array([splits[split] for split in named]))


def _columns(names: ColumnNames) -> Columns:
    unknown = sorted(set(names) - {part.name for part in fields(Columns)})
    if unknown:
        allowed = ", ".join(part.name for part in fields(Columns))
        raise UsageError(f"read does not know {unknown[0]!r}; columns are named by {allowed}")
    tags = names.get("tags", ())
    return Columns(**{**names, "tags": (tags,) if isinstance(tags, str) else tuple(tags)})  # type: ignore[arg-type]


def _label_mapping(labels: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    return dict(labels) if isinstance(labels, Mapping) else {label: label for label in labels}
