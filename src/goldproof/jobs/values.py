"""Values as files: JSON for plain values and dataclasses, Parquet for tables, safetensors for arrays; never pickle.

A value is a tree. Its plain part becomes one JSON text; each table and array in it becomes an attachment that the text
points to. Decoding looks dataclasses up by their declared names in modules that are already loaded, and runs nothing.
"""

from __future__ import annotations

import dataclasses
import json
import math
import operator
import os
import re
from pathlib import Path
from typing import Any

from goldproof.errors import UsageError
from goldproof.jobs.bounded import MOST_LEVELS, TooDeepError, check_depth, parse_bounded
from goldproof.jobs.names import name_of, type_named

ARRAYS = "arrays.safetensors"


@dataclasses.dataclass(slots=True)
class Encoded:
    """A value as JSON text, with the tables and arrays that the text points to, by name."""

    text: str
    tables: dict[str, Any]
    arrays: dict[str, Any]

    def write_attachments(self, folder: Path) -> list[Path]:
        """Write tables and arrays into the folder and give the files' paths."""
        written = []
        if self.arrays:
            _save_arrays(self.arrays, folder / ARRAYS)
            written.append(folder / ARRAYS)
        for name, table in self.tables.items():
            import pyarrow.parquet as pq

            pq.write_table(table, folder / name, compression="zstd")
            written.append(folder / name)
        return written


def _save_arrays(arrays: dict[str, Any], path: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file(arrays, path)
    except SafetensorError as error:
        number = re.search(r"os error (\d+)", str(error))  # the library hides the system's error in its message
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


def encode(value: Any) -> Encoded:
    """The value as text and attachments."""
    encoded = Encoded("", {}, {})
    try:
        form = _encode(value, encoded)
        encoded.text = json.dumps(form, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        check_depth(form, encoded.text)
    except (TooDeepError, RecursionError):
        raise UsageError(
            f"a job returned a value nested deeper than {MOST_LEVELS} levels, which the store cannot keep"
        ) from None
    return encoded


def decode(text: str, folder: Path | None) -> Any:
    """The value that was encoded; `folder` holds its attachments."""
    return _Decoder(folder).decode(parse_bounded(text))


def decode_with(text: str, arrays: dict[str, Any]) -> Any:
    """The value that was encoded, its arrays given by name; it has no tables."""
    return _Decoder(None, arrays).decode(parse_bounded(text))


def _encode(value: Any, into: Encoded) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": str(float(value))}
    if isinstance(value, list):
        return [_encode(item, into) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [_encode(item, into) for item in value]}
    if isinstance(value, dict):
        return _encode_map(value, into)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _encode(getattr(value, f.name), into) for f in dataclasses.fields(value)}
        return {"$type": name_of(type(value)), "fields": fields}
    return _encode_foreign(value, into)


def _encode_map(value: dict[Any, Any], into: Encoded) -> Any:
    if all(isinstance(name, str) and not name.startswith("$") for name in value):
        return {name: _encode(item, into) for name, item in value.items()}
    return {"$map": [[_encode(name, into), _encode(item, into)] for name, item in value.items()]}


def _encode_foreign(value: Any, into: Encoded) -> Any:
    """Tables, arrays and numpy scalars, told by their module so that planning need not import those libraries."""
    module = type(value).__module__.partition(".")[0]
    if module == "pyarrow" and type(value).__name__ == "Table":
        name = f"table-{len(into.tables)}.parquet"
        into.tables[name] = value
        return {"$table": name}
    if module == "numpy" and type(value).__name__ == "ndarray" and value.dtype.kind in "biuf":
        import numpy as np

        name = f"array-{len(into.arrays)}"
        into.arrays[name] = np.ascontiguousarray(value)
        return {"$array": name, "shape": list(value.shape)}  # ascontiguousarray makes a 0-d array 1-d
    if module == "numpy" and type(value).__name__ != "ndarray":
        return _encode(value.item(), into)
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(
            f"a job returned a {type(value).__name__}, which the store cannot keep; allowed are None, booleans, "
            "numbers, text, lists, tuples, maps, dataclasses, numpy arrays of numbers and pyarrow tables of these"
        ) from None


class _Decoder:
    def __init__(self, folder: Path | None, arrays: dict[str, Any] | None = None) -> None:
        self.folder = folder
        self._arrays = arrays

    def decode(self, form: Any) -> Any:
        if isinstance(form, list):
            return [self.decode(item) for item in form]
        if not isinstance(form, dict):
            return form
        match next(iter(form), ""):
            case "$float":
                return float(form["$float"])
            case "$tuple":
                return tuple(self.decode(item) for item in form["$tuple"])
            case "$map":
                return {self.decode(name): self.decode(item) for name, item in form["$map"]}
            case "$type":
                kind = type_named(form["$type"])
                return kind(**{name: self.decode(item) for name, item in form["fields"].items()})
            case "$table":
                return self._table(form)
            case "$array":
                return self._array(form)
            case mark if mark.startswith("$"):
                raise UsageError(f"a stored value has the mark {mark!r}, which this version of Goldproof does not know")
        return {name: self.decode(item) for name, item in form.items()}

    def _table(self, form: dict[str, Any]) -> Any:
        import pyarrow.parquet as pq

        assert self.folder is not None
        return pq.read_table(self.folder / form["$table"])

    def _array(self, form: dict[str, Any]) -> Any:
        if self._arrays is None:
            from safetensors.numpy import load_file

            assert self.folder is not None
            self._arrays = load_file(self.folder / ARRAYS)
        return self._arrays[form["$array"]].reshape(form["shape"])
