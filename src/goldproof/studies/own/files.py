"""A file of the user's own: which column plays which part, by common names and else by the cells, and its rows."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from goldproof.data.columns import Columns, guess_columns, list_columns
from goldproof.data.columns.names import normal
from goldproof.data.dataset import Dataset
from goldproof.data.formats.delimited import Delimited
from goldproof.data.formats.files import check_file, describe_file, files_in
from goldproof.data.formats.raw import inner_names
from goldproof.data.formats.squad import is_squad, read_squad
from goldproof.data.naming import split_of
from goldproof.data.readers import Layout, open_raw, read
from goldproof.errors import DataError
from goldproof.studies.shared import ColumnChoice

_SHORTEST_TEXT = 12  # characters on average, below which a column is a label rather than a text
_MOST_CLASSES = 50
PLACE = "{language}"
_HOW = "the setting columns.text=NAME"
_NO_CLASS = re.compile(r"[+-]?\d+\.\d*[1-9]\d*|\d{1,4}([./-])\d{1,2}\1\d{1,4}([ T].*)?")  # a fraction, a date


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file with its digest, its columns, those of them that were told by their cells, and its rows."""

    path: Path
    sha256: str
    columns: Columns
    by_cells: tuple[str, ...]
    data: Dataset

    @property
    def name(self) -> str:
        """The file's name, as errors and notes say it."""
        return self.path.name

    def error(self, row: int, message: str) -> DataError:
        """An error that names the file and the line of a row."""
        if is_squad(self.path):
            return DataError(message, path=self.path)
        raw_file = open_raw(self.path, Layout())
        for raw in raw_file.iter_batches(raw_file.column_names[:1]):
            if raw.first_row <= row < raw.first_row + raw.columns.num_rows:
                return raw.error(row - raw.first_row, message)
        return DataError(message, path=self.path)


def open_own(path: str | Path, choice: ColumnChoice) -> OpenedFile:
    """The file with its columns found; an error says what is lacking."""
    path = check_file(_no_folder(Path(path)))
    return _opened(path, describe_file(path).sha256, choice)


def splits_said(file: OpenedFile) -> dict[str, int]:
    """How many rows the file's column says are of each split; nothing where it has no such column.

    Words that say none of the known splits stand for themselves.
    """
    if file.columns.split_column is None:
        return {}
    return dict(Counter(split_of(word) for word in file.data.table.column("split").to_pylist()))


def _no_folder(path: Path) -> Path:
    """The path; of a folder the error says which files it has."""
    if not os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
        return path
    raise DataError(
        f"this is a folder; a file is needed ({files_in(path)}), or several that have one language each by {PLACE} in "
        "the place of theirs in the name",
        path=path,
    )


@lru_cache(maxsize=16)
def _opened(path: Path, sha256: str, choice: ColumnChoice) -> OpenedFile:
    """The file; its digest is there so that a changed file is read again."""
    if is_squad(path):
        return OpenedFile(path, sha256, Columns(), (), read_squad(path))
    columns, by_cells = _find_columns(path, choice)
    found = OpenedFile(path, sha256, columns, by_cells, read(path, layout=Layout(columns=columns)))
    _refuse_blank_languages(found)
    return found


def _refuse_blank_languages(file: OpenedFile) -> None:
    column = file.columns.language_column
    if column is None:
        return
    blank = [row for row, language in enumerate(file.data.table.column("language").to_pylist()) if not language.strip()]
    if blank:
        n = f"{len(blank)} of {len(file.data)} rows have none"
        raise file.error(blank[0], f"{column!r} must give the language of every row; {n}, this one first")


@dataclass(frozen=True, slots=True)
class _Cells:
    """The first cells of a file, looked at only where no name tells a column."""

    path: Path
    names: tuple[str, ...]
    inner: tuple[str, ...]

    def of(self, name: str) -> list[Any]:
        """The first cells of a column; none where they are of mixed kinds and so no texts and no classes."""
        file = open_raw(self.path, Layout())
        try:
            first = next(iter(file.iter_batches([name])), None)
        except DataError:
            if isinstance(file, Delimited):  # cells are all text there, so it is the file that is wrong
                raise
            return []
        return [] if first is None else list(first.columns.column(name).to_pylist())


def _find_columns(path: Path, choice: ColumnChoice) -> tuple[Columns, tuple[str, ...]]:
    """The columns given, else guessed from common names, else told by what stands in them."""
    file = open_raw(path, Layout())
    names, inner = file.column_names, inner_names(file)
    cells = _Cells(path, names, inner)
    given = choice.columns()
    by_cells: list[str] = []
    try:
        columns = guess_columns(given, names, path, inner, _HOW)
    except DataError:
        if given.text or given.tokens:
            raise
        texts = [name for name in names if name not in given.named and _is_text(cells.of(name))]
        if len(texts) > 1:
            raise _several_texts(texts, names, path) from None
        if not texts:
            raise
        columns = guess_columns(replace(given, text=texts[0]), names, path)
        by_cells.append(texts[0])
    if not columns.tags and not columns.tokens:
        columns = replace(columns, tags=tuple(name for name in names if normal(name) == "tags"))
    if not (columns.label or columns.score or columns.token_labels):
        label = _label_by_cells(columns, cells)
        columns = replace(columns, label=label)
        by_cells.append(label)
        if len(by_cells) == 2 and label in cells.of(label):
            raise DataError(
                f"its first line seems to be a row: {label!r} occurs there and among the labels below; the first "
                "line must name the columns, such as text and label",
                path=path,
            )
    return columns, tuple(by_cells)


def _several_texts(texts: Sequence[str], names: Sequence[str], path: Path) -> DataError:
    return DataError(
        f"no column goes by a common name of a text, and {len(texts)} look like one: {', '.join(texts)}; name it in "
        "the setting 'columns.text', and in 'columns.pair' a second one that belongs to it; columns found: "
        f"{list_columns(names)}",
        path=path,
    )


def _label_by_cells(columns: Columns, cells: _Cells) -> str:
    """The one column that holds a few classes; an error where there is none, or more than one."""
    found = [name for name in cells.names if name not in columns.named and _are_classes(cells.of(name))]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} columns could be it: {', '.join(found)}" if found else "no column looks like one"
    raise DataError(
        f"no label was found: {what}; columns found: {list_columns(cells.names, cells.inner)}; name its "
        "column in the setting 'columns.label' (a class), 'columns.score' (a number) or 'columns.token_labels' (a "
        "class for each word)",
        path=cells.path,
    )


def _is_text(cells: Sequence[Any]) -> bool:
    texts = [cell for cell in cells if isinstance(cell, str)]
    return bool(texts) and len(texts) == len(cells) and sum(map(len, texts)) >= _SHORTEST_TEXT * len(texts)


def _are_classes(cells: Sequence[Any]) -> bool:
    """Whether cells are a few classes, each of which comes again: text or whole numbers, none missing."""
    values = {str(cell) for cell in cells}
    known = all(isinstance(cell, str | int) and str(cell).strip() for cell in cells)
    if not known or any(map(_NO_CLASS.fullmatch, values)):
        return False
    return 2 <= len(values) <= min(_MOST_CLASSES, len(cells) // 2)
