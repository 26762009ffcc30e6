"""Keys: the identity of a job as a digest of what it computes, never of where or how.

A key is the SHA-256 of a canonical JSON text: step name, version, bound arguments, keys of the jobs among them. Paths,
devices and worker counts are no part of it. This module does not know what a job is; it sees a `key` attribute.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
import operator
from pathlib import PurePath
from typing import Any

from goldproof.errors import UsageError
from goldproof.jobs.names import name_of

NOT_IDENTITY = "goldproof: not identity"
_FLOATS = ("float", "float | None", "None | float", "Optional[float]", float | None)


def canonical(value: Any, where: str = "argument") -> Any:
    """The JSON form of an argument, the same in every process and on every day.

    >>> canonical({"b": (1, 2.0), "a": None})
    {'a': None, 'b': [1, 2.0]}
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, float):
        return _canonical_float(float(value), where)
    if isinstance(value, enum.Enum):
        return canonical(value.value, where)
    if isinstance(value, list | tuple):
        return [canonical(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict):
        return _canonical_map(value, where)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _canonical_dataclass(value, where)
    if isinstance(key := getattr(value, "key", None), str):
        return {"$job": key}
    return _canonical_index(value, where)


def digest(form: Any) -> str:
    """SHA-256 of a canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(dumps(form).encode()).hexdigest()


def dumps(form: Any) -> str:
    """Compact JSON with sorted keys: the same text for the same value."""
    return json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _canonical_float(value: float, where: str) -> Any:
    if math.isnan(value):
        raise UsageError(f"{where} is NaN, which has no identity; give a number or None")
    return value if math.isfinite(value) else {"$float": str(value)}


def _canonical_map(value: dict[Any, Any], where: str) -> dict[str, Any]:
    for name in value:
        if not isinstance(name, str) or name.startswith("$"):
            raise UsageError(f"{where} has the key {name!r}; keys must be text that does not start with '$'")
    return {name: canonical(value[name], f"{where}.{name}") for name in sorted(value)}


def _canonical_dataclass(value: Any, where: str) -> dict[str, Any]:
    form = {"$type": name_of(type(value))}
    for field in dataclasses.fields(value):
        if NOT_IDENTITY not in field.metadata:
            form[field.name] = canonical(as_declared(getattr(value, field.name), field.type), f"{where}.{field.name}")
    return form


def as_declared(value: Any, declared: Any) -> Any:
    """A whole number where a float is declared, as that float: 10 and 10.0 are then the same setting.

    >>> as_declared(10, "float | None"), as_declared(10, "int"), as_declared(True, "float")
    (10.0, 10, True)
    """
    if isinstance(value, int) and not isinstance(value, bool) and (declared is float or declared in _FLOATS):
        return float(value)
    return value


def _canonical_index(value: Any, where: str) -> int:
    try:
        return operator.index(value)  # numpy integers
    except TypeError:
        pass
    if isinstance(value, PurePath):
        raise UsageError(f"{where} is a path, and a path does not identify what lies there; pass its digest or content")
    raise UsageError(
        f"{where} is of type {type(value).__name__}, which has no stable identity; allowed are None, booleans, "
        "numbers, text, lists, maps with text keys, dataclasses of these, and jobs"
    )
