"""The scheduler: runs a static graph of jobs on a runner and yields what became of each.

Ready jobs that may run together go out as one group; short jobs go out several groups at a time. A failed job skips
only its dependants. A job that another process is working on is waited for. A damaged value is thrown away and computed
again. A group whose worker died is tried again alone, at most `TRIES` times in all, and each loss is said. It never
touches values.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from goldproof.errors import StoreError
from goldproof.jobs.claims import HeldClaim
from goldproof.jobs.job import Job
from goldproof.jobs.outcome import Outcome
from goldproof.jobs.plan import make_plan
from goldproof.jobs.ready import JobGroup, Ready
from goldproof.jobs.runner import Runner, WorkerLostError
from goldproof.jobs.store import Store
from goldproof.jobs.watch import is_watched, tell
from goldproof.jobs.work import Refusal, WorkReport, outcome_of

TRIES = 3
SUBMISSION_SECONDS = 0.05
LARGEST_SUBMISSION = 64
POLL_SECONDS = 0.1
LOOK_SECONDS = 10.0  # the runner has a look at its machines so often at least
WATCHED_SECONDS = 1.0  # and whoever watches learns so often that time goes by


def run_jobs(jobs: Iterable[Job[Any]], store: Store, runner: Runner) -> Iterator[Outcome]:
    """Run what is absent from the store and yield an outcome for every job that was asked for or needed."""
    yield from Schedule(jobs, store, runner).run()


class Schedule:
    """The state of one campaign under way."""

    def __init__(self, jobs: Iterable[Job[Any]], store: Store, runner: Runner) -> None:
        self.store = store
        self.runner = runner
        self.news: deque[Outcome] = deque()
        self.unmet: dict[str, int] = {}
        self.absent: dict[str, Job[Any]] = {}
        self.dependants: defaultdict[str, list[Job[Any]]] = defaultdict(list)
        self.settled: set[str] = set()
        self.ready = Ready()
        self.elsewhere: deque[JobGroup] = deque()
        self.suspects: deque[JobGroup] = deque()
        self.losses: defaultdict[str, int] = defaultdict(int)
        self.repairs: defaultdict[str, int] = defaultdict(int)
        self.claims: dict[str, HeldClaim] = {}
        self.flying: dict[Future[WorkReport], list[JobGroup]] = {}
        self.gpus_asked = 0.0
        self.answers: SimpleQueue[Future[WorkReport]] = SimpleQueue()
        self.pace: dict[str, float] = {}
        self.stop = ""
        self._add(jobs, store.look())
        self.n_jobs = len(self.settled) + len(self.absent)

    def run(self) -> Iterator[Outcome]:
        """Yield outcomes until nothing is left to do."""
        try:
            while True:
                while self.news:
                    yield self.news.popleft()
                tell()
                if not self.stop:
                    self._submit()
                if self.flying:
                    self._collect()
                elif self.stop:
                    raise StoreError(self.stop)
                elif self.elsewhere:
                    time.sleep(POLL_SECONDS)
                elif not (self.ready or self.suspects or self.news):
                    return
        finally:
            for claim in self.claims.values():
                claim.release()

    def _add(self, jobs: Iterable[Job[Any]], has: Callable[[str], bool]) -> None:
        """Take jobs, and whatever absent ones they need, into the graph."""
        plan = make_plan(jobs, lambda key: key not in self.absent and has(key))
        for job in plan.kept:
            if job.key not in self.settled:
                self.settled.add(job.key)
                self.news.append(outcome_of(job, "kept"))
        for job in plan.absent:
            if job.key not in self.absent:
                self.absent[job.key] = job
                unmet = [need for need in job.needs if need.key in self.absent]
                self.unmet[job.key] = len(unmet)
                for need in unmet:
                    self.dependants[need.key].append(job)
                if not unmet:
                    self.ready.add(job)

    def _submit(self) -> None:
        """Fill the runner's free slots; what was lost goes out first, each group on its own."""
        if self.suspects and self.runner.shared_fate:
            if not self.flying:
                self._send_suspect()
            return
        slots = self.runner.slots
        while self.suspects and len(self.flying) < slots:
            self._send_suspect()
        self._look_elsewhere()
        while len(self.flying) < slots and (job := self.ready.first(gpus=self.gpus_asked < self.runner.gpu_slots)):
            groups = list(self._claimed(self.ready.take(job, self._submission_size(job, slots))))
            if groups:
                self._send(groups)

    def _send_suspect(self) -> None:
        """Send out a suspected killer of workers: on its own, and the last time with a machine to itself."""
        group = self.suspects.popleft()
        last_try = self.losses[group[0].key] == TRIES - 1
        self._send([group], alone=last_try)

    def _send(self, groups: list[JobGroup], *, alone: bool = False) -> None:
        future = self.runner.submit(groups, self.store, alone=alone)
        self.flying[future] = groups
        self.gpus_asked += groups[0][0].step.settings.resources.gpus
        future.add_done_callback(self.answers.put)

    def _submission_size(self, like: Job[Any], slots: int) -> int:
        """How many groups to send at once: as many as fill a moment, but never so many that a worker stays idle."""
        seconds = self.pace.get(like.step.name)
        if seconds is None:
            return 1
        fair = self.ready.n_groups(like) // (2 * slots)
        return max(1, min(LARGEST_SUBMISSION, fair, int(SUBMISSION_SECONDS / max(seconds, 1e-6))))

    def _claimed(self, groups: Iterable[JobGroup]) -> Iterator[JobGroup]:
        """What of the groups no other process is working on; the rest is looked for later."""
        for group in groups:
            claims = {job.key: self.store.claim(job.key) for job in group}
            self.claims |= {key: claim for key, claim in claims.items() if claim is not None}
            mine = [job for job in group if claims[job.key] is not None]
            if len(mine) < len(group):
                self.elsewhere.append([job for job in group if claims[job.key] is None])
            if mine:
                yield mine

    def _look_elsewhere(self) -> None:
        """Take up what another process has finished or left."""
        for _ in range(len(self.elsewhere)):
            for job in self.elsewhere.popleft():
                if self.store.has(job.key):
                    self._finish(job, outcome_of(job, "kept"))
                else:
                    self.ready.add(job)

    def _collect(self) -> None:
        """Wait for an answer and take all that are there."""
        with suppress(Empty):
            patience = WATCHED_SECONDS if is_watched() else LOOK_SECONDS
            self._take_answer(self.answers.get(timeout=POLL_SECONDS if self.elsewhere else patience))
            while not self.answers.empty():
                self._take_answer(self.answers.get())

    def _take_answer(self, future: Future[WorkReport]) -> None:
        groups = self.flying.pop(future)
        self.gpus_asked -= groups[0][0].step.settings.resources.gpus
        error = future.exception()
        if isinstance(error, WorkerLostError):
            self._lost(groups, error)
        elif error is not None:
            raise error
        else:
            self._settle(groups, future.result())

    def _settle(self, groups: list[JobGroup], report: WorkReport) -> None:
        jobs = {job.key: job for group in groups for job in group}
        for outcome in report.outcomes:
            if outcome.status != "kept":  # another process had just finished it
                self.pace[outcome.step] = 0.8 * self.pace.get(outcome.step, outcome.seconds) + 0.2 * outcome.seconds
            self._finish(jobs.pop(outcome.key), outcome)
        for key, reason in report.unusable.items():
            self._recompute(key, reason, [jobs.pop(name) for name in report.not_run[key]])
        if report.refused:
            self._refused([(jobs.pop(key), refusal) for key, refusal in report.refused.items()])
        for job in jobs.values():  # not begun, because the store refused what came before
            self._release(job.key)
            self.ready.add(job)

    def _recompute(self, key: str, reason: str, wanting: list[Job[Any]]) -> None:
        """Throw a damaged value away and run its job again before the jobs that wanted it."""
        need = next(need for job in wanting for need in job.needs if need.key == key)
        self.repairs[key] += 1
        if self.repairs[key] > TRIES:
            for job in wanting:
                self._finish(job, outcome_of(job, "failed", error=f"{reason}, {TRIES} times over"))
            return
        self.store.discard(key)
        self.news.append(outcome_of(need, "damaged", error=reason))
        for job in wanting:
            self._release(job.key)
            del self.absent[job.key]
        self._add(wanting, self.store.has)

    def _lost(self, groups: list[JobGroup], error: WorkerLostError) -> None:
        lasting = f"the worker died {TRIES} times ({error}); it may need more memory than there is"
        for group in groups:
            self._try_again(group, f"its worker was lost ({error})", lasting)

    def _refused(self, refused: list[tuple[Job[Any], Refusal]]) -> None:
        """Stop where the store takes nothing from us either; else one worker or one value is the trouble."""
        try:
            self.store.try_writing()
        except StoreError as error:
            self.stop = str(error)
            return
        for job, refusal in refused:
            if not refusal.again:
                self.losses[job.key] = TRIES
            self._try_again([job], refusal.reason, refusal.reason)

    def _try_again(self, group: JobGroup, passing: str, lasting: str) -> None:
        """Put a group with the suspects and say why, or fail it when it has had its tries."""
        key = group[0].key
        self.losses[key] += 1
        if self.losses[key] < TRIES:
            self.suspects.append(group)
            self.news += [outcome_of(job, "lost", error=passing) for job in group]
            return
        for job in group:
            with suppress(StoreError):  # then the outcome alone says it
                self.store.keep_failure(job, lasting, "")
            self._finish(job, outcome_of(job, "failed", error=lasting))

    def _finish(self, job: Job[Any], outcome: Outcome) -> None:
        """Note what became of a job, and free or skip those that waited for it."""
        self._release(job.key)
        self.news.append(outcome)
        self.settled.add(job.key)
        self.absent.pop(job.key, None)
        if outcome.status == "failed":
            self._skip_dependants(job, outcome)
            return
        for dependant in self.dependants.pop(job.key, []):
            if dependant.key in self.absent:
                self.unmet[dependant.key] -= 1
                if not self.unmet[dependant.key]:
                    self.ready.add(dependant)

    def _skip_dependants(self, job: Job[Any], outcome: Outcome) -> None:
        stack = self.dependants.pop(job.key, [])
        while stack:
            dependant = stack.pop()
            if self.absent.pop(dependant.key, None) is not None:
                reason = f"it needs {outcome.description}, which failed"
                self.news.append(outcome_of(dependant, "skipped", error=reason))
                stack += self.dependants.pop(dependant.key, [])

    def _release(self, key: str) -> None:
        claim = self.claims.pop(key, None)
        if claim is not None:
            claim.release()
