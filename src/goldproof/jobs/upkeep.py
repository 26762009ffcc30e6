"""Upkeep: check every value of a store, join stores, and clear away what nothing refers to.

Values are copied with their records as they are, so a merged store says where and when each was made. Nothing younger
than a given age is cleared away: it may belong to work under way.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from goldproof.errors import AbsentValueError, DamagedValueError
from goldproof.jobs.bounded import NotReadableError
from goldproof.jobs.files import remove_tree
from goldproof.jobs.key import digest, dumps
from goldproof.jobs.places import FileEntry
from goldproof.jobs.store import Store, failure_name, measure, new_value_name, record_name

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one value; `trouble` is empty where all is well."""

    key: str
    what: Literal["sound", "damaged", "copied", "kept"]
    trouble: str = ""


def verify(store: Store) -> Iterator[Checked]:
    """Read every value from where it lies, not from copies at hand, and compare its bytes with its record."""
    with _without_copies(store) as place:
        for key in place.stored_keys():
            try:
                record = place.check(key)
            except DamagedValueError as error:
                yield Checked(key, "damaged", error.reason)
            except AbsentValueError:  # discarded meanwhile
                continue
            else:
                place.place.forget([record_name(key), f"values/{key[:2]}/{record.get('folder', '')}"])
                yield Checked(key, "sound")


def merge(source: Store, target: Store) -> Iterator[Checked]:
    """Copy into the target what the source has and it lacks; a damaged value stays behind and is said."""
    there = target.look()
    for key in source.stored_keys():
        if there(key):
            yield Checked(key, "kept")
            continue
        try:
            _copy(key, source.check(key), source, target)
        except DamagedValueError as error:
            yield Checked(key, "damaged", error.reason)
        else:
            yield Checked(key, "copied")
    _copy_notes(source, target)


def litter(store: Store, older_than: float = DAY) -> list[FileEntry]:
    """Files that nothing refers to and that were last written so many seconds ago.

    Values without a record (their writer died, or came second), files left half-written, errors of jobs that succeeded
    since, notes of workers that are gone.
    """
    before = time.time() - older_than
    folders = _Folders(store, set(store.stored_keys()))
    with store.clear_errors("read"):
        return [entry for entry in store.place.entries("") if entry.modified < before and _is_useless(entry, folders)]


def prune(store: Store, useless: Collection[FileEntry]) -> None:
    """Remove these files, and the scratch of jobs that are done."""
    with store.clear_errors():
        for entry in useless:
            if entry.name.startswith("values/"):
                store.place.remove_folder(entry.name.rpartition("/")[0])
            else:
                store.place.remove(entry.name)
    scratch = store.folder / "scratch"
    for folder in scratch.iterdir() if scratch.is_dir() else ():
        if store.has(folder.name):
            remove_tree(folder)


def _is_useless(entry: FileEntry, folders: _Folders) -> bool:
    top, name = entry.name.partition("/")[0], entry.name.rpartition("/")[2]
    if top == "values":
        return not folders.used(entry.name.split("/")[2])
    if top == "failures" and name.removesuffix(".json") in folders.keys:
        return True
    return name.startswith(".") or top in ("running", "claims")


class _Folders:
    """Which folders of values a record refers to."""

    def __init__(self, store: Store, keys: set[str]) -> None:
        self._store = store
        self.keys = keys
        self._known: dict[str, str] = {}

    def used(self, folder: str) -> bool:
        key = folder.partition("-")[0]
        if key not in self.keys:
            return False
        if key not in self._known:
            try:
                self._known[key] = self._store.record(key).get("folder", "")
            except (DamagedValueError, AbsentValueError):
                self._known[key] = folder  # not ours to judge: `verify` says it
        return self._known[key] == folder


def _copy(key: str, record: dict[str, Any], source: Store, target: Store) -> None:
    body = dict(record)
    name = ""
    with target.clear_errors():
        if "folder" in body:
            name = new_value_name(key)
            held = source.place.open_folder(f"values/{key[:2]}/{body['folder']}", body["files"])
            with target.place.new_folder(name) as folder:
                for file, sizes in body["files"].items():
                    shutil.copyfile(held / file, folder / file)
                    if list(measure(folder / file)) != list(sizes):
                        raise DamagedValueError(key, f"{file} changed while it was copied")
            body["folder"] = name.rpartition("/")[2]
        if not target.publish(key, dumps({**body, "checksum": digest(body)}).encode()) and name:
            target.place.remove_folder(name)
        target.place.remove(failure_name(key))


def _copy_notes(source: Store, target: Store) -> None:
    """What was asked for, and why jobs failed that have no value in either."""
    with target.clear_errors():
        for folder in ("campaigns", "failures"):
            for entry in source.place.entries(folder):
                key = entry.name.rpartition("/")[2].removesuffix(".json")
                if not (folder == "failures" and target.has(key)):
                    with suppress(NotReadableError):  # no note, whatever it is
                        target.place.write(entry.name, source.place.read(entry.name), replace=False)


@contextmanager
def _without_copies(store: Store) -> Iterator[Store]:
    from goldproof.jobs.remote import RemotePlace

    if not isinstance(store.place, RemotePlace):
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="goldproof-") as folder:
        yield Store(RemotePlace(store.where, Path(folder)))
