"""Cache: a folder beside the store for what is costly to make and may be thrown away at any time, such as activations.

What lies in it is no job's value: a step that finds nothing there makes it anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_folder: ContextVar[Path | None] = ContextVar("cache", default=None)


@contextmanager
def cache_folder(name: str) -> Iterator[Path]:
    """The folder of this name that all jobs of a store share; a temporary one when a step runs without a store.

    >>> with cache_folder("activations") as folder:
    ...     folder.is_dir()
    True
    """
    shared = _folder.get()
    if shared is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    place = shared / name
    place.mkdir(parents=True, exist_ok=True)
    yield place


@contextmanager
def cache_at(folder: Path) -> Iterator[None]:
    """Within the block, the running jobs' cache is in this folder."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)
