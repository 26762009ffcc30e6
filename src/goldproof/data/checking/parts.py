"""Files under paths, or tables, as parts to be checked: the rows of a group, language and split with their places."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa

from goldproof.data.checking.sniff import sniff_layout
from goldproof.data.columns import Columns, Filling, guess_columns, shape_batch
from goldproof.data.corpora.published import read_published
from goldproof.data.dataset import UNKNOWN_LANGUAGE, SourceFile
from goldproof.data.formats.files import check_file, describe_file, suffix_of
from goldproof.data.in_memory import is_paths, open_table
from goldproof.data.naming import LANGUAGES, FileName, parse_name
from goldproof.data.readers import iter_batches
from goldproof.errors import DataError

OTHER_KIND = "of no kind that can be checked"
_SPLIT_ORDER = {"train": 0, "validation": 1, "test": 2}


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands: the file as it was given, and the row counted from 1 without the header."""

    file: str
    row: int

    def __str__(self) -> str:
        return f"{self.file}, row {self.row}"


@dataclass(slots=True)
class DataPart:
    """The rows of one group, language and split."""

    group: str
    language: str
    split: str
    texts: list[str] = field(default_factory=list)
    pairs: list[str | None] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Group, language and split in words."""
        language = "" if self.language == UNKNOWN_LANGUAGE else self.language
        return " ".join(filter(None, (self.group, language, self.split)))

    @property
    def order(self) -> int:
        """Train comes before validation, validation before test, and anything else last."""
        return _SPLIT_ORDER.get(self.split, len(_SPLIT_ORDER))

    @property
    def items(self) -> list[tuple[str, str | None]]:
        """Text and pair of each row."""
        return list(zip(self.texts, self.pairs, strict=True))

    @property
    def has_pairs(self) -> bool:
        """Whether rows have a second text."""
        return any(pair is not None for pair in self.pairs)

    def place(self, index: int) -> RowPlace:
        """Where a row stands."""
        at = max(number for number, start in enumerate(self.starts) if start <= index)
        return RowPlace(self.files[at], self.rows[index])

    def add(self, file: str, table: pa.Table, rows: Sequence[int]) -> None:
        """Add the rows of a file; `rows` are their numbers in it, from 1."""
        self.files.append(file)
        self.starts.append(len(self.texts))
        self.texts += table.column("text").to_pylist()
        self.pairs += table.column("pair").to_pylist()
        self.labels += table.column("label").to_pylist()
        self.ids += table.column("id").to_pylist()
        self.rows += rows


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found under the given paths."""

    parts: tuple[DataPart, ...]
    files: tuple[tuple[str, SourceFile], ...]
    splits: dict[str, str]
    unread: tuple[tuple[str, str], ...]


def gather(source: Any, columns: Columns | None = None) -> Gathered:
    """Read a path or several, a table in memory, or a mapping from splits to these."""
    if is_paths(source):
        return _gather_files([source] if isinstance(source, str | Path) else source, columns)
    if isinstance(source, Mapping) and any(_is_data(value) for value in source.values()):
        return _gather_splits(source, columns)
    return _gather_tables({"all": source}, columns)


def _is_data(value: Any) -> bool:
    """Whether this is a file or a table, and no column of one."""
    rows = isinstance(value, Sequence) and not isinstance(value, str) and bool(value)
    is_table = hasattr(value, "__arrow_c_stream__") or hasattr(value, "columns")
    return isinstance(value, str | Path) or is_table or (rows and all(isinstance(row, Mapping) for row in value))


def _gather_splits(splits: Mapping[str, Any], columns: Columns | None) -> Gathered:
    """Each split from a file or a table of its own."""
    files = {split: each for split, each in splits.items() if isinstance(each, str | Path)}
    tables = _gather_tables({split: each for split, each in splits.items() if split not in files}, columns)
    parts = {(part.group, part.language, part.split): part for part in tables.parts}
    read: list[tuple[str, SourceFile]] = []
    for split, file in files.items():
        name = FileName("", None, split)
        table, source = _read(Path(file), name, columns)
        read.append((str(file), source))
        _add(parts, table, str(file), name)
    return _ordered(parts, read, {str(file): split for split, file in files.items()}, [])


