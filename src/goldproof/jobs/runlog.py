"""The run's log: what a driver tells of its campaign while it runs and afterwards, for whoever watches the store.

    runs/STUDY-TIME-HOST-PID.json     counts, what failed and why, what was lost and tried again

It is one small file that is written anew every few seconds, so that it works on every kind of store.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from goldproof.errors import GoldproofError, StoreError
from goldproof.jobs.outcome import PASSING, Outcome, here
from goldproof.jobs.store import Store

SECONDS_BETWEEN_NOTES = 2.0
MOST_KEPT = 200


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong with one job, for good or in passing."""

    key: str
    job: str
    status: str
    error: str


@dataclass(frozen=True, slots=True)
class Run:
    """A campaign under way or ended: `state` is running, finished, interrupted or stopped; times are since 1970."""

    name: str
    study: str
    where: str
    started: float
    updated: float
    n_jobs: int
    counts: dict[str, int]
    troubles: tuple[Trouble, ...]
    state: str = "running"
    reason: str = ""


def logged(outcomes: Iterable[Outcome], n_jobs: int, study: str, store: Store) -> Iterator[Outcome]:
    """The same outcomes, with the store's log of this run kept up to date."""
    log = _Log(study, n_jobs, store)
    state, reason = "interrupted", ""
    try:
        for outcome in outcomes:
            log.add(outcome)
            yield outcome
        state = "finished"
    except GoldproofError as error:
        state, reason = "stopped", str(error)
        raise
    finally:
        log.end(state, reason)


def read_runs(store: Store) -> list[Run]:
    """Every run that left a log in this store, the latest last."""
    found = []
    for form in store.notes("runs"):
        with contextlib.suppress(KeyError, TypeError):  # a log of another version
            troubles = tuple(Trouble(**trouble) for trouble in form["troubles"])
            found.append(Run(**{**form, "troubles": troubles}))
    return sorted(found, key=lambda run: run.started)


class _Log:
    def __init__(self, study: str, n_jobs: int, store: Store) -> None:
        now = time.time()
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
        self._fixed: dict[str, Any] = {
            "name": f"{study}-{stamp}-{here().replace(':', '-')}",
            "study": study,
            "where": here(),
            "started": now,
            "n_jobs": n_jobs,
        }
        self._store = store
        self._counts: Counter[str] = Counter()
        self._troubles: dict[str, list[Trouble]] = {"failed": [], "passing": []}
        self._ended = threading.Event()
        self._write()
        self._thread = threading.Thread(target=self._keep_writing, daemon=True, name="goldproof-run-log")
        self._thread.start()

    def add(self, outcome: Outcome) -> None:
        self._counts[outcome.status] += 1
        if outcome.status == "failed" or outcome.status in PASSING:
            kept = self._troubles["failed" if outcome.status == "failed" else "passing"]
            if len(kept) < MOST_KEPT:
                kept.append(Trouble(outcome.key, outcome.description, outcome.status, outcome.error))

    def end(self, state: str, reason: str) -> None:
        self._ended.set()
        self._thread.join()
        self._write(state, reason)

    def _keep_writing(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_NOTES):
            self._write()

    def _write(self, state: str = "running", reason: str = "") -> None:
        troubles = (*self._troubles["failed"], *self._troubles["passing"])
        run = Run(
            **self._fixed,
            updated=time.time(),
            counts=dict(self._counts),
            troubles=troubles,
            state=state,
            reason=reason,
        )
        with contextlib.suppress(StoreError):  # a log that cannot be written is no reason to stop
            self._store.note(f"runs/{run.name}.json", asdict(run))
