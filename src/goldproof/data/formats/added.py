"""Files of further suffixes, read by plugins: a `FileReader` turns a path into Arrow record batches.

    [project.entry-points."goldproof.readers"]
    cards = "my_package.cards:READER"

From there on such a file is like any other: its columns are guessed or named, as a dataset or as predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from goldproof.data.formats.files import FORMATS, JSON, suffix_of
from goldproof.data.formats.parquet import plain_column
from goldproof.data.formats.raw import RawBatch
from goldproof.data.formats.tagged_rows import SUFFIXES
from goldproof.errors import DataError, GoldproofError
from goldproof.plugins import Group, Plugin, Tried, describe

OTHERS = (JSON, ".conllu", *SUFFIXES)  # read by some commands only, and taken all the same
_SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")


@dataclass(frozen=True, slots=True)
class FileReader:
    """How files of some suffixes are read: `read(path)` gives their rows as record batches, all with the same columns.

    Suffixes are in lower case and start with a dot. The path may also end with `.gz`:
    `goldproof.data.formats.files.iter_lines` reads both. A `DataError` of the reader, with path and line, is what the
    user sees.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Path], Iterable[pa.RecordBatch]]


@dataclass(frozen=True, slots=True)
class AddedRows:
    """The rows of a file that a plugin reads."""

    path: Path
    column_names: tuple[str, ...]
    reader: FileReader
    plugin: Plugin

    @classmethod
    def open(cls, path: Path, reader: FileReader, plugin: Plugin) -> AddedRows:
        """Read the first batch for the names of the columns."""
        with closing(_iter_rows(path, reader, plugin)) as batches:
            first = next(batches, None)
        if first is None:
            raise DataError("the file has no rows", path=path)
        return cls(path, tuple(first.schema.names), reader, plugin)

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only."""
        first_row = 0
        for batch in _iter_rows(self.path, self.reader, self.plugin):
            absent = [name for name in wanted if name not in batch.schema.names]
            if absent:
                where = f"from row {first_row} on there is no column {absent[0]!r}, though earlier rows have it"
                raise DataError(f"{_said(self.plugin)} gave rows that do not fit: {where}", path=self.path)
            arrays = [plain_column(batch.column(name)) for name in wanted]
            yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), first_row, self.path)
            first_row += batch.num_rows


def open_added(path: Path) -> AddedRows | None:
    """The rows of a file whose suffix a plugin reads; None where none does, an error where two do."""
    for each in _readers_of(path):
        if each.problem:
            raise DataError(str(each.plugin.error(each.problem)), path=path)
        return AddedRows.open(path, each.thing, each.plugin)
    return None


def is_readable(path: Path) -> bool:
    """Whether a file's name says that it has rows, which are read here or by a plugin."""
    return suffix_of(path) in (*FORMATS, JSON, *SUFFIXES) or is_added(path)


def is_added(path: Path) -> bool:
    """Whether files of this suffix are for a plugin to read."""
    return bool(_readers_of(path))


def unknown_format(path: Path, own: Iterable[str] = (*FORMATS, JSON, *SUFFIXES)) -> DataError:
    """The error of a file whose suffix nobody reads: it names all that are read, and readers that do not work.

    `own` are the suffixes that are read without a plugin.
    """
    added = [suffix for each in PLUGINS.survey() if not each.problem for suffix in each.thing.suffixes]
    known = ", ".join(sorted({*own, *added}))
    message = f"no known format has the extension {suffix_of(path)!r}; allowed: {known} (also with .gz)"
    sheet = ["save the sheet as CSV"] if suffix_of(path) in _SPREADSHEETS else []
    broken = [str(each.plugin.error(each.problem)) for each in PLUGINS.survey() if each.problem]
    return DataError("; ".join([message, *sheet, *broken]), path=path)


def _readers_of(path: Path) -> list[Tried]:
    suffix = suffix_of(path)
    found = PLUGINS.survey() if suffix and suffix not in (*FORMATS, *OTHERS) else []
    return [each for each in found if each.thing is not None and suffix in each.thing.suffixes]


def _iter_rows(path: Path, reader: FileReader, plugin: Plugin) -> Generator[pa.RecordBatch, None, None]:
    """The batches of a plugin, whose own errors become one line."""
    try:
        for batch in reader.read(path):
            if not isinstance(batch, pa.RecordBatch):
                kind = type(batch).__name__
                raise DataError(f"{_said(plugin)} must give pyarrow record batches; got {kind}", path=path)
            yield batch
    except GoldproofError:
        raise
    except Exception as error:
        raise DataError(f"{_said(plugin)} failed ({describe(error)})", path=path) from error


def _said(plugin: Plugin) -> str:
    return f"the reader {plugin.name!r} of {plugin.origin}"


def _problem(reader: object) -> str:
    """What is wrong with a plugin's reader, or nothing."""
    if not isinstance(reader, FileReader):
        return f"a goldproof.data.formats.added.FileReader is needed; got {type(reader).__name__}"
    suffixes = reader.suffixes
    if not isinstance(suffixes, tuple) or not suffixes or not all(map(_is_suffix, suffixes)):
        return f"its suffixes must be a tuple of lower-case strings such as '.cards'; got {suffixes!r}"
    taken = [suffix for suffix in suffixes if suffix in (*FORMATS, *OTHERS)]
    if taken:
        return f"Goldproof itself already reads files with {taken[0]}"
    return "" if callable(reader.read) else f"its read must be a function; got {type(reader.read).__name__}"


def _is_suffix(suffix: object) -> bool:
    return isinstance(suffix, str) and suffix == suffix_of(Path(f"file{suffix}")) != ""


def _suffixes(reader: FileReader) -> tuple[str, ...]:
    return reader.suffixes


PLUGINS = Group("readers", tuple(sorted({*FORMATS.values(), "json", "conllu"})), _problem, _suffixes)
