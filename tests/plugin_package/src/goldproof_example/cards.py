"""A reader of files with the suffix .cards: lines `column: value`, and an empty line after each row."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from goldproof.data.formats import FileReader, iter_lines
from goldproof.errors import DataError

AT_ONCE = 10_000


def read_cards(path: Path) -> Iterator[pa.RecordBatch]:
    """The rows in batches, so that a file of any size can be read."""
    rows: list[dict[str, str]] = []
    row: dict[str, str] = {}
    for number, line in iter_lines(path):
        if line.strip():
            column, colon, value = line.partition(":")
            if not colon:
                raise DataError(f"a line is 'column: value'; got {line!r}", path=path, line=number)
            row[column.strip()] = value.strip()
        elif row:
            rows.append(row)
            row = {}
        if len(rows) == AT_ONCE:
            yield pa.RecordBatch.from_pylist(rows)
            rows = []
    if row:
        rows.append(row)
    if rows:
        yield pa.RecordBatch.from_pylist(rows)


READER = FileReader((".cards",), read_cards)
