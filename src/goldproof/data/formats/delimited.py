"""CSV and TSV as raw batches of strings, quoted or not, with or without a header. It gives no cell a meaning.

Published TSV is nearly always *unquoted*: a quotation mark is a character like any other. So is ours, unless told
otherwise; CSV is quoted unless told otherwise, and its header says whether it is by commas or, as spreadsheets write it
in much of the world, by semicolons, or by tabs or bars.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from goldproof.data.formats import limits
from goldproof.data.formats.files import iter_lines, shortened
from goldproof.data.formats.raw import RawBatch
from goldproof.errors import DataError

_ROWS = 1 << 15
CSV_SIGNS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file of cells between delimiters; `header` names the columns of a file that does not do so itself.

    After the last column that has a name there may be `n_unnamed` more, as spreadsheets write them, in which nothing
    stands.
    """

    path: Path
    column_names: tuple[str, ...]
    delimiter: str
    quoted: bool
    skip_first: bool
    n_unnamed: int = 0

    @classmethod
    def open(cls, path: Path, *, delimiter: str, quoted: bool, header: Sequence[str] | None = None) -> Delimited:
        """Read the names of the columns from the first line, unless `header` gives them."""
        if header is not None:
            return cls(path, tuple(header), delimiter, quoted, skip_first=False)
        line, cells = next(_iter_rows(path, delimiter, quoted), (1, []))
        names = name_columns(cells)
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise DataError(f"the header names the column {repeated!r} twice", path=path, line=line)
        return cls(path, names, delimiter, quoted, skip_first=True, n_unnamed=len(cells) - len(names))

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only; every row must have a cell in each column."""
        for name in wanted:
            if name not in self.column_names:  # a field inside a field, which a cell cannot have
                found = ", ".join(self.column_names)
                raise DataError(f"there is no column {name!r}; columns found: {found}", path=self.path)
        positions = [self.column_names.index(name) for name in wanted]
        rows = _iter_rows(self.path, self.delimiter, self.quoted)
        if self.skip_first:
            next(rows, None)
        first_row = 0
        for batch in _batched(self._checked(rows)):
            lines, cells = zip(*batch, strict=True)
            by_column = list(zip(*cells, strict=True))
            arrays = [pa.array(by_column[position], pa.string()) for position in positions]
            columns = pa.RecordBatch.from_arrays(arrays, names=list(wanted))
            yield RawBatch(columns, first_row, self.path, lines.__getitem__)
            first_row += len(batch)

    def _checked(self, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
        expected = len(self.column_names)
        for line, cells in rows:
            if not expected <= len(cells) <= expected + self.n_unnamed:
                what = "TAB" if self.delimiter == "\t" else repr(self.delimiter)
                names = ", ".join(self.column_names)
                message = f"{expected} columns separated by {what} are needed ({names}); got {len(cells)}"
                raise DataError(message, path=self.path, line=line)
            for position in range(expected, len(cells)):
                if cells[position]:
                    got = shortened(cells[position])
                    message = f"{got} stands in column {position + 1}, which has no name in the first line"
                    raise DataError(message, path=self.path, line=line)
            yield line, cells


def name_columns(cells: Sequence[str]) -> tuple[str, ...]:
    """The names of columns by a first line: none for empty cells at its end, and its number for one before that.

    >>> name_columns(["", " text", "label", "", ""])
    ('column 1', 'text', 'label')
    """
    names = [name.strip() for name in cells]
    n_named = max((position for position, name in enumerate(names, 1) if name), default=len(names))
    return tuple(name or f"column {position}" for position, name in enumerate(names[:n_named], 1))


def csv_delimiter(header: str) -> str:
    """What stands between the cells of a CSV file by its first line: a comma, unless there is none and another is.

    >>> csv_delimiter("id;text;label"), csv_delimiter("text|label"), csv_delimiter("text,notes;more")
    (';', '|', ',')
    """
    try:
        return next((sign for sign in CSV_SIGNS if len(next(csv.reader([header], delimiter=sign), [])) > 1), ",")
    except csv.Error:  # a cell that goes on in the next line, or one that is too long: reading says so
        return ","


def find_delimiter(path: Path, form: str, header: Sequence[str] | None = None) -> str:
    """What stands between the cells of a file; with a `header` given for it, its first line is one of its rows."""
    if form != "csv":
        return "\t"
    if header is not None:
        return ","
    return csv_delimiter(next((text for _, text in iter_lines(path) if text), ""))


def _iter_rows(path: Path, delimiter: str, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells); blank lines are passed over, and so are those in which delimiters alone stand."""
    if not quoted:
        for number, text in iter_lines(path):
            if text.strip(delimiter):
                cells = text.split(delimiter)
                if len(text) > limits.MOST_CELL and max(map(len, cells)) > limits.MOST_CELL:
                    raise DataError(limits.long_cell(), path=path, line=number)
                yield number, cells
        return
    csv.field_size_limit(limits.MOST_CELL)
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for _, last in iter_lines(path):
            yield last + "\n"

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    first = 1
    try:
        for cells in reader:
            if any(cells) or last.strip(delimiter):
                yield first, cells
            first = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"not a well-formed CSV row: {csv_reason(error)}", path=path, line=first) from None


def csv_reason(error: csv.Error) -> str:
    """Why a row of CSV cannot be read, in our words where Python's are of no use."""
    said = str(error)
    if "unexpected end" in said:
        return "a quoted cell is never closed"
    if "field limit" in said:
        return f"{limits.long_cell()}; is a quotation mark never closed?"
    return "a line ends with CR alone; save the file with LF or CRLF line ends" if "new-line" in said else said


def _batched(rows: Iterator[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    batch: list[tuple[int, list[str]]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _ROWS:
            yield batch
            batch = []
    if batch:
        yield batch
