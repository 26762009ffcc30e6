"""Remote places: a store behind a URL that fsspec knows, such as s3://bucket/store (extra `s3`), with copies at hand.

An object appears whole or not at all when it is put; a record is put on the condition that none is there
(`If-None-Match: *` on S3), so the first complete value stays. Where a server ignores the condition the last one stays,
which is complete as well. Who may do what, and where the server is, is said as for every program that uses fsspec
(for S3: the AWS environment variables and files).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from goldproof.errors import GoldproofError, UsageError
from goldproof.extras import Need, import_extra, missing_error
from goldproof.jobs.bounded import MOST_BYTES, NotReadableError, read_plain
from goldproof.jobs.files import no_partial_write, remove_tree
from goldproof.jobs.places import FileEntry

FETCHED_AT_ONCE = 256
_NEVER_CHANGES = "records/"


class RemotePlace:
    """The files under a URL; what never changes is kept in a cache folder of this machine once it was read."""

    def __init__(self, where: str, local: Path | None = None) -> None:
        self.where = where
        self.local = local or cache_folder(where)

    def __reduce__(self) -> tuple[Any, ...]:
        return RemotePlace, (self.where,)  # a worker has its own cache

    def __repr__(self) -> str:
        return f"RemotePlace({self.where!r})"

    @property
    def requires(self) -> tuple[Need, ...]:
        """The extra that it needs: s3fs brings fsspec, which is all that other protocols need of it."""
        protocol = self.where.partition("://")[0]
        return (Need("s3", f"a store at {protocol}://", ("s3fs" if protocol in ("s3", "s3a") else "fsspec",)),)

    @cached_property
    def _at(self) -> tuple[Any, str]:
        """The file system and the path in it."""
        (need,) = self.requires
        url_to_fs = import_extra("fsspec.core", need).url_to_fs
        try:
            system, path = url_to_fs(self.where, use_listings_cache=False)
        except ImportError:  # fsspec knows the protocol, and lacks the package for it
            raise missing_error([need]) from None
        except ValueError as error:
            raise UsageError(
                f"the store {self.where} cannot be used ({error}); allowed are a folder and a URL that fsspec knows, "
                "such as s3://bucket/store"
            ) from None
        return system, str(path).rstrip("/")

    def exists(self, name: str) -> bool:
        """Whether this file is there now; always asked of the server."""
        with _plain_errors():
            system, root = self._at
            return bool(system.exists(f"{root}/{name}"))

    def look(self, folder: str) -> Callable[[str], bool]:
        """One listing of the folder, then no more requests."""
        return {entry.name for entry in self.entries(folder)}.__contains__

    def read(self, name: str) -> bytes:
        """The content of a file; of a record, the copy at hand if there is one."""
        copy = self.local / name
        if name.startswith(_NEVER_CHANGES):
            with contextlib.suppress(FileNotFoundError):
                return read_plain(copy)
        with _plain_errors():
            system, root = self._at
            content = _bounded(system, f"{root}/{name}")
        if name.startswith(_NEVER_CHANGES):
            _keep_copy(copy, content)
        return content

    def fetch(self, names: Collection[str]) -> None:
        """Bring copies to hand, a few hundred at a time and all of those at once; what is not there is left out."""
        missing = [name for name in names if not (self.local / name).exists()]
        for start in range(0, len(missing), FETCHED_AT_ONCE):
            with _plain_errors():
                system, root = self._at
                paths = [f"{root}/{name}" for name in missing[start : start + FETCHED_AT_ONCE]]
                found = system.cat_ranges(paths, 0, MOST_BYTES + 1, on_error="return")
            for path, content in zip(paths, found, strict=True):
                if isinstance(content, bytes) and len(content) <= MOST_BYTES:  # reading it says what is wrong with it
                    _keep_copy(self.local / path.removeprefix(f"{root}/"), content)

    def write(self, name: str, content: bytes, *, replace: bool = True) -> bool:
        """Put a file; with `replace=False` on the condition that none is there."""
        with _plain_errors():
            system, root = self._at
            try:
                system.pipe_file(f"{root}/{name}", content, mode="overwrite" if replace else "create")
            except OSError as error:
                refused = isinstance(error, FileExistsError) or error.errno in (errno.EINVAL, errno.EBUSY)
                if not replace and refused and system.exists(f"{root}/{name}"):
                    return False
                raise
        return True

    def remove(self, name: str) -> None:
        """Remove a file and the copy at hand."""
        (self.local / name).unlink(missing_ok=True)
        with _plain_errors(), contextlib.suppress(FileNotFoundError):
            system, root = self._at
            system.rm_file(f"{root}/{name}")

    def top(self) -> list[str]:
        """The names of files and folders at the top."""
        with _plain_errors(), contextlib.suppress(FileNotFoundError):
            system, root = self._at
            return sorted(path.rstrip("/").rpartition("/")[2] for path in system.ls(root, detail=False))
        return []

    def entries(self, folder: str) -> Iterator[FileEntry]:
        """Every file under a folder, from one listing."""
        with _plain_errors():
            system, root = self._at
            found = system.find(f"{root}/{folder}".rstrip("/"), detail=True)
        for path, about in sorted(found.items()):
            yield FileEntry(path.removeprefix(f"{root}/"), int(about["size"] or 0), _seconds(about))

    @contextmanager
    def new_folder(self, name: str) -> Iterator[Path]:
        """A folder of the cache, whose files are put at the end; they stay in the cache."""
        folder = self.local / name
        folder.mkdir(parents=True)
        with no_partial_write(folder):
            yield folder
            with _plain_errors():
                system, root = self._at
                for path in sorted(folder.iterdir()):
                    system.put_file(str(path), f"{root}/{name}/{path.name}")

    def open_folder(self, name: str, files: Collection[str]) -> Path:
        """The folder's copy in the cache, with what is not there yet fetched."""
        folder = self.local / name
        with _plain_errors():
            system, root = self._at
            for file in files:
                if not (folder / file).exists():
                    folder.mkdir(parents=True, exist_ok=True)
                    with contextlib.suppress(FileNotFoundError), _aside(folder / file) as aside:
                        system.get_file(f"{root}/{name}/{file}", str(aside))
        return folder

    def remove_folder(self, name: str) -> None:
        """Remove a folder and the copy at hand."""
        remove_tree(self.local / name)
        with _plain_errors(), contextlib.suppress(FileNotFoundError):
            system, root = self._at
            system.rm(f"{root}/{name}", recursive=True)

    def forget(self, names: Collection[str]) -> bool:
        """Drop copies at hand."""
        for name in names:
            remove_tree(self.local / name)
            if not (self.local / name).is_dir():
                (self.local / name).unlink(missing_ok=True)
        return True


