"""Scratch: a folder for a running job's snapshots, beside the store, deleted when its value is committed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_folders: ContextVar[tuple[Path, ...]] = ContextVar("scratch", default=())


def scratch_folder() -> Path | None:
    """The folder in which the running job may leave snapshots to resume from; None when it runs without a store.

    What lies in it was left by an earlier try of the very same job.
    """
    folders = scratch_folders()
    return folders[0] if folders else None


def scratch_folders() -> tuple[Path, ...]:
    """The folders of the jobs that run together, in their order; empty when they run without a store."""
    folders = _folders.get()
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return folders


@contextmanager
def scratch_at(folders: Sequence[Path]) -> Iterator[None]:
    """Within the block, the running jobs' scratch is in these folders."""
    token = _folders.set(tuple(folders))
    try:
        yield
    finally:
        _folders.reset(token)
