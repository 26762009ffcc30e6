"""Store: key -> value, complete or absent. The record file is the proof that a value is complete, and is written last.

    records/ab/abcd….json     step, version, arguments, checksums, and the value itself when it is small
    values/ab/abcd…-nonce/    value.json and its tables and arrays, when it is not
    failures/ab/abcd….json    the error of a job's last try
    scratch/abcd…/            snapshots of a job that is under way
    cache/                    what may be thrown away at any time, such as activations
    claims.lock               a byte of it is locked by the process that works on a job
    campaigns/                what was asked for, for `goldproof status`
    runs/, running/           what drivers and workers say of work under way, for `goldproof status --watch`

Everything is written aside, flushed to disk and renamed. Any number of processes may use one store; the first complete
value of a key stays. The store knows nothing about how jobs are scheduled.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goldproof.errors import AbsentValueError, DamagedValueError, StoreError, UsageError
from goldproof.extras import Need
from goldproof.jobs import values
from goldproof.jobs.bounded import MOST_BYTES, NotReadableError, TooDeepError, check_depth, open_plain, parse_bounded
from goldproof.jobs.claims import HeldClaim, try_claim
from goldproof.jobs.files import remove_tree
from goldproof.jobs.job import Job
from goldproof.jobs.key import digest, dumps
from goldproof.jobs.places import LocalPlace, Place, place_at

PRODUCT, FORMAT = "goldproof", 2
MARKER = "format.json"
INLINE_BYTES = 8192
PROBE_BYTES = 65_536
SMALL = 2**20  # bytes of a file that is brought to hand with others


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a value came about; kept in its record, never part of its key. `size` is what its step says of the work."""

    seconds: float
    created: str
    host: str
    versions: dict[str, str]
    size: float | None = None


def find_store(where: str | Path | Store | None = None) -> Store:
    """The store of this folder or URL; else that of the environment's GOLDPROOF_STORE, else ./goldproof-store."""
    if isinstance(where, Store):
        return where
    return Store(where or os.environ.get("GOLDPROOF_STORE") or "goldproof-store")


