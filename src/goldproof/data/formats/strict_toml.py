"""TOML within our limits: what Python's reader breaks on is refused with a ValueError, as what it refuses itself is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from goldproof.data.formats import limits
from goldproof.data.formats.strict_json import MANY_DIGITS

_QUOTED = re.compile(r"""'[^'\n]*'|"(?:[^"\\\n]|\\.)*\"""")
_BETWEEN_KEYS = re.compile(r"[=,{}\[\]#\n]")


def load_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; a ValueError says what is wrong with it.

    >>> load_toml("a = " + "[" * 5000)
    Traceback (most recent call last):
    ValueError: nested more than 100 levels deep (goldproof.data.formats.limits.MOST_NESTING sets the limit)
    """
    if any(piece.count(".") > limits.MOST_NESTING for piece in _BETWEEN_KEYS.split(_QUOTED.sub("", text))):
        raise ValueError(limits.deep_nesting())  # a.a.a.… takes Python's reader minutes and all memory
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError(limits.deep_nesting()) from None
    except ValueError as error:
        raise ValueError(MANY_DIGITS if "integer string conversion" in str(error) else str(error)) from None
    if _is_deep(found):
        raise ValueError(limits.deep_nesting())
    return found


def _is_deep(found: Any) -> bool:
    level = [found]
    for _ in range(limits.MOST_NESTING + 1):
        level = [item for each in level for item in _items(each)]
        if not level:
            return False
    return True


def _items(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
