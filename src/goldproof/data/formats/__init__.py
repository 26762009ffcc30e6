"""Bytes to columns: one module for each format of files; none gives a column a meaning.

Each public name is imported when first used: what a reader of a further format is made with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy

if TYPE_CHECKING:
    from goldproof.data.formats.added import FileReader
    from goldproof.data.formats.files import iter_lines

__all__ = ["FileReader", "iter_lines"]

_HOMES = {"goldproof.data.formats.added": ("FileReader",), "goldproof.data.formats.files": ("iter_lines",)}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
