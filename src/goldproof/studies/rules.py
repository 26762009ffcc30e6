"""What settings must be: the rules of a Config, and the one error where a rule is broken. It needs no pydantic."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from goldproof.errors import UsageError


def check_settings(config: Any, rules: Iterable[tuple[str, bool, str]]) -> None:
    """Raise at the first rule that is broken; a rule is a setting's dotted key, whether it is right, what is allowed.

    >>> from types import SimpleNamespace
    >>> check_settings(SimpleNamespace(data=SimpleNamespace(share=2)), [("data.share", False, "below 1")])
    Traceback (most recent call last):
    goldproof.errors.UsageError: the setting 'data.share' must be below 1; got 2
    """
    for name, is_right, allowed in rules:
        if not is_right:
            raise UsageError(f"the setting {name!r} must be {allowed}; got {_value(config, name)!r}")


def are_distinct(values: Collection[Any]) -> bool:
    """Whether no value stands twice.

    >>> are_distinct((0, 1)), are_distinct((0, 1, 0))
    (True, False)
    """
    return len(set(values)) == len(values)


def _value(config: Any, name: str) -> Any:
    for part in name.split("."):
        config = getattr(config, part)
    return config
