"""Ray: jobs run as tasks on a local or remote Ray cluster (extra `ray`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from assay.errors import MissingExtraError
from assay.jobs.job import Job
from assay.jobs.runner import WorkerLostError
from assay.jobs.store import Store
from assay.jobs.work import Report, work_on


class RayRunner:
    """Runs submissions as Ray tasks; starts a local Ray unless one is running or `address` names a cluster."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's own wish: leave devices as they are
        try:
            import ray
        except ImportError:
            raise MissingExtraError("ray", "the ray runner") from None
        self._ray = ray
        self._owner = not ray.is_initialized()
        if self._owner:
            cpus = {} if address else {"num_cpus": workers or os.cpu_count()}
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False, **cpus)
        self._task = ray.remote(work_on)
        self._n_gpus = float(ray.cluster_resources().get("GPU", 0))

    @property
    def slots(self) -> int:
        """Twice the cluster's cores, so that the next piece of work is there when one ends."""
        return max(2, 2 * int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Store) -> Future[Report]:
        """Run the groups as one task that asks for what its neediest step asks for."""
        wanted = [group[0].step.settings.resources for group in groups]
        task = self._task.options(
            num_cpus=max(w.cpus for w in wanted),
            num_gpus=min(max(w.gpus for w in wanted), self._n_gpus),
            memory=int(max(w.memory_gb for w in wanted) * 2**30) or None,
            max_retries=0,  # the scheduler retries, alone and a bounded number of times
        )
        answer: Future[Report] = Future()
        task.remote(groups, store).future().add_done_callback(lambda done: self._pass_on(done, answer))
        return answer

    def close(self, *, cancel: bool = False) -> None:
        """Leave the cluster; a local Ray that was started here is shut down, and what still runs on it ended."""
        if self._owner:
            self._ray.shutdown()

    def _pass_on(self, done: Future[Report], answer: Future[Report]) -> None:
        error = done.exception()
        if error is None:
            answer.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            answer.set_exception(error)
        else:
            answer.set_exception(WorkerLostError(f"{type(error).__name__}: {str(error).splitlines()[0]}"))
