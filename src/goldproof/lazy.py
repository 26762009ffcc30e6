"""Names that are imported when first used, so that a package is light until it is asked for something."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any


def find(package: str, homes: Mapping[str, Sequence[str]], name: str) -> Any:
    """The public name of a package, from the module that is its home."""
    for home, names in homes.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
