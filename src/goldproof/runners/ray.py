"""Ray: jobs run as tasks on a local or remote Ray cluster (extra `ray`).

Each submission asks Ray for what its neediest step asks for. The scheduler, not Ray, tries lost work again, so that the
number of tries is bounded and the reason kept. Workers read and write the store themselves: every machine must see it.
"""

from __future__ import annotations

import math
import os
import platform
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from goldproof.errors import GoldproofError, UsageError
from goldproof.extras import Need, import_extra
from goldproof.jobs.job import Job, Resources
from goldproof.jobs.runner import WorkerLostError
from goldproof.jobs.store import Store
from goldproof.jobs.work import WorkReport, outcome_of, work_on
from goldproof.runners.ray_guard import end_guard, guarded_start
from goldproof.version import __version__

SECONDS_BETWEEN_LOOKS = 5.0
SECONDS_TO_CANCEL = 10.0
SECONDS_TO_ANSWER = 10.0
RAY = Need("ray", "the ray runner")
_GB = 2**30
_LOSSES = {
    "OutOfMemoryError": "its machine ran out of memory",
    "NodeDiedError": "its machine is gone",
    "LocalRayletDiedError": "its machine is gone",
    "WorkerCrashedError": "its process ended abruptly",
    "TaskCancelledError": "no machine that is left can run it",
}


class RayRunner:
    """Runs submissions as Ray tasks; starts a local Ray unless this process has one or `address` names a cluster."""

    shared_fate = False

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's own wish: leave devices as they are
        self._ray = ray = import_extra("ray", RAY)
        self._owner = not ray.is_initialized()
        self._guard: subprocess.Popen[bytes] | None = None
        if self._owner:
            address = address or os.environ.get("RAY_ADDRESS") or None  # Ray's own way to name a cluster
            with nullcontext() if address else guarded_start() as self._guard:
                _connect(ray, address, workers)
        # A process that has touched an accelerator is not used again: its device was chosen for it when it started.
        self._tasks = {False: ray.remote(_work), True: ray.remote(max_calls=1)(_work)}
        self._under_way: dict[Any, Resources] = {}
        self._machines: tuple[Resources, ...] = ()
        self._has_had_gpus = False
        self._seen_at = -math.inf

    @property
    def slots(self) -> int:
        """Twice the cluster's cores, so that the next piece of work is there when one ends, and no more waits."""
        return max(2, int(2 * sum(machine.cpus for machine in self.machines)))

    @property
    def gpu_slots(self) -> float:
        """Twice the cluster's GPUs, so that what waits for one leaves room for what needs none."""
        return 2 * sum(machine.gpus for machine in self.machines) or math.inf

    @property
    def machines(self) -> tuple[Resources, ...]:
        """What each machine of the cluster had a few seconds ago at most."""
        if time.monotonic() - self._seen_at > SECONDS_BETWEEN_LOOKS:
            self._look()
        return self._machines

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Store, *, alone: bool = False) -> Future[WorkReport]:
        """Run the groups as one task; with `alone` it asks for all the cores of a machine."""
        answer: Future[WorkReport] = Future()
        wanted = wanted_by(groups)
        if wanted.gpus and not self._has_had_gpus:
            wanted = replace(wanted, gpus=0)  # a cluster without GPUs will do
        asked = asked_of(wanted, self.machines, alone=alone)
        if asked is None:  # Ray would wait for such a machine for ever
            answer.set_result(_refused(groups, store, _no_machine(wanted, self.machines)))
            return answer
        task = self._tasks[asked.gpus > 0].options(
            num_cpus=asked.cpus,
            num_gpus=asked.gpus,
            memory=int(asked.memory_gb * _GB) or None,
            max_retries=0,
        )
        reference = task.remote(__version__, groups, store.for_workers())
        self._under_way[reference] = asked
        reference.future().add_done_callback(lambda done: self._pass_on(reference, done, answer))
        return answer

    def close(self, *, cancel: bool = False) -> None:
        """Leave the cluster; with `cancel`, what still runs of ours is ended first."""
        if cancel and self._under_way and self._ray.is_initialized():
            references = list(self._under_way)
            for reference in references:
                self._ray.cancel(reference, force=True)
            self._ray.wait(references, num_returns=len(references), timeout=SECONDS_TO_CANCEL)
        if self._owner:
            self._ray.shutdown()
        if self._guard is not None:
            end_guard(self._guard)

    def _look(self) -> None:
        """See which machines there are, and call back what waits for one that is gone."""
        self._seen_at = time.monotonic()
        self._machines = tuple(_resources(node["Resources"]) for node in self._ray.nodes() if node["Alive"])
        self._has_had_gpus = self._has_had_gpus or any(machine.gpus for machine in self._machines)
        for reference, asked in list(self._under_way.items()):
            if asked_of(asked, self._machines) != asked:
                self._ray.cancel(reference, force=True)

    def _pass_on(self, reference: Any, done: Future[WorkReport], answer: Future[WorkReport]) -> None:
        self._under_way.pop(reference, None)
        error = done.exception()
        if error is None:
            answer.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            answer.set_exception(_explained(error))
        else:
            answer.set_exception(WorkerLostError(_loss(error)))


