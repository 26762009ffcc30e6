"""Ready: the jobs that may run now, in groups, step by step in the order in which they came.

A submission holds groups of one step only, so that what travels together takes about as long.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from goldproof.jobs.job import Job

JobGroup = list[Job[Any]]
_Waiting = OrderedDict[str, JobGroup]  # a plain dict is slow to take the first item from


class Ready:
    """A queue of groups for each step; steps that ask for a GPU come first."""

    def __init__(self) -> None:
        self._steps: dict[bool, OrderedDict[str, _Waiting]] = {True: OrderedDict(), False: OrderedDict()}

    def __bool__(self) -> bool:
        return any(self._steps.values())

    def add(self, job: Job[Any]) -> None:
        """Take a job in, with those that may run together with it."""
        steps = self._steps[job.step.settings.resources.gpus > 0]
        steps.setdefault(job.step.name, OrderedDict()).setdefault(job.group(), []).append(job)

    def first(self, *, gpus: bool) -> Job[Any] | None:
        """A job of the step whose turn it is: one that asks for a GPU if `gpus` says there is room for such."""
        for kind in (True, False) if gpus else (False,):
            for waiting in self._steps[kind].values():
                return next(iter(waiting.values()))[0]
        return None

    def n_groups(self, like: Job[Any]) -> int:
        """How many groups of this job's step are waiting, one of the largest size counted as one."""
        return len(self._waiting(like))

    def take(self, like: Job[Any], n_groups: int) -> Iterator[JobGroup]:
        """Up to so many groups of this job's step, none larger than the step allows."""
        waiting = self._waiting(like)
        most = like.step.settings.largest_group
        for _ in range(min(n_groups, len(waiting))):
            name, jobs = waiting.popitem(last=False)
            if jobs[most:]:
                waiting[name] = jobs[most:]
            yield jobs[:most]
        if not waiting:
            del self._steps[like.step.settings.resources.gpus > 0][like.step.name]

    def _waiting(self, like: Job[Any]) -> _Waiting:
        return self._steps[like.step.settings.resources.gpus > 0][like.step.name]
