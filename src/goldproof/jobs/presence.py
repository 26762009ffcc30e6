"""Presence: each worker's note in the store of the job that it has been on for a while, for whoever watches.

    running/HOST-PID.json     written after a second, renewed now and then, removed when the job ends

Short jobs leave no note and cost nothing. Notes are for people: nothing depends on them.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from goldproof.errors import StoreError
from goldproof.jobs.job import Job
from goldproof.jobs.outcome import here
from goldproof.jobs.store import Store

SECONDS_BEFORE_A_NOTE = 1.0
SECONDS_BETWEEN_NOTES = 10.0
SECONDS_UNTIL_STALE = 35.0


@dataclass(frozen=True, slots=True)
class AtWork:
    """A worker and what it is on; times are in seconds since 1970."""

    job: str
    key: str
    beside: int
    where: str
    since: float
    updated: float


@contextmanager
def at_work(group: Sequence[Job[Any]], store: Store) -> Iterator[None]:
    """Within the block, this process is on these jobs."""
    _desk.begin(group, store)
    try:
        yield
    finally:
        _desk.end()


def workers_at_work(store: Store, now: float | None = None) -> list[AtWork]:
    """Who is at work on this store, as far as they have said so lately."""
    latest = (time.time() if now is None else now) - SECONDS_UNTIL_STALE
    found = []
    for form in store.notes("running"):
        with contextlib.suppress(TypeError):  # a note of another version
            note = AtWork(**form)
            if note.updated > latest:
                found.append(note)
    return sorted(found, key=lambda note: note.since)


class _Desk:
    """What this process is on, and the thread that notes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: tuple[Sequence[Job[Any]], Store, float] | None = None
        self._noted_at = 0.0
        self._thread: threading.Thread | None = None

    def begin(self, group: Sequence[Job[Any]], store: Store) -> None:
        self._current = (group, store, time.time())
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep_noting, daemon=True, name="goldproof-presence")
            self._thread.start()

    def end(self) -> None:
        if self._noted_at:  # else no note was written, and there is nothing to wait for
            with self._lock:
                current, self._current = self._current, None
                self._noted_at = 0.0
                if current is not None:
                    with contextlib.suppress(OSError):
                        current[1].place.remove(_note_name())
        self._current = None

    def _keep_noting(self) -> None:
        while True:
            time.sleep(SECONDS_BEFORE_A_NOTE / 2)
            with self._lock, contextlib.suppress(StoreError):
                self._note(time.time())

    def _note(self, now: float) -> None:
        current = self._current
        if current is None or now - current[2] < SECONDS_BEFORE_A_NOTE or now - self._noted_at < SECONDS_BETWEEN_NOTES:
            return
        (group, store, since) = current
        note = AtWork(group[0].describe(), group[0].key, len(group) - 1, here(), since, now)
        self._noted_at = now
        store.note(_note_name(), asdict(note))


def _note_name() -> str:
    return f"running/{here().replace(':', '-')}.json"


_desk = _Desk()