def _resources(node: dict[str, float]) -> Resources:
    return Resources(node.get("CPU", 0.0), node.get("GPU", 0.0), node.get("memory", 0.0) / _GB)


def wanted_by(groups: Sequence[Sequence[Job[Any]]]) -> Resources:
    """What the neediest step of these asks for."""
    wanted = [group[0].step.settings.resources for group in groups]
    return Resources(max(w.cpus for w in wanted), max(w.gpus for w in wanted), max(w.memory_gb for w in wanted))


def asked_of(wanted: Resources, machines: Sequence[Resources], *, alone: bool = False) -> Resources | None:
    """What to ask of a cluster: no more cores and GPUs than a machine that will do has; None where none will do.

    >>> machines = [Resources(cpus=64, memory_gb=256), Resources(cpus=8, gpus=2, memory_gb=64)]
    >>> asked_of(Resources(cpus=16, gpus=4), machines)
    Resources(cpus=8, gpus=2, memory_gb=0)
    >>> asked_of(Resources(cpus=16), machines, alone=True)
    Resources(cpus=64, gpus=0, memory_gb=0)
    >>> asked_of(Resources(gpus=1, memory_gb=128), machines)
    """
    gpus = min(wanted.gpus, max((machine.gpus for machine in machines), default=0)) or wanted.gpus
    fit = [machine for machine in machines if machine.gpus >= gpus and machine.memory_gb >= wanted.memory_gb]
    if not fit:
        return None
    cpus = max(machine.cpus for machine in fit)
    return replace(wanted, cpus=cpus if alone else min(wanted.cpus, cpus), gpus=gpus)


def _no_machine(wanted: Resources, machines: Sequence[Resources]) -> str:
    if wanted.gpus and not any(machine.gpus for machine in machines):
        return "it needs a GPU, and no machine of the cluster has one any more"
    most = max((machine.memory_gb for machine in machines if bool(machine.gpus) >= bool(wanted.gpus)), default=0)
    beside = " beside a GPU" if wanted.gpus else ""
    return f"it needs {wanted.memory_gb:g} GB of memory{beside}; the largest machine of the cluster has {most:.3g}"


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    cpus = {} if address else {"num_cpus": workers or os.cpu_count()}
    try:
        _knock(address)
        where = address or "local"  # else Ray would look for a cluster that somebody started on this machine
        with _same_answer_to_sigterm():
            ray.init(address=where, log_to_driver=False, logging_level="ERROR", include_dashboard=False, **cpus)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(
            f"the ray runner cannot use --address {address} ({reason}); "
            "`ray start --head` starts a cluster and prints its address"
        ) from None


@contextmanager
def _same_answer_to_sigterm() -> Iterator[None]:
    """Within the block Ray may put its own handler in the place of the program's, which is there again afterwards."""
    handler = signal.getsignal(signal.SIGTERM)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        yield
    except SystemExit:  # what Ray's handler raises, if the signal comes now
        handler(signal.SIGTERM, None)
        raise
    finally:
        signal.signal(signal.SIGTERM, handler)


def _knock(address: str | None) -> None:
    """See at once whether anybody listens at HOST:PORT; Ray itself would try for two minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()


def _work(version: str, groups: Sequence[Sequence[Job[Any]]], store: Store) -> WorkReport:
    """What a Ray worker does: the same as every worker, once it is sure of its version and its store."""
    if version != __version__:
        raise UsageError(
            f"the machine {platform.node()} has Goldproof {__version__}, the driver {version}; "
            "install the same version on every machine of the cluster"
        )
    if not store.is_there():  # a value that it kept in a folder of its own would be lost
        raise UsageError(
            f"the machine {platform.node()} does not see the store {store.where}; "
            "give a folder that every machine of the cluster sees, or a URL"
        )
    return work_on(groups, store)


def _refused(groups: Sequence[Sequence[Job[Any]]], store: Store, reason: str) -> WorkReport:
    jobs = [job for group in groups for job in group]
    for job in jobs:
        store.keep_failure(job, reason, "")
    return WorkReport([outcome_of(job, "failed", error=reason) for job in jobs])


def _explained(error: Any) -> GoldproofError:
    """The error of a worker that could not even begin, in words for the user."""
    if isinstance(error.cause, GoldproofError):
        return error.cause
    reason = str(error.cause or error).strip().splitlines()[-1]
    return UsageError(
        f"a worker of the Ray cluster cannot run jobs ({reason}); "
        "install the same Goldproof and the same packages on every machine"
    )


def _loss(error: BaseException) -> str:
    known = _LOSSES.get(type(error).__name__)
    return known or f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
