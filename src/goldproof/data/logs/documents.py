"""JSON of logs, whole or line by line, and the keys with which a file begins. It gives nothing a meaning.

A log holds long texts that nobody asks for here. So of lines only the fields that are wanted are read, by Arrow's
parser where it can, else exactly and slowly; and what a file is can be told from its first keys alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from goldproof.data.formats.files import decode_line, iter_blocks, read_whole
from goldproof.data.formats.strict_json import load_json
from goldproof.data.nested import value_at
from goldproof.errors import DataError

SNIFFED_LINES = 50
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]', re.DOTALL)
_KINDS = {"boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "string": pa.string()}  # for Arrow
Fields = Mapping[str, pa.ChunkedArray]


def parse_document(data: bytes, path: Path, member: str = "") -> Any:
    """The value of a JSON document, in which NaN may stand for a number."""
    within = f"{member}: " if member else ""
    try:
        return load_json(decode_line(data, path, 1), nan=True)
    except json.JSONDecodeError as error:
        message = f"{within}not JSON: {error.msg} at line {error.lineno}, character {error.colno}"
        raise DataError(message, path=path) from None
    except ValueError as error:
        raise DataError(f"{within}not JSON: {error}", path=path) from None


def read_document(path: Path) -> Any:
    """The value of a file that is one JSON document."""
    return parse_document(read_whole(path), path)


def iter_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number of each line that is not blank, and the object on it."""
    number = 0
    for block in iter_blocks(path):
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            if line.strip():
                yield number, parse_object(line, path, number)


def parse_object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """The JSON object on a line, or an error that says why it is none."""
    try:
        value = load_json(decode_line(line, path, number), nan=True)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at character {error.colno}", path=path, line=number) from None
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path, line=number) from None
    if not isinstance(value, dict):
        raise DataError("a JSON object is needed on each line", path=path, line=number)
    return value


def first_objects(path: Path) -> list[dict[str, Any]]:
    """The objects on the first lines."""
    return [row for _, row in islice(iter_objects(path), SNIFFED_LINES)]


def read_fields(path: Path, texts: Sequence[str], numbers: Sequence[str], first: Sequence[Mapping[str, Any]]) -> Fields:
    """Some fields of every line, also fields inside fields: as texts and as numbers, null where a line has none.

    `first` are the first lines, which say how a field is written as a rule; where it is not, a line is read slowly.
    """
    kinds = {name: _text_kind([value_at(row, name) for row in first]) for name in texts}
    kinds |= {name: _number_kind([value_at(row, name) for row in first]) for name in numbers}
    types = {name: pa.float64() if name in numbers else pa.string() for name in kinds}
    parsed: dict[str, list[pa.Array]] = {name: [] for name in kinds}
    first_line = 1
    for block in iter_blocks(path):
        found = _parse_block(block, kinds) or _parse_slowly(block, types, path, first_line)
        for name, array in found.items():
            parsed[name].append(array.cast(types[name]))
        first_line += block.count(b"\n")
    return {name: pa.chunked_array(arrays, types[name]) for name, arrays in parsed.items()}


def _text_kind(values: Sequence[Any]) -> str:
    return "integer" if {type(value) for value in values if value is not None} == {int} else "string"


def _number_kind(values: Sequence[Any]) -> str:
    return "boolean" if {type(value) for value in values if value is not None} == {bool} else "number"


def _parse_block(block: bytes, kinds: Mapping[str, str]) -> dict[str, pa.Array] | None:
    """The fields by Arrow's parser; None where only a slow reading can tell what is right."""
    options = pa.json.ParseOptions(explicit_schema=_schema(kinds), unexpected_field_behavior="ignore")
    n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
    try:
        table = pa.json.read_json(pa.BufferReader(block), parse_options=options)
        if table.num_rows != n_lines:  # blank lines, or several objects on one line
            return None
        found = {name: _field(table, name) for name in kinds}
        for array in found.values():
            array.validate(full=True)  # Arrow's parser lets bytes through that are not UTF-8
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    numbers = [array for array in found.values() if pa.types.is_floating(array.type)]
    return None if any(pc.any(pc.is_inf(array)).as_py() for array in numbers) else found


def _schema(kinds: Mapping[str, str]) -> pa.Schema:
    """`{"doc.q": "string", "acc": "number"}` as a struct `doc` with a string `q`, and a number `acc`."""
    tree: dict[str, Any] = {}
    for name, kind in kinds.items():
        *above, last = name.split(".")
        place = tree
        for part in above:
            place = place.setdefault(part, {})
        place[last] = _KINDS[kind]
    return pa.schema(_members(tree))


def _members(tree: Mapping[str, Any]) -> list[pa.Field]:
    return [
        pa.field(name, pa.struct(_members(below)) if isinstance(below, dict) else below) for name, below in tree.items()
    ]


def _field(table: pa.Table, name: str) -> pa.Array:
    start, *below = name.split(".")
    column = table.column(start)
    for part in below:
        column = pc.struct_field(column, part)
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _parse_slowly(block: bytes, types: Mapping[str, pa.DataType], path: Path, first_line: int) -> dict[str, pa.Array]:
    values: dict[str, list[Any]] = {name: [] for name in types}
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=first_line):
        if not line.strip():
            continue
        row = parse_object(line, path, number)
        for name, kind in types.items():
            values[name].append((_text if pa.types.is_string(kind) else _number)(value_at(row, name)))
    return {name: pa.array(values[name], kind) for name, kind in types.items()}


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict | list) else as_text(value)


def _number(value: Any) -> float | None:
    number = as_number(value)
    return None if math.isnan(number) and not isinstance(value, float) else number


def as_number(value: Any) -> float:
    """A number or truth as a float; not a number for anything else, and for whole numbers beyond all floats.

    >>> as_number(True), as_number(3), as_number("3"), as_number(10**400)
    (1.0, 3.0, nan, nan)
    """
    if not isinstance(value, bool | int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def mapping(value: Any) -> dict[str, Any]:
    """A value that should be an object; empty where it is another, so that a log of odd parts lacks them only."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a value that should be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def names(value: Any) -> list[str]:
    """The texts of a value that should be a list of them."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def settings_of(found: Mapping[str, Any]) -> dict[str, str]:
    """Settings of an evaluation as they are compared and shown; those that were not set are left out.

    >>> settings_of({"temperature": 0.0, "stop": ["a"], "seed": None})
    {'temperature': '0.0', 'stop': '["a"]'}
    """
    return {
        name: value if isinstance(value, str) else as_text(json.dumps(value, ensure_ascii=False))
        for name, value in found.items()
        if value not in (None, "", {}, [])
    }


def digest(text: str) -> str:
    """A short digest of a text: enough to see that two are not the same."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def as_text(value: Any) -> str:
    """A value as text that can be written as UTF-8; halves of surrogate pairs become question marks."""
    return str(value).encode("utf-8", "replace").decode()


def first_keys(text: str) -> tuple[str, ...]:
    """The keys of the first object in a JSON text that may be cut off, of the outermost or in a list.

    >>> first_keys('[{"a": {"b": 1}, "c": [2'), first_keys("3")
    (('a', 'c'), ())
    """
    keys: list[str] = []
    depth, held = 0, ""
    outer = 2 if text.lstrip().startswith("[") else 1
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth < outer:
                break
        elif sign == ":":
            if depth == outer and held:
                keys.append(held)
            held = ""
        else:
            held = sign[1:-1] if len(sign) > 1 else ""
    return tuple(keys)