def _gather_tables(tables: Mapping[str, Any], columns: Columns | None) -> Gathered:
    parts: dict[tuple[str, str, str], DataPart] = {}
    for split, each in tables.items():
        raw = open_table(each, "data to check are")
        found = guess_columns(columns or Columns(), raw.column_names, Path(raw.name))
        batches = [shape_batch(batch, found, Filling(split)) for batch in raw.iter_batches(found.named)]
        if not batches:
            raise DataError("there are no rows", path=raw.name)
        where = raw.name if len(tables) == 1 else f"{raw.name} of {split!r}"
        _add(parts, pa.Table.from_batches(batches), where, FileName("", None, split))
    return _ordered(parts, [], {}, [])


def _gather_files(paths: Iterable[str | Path], columns: Columns | None) -> Gathered:
    """Read every file under the paths; a file of no known kind in a folder is listed, not an error."""
    parts: dict[tuple[str, str, str], DataPart] = {}
    files: list[tuple[str, SourceFile]] = []
    splits: dict[str, str] = {}
    unread: list[tuple[str, str]] = []
    for path, name, given in _iter_files(paths):
        try:
            table, source = _read(path, name, columns)
        except DataError as error:
            if given:
                raise
            unread.append((str(path), str(error)))
            continue
        files.append((str(path), source))
        splits[str(path)] = name.split or "all"
        _add(parts, table, str(path), name)
    return _ordered(parts, files, splits, unread)


def _ordered(
    parts: Mapping[tuple[str, str, str], DataPart],
    files: Sequence[tuple[str, SourceFile]],
    splits: dict[str, str],
    unread: Sequence[tuple[str, str]],
) -> Gathered:
    ordered = sorted(parts.values(), key=lambda part: (part.group, part.language, part.order))
    return Gathered(tuple(ordered), tuple(files), splits, tuple(unread))


def _iter_files(paths: Iterable[str | Path]) -> Iterator[tuple[Path, FileName, bool]]:
    """(path, what its name says, whether it was given itself)."""
    given = [Path(path) for path in paths]
    loose = defaultdict(list)
    for path in given:
        if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
            found = sorted(
                file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path))
            )
            if not found:
                raise DataError("there are no files in this folder", path=path)
            for file in found:
                siblings = [other.name for other in found if other.parent == file.parent]
                yield file, parse_name(_under(path, file), siblings), False
        else:
            loose[path.parent].append(path)
    for folder, files in loose.items():
        siblings = [file.name for file in files]
        for file in files:
            yield file, parse_name(_under(folder, file), siblings), True


def _under(folder: Path, file: Path) -> PurePath:
    """The path below the given folder with its own name, and those above it up to a language and its corpus."""
    names = folder.resolve().parts[1:]
    back = next((back for back in (1, 2) if names[-back:] and names[-back] in LANGUAGES), 0) + 1
    return PurePath(*names[-back:], *file.relative_to(folder).parts)


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.name.lower().startswith("readme")


def _read(path: Path, name: FileName, columns: Columns | None) -> tuple[pa.Table, SourceFile]:
    path = check_file(path)
    layout = sniff_layout(path, columns)
    if layout is None and suffix_of(path) == ".csv":
        raise DataError(
            "no rows with a text were found; if a column holds the text, name it: --column text=NAME", path=path
        )
    if layout is None:
        raise DataError(OTHER_KIND, path=path)
    language = name.language or UNKNOWN_LANGUAGE
    if isinstance(layout, str):
        return read_published(path, layout, language=language, split=name.split).table, describe_file(path)
    batches = list(iter_batches(path, layout=layout, language=language, split=name.split or "all"))
    return pa.Table.from_batches(batches), describe_file(path)


def _add(parts: dict[tuple[str, str, str], DataPart], table: pa.Table, file: str, name: FileName) -> None:
    keys = list(zip(table.column("language").to_pylist(), table.column("split").to_pylist(), strict=True))
    rows_of: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        rows_of[key].append(row)
    for (language, split), rows in rows_of.items():
        part = parts.setdefault((name.group, language, split), DataPart(name.group, language, split))
        part.add(file, table.take(pa.array(rows)), [row + 1 for row in rows])
