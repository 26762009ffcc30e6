"""Plan: which jobs must run, in an order that works, given what the store already holds. It runs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from goldproof.jobs.job import Job


@dataclass(frozen=True, slots=True)
class Plan:
    """Jobs to run, needed ones before those that need them, and the jobs whose values are at hand."""

    absent: tuple[Job[Any], ...]
    kept: tuple[Job[Any], ...]


def make_plan(jobs: Iterable[Job[Any]], has: Callable[[str], bool]) -> Plan:
    """The plan for these jobs; a job whose value is there makes no demand on those that it needs."""
    absent: dict[str, Job[Any]] = {}
    kept: dict[str, Job[Any]] = {}
    visited: set[str] = set()
    stack = [(job, False) for job in reversed(list(jobs))]
    while stack:
        job, needs_are_planned = stack.pop()
        if needs_are_planned:
            absent[job.key] = job
        elif job.key not in visited:
            visited.add(job.key)
            if has(job.key):
                kept[job.key] = job
            else:
                stack.append((job, True))
                stack += [(need, False) for need in reversed(job.needs)]
    return Plan(tuple(absent.values()), tuple(kept.values()))


def all_jobs(jobs: Iterable[Job[Any]]) -> tuple[Job[Any], ...]:
    """The jobs and everything that they need, needed ones first."""
    return make_plan(jobs, lambda _: False).absent