class Store:
    """Values by key, in a folder or behind a URL; cheap to make and to send to a worker."""

    def __init__(self, where: str | Path | Place) -> None:
        self.place = place_at(where) if isinstance(where, str | Path) else where

    def __repr__(self) -> str:
        return f"Store({self.where!r})"

    @property
    def where(self) -> str:
        """The folder or URL, as it was given."""
        return self.place.where

    @property
    def folder(self) -> Path:
        """The folder of this machine that holds the store, or what was read of a remote one."""
        return self.place.local

    @property
    def requires(self) -> tuple[Need, ...]:
        """The extras without which it cannot be read."""
        return self.place.requires

    def for_workers(self) -> Store:
        """The same store, for a process that may have another current folder."""
        return Store(self.place.local.absolute()) if isinstance(self.place, LocalPlace) else self

    def open(self) -> Store:
        """Make the store if need be, and say clearly when it cannot be written or is not a store."""
        with self.clear_errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self.place.exists(MARKER):
                foreign = any(name != "out" and not name.startswith(".") for name in self.place.top())
                if foreign and not self.place.exists(MARKER):  # another process may just have made it
                    raise UsageError(f"the folder {self.where} is not empty and is not a store; give another --store")
                self.place.write(MARKER, _marker().encode())
            self._check_format()
        self.try_writing()
        return self

    def is_there(self) -> bool:
        """Whether a store has been made here; an error where another program or version made it."""
        with self.clear_errors("read"):
            if not self.place.exists(MARKER):
                try:
                    self.place.read(MARKER)  # what may not be looked at is there, for all we know
                except (FileNotFoundError, NotADirectoryError):
                    return False
            self._check_format()
        return True

    def try_writing(self) -> None:
        """Write and remove a small file: a StoreError says why no work can be kept."""
        probe = f".writable-{secrets.token_hex(4)}"
        with self.clear_errors():
            try:
                self.place.write(probe, bytes(PROBE_BYTES))
            finally:
                self.place.remove(probe)

    def has(self, key: str) -> bool:
        """Whether the value of this key is complete."""
        try:
            return self.place.exists(record_name(key))
        except OSError as error:
            raise self._explained(error, "read") from error

    def look(self) -> Callable[[str], bool]:
        """A way to ask of many keys whether their values are complete."""
        with self.clear_errors("read"):
            look = self.place.look("records")
        return lambda key: look(record_name(key))

    def commit(self, job: Job[Any], value: Any, circumstances: Circumstances) -> None:
        """Keep the value of a job; a value that is there already stays."""
        encoded = values.encode(value)
        body = {
            "key": job.key,
            "step": job.step.name,
            "version": job.step.settings.version,
            "arguments": job.form,
            "circumstances": asdict(circumstances),
        }
        _check_arguments(job)
        with self.clear_errors():
            folder = self._write_value(job.key, encoded, body)
            if not self.publish(job.key, dumps({**body, "checksum": digest(body)}).encode()) and folder:
                self.place.remove_folder(folder)
            self.place.remove(failure_name(job.key))
        remove_tree(self.scratch(job.key))

    def publish(self, key: str, record: bytes) -> bool:
        """Put a record in its place unless one is there; whether it was ours that stayed."""
        return self.place.write(record_name(key), record, replace=False)

    def load(self, key: str) -> Any:
        """The value of this key, its bytes checked against the record."""
        try:
            return self._load(key)
        except DamagedValueError:
            if not self.place.forget([record_name(key), *self._folders(key)]):
                raise
        return self._load(key)  # it may have been the copy at hand that was damaged

    def record(self, key: str) -> dict[str, Any]:
        """The record of this key, its own bytes checked, and that it is the record of this key and no other."""
        try:
            with self.clear_errors("read"):
                text = self._read_record(key).decode()
            body = parse_bounded(text)
            checksum = body.pop("checksum")
        except FileNotFoundError:
            raise AbsentValueError(f"the value of job {key[:12]} is not in the store {self.where}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedValueError(key, f"its record cannot be read ({error})") from None
        if digest(body) != checksum:
            raise DamagedValueError(key, "the checksum of its record does not match")
        if body.get("key") != key:
            raise DamagedValueError(key, f"its record is misplaced: it is that of job {str(body.get('key'))[:12]}")
        return dict(body)

    def stored_keys(self) -> Iterator[str]:
        """Every key that has a record, in order."""
        with self.clear_errors("read"):
            for entry in self.place.entries("records"):
                name = entry.name.rpartition("/")[2]
                if name.endswith(".json") and not name.startswith("."):
                    yield name.removesuffix(".json")

    def records(self) -> Iterator[dict[str, Any]]:
        """Every readable record, in the order of the keys."""
        keys = list(self.stored_keys())
        self._fetch(record_name(key) for key in keys)
        for key in keys:
            with contextlib.suppress(DamagedValueError, AbsentValueError):
                yield self.record(key)

    def fetch(self, keys: Iterable[str]) -> None:
        """Bring records and small files of these values to hand, where reading them one by one is slow."""
        if isinstance(self.place, LocalPlace):
            return
        keys = list(keys)
        self._fetch(record_name(key) for key in keys)
        names = []
        for key in keys:
            with contextlib.suppress(DamagedValueError, AbsentValueError):
                record = self.record(key)
                folder = f"values/{key[:2]}/{record.get('folder')}"
                names += [f"{folder}/{name}" for name, (size, _) in record.get("files", {}).items() if size <= SMALL]
        self._fetch(names)

    def check(self, key: str) -> dict[str, Any]:
        """The record of this key, when it and every file of the value have the bytes that were written."""
        record = self.record(key)
        if "value" not in record:
            self._value_folder(key, record)
        return record

    def discard(self, key: str) -> None:
        """Throw a value away: the record first, so that it is never half there."""
        with self.clear_errors():
            folders = self._folders(key)
            self.place.remove(record_name(key))
            for folder in folders:
                self.place.remove_folder(folder)

    def keep_failure(self, job: Job[Any], error: str, traceback: str) -> None:
        """Keep why a job failed; a later success removes it."""
        form = {"key": job.key, "step": job.step.name, "arguments": job.form, "error": error, "traceback": traceback}
        with self.clear_errors():
            self.place.write(failure_name(job.key), dumps(form).encode())

    def failure(self, key: str) -> dict[str, Any] | None:
        """Why the last try of a job failed, or None."""
        try:
            with self.clear_errors("read"):
                return dict(parse_bounded(self.place.read(failure_name(key))))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def note(self, name: str, form: Any) -> None:
        """Leave a note for people in the store, in the place of one of the same name."""
        with self.clear_errors():
            self.place.write(name, dumps(form).encode())

    def notes(self, folder: str) -> Iterator[Any]:
        """Every readable note of a folder, in the order of the names."""
        with self.clear_errors("read"):
            for entry in self.place.entries(folder):
                with contextlib.suppress(FileNotFoundError, NotReadableError, ValueError, RecursionError):
                    yield parse_bounded(self.place.read(entry.name))

    def scratch(self, key: str) -> Path:
        """Where a job under way keeps its snapshots, on this machine."""
        return self.folder / "scratch" / key

    @property
    def cache(self) -> Path:
        """Where jobs share what may be thrown away at any time."""
        return self.folder / "cache"

    def claim(self, key: str) -> HeldClaim | None:
        """The right to work on a job, or None when another living process has it."""
        with self.clear_errors():
            return try_claim(self.folder / "claims.lock", key)

    def _fetch(self, names: Iterable[str]) -> None:
        with self.clear_errors("read"):
            self.place.fetch(list(names))

    def _load(self, key: str) -> Any:
        record = self.record(key)
        folder = None if "value" in record else self._value_folder(key, record)
        text = record["value"] if folder is None else (folder / "value.json").read_text(encoding="utf-8")
        try:
            return values.decode(text, folder)
        except (TooDeepError, json.JSONDecodeError) as error:
            raise DamagedValueError(key, f"its value cannot be read ({error})") from None

    def _read_record(self, key: str) -> bytes:
        try:
            return self.place.read(record_name(key))
        except NotReadableError as error:
            raise DamagedValueError(key, f"its record cannot be read ({error})") from None

    def _value_folder(self, key: str, record: dict[str, Any]) -> Path:
        """A local folder with the value's files, each checked."""
        names = [str(record.get("folder")), *record.get("files", ())]
        if not names[0].startswith(f"{key}-") or any(set("/\\") & set(name) for name in names):
            raise DamagedValueError(key, f"its record names files that are not its own ({', '.join(names)})")
        with self.clear_errors("read"):
            folder = self.place.open_folder(f"values/{key[:2]}/{record['folder']}", record["files"])
            for name, (size, sha256) in record["files"].items():
                _check_file(key, folder / name, size, sha256)
        return folder

    def _write_value(self, key: str, encoded: values.Encoded, body: dict[str, Any]) -> str | None:
        """Put the value into the record's body when it is small, else into a folder that the body names."""
        attached = bool(encoded.tables or encoded.arrays)
        if not attached and len(encoded.text) <= INLINE_BYTES:
            body["value"] = encoded.text
            return None
        name = new_value_name(key)
        body["folder"] = name.rpartition("/")[2]
        with self.place.new_folder(name) as folder:
            files = encoded.write_attachments(folder)
            (folder / "value.json").write_text(encoded.text, encoding="utf-8")
            files.append(folder / "value.json")
            body["files"] = {path.name: measure(path) for path in files}
        return name

    def _folders(self, key: str) -> list[str]:
        """The folders of values that were written for this key, by the one that stayed or by others."""
        start = f"values/{key[:2]}"
        names = {entry.name.rpartition("/")[0] for entry in self.place.entries(start)}
        return sorted(name for name in names if name.startswith(f"{start}/{key}-"))

    def _check_format(self) -> None:
        try:
            found = parse_bounded(self.place.read(MARKER))
            product, version = found.get("product"), found["format"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise StoreError(f"{self.where}/{MARKER} cannot be read; it should hold {_marker()}") from None
        if product is None:
            raise StoreError(
                f"the store {self.where} was made by Assay, Goldproof's former name; its keys are different, so "
                "nothing in it can be used: give another --store (this one is left as it is)"
            )
        if (product, version) != (PRODUCT, FORMAT):
            raise StoreError(
                f"the store {self.where} is of {product}, format {version}; this version of Goldproof reads {PRODUCT}, "
                f"format {FORMAT} (it is left as it is)"
            )

    @contextlib.contextmanager
    def clear_errors(self, doing: str = "written") -> Iterator[None]:
        """Turn what the file system says into a StoreError that says what to do."""
        try:
            yield
        except FileNotFoundError as error:
            if doing == "read":
                raise
            raise self._explained(error, doing) from error
        except OSError as error:
            raise self._explained(error, doing) from error

    def _explained(self, error: OSError, doing: str) -> StoreError:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        what = "is full" if full else f"cannot be {doing}"
        advice = "free some space and run again" if full else "check its permissions or give another --store"
        text = f"the store {self.where} {what} ({_said(error)}); {advice}: finished work is kept"
        return StoreError(text, full=full)


def _marker() -> str:
    """What the marker file of a store holds."""
    return dumps({"product": PRODUCT, "format": FORMAT})


def record_name(key: str) -> str:
    """The name of a key's record."""
    return f"records/{key[:2]}/{key}.json"


def failure_name(key: str) -> str:
    """The name of what is kept of a key's last failed try."""
    return f"failures/{key[:2]}/{key}.json"


def new_value_name(key: str) -> str:
    """A name for the folder of a value that no other writer has."""
    return f"values/{key[:2]}/{key}-{secrets.token_hex(4)}"


def _said(error: OSError) -> str:
    """What the system says is wrong; a remote one says it in its own words."""
    if error.errno is not None and error.errno != errno.EIO:
        return os.strerror(error.errno)
    return str(error.strerror or error)


def measure(path: Path) -> tuple[int, str]:
    """Flush a file to disk and give its size and SHA-256."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), sha256


def _check_file(key: str, path: Path, size: int, sha256: str) -> None:
    try:
        with open_plain(path) as file:
            found = os.fstat(file.fileno()).st_size
            if found != size:
                raise DamagedValueError(key, f"{path.name} has {found} bytes instead of {size}")
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise DamagedValueError(key, f"the checksum of {path.name} does not match")
    except FileNotFoundError:
        raise DamagedValueError(key, f"{path.name} is missing") from None
    except NotReadableError as error:
        raise DamagedValueError(key, str(error)) from None


def _check_arguments(job: Job[Any]) -> None:
    """Refuse what could be written into a record and not be read again."""
    text = dumps(job.form)
    try:
        check_depth([[job.form]], f"[[{text}]]")  # in a record they stand a level deeper
    except TooDeepError as error:
        raise UsageError(f"the arguments of a job cannot be kept in its record: {error}") from None
    if len(text) > MOST_BYTES // 4 and len(text.encode()) > MOST_BYTES // 2:
        raise UsageError(
            f"the arguments of a job cannot be kept in its record: they take {len(text.encode())} bytes; "
            f"at most {MOST_BYTES // 2} are allowed (give a job that makes them, or a file with its digest)"
        )
