"""Bounded reading: what lies in a store is a plain file of a bearable size, or it is refused at once.

A named pipe would be waited for, a device read for ever, text nested without end would exhaust the stack; others may
write to a store, so none of this is taken on trust. It knows nothing about records or values.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

MOST_BYTES = 16 * 2**20  # of a record, a note or the marker; values lie in files of their own
MOST_LEVELS = 200
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class NotReadableError(OSError):
    """What lies where a small file should be is none."""


class TooDeepError(ValueError):
    """A tree of lists and maps that is nested deeper than is read."""


def open_plain(path: str | Path) -> BufferedReader:
    """A plain file, opened for reading without ever waiting for one; anything else is a NotReadableError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):  # a socket, or a device that is not there
            raise NotReadableError(f"{Path(path).name} is a socket or a device, not a file") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    kind = next((name for test, name in _KINDS if test(mode)), "something else")
    raise NotReadableError(f"{Path(path).name} is {kind}, not a file")


def read_plain(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a plain file of at most so many."""
    with open_plain(path) as file:
        content = file.read(most + 1)
        if len(content) > most:
            found = os.fstat(file.fileno()).st_size
            raise NotReadableError(f"{Path(path).name} has {found} bytes; at most {most} are read")
        return content


def parse_bounded(text: str | bytes) -> Any:
    """What a JSON text says; a ValueError where it is none, and a TooDeepError beyond 200 levels.

    >>> parse_bounded("[1, {}]")
    [1, {}]
    """
    try:
        form = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    check_depth(form, text if isinstance(text, str) else text.decode())
    return form


def check_depth(form: Any, text: str) -> None:
    """Raise a TooDeepError where a tree, which is this as text, is nested deeper than 200 levels."""
    if text.count("[") + text.count("{") <= MOST_LEVELS:  # nearly always, and much faster than the walk below
        return
    level = [form]
    for _ in range(MOST_LEVELS + 1):
        nested = [item for item in level if isinstance(item, list | dict)]
        if not nested:
            return
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]
    raise _too_deep()


def _too_deep() -> TooDeepError:
    return TooDeepError(f"it is nested deeper than {MOST_LEVELS} levels")
