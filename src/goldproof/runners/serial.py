"""Serial: jobs run here, one after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from goldproof.jobs.job import Job
from goldproof.jobs.store import Store
from goldproof.jobs.work import WorkReport, work_on


class SerialRunner:
    """Runs each submission at once, in this process."""

    shared_fate = True
    gpu_slots = math.inf
    slots = 1

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Store, *, alone: bool = False) -> Future[WorkReport]:
        """Run the groups now; the future is already done."""
        future: Future[WorkReport] = Future()
        future.set_result(work_on(groups, store))
        return future

    def close(self, *, cancel: bool = False) -> None:
        """Nothing is ever left running."""
