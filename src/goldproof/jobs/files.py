"""Files that are whole or absent: written aside, flushed to disk, then put in place in one move."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_durably(path: Path, content: bytes, *, replace: bool = True) -> bool:
    """Write a file so that it is whole or absent whatever happens; whether it was written.

    With `replace=False` a file that is already there stays, also when two processes write at the same moment. A power
    cut may lose the newest files whole (their folder is not flushed), and never leaves a part of one.
    """
    aside = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        file = aside.open("xb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = aside.open("xb")
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        written = _put(aside, path, replace)
    finally:
        aside.unlink(missing_ok=True)
    return written


@contextmanager
def written_aside(path: Path) -> Iterator[BinaryIO]:
    """A new file of a name that nobody can foresee beside the path, whose place it takes when the block ends well.

    Whatever stands at such a name, a link above all, is never followed or written to.
    """
    aside = path.parent / f".{secrets.token_hex(8)}.partial"
    file = aside.open("xb")
    try:
        with file:
            yield file
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def fsync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # some network file systems cannot flush a folder; the rename itself is still atomic there
        pass
    finally:
        os.close(descriptor)


@contextmanager
def no_partial_write(folder: Path) -> Iterator[None]:
    """Remove the folder when the block fails."""
    try:
        yield
    except BaseException:
        remove_tree(folder)
        raise


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, if it is there."""
    if folder.is_dir():
        shutil.rmtree(folder, ignore_errors=True)


def _put(aside: Path, path: Path, replace: bool) -> bool:
    if replace:
        aside.replace(path)
        return True
    try:
        os.link(aside, path)
    except FileExistsError:
        return False
    except OSError:  # no hard links here: rename is still atomic, and either of two writers may win
        if path.exists():
            return False
        aside.replace(path)
    return True
