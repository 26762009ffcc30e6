"""A file after corruption, written as it is read: same format, rows, order and other columns, in bounded memory."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.corruption.texts import CorruptedTexts, CorruptionTally, check_tagger, corrupt_chunk
from goldproof.builders.tagging.registry import TaggerName
from goldproof.data.columns import Columns, guess_columns, no_column
from goldproof.data.formats.added import is_added, unknown_format
from goldproof.data.formats.delimited import find_delimiter
from goldproof.data.formats.files import FORMATS, check_file, iter_blocks, suffix_of
from goldproof.data.formats.jsonl import parse_line
from goldproof.data.formats.parquet import iter_record_batches
from goldproof.data.parallel import map_in_order
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError, UsageError
from goldproof.jobs.files import written_aside

ADDED = "added"  # the form of a file that a plugin reads, which Goldproof cannot write
_ROWS = 2000
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of a file: rows, the columns that were corrupted, and their count."""

    n_rows: int
    columns: tuple[str, ...]
    tally: CorruptionTally


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some rows: the texts of each corrupted column, and the rest in whatever form the format keeps it."""

    texts: list[list[str | None]]
    rows: Any


class _Copy(Protocol):
    """A file that is read in batches and written with other texts."""

    def read(self) -> Iterator[_Batch]:
        """The rows in batches."""
        ...

    def write(self, batch: _Batch, texts: list[list[str | None]]) -> None:
        """Write a batch with these texts in place of its own."""
        ...


def corrupt_file(
    path: str | Path,
    out: str | Path,
    corruption: Corruption,
    tagger: TaggerName,
    *,
    columns: Sequence[str] = (),
    header: Sequence[str] | None = None,
    workers: int = 1,
) -> FileReport:
    """Write the file with the texts of some columns corrupted.

    Columns that are not named are found by common names (sentence1, premise, text, …); `header` names the columns of a
    CSV or TSV file that has no header line. The file appears under its name only when it is whole.
    """
    path, out = check_file(path), Path(out)
    check_tagger(tagger, [corruption])
    tagger.load()  # what is not installed is said here and now, not by a worker
    form = _check_formats(path, out)
    names = open_raw(path, Layout(header=None if header is None else tuple(header))).column_names
    chosen = _choose_columns(columns, names, path)
    try:
        with written_aside(out) as file, ExitStack() as stack:
            stream = _as_text(file, out, stack) if form != "parquet" else file
            copy = _open_copy(form, path, stream, (chosen, names, header), stack)
            n_rows, tally = _run(copy, corruption, tagger, workers)
            if not n_rows:
                raise DataError("the file has no rows", path=path)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path=out) from None
    return FileReport(n_rows, chosen, tally)


def _run(copy: _Copy, corruption: Corruption, tagger: TaggerName, workers: int) -> tuple[int, CorruptionTally]:
    """Read, corrupt and write batch by batch; how many rows there were, and what was done to them."""
    pending: deque[_Batch] = deque()

    def feed() -> Iterator[list[str]]:
        for batch in copy.read():
            pending.append(batch)
            yield [text for column in batch.texts for text in column if text is not None]

    n_rows, tally = 0, CorruptionTally()
    results = map_in_order(functools.partial(corrupt_chunk, tagger, (corruption,)), feed(), workers)
    for (done,) in results:
        batch = pending.popleft()
        copy.write(batch, _put_back(batch, done))
        n_rows += len(batch.texts[0])
        tally += done.tally
    return n_rows, tally


def _put_back(batch: _Batch, done: CorruptedTexts) -> list[list[str | None]]:
    rest = iter(done.texts)
    return [[None if text is None else next(rest) for text in column] for column in batch.texts]


def _check_formats(path: Path, out: Path) -> str:
    form, wanted = FORMATS.get(suffix_of(path)), FORMATS.get(suffix_of(out))
    if form is None and is_added(path):
        if wanted != "jsonl":
            raise UsageError(
                f"files that a plugin reads ({suffix_of(path)}) are written as JSON Lines (.jsonl); got {out}"
            )
        return ADDED
    if form is None:
        raise unknown_format(path, FORMATS)
    if form != wanted:
        raise UsageError(f"the output must have the format of the input ({suffix_of(path)}); got {out}")
    if out.resolve() == path.resolve():
        raise UsageError(f"the output must not be the input file; got {out} for both")
    return form


def _choose_columns(columns: Sequence[str], names: Sequence[str], path: Path) -> tuple[str, ...]:
    for name in columns:
        if name not in names:
            raise no_column(name, names, path)
    if columns:
        return tuple(dict.fromkeys(columns))
    guessed = guess_columns(Columns(), names, path)
    return tuple(name for name in (guessed.text, guessed.pair) if name is not None)


def _open_copy(
    form: str,
    path: Path,
    stream: Any,
    layout: tuple[Sequence[str], Sequence[str], Sequence[str] | None],
    stack: ExitStack,
) -> _Copy:
    chosen, names, header = layout
    if form == "parquet":
        schema = pq.read_schema(path)
        writer = stack.enter_context(pq.ParquetWriter(stream, schema))
        return _ParquetCopy(path, schema, writer, chosen)
    if form == "jsonl":
        return _JsonCopy(path, stream, chosen)
    if form == ADDED:
        return _AddedCopy(path, stream, chosen)
    delimiter = find_delimiter(path, form, header)
    copy = _CellCopy(path, stream, (delimiter, delimiter != "\t"), [names.index(name) for name in chosen], header)
    if header is None:
        copy.write_cells([list(names)])
    return copy


def _as_text(file: BinaryIO, out: Path, stack: ExitStack) -> TextIO:
    """The output as text; gzipped where its name says so."""
    if out.name.lower().endswith(".gz"):
        file = cast(BinaryIO, stack.enter_context(gzip.GzipFile(out.name, "wb", fileobj=file)))
    return stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline=""))


@dataclass(frozen=True, slots=True)
class _JsonCopy:
    path: Path
    out: TextIO
    columns: Sequence[str]

    def read(self) -> Iterator[_Batch]:
        rows: list[dict[str, Any]] = []
        line = 0
        for block in iter_blocks(self.path, _BLOCK_BYTES):
            for text in block.removesuffix(b"\n").split(b"\n"):
                line += 1
                if text.strip():
                    rows.append(self._check(parse_line(text, self.path, line), line))
                if len(rows) == _ROWS:
                    yield self._batch(rows)
                    rows = []
        if rows:
            yield self._batch(rows)

    def write(self, batch: _Batch, texts: list[list[str | None]]) -> None:
        _write_json(self.out, self.columns, batch.rows, texts)

    def _check(self, row: dict[str, Any], line: int) -> dict[str, Any]:
        for name in self.columns:
            value = row.get(name)
            if value is not None and not isinstance(value, str):
                shown = json.dumps(value, ensure_ascii=False)[:60]
                raise DataError(f"{name!r} must be a text; got {shown}", path=self.path, line=line)
        return row

    def _batch(self, rows: list[dict[str, Any]]) -> _Batch:
        return _Batch([[row.get(name) for row in rows] for name in self.columns], rows)


def _write_json(
    out: TextIO, columns: Sequence[str], rows: Sequence[dict[str, Any]], texts: list[list[str | None]]
) -> None:
    for i, row in enumerate(rows):
        for name, column in zip(columns, texts, strict=True):
            if name in row:
                row[name] = column[i]
        out.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


@dataclass(frozen=True, slots=True)
class _AddedCopy:
    path: Path
    out: TextIO
    columns: Sequence[str]

    def read(self) -> Iterator[_Batch]:
        raw_file = open_raw(self.path, Layout())
        for raw in raw_file.iter_batches(raw_file.column_names):
            for name in self.columns:
                _check_texts(name, raw.columns.schema.field(name).type, self.path)
            for start in range(0, raw.columns.num_rows, _ROWS):
                rows = raw.columns.slice(start, _ROWS).to_pylist()
                yield _Batch([[row[name] for row in rows] for name in self.columns], rows)

    def write(self, batch: _Batch, texts: list[list[str | None]]) -> None:
        _write_json(self.out, self.columns, batch.rows, texts)


def _check_texts(name: str, kind: pa.DataType, path: Path) -> None:
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise DataError(f"{name!r} must be a column of texts; got {kind}", path=path)


@dataclass(frozen=True, slots=True)
class _CellCopy:
    path: Path
    out: TextIO
    style: tuple[str, bool]
    positions: Sequence[int]
    header: Sequence[str] | None

    def read(self) -> Iterator[_Batch]:
        raw_file = open_raw(self.path, Layout(header=None if self.header is None else tuple(self.header)))
        for raw in raw_file.iter_batches(raw_file.column_names):
            for start in range(0, raw.columns.num_rows, _ROWS):
                cells = [column.to_pylist() for column in raw.columns.slice(start, _ROWS).columns]
                yield _Batch([cells[position] for position in self.positions], cells)

    def write(self, batch: _Batch, texts: list[list[str | None]]) -> None:
        cells = list(batch.rows)
        for position, column in zip(self.positions, texts, strict=True):
            cells[position] = column
        self.write_cells(zip(*cells, strict=True))

    def write_cells(self, rows: Any) -> None:
        delimiter, quoted = self.style
        if quoted:
            csv.writer(self.out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        else:
            self.out.writelines(delimiter.join(row) + "\n" for row in rows)


@dataclass(frozen=True, slots=True)
class _ParquetCopy:
    path: Path
    schema: pa.Schema
    writer: Any
    columns: Sequence[str]

    def read(self) -> Iterator[_Batch]:
        for name in self.columns:
            _check_texts(name, self.schema.field(name).type, self.path)
        for batch in iter_record_batches(self.path, self.schema.names, _ROWS):
            yield _Batch([batch.column(name).to_pylist() for name in self.columns], batch)

    def write(self, batch: _Batch, texts: list[list[str | None]]) -> None:
        rows = batch.rows
        for name, column in zip(self.columns, texts, strict=True):
            field = rows.schema.field(name)
            rows = rows.set_column(rows.schema.get_field_index(name), field, pa.array(column, field.type))
        self.writer.write_batch(rows)
