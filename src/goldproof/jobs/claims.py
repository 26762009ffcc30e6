"""Claims: who is working on a job, so that two processes on one store do not do the same work twice.

A claim is a lock on one byte of one file, the byte being given by the job's key; the kernel drops it when its process
dies, however it dies. One open file serves any number of claims. Claims save work; they are not what keeps the store
right (complete-or-absent commits are).
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path

with contextlib.suppress(ImportError):  # absent outside POSIX: there every claim is granted
    import fcntl

_TAKEN = (errno.EACCES, errno.EAGAIN)
_tables: dict[tuple[int, str], _Table] = {}
_guard = threading.Lock()


class HeldClaim:
    """A held claim; `release` gives it up."""

    __slots__ = ("_at", "_table")

    def __init__(self, table: _Table, at: int) -> None:
        self._table = table
        self._at = at

    def release(self) -> None:
        """Give the claim up."""
        self._table.release(self._at)


def try_claim(path: Path, key: str) -> HeldClaim | None:
    """The claim on this key through this file, or None when a living process (or this one) holds it."""
    name = os.path.realpath(path)
    with _guard:
        table = _tables.get((os.getpid(), name))
        if table is None or not table.is_current():
            table = _tables[os.getpid(), name] = _Table(name)
        at = int(key[:15], 16)
        return HeldClaim(table, at) if table.take(at) else None


class _Table:
    """The file, opened once: closing any handle of it would drop all of this process's claims."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._held: set[int] = set()
        flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC
        try:
            self._descriptor = os.open(name, flags, 0o666)
        except FileNotFoundError:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(name, flags, 0o666)

    def is_current(self) -> bool:
        """Whether the file is still the one at its path."""
        try:
            return os.path.samestat(Path(self._name).stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def take(self, at: int) -> bool:
        if at in self._held:
            return False
        if "fcntl" in globals():
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)
            except OSError as error:
                if error.errno in _TAKEN:
                    return False  # any other error: a file system without locks, where every claim is granted
        self._held.add(at)
        return True

    def release(self, at: int) -> None:
        if at in self._held:
            self._held.discard(at)
            if "fcntl" in globals():
                with contextlib.suppress(OSError):
                    fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, at)
