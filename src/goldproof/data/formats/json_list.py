"""A JSON list of objects as raw columns: what is not one object a line, though its name often says so.

Only the columns that are asked for are looked at, so that another one of mixed kinds is in nobody's way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.data.formats.files import decode_line, first_bytes, read_whole
from goldproof.data.formats.jsonl import JsonLines
from goldproof.data.formats.raw import RawBatch
from goldproof.data.formats.strict_json import load_json
from goldproof.data.in_memory import TableRows, open_table
from goldproof.data.nested import column_of, names_inside
from goldproof.errors import DataError

_LOOKED_AT = 4096


@dataclass(frozen=True, slots=True)
class JsonList:
    """The rows of a file that is one JSON list of objects."""

    path: Path
    rows: Sequence[Mapping[str, Any]]
    column_names: tuple[str, ...]

    @property
    def inner_names(self) -> tuple[str, ...]:
        """The fields inside the mappings of the first row."""
        return names_inside(self.rows[0])

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """All rows in one batch."""
        starts = dict.fromkeys(column_of(name, self.column_names) or name for name in wanted)
        for start in starts:
            if start not in self.column_names:
                found = ", ".join(self.column_names)
                raise DataError(f"there is no column {start!r}; columns found: {found}", path=self.path)
        table = open_table([{start: row.get(start) for start in starts} for row in self.rows]).table
        yield from TableRows(str(self.path), table).iter_batches(wanted)


def is_json_list(path: Path) -> bool:
    """Whether a file begins as a JSON list does."""
    return first_bytes(path, _LOOKED_AT).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def open_json(path: Path) -> JsonList | JsonLines:
    """A JSON file: one list of objects, or one object on each line."""
    if not is_json_list(path):
        return JsonLines.open(path)
    rows = load_document(path)
    wrong = next((number for number, row in enumerate(rows, start=1) if not isinstance(row, dict)), None)
    if wrong is not None or not rows:
        what = f"element {wrong} is none" if rows else "the list is empty"
        raise DataError(f"a JSON list must hold objects, one for each row; {what}", path=path)
    return JsonList(path, rows, tuple(dict.fromkeys(name for row in rows for name in row)))


def load_document(path: Path) -> Any:
    """The one JSON document in a file; an error names the line where it is none."""
    try:
        return load_json(decode_line(read_whole(path), path, 1))
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at character {error.colno}", path=path, line=error.lineno) from None
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
