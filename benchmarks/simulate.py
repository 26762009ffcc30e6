"""The scheduler alone with a million no-op jobs: rate, and the memory of the driver. No job runs and nothing is kept.

python benchmarks/simulate.py [--jobs 1000000] [--machines 200]

Jobs have the shape of a large campaign: one training for every 50 evaluations that need it, trainings in stacks of up
to 16. The runner has 2 x machines slots and answers at once; the store is a set of keys.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from goldproof.jobs import Job, step
from goldproof.jobs.schedule import Schedule
from goldproof.jobs.work import WorkReport, outcome_of

LANGUAGES = 50


def train_many(arguments: Sequence[Any]) -> list[int]:
    return [0] * len(arguments)


@step(version=1, name="benchmarks.train", together=train_many, over=("seed",))
def train(model: int, seed: int) -> int:
    return 0


@step(version=1, name="benchmarks.evaluate")
def evaluate(trained: int, language: int) -> int:
    return 0


class Keys:
    """A store of nothing but keys."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def has(self, key: str) -> bool:
        return key in self.keys

    def look(self) -> Callable[[str], bool]:
        return self.has

    def claim(self, key: str) -> Keys:
        return self

    def release(self) -> None:
        pass


class AtOnce:
    """A runner of many machines that answers at once."""

    shared_fate = False
    gpu_slots = math.inf

    def __init__(self, machines: int) -> None:
        self.slots = 2 * machines
        self.submissions = 0

    def submit(self, groups: Sequence[Sequence[Job[Any]]], store: Any, *, alone: bool = False) -> Future[WorkReport]:
        self.submissions += 1
        report = WorkReport()
        for group in groups:
            for job in group:
                store.keys.add(job.key)
                report.outcomes.append(outcome_of(job, "done", 0.001))
        future: Future[WorkReport] = Future()
        future.set_result(report)
        return future

    def close(self, *, cancel: bool = False) -> None:
        pass


def campaign(n: int) -> list[Job[int]]:
    """About n jobs: trainings, and an evaluation of each in every language."""
    n_trainings = max(1, n // (LANGUAGES + 1))
    trainings = [train.job(i // 20, i % 20) for i in range(n_trainings)]
    return [evaluate.job(trained, language) for trained in trainings for language in range(LANGUAGES)]


def megabytes() -> float:
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--machines", type=int, default=200)
    arguments = parser.parse_args()
    empty, start = megabytes(), time.perf_counter()
    jobs = campaign(arguments.jobs)
    made, made_at = megabytes(), time.perf_counter()
    runner = AtOnce(arguments.machines)
    store: Any = Keys()
    schedule = Schedule(jobs, store, runner)
    planned, planned_at = megabytes(), time.perf_counter()
    done = sum(outcome.status == "done" for outcome in schedule.run())
    ended, peak = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if done != schedule.n_jobs:
        sys.exit(f"{done} of {schedule.n_jobs} jobs came to an end")
    n = schedule.n_jobs
    print(f"{n} no-op jobs, {runner.slots} slots, {runner.submissions} submissions")
    print(f"  making the jobs   {made_at - start:8.1f} s  {(made_at - start) / n * 1e6:7.1f} us a job  ", end="")
    print(f"{made - empty:8.0f} MB  {(made - empty) / n * 2**20:7.0f} bytes a job")
    print(
        f"  planning          {planned_at - made_at:8.1f} s  {(planned_at - made_at) / n * 1e6:7.1f} us a job  ", end=""
    )
    print(f"{planned - made:8.0f} MB  {(planned - made) / n * 2**20:7.0f} bytes a job")
    print(f"  running           {ended - planned_at:8.1f} s  {n / (ended - planned_at):7.0f} jobs a second")
    print(f"  peak memory of the driver {peak:.0f} MB")


if __name__ == "__main__":
    main()
