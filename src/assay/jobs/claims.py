"""Claims: who is working on a job, so that two processes on one store do not do the same work twice.

A claim is an advisory lock on a small file; the kernel drops it when its process dies, however it dies. Claims save
work; they are not what keeps the store right (complete-or-absent commits are).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

with contextlib.suppress(ImportError):  # absent outside POSIX: there every claim is granted
    import fcntl


class Claim:
    """A held lock; `release` gives it up."""

    __slots__ = ("_descriptor", "_path")

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the claim up and remove its file."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def try_claim(path: Path) -> Claim | None:
    """The claim on this file, or None when a living process holds it."""
    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            continue
        if not _lock(descriptor):
            os.close(descriptor)
            return None
        if _is_current(path, descriptor):
            return Claim(path, descriptor)
        os.close(descriptor)  # its former holder removed the file between our open and our lock: take the new one


def _lock(descriptor: int) -> bool:
    if "fcntl" not in globals():
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_current(path: Path, descriptor: int) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))
