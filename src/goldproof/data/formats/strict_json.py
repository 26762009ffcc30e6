"""JSON with each key once, finite numbers and a limit on nesting: what Python's reader lets pass, or breaks on."""

from __future__ import annotations

import json
import math
from typing import Any

from goldproof.data.formats import limits

MANY_DIGITS = "a number has too many digits"


def load_json(text: str, *, nan: bool = False) -> Any:
    """The value of a JSON text; a ValueError says what is wrong with it. With `nan`, NaN may stand for a number.

    >>> load_json('{"a": 1.5}')
    {'a': 1.5}
    >>> load_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' occurs twice in one object
    """
    if limits.is_deep_json(text):
        raise ValueError(limits.deep_nesting())
    try:
        constant = _nan_alone if nan else _refuse_constant
        return json.loads(text, object_pairs_hook=_object, parse_constant=constant, parse_float=_finite)
    except RecursionError:
        raise ValueError(limits.deep_nesting()) from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise ValueError(MANY_DIGITS) from None
        raise


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _nan_alone(name: str) -> float:
    if name != "NaN":
        _refuse_constant(name)
    return math.nan
