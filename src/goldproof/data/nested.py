"""Fields inside fields: `doc.label` is the field `label` of the column `doc`, `choices.0` the first of its list.

A column whose own name has a dot in it comes first. It reads mappings and lists; it gives no value a meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from goldproof.errors import DataError


def column_of(name: str, columns: Sequence[str]) -> str | None:
    """The column that a name is or lies in; None where there is none.

    >>> column_of("doc.label", ["id", "doc"]), column_of("doc.label", ["doc.label", "doc"]), column_of("x", ["doc"])
    ('doc', 'doc.label', None)
    """
    if name in columns:
        return name
    parts = name.split(".")
    starts = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return next((start for start in starts if start in columns), None)


def names_inside(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields inside the mappings of a row, as they are named.

    >>> names_inside({"id": 3, "doc": {"body": "It rains.", "by": {"name": "A"}}})
    ('doc.body', 'doc.by.name')
    """
    inner = {name: value for name, value in row.items() if isinstance(value, Mapping)}
    return tuple(each for name, value in inner.items() for each in _leaves(name, value))


def _leaves(above: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, Mapping):
        return (above,)
    return tuple(each for name, inner in value.items() for each in _leaves(f"{above}.{name}", inner))


def structs_inside(schema: pa.Schema) -> tuple[str, ...]:
    """The fields inside the columns of a table, as they are named."""
    return names_inside({part.name: _as_mapping(part.type) for part in schema})


def _as_mapping(kind: pa.DataType) -> Any:
    if not pa.types.is_struct(kind):
        return None
    parts = [kind.field(position) for position in range(kind.num_fields)]
    return {part.name: _as_mapping(part.type) for part in parts}


def value_at(row: Mapping[str, Any], name: str) -> Any:
    """The value of a field in a row of plain values; None where it or something above it is absent.

    >>> value_at({"doc": {"label": "yes", "choices": ["a", "b"]}}, "doc.choices.1")
    'b'
    """
    column = column_of(name, list(row))
    if column is None:
        return None
    value: Any = row[column]
    for part in _below(name, column):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def array_at(column: pa.Array, name: str, start: str, path: str | Path) -> pa.Array:
    """The array of a field inside a column of structs or lists, or an error that names the fields there are."""
    above = start
    for part in _below(name, start):
        if pa.types.is_struct(column.type) and column.type.get_field_index(part) >= 0:
            column = pc.struct_field(column, part)
        elif _is_list(column.type) and part.isdecimal():
            column = _elements(column, int(part))
        else:
            raise DataError(f"there is no field {part!r} in {above!r}; {_found(column.type)}", path=path)
        above = f"{above}.{part}"
    return column


def _below(name: str, column: str) -> list[str]:
    return name[len(column) + 1 :].split(".") if name != column else []


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _elements(column: pa.Array, number: int) -> pa.Array:
    cells = column.to_pylist()
    picked = [cell[number] if cell is not None and number < len(cell) else None for cell in cells]
    return pa.array(picked, column.type.value_type)


def _found(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return f"fields found: {', '.join(kind.field(i).name for i in range(kind.num_fields))}"
    return "it has no fields"
