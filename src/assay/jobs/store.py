"""Store: key -> value, complete or absent. The record file is the proof that a value is complete, and is written last.

    records/ab/abcd….json     step, version, arguments, checksums, and the value itself when it is small
    values/ab/abcd…-nonce/    value.json and its tables and arrays, when it is not
    failures/ab/abcd….json    the error of a job's last try
    scratch/abcd…/            snapshots of a job that is under way
    cache/                    what may be thrown away at any time, such as activations
    claims/ab/abcd….lock      held by the process that works on it
    campaigns/                what was asked for, for `assay status`

Everything is written aside, flushed to disk and renamed. Any number of processes may use one store; the first complete
value of a key stays. The store knows nothing of how jobs are scheduled.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AbsentValueError, DamagedValueError, StoreError, UsageError
from assay.jobs import values
from assay.jobs.claims import Claim, try_claim
from assay.jobs.files import fsync_folder, no_partial_write, remove_tree, write_durably
from assay.jobs.job import Job
from assay.jobs.key import digest, dumps

FORMAT = 1
INLINE_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a value came about; kept in its record, never part of its key."""

    seconds: float
    created: str
    host: str
    versions: dict[str, str]


class Store:
    """A folder of values by key; cheap to make and to send to a worker."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def open(self) -> Store:
        """Make the folder if need be, and say clearly when it cannot be written or is not a store."""
        marker = self.folder / "format.json"
        with self._clear_errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            if not marker.exists():
                if any(entry.name != "out" and not entry.name.startswith(".") for entry in self.folder.iterdir()):
                    raise UsageError(f"the folder {self.folder} is not empty and not a store; give another --store")
                write_durably(marker, dumps({"format": FORMAT}).encode())
            self._check_format(marker)
            (probe := self.folder / f".writable-{secrets.token_hex(4)}").touch()
            probe.unlink()
        return self

    def has(self, key: str) -> bool:
        """Whether the value of this key is complete."""
        return os.path.exists(self._record_name(key))  # noqa: PTH110 - this is the hot path of a resume

    def commit(self, job: Job[Any], value: Any, circumstances: Circumstances) -> None:
        """Keep the value of a job; a value that is there already stays."""
        encoded = values.encode(value)
        body = {
            "key": job.key,
            "step": job.step.name,
            "version": job.step.settings.version,
            "arguments": job.form,
            "circumstances": {
                "seconds": circumstances.seconds,
                "created": circumstances.created,
                "host": circumstances.host,
                "versions": circumstances.versions,
            },
        }
        with self._clear_errors():
            folder = self._write_value(job.key, encoded, body)
            if not self._publish(self._record(job.key), dumps({**body, "checksum": digest(body)}).encode()) and folder:
                remove_tree(folder)
            self._failure(job.key).unlink(missing_ok=True)
        remove_tree(self.scratch(job.key))

    def load(self, key: str) -> Any:
        """The value of this key, its bytes checked against the record."""
        record = self.record(key)
        if "value" in record:
            return values.decode(record["value"], None)
        folder = self.folder / "values" / key[:2] / record["folder"]
        for name, (size, sha256) in record["files"].items():
            _check_file(key, folder / name, size, sha256)
        return values.decode((folder / "value.json").read_text(encoding="utf-8"), folder)

    def record(self, key: str) -> dict[str, Any]:
        """The record of this key, its own bytes checked."""
        try:
            text = self._record(key).read_text(encoding="utf-8")
            body = json.loads(text)
            checksum = body.pop("checksum")
        except FileNotFoundError:
            raise AbsentValueError(f"the value of job {key[:12]} is not in the store {self.folder}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedValueError(key, f"its record cannot be read ({error})") from None
        if digest(body) != checksum:
            raise DamagedValueError(key, "the checksum of its record does not match")
        return dict(body)

    def records(self) -> Iterator[dict[str, Any]]:
        """Every readable record, in the order of the keys."""
        for path in sorted((self.folder / "records").glob("??/*.json")):
            with contextlib.suppress(StoreError):
                yield self.record(path.stem)

    def discard(self, key: str) -> None:
        """Throw a value away: the record first, so that it is never half there."""
        with self._clear_errors():
            self._record(key).unlink(missing_ok=True)
            for folder in (self.folder / "values" / key[:2]).glob(f"{key}-*"):
                remove_tree(folder)

    def keep_failure(self, job: Job[Any], error: str, traceback: str) -> None:
        """Keep why a job failed; a later success removes it."""
        form = {"key": job.key, "step": job.step.name, "arguments": job.form, "error": error, "traceback": traceback}
        with self._clear_errors():
            write_durably(self._failure(job.key), dumps(form).encode())

    def failure(self, key: str) -> dict[str, Any] | None:
        """Why the last try of a job failed, or None."""
        try:
            return dict(json.loads(self._failure(key).read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return None

    def scratch(self, key: str) -> Path:
        """Where a job under way keeps its snapshots."""
        return self.folder / "scratch" / key

    @property
    def cache(self) -> Path:
        """Where jobs share what may be thrown away at any time."""
        return self.folder / "cache"

    def claim(self, key: str) -> Claim | None:
        """The right to work on a job, or None when another living process has it."""
        with self._clear_errors():
            return try_claim(self.folder / "claims" / key[:2] / f"{key}.lock")

    def _write_value(self, key: str, encoded: values.Encoded, body: dict[str, Any]) -> Path | None:
        """Put the value into the record's body when it is small, else into a folder that the body names."""
        attached = bool(encoded.tables or encoded.arrays)
        if not attached and len(encoded.text) <= INLINE_BYTES:
            body["value"] = encoded.text
            return None
        folder = self.folder / "values" / key[:2] / f"{key}-{secrets.token_hex(4)}"
        folder.mkdir(parents=True)
        with no_partial_write(folder):
            files = encoded.write_attachments(folder)
            (folder / "value.json").write_text(encoded.text, encoding="utf-8")
            files.append(folder / "value.json")
            body["files"] = {path.name: _measure(path) for path in files}
            fsync_folder(folder)
        body["folder"] = folder.name
        return folder

    def _publish(self, path: Path, content: bytes) -> bool:
        """Put a record in its place unless one is there; whether it was ours that stayed."""
        return write_durably(path, content, replace=False)

    def _record(self, key: str) -> Path:
        return Path(self._record_name(key))

    def _record_name(self, key: str) -> str:
        return f"{self.folder}/records/{key[:2]}/{key}.json"

    def _failure(self, key: str) -> Path:
        return self.folder / "failures" / key[:2] / f"{key}.json"

    def _check_format(self, marker: Path) -> None:
        try:
            found = json.loads(marker.read_text(encoding="utf-8"))["format"]
        except (ValueError, KeyError, TypeError):
            raise StoreError(f"{marker} cannot be read; it should hold {dumps({'format': FORMAT})}") from None
        if found != FORMAT:
            raise StoreError(f"the store {self.folder} has format {found}; this version of Assay reads format {FORMAT}")

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Turn what the file system says into a StoreError that says what to do."""
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            what = "is full" if full else "cannot be written"
            advice = "free some space and run again" if full else "check its permissions or give another --store"
            raise StoreError(
                f"the store {self.folder} {what} ({os.strerror(error.errno or 0)}); {advice}: finished work is kept"
            ) from error


def _measure(path: Path) -> tuple[int, str]:
    """Flush a file to disk and give its size and SHA-256."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), sha256


def _check_file(key: str, path: Path, size: int, sha256: str) -> None:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno()).st_size
            if found != size:
                raise DamagedValueError(key, f"{path.name} has {found} bytes instead of {size}")
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise DamagedValueError(key, f"the checksum of {path.name} does not match")
    except FileNotFoundError:
        raise DamagedValueError(key, f"{path.name} is missing") from None
