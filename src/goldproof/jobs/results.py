"""Results: the values of a campaign's jobs, loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from goldproof.errors import DamagedValueError
from goldproof.jobs.job import Job
from goldproof.jobs.store import Store

T = TypeVar("T")


class Results:
    """`results[job]` is the job's value.

    A value that turns out damaged is given to `repair`, which computes it again, and is then loaded once more.
    """

    def __init__(self, store: Store, repair: Callable[[Job[Any], DamagedValueError], None] | None = None) -> None:
        self._store = store
        self._repair = repair

    def __getitem__(self, job: Job[T]) -> T:
        try:
            value: T = self._store.load(job.key)
        except DamagedValueError as error:
            if self._repair is None:
                raise
            self._repair(job, error)
            value = self._store.load(job.key)
        return value

    def __contains__(self, job: Job[Any]) -> bool:
        return self._store.has(job.key)
