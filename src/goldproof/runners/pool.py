"""Pool: jobs run in a pool of processes on this machine.

Workers are started fresh (spawned), so that no thread or accelerator state is inherited, and end by themselves when the
driver is gone, however it went.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any

from goldproof.errors import UsageError
from goldproof.jobs.job import Job
from goldproof.jobs.runner import WorkerLostError
from goldproof.jobs.store import Store
from goldproof.jobs.work import WorkReport, work_on


class PoolRunner:
    """Runs submissions in `workers` processes; cores are shared out evenly among them."""

    shared_fate = True
    gpu_slots = math.inf

    def __init__(self, workers: int | None = None) -> None:
        cores = os.cpu_count() or 1
        self.workers = workers if workers is not None else cores
        if self.workers < 1:
            raise UsageError(f"workers is {self.workers}; it must be at least 1")
        self._threads = max(1, cores // self.workers)
        self._pool: ProcessPoolExecutor | None = None

    @property
    def slots(self) -> int:
        """Twice the workers, so that the next piece of work is there when one ends."""
        return 2 * self.workers

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Store, *, alone: bool = False) -> Future[WorkReport]:
        """Run the groups in one of the processes."""
        answer: Future[WorkReport] = Future()
        try:
            inner = self._executor().submit(work_on, groups, store)
        except BrokenProcessPool:  # a worker died meanwhile: what was under way is lost with it, and a new pool starts
            self._pool = None
            inner = self._executor().submit(work_on, groups, store)
        inner.add_done_callback(lambda done: _pass_on(done, answer))
        return answer

    def close(self, *, cancel: bool = False) -> None:
        """Wait for what runs; with `cancel` end the workers now."""
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=not cancel, cancel_futures=True)
        if cancel:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()
        self._pool = None

    def _executor(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, context, _prepare_worker, (self._threads,))
        return self._pool


def _pass_on(done: Future[WorkReport], answer: Future[WorkReport]) -> None:
    error = WorkerLostError("cancelled") if done.cancelled() else done.exception()
    if isinstance(error, BrokenProcessPool):
        error = WorkerLostError("its process ended abruptly")
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(done.result())


def _prepare_worker(threads: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which then ends its workers
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, str(threads))
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process when the driver's is gone: nobody waits for its work, and it holds no claim any more."""
    wait([sentinel])
    os._exit(1)
