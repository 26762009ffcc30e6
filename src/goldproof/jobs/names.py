"""Names of types: what a dataclass is called in keys and in stored values, wherever its module lies.

A dataclass that enters a job's key or a job's value declares its name once, with `@named`, and keeps it when it moves
to another module or gets another class name. Renaming it on purpose makes other keys.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from goldproof.errors import UsageError

K = TypeVar("K", bound=type)

_types: dict[str, type] = {}
_names: dict[type, str] = {}


def named(name: str) -> Callable[[K], K]:
    """Declare what a dataclass is called in keys and in the store; it stands above `@dataclass`.

    >>> @named("docs.Point")
    ... @dataclasses.dataclass(frozen=True)
    ... class Point:
    ...     x: int
    >>> name_of(Point), type_named("docs.Point") is Point
    ('docs.Point', True)
    """

    def declare(kind: K) -> K:
        if not dataclasses.is_dataclass(kind):
            raise UsageError(f"{kind.__qualname__} is not a dataclass: @named({name!r}) stands above @dataclass")
        other = _types.get(name)
        if other is not None and (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):
            raise UsageError(
                f"two types are named {name!r}: {other.__module__}.{other.__qualname__} and "
                f"{kind.__module__}.{kind.__qualname__}; give one of them another name"
            )
        _types[name] = kind
        _names[kind] = name
        return kind

    return declare


def name_of(kind: type) -> str:
    """The declared name of a dataclass, or an error that says how to declare one."""
    try:
        return _names[kind]
    except KeyError:
        raise UsageError(
            f"the dataclass {kind.__module__}.{kind.__qualname__} has no declared name, so its key would change when "
            f"it moves; put @named('project.{kind.__name__}') above @dataclass (from goldproof import named)"
        ) from None


def type_named(name: str) -> Any:
    """The dataclass of this name, among the modules that are loaded."""
    try:
        return _types[name]
    except KeyError:
        raise UsageError(
            f"a stored value is of type {name!r}, which no loaded module declares with @named({name!r})"
        ) from None
