"""Places: where a store's files lie. A place knows files by relative names and nothing of jobs or values.

Whatever is written is whole or absent. `LocalPlace` is a folder, on this machine or shared over a network;
`goldproof.jobs.remote` has the other kind, a URL such as s3://bucket/store.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from goldproof.extras import Need
from goldproof.jobs.bounded import read_plain
from goldproof.jobs.files import fsync_folder, no_partial_write, remove_tree, write_durably


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a place: its name, its size in bytes, and when it was last written, in seconds since 1970."""

    name: str
    size: int
    modified: float


class Place(Protocol):
    """Where files lie. Names use '/'; what goes wrong is an OSError, and FileNotFoundError where nothing is there."""

    @property
    def where(self) -> str:
        """The place as its user wrote it."""

    @property
    def local(self) -> Path:
        """A folder of this machine: the place itself, or the cache of a remote one; scratch and claims lie in it."""

    @property
    def requires(self) -> tuple[Need, ...]:
        """The extras without which it cannot be read."""

    def exists(self, name: str) -> bool:
        """Whether this file is there now."""

    def look(self, folder: str) -> Callable[[str], bool]:
        """A way to ask of many files of a folder whether they are there, as of now or later."""

    def read(self, name: str) -> bytes:
        """The content of a small file; of one that never changes, a copy may be kept at hand."""

    def fetch(self, names: Collection[str]) -> None:
        """Bring copies of small files that never change to hand, where reading them one by one is slow."""

    def write(self, name: str, content: bytes, *, replace: bool = True) -> bool:
        """Write a file whole; with `replace=False` one that is there stays. Whether it was written."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def top(self) -> list[str]:
        """The names of files and folders at the top."""

    def entries(self, folder: str) -> Iterator[FileEntry]:
        """Every file under a folder, in an order that depends on the names alone."""

    def new_folder(self, name: str) -> AbstractContextManager[Path]:
        """A local folder to write into: at the end of the block its files are in place, or gone if the block failed."""

    def open_folder(self, name: str, files: Collection[str]) -> Path:
        """A local folder with these files of a folder, as far as they are there."""

    def remove_folder(self, name: str) -> None:
        """Remove a folder and all in it, if it is there."""

    def forget(self, names: Collection[str]) -> bool:
        """Drop copies at hand of these files and folders; False where there are never any."""


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """A folder."""

    local: Path

    @property
    def where(self) -> str:
        """The folder's path."""
        return str(self.local)

    @property
    def requires(self) -> tuple[Need, ...]:
        """None."""
        return ()

    def exists(self, name: str) -> bool:
        """Whether this file is there now."""
        return os.path.exists(f"{self.local}/{name}")  # noqa: PTH110 - this is the hot path of a resume

    def look(self, folder: str) -> Callable[[str], bool]:
        """A look at each file when it is asked about."""
        return self.exists

    def read(self, name: str) -> bytes:
        """The content of a file."""
        return read_plain(self.local / name)

    def fetch(self, names: Collection[str]) -> None:
        """They are at hand."""

    def write(self, name: str, content: bytes, *, replace: bool = True) -> bool:
        """Write a file whole."""
        return write_durably(self.local / name, content, replace=replace)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        path = self.local / name
        try:
            path.unlink(missing_ok=True)
        except (IsADirectoryError, PermissionError):  # what unlinking a folder gives depends on the system
            if not path.is_dir():
                raise
            path.rmdir()  # a folder that stands in a file's place, if it is empty

    def top(self) -> list[str]:
        """The names of files and folders in the folder."""
        return sorted(path.name for path in self.local.iterdir())

    def entries(self, folder: str) -> Iterator[FileEntry]:
        """Every file under a folder, in an order that depends on the names alone; also what has a record's name."""
        for parent, folders, files in os.walk(self.local / folder):
            folders.sort()
            for name in sorted([*files, *(name for name in folders if name.endswith(".json"))]):
                path = Path(parent, name)
                with suppress(FileNotFoundError):  # another process may just have removed it
                    found = path.stat()
                    yield FileEntry(path.relative_to(self.local).as_posix(), found.st_size, found.st_mtime)

    @contextmanager
    def new_folder(self, name: str) -> Iterator[Path]:
        """The folder itself."""
        folder = self.local / name
        folder.mkdir(parents=True)
        with no_partial_write(folder):
            yield folder
            fsync_folder(folder)

    def open_folder(self, name: str, files: Collection[str]) -> Path:
        """The folder itself."""
        return self.local / name

    def remove_folder(self, name: str) -> None:
        """Remove a folder."""
        remove_tree(self.local / name)

    def forget(self, names: Collection[str]) -> bool:
        """There are no copies."""
        return False


def place_at(where: str | Path) -> Place:
    """The place that a user named: a folder, or a URL that fsspec knows.

    >>> place_at("results").where, place_at("file:///data/results").where
    ('results', '/data/results')
    """
    text = str(where)
    if "://" not in text:
        return LocalPlace(Path(where))
    if text.startswith("file://"):
        return LocalPlace(Path(text.removeprefix("file://")))
    from goldproof.jobs.remote import RemotePlace

    return RemotePlace(text.rstrip("/"))