def cache_folder(where: str) -> Path:
    """The folder of this machine that holds what was read of a URL: under XDG_CACHE_HOME, else ~/.cache."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "goldproof" / "stores" / hashlib.sha256(where.encode()).hexdigest()[:16]


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn whatever a client library raises into an OSError."""
    try:
        yield
    except (OSError, GoldproofError):
        raise
    except Exception as error:  # each library has its own tree of exceptions, and none says which they are
        text = str(error).strip().splitlines()
        raise OSError(errno.EIO, f"{type(error).__name__}: {text[0] if text else ''}") from error


@contextmanager
def _aside(path: Path) -> Iterator[Path]:
    """A name to write to, renamed to the path when the block ends well."""
    aside = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        yield aside
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _bounded(system: Any, path: str) -> bytes:
    """The content of a file of at most so many bytes as are read; of a larger one no more than that is asked for."""
    try:
        content: bytes = system.cat_file(path, start=0, end=MOST_BYTES + 1)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        content = system.cat_file(path)  # an empty file has no first byte, and some servers say so
    if len(content) > MOST_BYTES:
        name = path.rpartition("/")[2]
        raise NotReadableError(f"{name} has {system.size(path)} bytes; at most {MOST_BYTES} are read")
    return content


def _keep_copy(path: Path, content: bytes) -> None:
    """Keep a copy if the disk will have it; it can always be read again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _aside(path) as aside:
            aside.write_bytes(content)


def _seconds(about: dict[str, Any]) -> float:
    """When a file was last written, by whichever name a file system gives it."""
    when = next((about[name] for name in ("LastModified", "mtime", "updated", "created") if about.get(name)), 0.0)
    return when.timestamp() if isinstance(when, datetime) else float(when)
