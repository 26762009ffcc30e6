"""Work: what a worker does with a group of jobs. Loads what they need, runs them, commits each value, reports outcomes.

Every runner calls `work_on`, so that where a job runs makes no difference to what it does. Values never travel through
the driver. It does not decide what runs when.
"""

from __future__ import annotations

import contextlib
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from goldproof.errors import AbsentValueError, DamagedValueError, GoldproofError, StoreError
from goldproof.jobs.cache import cache_at
from goldproof.jobs.job import Job, substitute
from goldproof.jobs.outcome import Outcome, Status, here
from goldproof.jobs.pace import size_from
from goldproof.jobs.presence import at_work
from goldproof.jobs.scratch import scratch_at
from goldproof.jobs.store import Circumstances, Store
from goldproof.jobs.watch import handing_to

COMMITS_AT_ONCE = 8  # a disk flushes several small files in about the time of one
_LIBRARIES = ("numpy", "scipy", "sklearn", "pyarrow", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a store did not take a value, and whether another try may go better."""

    reason: str
    again: bool


@dataclass(slots=True)
class WorkReport:
    """What came of the groups that a worker was given.

    `unusable` says of stored values that jobs needed why they could not be loaded, `not_run` which jobs met them and so
    did not run. `refused` says of jobs that the store could not be read or written for them; what came after them in
    the same submission was not begun.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, Refusal] = field(default_factory=dict)


def work_on(groups: Sequence[Sequence[Job[Any]]], store: Store) -> WorkReport:
    """Run each group of jobs and commit what they return, several values at a time while the next group runs."""
    report = WorkReport()
    pending: list[tuple[Job[Any], Future[Outcome]]] = []
    refusing = threading.Event()

    def settle(job: Job[Any], result: Any, cost: _Cost) -> Outcome:
        try:
            return _settle(job, result, cost, store)
        except StoreError:
            refusing.set()
            raise

    with ThreadPoolExecutor(COMMITS_AT_ONCE, "goldproof-commit") as committers:
        for group in groups:
            try:
                there = {job.key for job in group if store.has(job.key)}  # another process may have finished it by now
                report.outcomes += [outcome_of(job, "kept") for job in group if job.key in there]
                group = [job for job in group if job.key not in there]
                if not group:
                    continue
                early = _Early(group, lambda *made: pending.append((made[0], committers.submit(settle, *made))))
                results, costs = _run_group(group, store, early)
            except (DamagedValueError, AbsentValueError) as error:
                culprit = _culprit(error, group, store)
                report.unusable[culprit] = str(error)
                report.not_run.setdefault(culprit, []).extend(job.key for job in group)
                continue
            except StoreError as error:
                report.refused = {job.key: Refusal(str(error), again=not error.full) for job in group}
                break
            for place, (job, result, cost) in enumerate(zip(group, results, costs, strict=True)):
                if place not in early.places:
                    pending.append((job, committers.submit(settle, job, result, cost)))
            if refusing.is_set():
                break
    for job, commit in pending:
        try:
            report.outcomes.append(commit.result())
        except StoreError as error:
            report.refused[job.key] = Refusal(str(error), again=not error.full)
    return report


def outcome_of(job: Job[Any], status: Status, seconds: float = 0.0, error: str = "") -> Outcome:
    """The outcome of a job that ran here."""
    where = here() if status in ("done", "failed") else ""
    return Outcome(job.key, job.step.name, job.describe(), status, seconds, error, where)


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a job took, and how large it was where its step says so."""

    seconds: float
    size: float | None


class _Early:
    """Takes values of a group that are there before the others, each with the time since the one before."""

    def __init__(self, group: Sequence[Job[Any]], commit: Callable[[Job[Any], Any, _Cost], None]) -> None:
        self.group = group
        self.commit = commit
        self.places: set[int] = set()
        self.sizes: list[float | None] = [None] * len(group)
        self.since = time.perf_counter()

    def begin(self, sizes: Sequence[float | None]) -> None:
        """The work begins now."""
        self.sizes, self.since = list(sizes), time.perf_counter()

    def take(self, place: int, value: Any) -> None:
        """Commit the value of one job."""
        self.places.add(place)
        self.commit(self.group[place], value, _Cost(self.lap(), self.sizes[place]))

    def lap(self) -> float:
        """The seconds since the last value, or the beginning."""
        before, self.since = self.since, time.perf_counter()
        return self.since - before


def _run_group(group: Sequence[Job[Any]], store: Store, early: _Early) -> tuple[list[Any], list[_Cost]]:
    """What each job of a group gave, and what it took: an equal share of the time of all that were not there before."""
    needed = {need.key: store.load(need.key) for job in group for need in job.needs}
    arguments = [{name: substitute(v, needed) for name, v in job.arguments.items()} for job in group]
    sizes = [size_from(job.step, given) for job, given in zip(group, arguments, strict=True)]
    folders = [store.scratch(job.key) for job in group]
    early.begin(sizes)
    with scratch_at(folders), cache_at(store.cache), at_work(group, store), handing_to(early.take):
        results = _run(group, arguments)
    seconds = early.lap() / max(1, len(group) - len(early.places))
    return results, [_Cost(seconds, size) for size in sizes]


def _run(group: Sequence[Job[Any]], arguments: list[dict[str, Any]]) -> list[Any]:
    """The value of each job, or the exception that it raised."""
    settings = group[0].step.settings
    try:
        if settings.together is None or len(group) == 1:
            return [group[0].step.function(**arguments[0])]
        results = list(settings.together(arguments))
        if len(results) != len(group):
            raise RuntimeError(f"{settings.together.__name__} gave {len(results)} values for {len(group)} jobs")
    except Exception as error:  # noqa: BLE001 - whatever a step raises fails its jobs and nothing else
        return [error] * len(group)
    return results


def _settle(job: Job[Any], result: Any, cost: _Cost, store: Store) -> Outcome:
    """Commit a value or keep an error."""
    if not isinstance(result, Exception):
        try:
            store.commit(job, result, _circumstances(cost))
            return outcome_of(job, "done", cost.seconds)
        except StoreError:
            raise
        except GoldproofError as error:  # a value of a type that cannot be kept
            result = error
    message = str(result) if isinstance(result, GoldproofError) else f"{type(result).__name__}: {result}"
    with contextlib.suppress(StoreError):  # then the outcome alone says it
        store.keep_failure(job, message, "".join(traceback.format_exception(result)))
    return outcome_of(job, "failed", cost.seconds, message)


def _culprit(error: StoreError, group: Sequence[Job[Any]], store: Store) -> str:
    """The key of the needed value that could not be loaded."""
    if isinstance(error, DamagedValueError):
        return error.key
    return next(need.key for job in group for need in job.needs if not store.has(need.key))


def _circumstances(cost: _Cost) -> Circumstances:
    found = {name: str(getattr(sys.modules[name], "__version__", "")) for name in _LIBRARIES if name in sys.modules}
    versions = {"python": platform.python_version(), **found, **_device()}
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return Circumstances(round(cost.seconds, 6), created, platform.node(), versions, cost.size)


def _device() -> dict[str, str]:
    """The accelerator, where a step has used one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    return {"device": str(torch.cuda.get_device_name())}
