"""Runner: the protocol of the places where jobs run. Serial, process pool and Ray differ only behind it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from goldproof.jobs.job import Job
from goldproof.jobs.store import Store
from goldproof.jobs.work import WorkReport


class WorkerLostError(Exception):
    """The worker died before it could answer: killed, out of memory, or its machine gone. Set on the future."""


class Runner(Protocol):
    """A place where groups of jobs run."""

    @property
    def shared_fate(self) -> bool:
        """Whether a worker that dies takes all that is under way with it."""

    @property
    def slots(self) -> int:
        """How many submissions keep it busy."""

    @property
    def gpu_slots(self) -> float:
        """How many GPUs may be asked for by what is submitted; infinite where it makes no difference."""

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Store, *, alone: bool = False) -> Future[WorkReport]:
        """Run the groups one after another on one worker; a lost worker gives a WorkerLostError.

        With `alone` they get a machine to themselves, where the runner has more than one.
        """

    def close(self, *, cancel: bool = False) -> None:
        """Wait for what runs, or with `cancel` end it now."""
