"""JSON Lines as raw batches: Arrow's parser on blocks of whole lines, and a slow, exact reading of what it refuses.

The slow reading either names the line and what is wrong with it or, where Arrow was too strict, gives the rows. The
first lines decide the kind of each column (string, integer, number, boolean, list, mapping); null and absent keys are
always allowed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from goldproof.data.formats.files import decode_line, iter_blocks
from goldproof.data.formats.raw import RawBatch
from goldproof.data.formats.strict_json import load_json
from goldproof.data.nested import names_inside, value_at
from goldproof.errors import DataError

_SNIFFED_LINES = 200
_MAPPING = pa.map_(pa.string(), pa.float64())
_TYPES = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "list of strings": pa.list_(pa.string()),
    "list of numbers": pa.list_(pa.float64()),
    "mapping of numbers": _MAPPING,
}


@dataclass(frozen=True, slots=True)
class JsonLines:
    """A file with one JSON object on each line."""

    path: Path
    column_names: tuple[str, ...]
    kinds: Mapping[str, str]
    inner_names: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path) -> JsonLines:
        """Look at the first lines and see which keys there are and of what kind."""
        kinds: dict[str, str] = {}
        names: dict[str, None] = {}
        inner: dict[str, None] = {}
        lines = (line for block in iter_blocks(path) for line in block.removesuffix(b"\n").split(b"\n"))
        numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
        for number, line in islice(numbered, _SNIFFED_LINES):
            row = parse_line(line, path, number)
            names.update(dict.fromkeys(row))
            inner.update(dict.fromkeys(names_inside(row)))
            for key, value in row.items():
                _learn_kind(kinds, key, value)
        if not names:
            raise DataError("the file has no rows", path=path)
        return cls(path, tuple(names), kinds, tuple(inner))

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only, one for each block of the file."""
        kinds, first_line, first_row = dict(self.kinds), 1, 0
        nested = not set(wanted) <= set(self.column_names)
        for block in iter_blocks(self.path):
            columns = None if nested else _parse_block(block, wanted, kinds)
            lines: list[int] | None = None
            if columns is None:
                columns, lines = _parse_slowly(block, self.path, first_line, wanted, kinds)
            if columns.num_rows:
                line_of = lines.__getitem__ if lines is not None else _LinesOf(first_line)
                yield RawBatch(columns, first_row, self.path, line_of)
            first_row += columns.num_rows
            first_line += block.count(b"\n")


@dataclass(frozen=True, slots=True)
class _LinesOf:
    """Line numbers of a block without blank lines."""

    first: int

    def __call__(self, row: int) -> int:
        return self.first + row


def parse_line(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """The JSON object on a line, or a `DataError` that says why it is none."""
    text = decode_line(line, path, number)
    try:
        value = load_json(text)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at character {error.colno}", path=path, line=number) from None
    except UnicodeEncodeError:
        raise DataError("not JSON: half of a surrogate pair in a string", path=path, line=number) from None
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path, line=number) from None
    if not isinstance(value, dict):
        raise DataError(f"a JSON object is needed on each line; got {_kind_of(value)}", path=path, line=number)
    return value


def _parse_block(block: bytes, wanted: Sequence[str], kinds: Mapping[str, str]) -> pa.RecordBatch | None:
    """The block by Arrow's parser, or None where only the slow reading can tell what is right."""
    if any(kinds.get(name) in ("mapping of numbers", "other") for name in wanted):
        return None
    schema = pa.schema([(name, _TYPES[kinds.get(name, "string")]) for name in wanted])
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
    try:
        table = pa.json.read_json(pa.BufferReader(block), parse_options=options)
        if table.num_rows != n_lines:  # blank lines, or several objects on one line
            return None
        table.validate(full=True)  # Arrow's parser lets bytes through that are not UTF-8
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    columns = [_one_chunk(table.column(name)) for name in wanted]
    if any(pa.types.is_floating(column.type) and not np.isfinite(column.drop_null()).all() for column in columns):
        return None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _parse_slowly(
    block: bytes, path: Path, first_line: int, wanted: Sequence[str], kinds: dict[str, str]
) -> tuple[pa.RecordBatch, list[int]]:
    rows, lines = [], []
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=first_line):
        if not line.strip():
            continue
        row = parse_line(line, path, number)
        for key in wanted:
            value = value_at(row, key)
            _learn_kind(kinds, key, value)
            if kinds.get(key) == "other" and value is not None:
                message = f"{key!r} must be a text, a number or a list of these; got {_short(value)}"
                raise DataError(message, path=path, line=number)
            if not _fits(value, kinds.get(key, "string")):
                message = f"{key!r} is {_article(kinds[key])} in earlier lines; got {_kind_of(value)}: {_short(value)}"
                raise DataError(message, path=path, line=number)
        rows.append(row)
        lines.append(number)
    arrays = [pa.array([value_at(row, key) for row in rows], _TYPES[kinds.get(key, "string")]) for key in wanted]
    return pa.RecordBatch.from_arrays(arrays, names=list(wanted)), lines


def _learn_kind(kinds: dict[str, str], key: str, value: Any) -> None:
    if value is None:
        return
    kind = _bare_kind(value)
    if key not in kinds or (kinds[key] == "integer" and kind == "number"):
        kinds[key] = kind


def _fits(value: Any, kind: str) -> bool:
    if value is None:
        return True
    got = _bare_kind(value)
    empty_list = got == "list of strings" and not value and kind.startswith("list")
    return got != "other" and (got == kind or empty_list or (kind == "number" and got == "integer"))


def _bare_kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer" if -(2**63) <= value < 2**63 else "number"
        case float():
            return "number"
        case list() if all(isinstance(item, str) for item in value):
            return "list of strings"
        case list() if all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            return "list of numbers"
        case dict() if all(isinstance(item, int | float) and not isinstance(item, bool) for item in value.values()):
            return "mapping of numbers"
    return "other"


def _kind_of(value: Any) -> str:
    names = {type(None): "null", list: "a list", dict: "an object"}
    return names.get(type(value)) or _article(_bare_kind(value))


def _article(kind: str) -> str:
    if kind == "other":
        return "a nested value"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
