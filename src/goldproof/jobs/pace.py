"""Pace: how long jobs would take, from what jobs of the same kind took before.

The one estimator of all studies. A kind is a step with the arguments that set its pace (`paced_by`, as a rule the
model). Where the step says how large a job is (`size`: for a training the rows that pass the model), time grows with
it along a line; elsewhere a job takes the mean of those before. A kind that was never run has no time, as the pace of
another model is no guide: `sample_jobs` are small jobs that measure it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from goldproof.jobs.job import Job, Step, registered_steps

LONG_ENOUGH = 3.0
"""Seconds from which a sample tells a pace; the first of its kind also loads libraries, and tells nothing by itself."""

PaceBasis = Literal["size", "mean"]


def size_from(step: Step[..., Any], arguments: Mapping[str, Any]) -> float | None:
    """How large a job is, from the values that it was given; None where its step does not say."""
    if step.settings.size is None:
        return None
    return step.settings.size({name: _rows(value, _n_rows) for name, value in arguments.items()})


def _rows(value: Any, rows_of: Callable[[Any], Any]) -> Any:
    """The argument with the number of rows in the place of each dataset, and None where it is not known."""
    if isinstance(value, dict):
        return {name: _rows(item, rows_of) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rows(item, rows_of) for item in value]
    return rows_of(value)


def _n_rows(value: Any) -> Any:
    """The number of rows of a dataset; anything else as it is."""
    return len(value) if hasattr(value, "table") and hasattr(value, "__len__") else value


@dataclass(frozen=True, slots=True)
class JobTime:
    """How long a job would take, and what says so."""

    seconds: float
    basis: PaceBasis


@dataclass(slots=True)
class _Records:
    """What jobs of one kind took: how many, their seconds, and the size and seconds of those that have a size."""

    n: int = 0
    seconds: float = 0.0
    sized: list[tuple[float, float]] = field(default_factory=list)

    def add(self, seconds: float, size: float | None) -> None:
        """One record more."""
        self.n += 1
        self.seconds += seconds
        if size:
            self.sized.append((size, seconds))

    def seconds_for(self, size: float | None) -> tuple[float, PaceBasis]:
        """The seconds of a job of this size."""
        if size and self.sized:
            start, rate = _line(self.sized)
            return start + rate * size, "size"
        return self.seconds / self.n, "mean"


def _line(sized: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """What a job takes to begin, and for each row: by least squares, or by the rows of the largest where that makes no
    sense, as where the first job alone loaded the libraries.

    >>> _line([(10, 6.0), (110, 16.0)]), _line([(10, 5.0), (10, 7.0)]), _line([(10, 9.0), (100, 8.0)])
    ((5.0, 0.1), (0.0, 0.6), (0.0, 0.08))
    """
    sizes, seconds = (sum(each) / len(sized) for each in zip(*sized, strict=True))
    spread = sum((size - sizes) ** 2 for size, _ in sized)
    rate = sum((size - sizes) * (took - seconds) for size, took in sized) / spread if spread else 0.0
    start = seconds - rate * sizes
    if rate > 0 and start >= 0:
        return round(start, 9), round(rate, 9)
    largest = max(size for size, _ in sized)
    of_largest = [took for size, took in sized if size == largest]
    return 0.0, sum(of_largest) / len(of_largest) / largest


@dataclass(slots=True)
class Paces:
    """What is known of the pace of each kind of job, out of the records of a store."""

    of_kind: dict[tuple[str, str], _Records] = field(default_factory=dict)
    _sizes: dict[str, float | None] = field(default_factory=dict)

    def knows(self, job: Job[Any]) -> bool:
        """Whether a job of this very kind was run before."""
        return kind_of(job) in self.of_kind

    def guess(self, job: Job[Any]) -> JobTime | None:
        """How long a job would take; None where none of its kind was ever run."""
        known = self.of_kind.get(kind_of(job))
        return None if known is None else JobTime(*known.seconds_for(self.size(job)))

    def size(self, job: Job[Any]) -> float | None:
        """How large a job is, told from its arguments and the sizes of the jobs that it needs."""
        if job.key not in self._sizes:
            say = job.step.settings.size
            arguments = {name: _rows(value, self._planned) for name, value in job.arguments.items()}
            self._sizes[job.key] = say(arguments) if say is not None else None
        return self._sizes[job.key]

    def _planned(self, value: Any) -> Any:
        return self.size(value) if isinstance(value, Job) else value


def paces_of(records: Iterable[Mapping[str, Any]]) -> Paces:
    """The paces that the records of a store tell."""
    found, steps = Paces(), registered_steps()
    for record in records:
        name, circumstances = str(record["step"]), record["circumstances"]
        names = steps[name].settings.paced_by if name in steps else ("model",)
        kind = found.of_kind.setdefault((name, _form(record["arguments"], names)), _Records())
        kind.add(float(circumstances["seconds"]), circumstances.get("size"))
    return found


def kind_of(job: Job[Any]) -> tuple[str, str]:
    """What sets the pace of a job: its step and the arguments that the step names."""
    return job.step.name, _form(job.form, job.step.settings.paced_by)


def _form(arguments: Any, names: Sequence[str]) -> str:
    chosen = {name: arguments.get(name) for name in names} if isinstance(arguments, Mapping) else {}
    return json.dumps(chosen, sort_keys=True)


def sample_jobs(jobs: Iterable[Job[Any]], paces: Paces) -> list[list[Job[Any]]]:
    """For each kind that was never run jobs of rising size: samples where the step has them, else the smallest job.

    They are to be run one after the other, until one takes long enough to tell (`LONG_ENOUGH` seconds).
    """
    least: dict[tuple[str, str], Job[Any]] = {}
    for job in jobs:
        kind = kind_of(job)
        if not paces.knows(job) and (kind not in least or _size(paces, job) < _size(paces, least[kind])):
            least[kind] = job
    return [_samples(job) for job in least.values()]


def _size(paces: Paces, job: Job[Any]) -> float:
    size = paces.size(job)
    return math.inf if size is None else size


def _samples(job: Job[Any]) -> list[Job[Any]]:
    make = job.step.settings.samples
    return [job] if make is None else [job.step.job(**arguments) for arguments in make(job.arguments)]


def same_rows(name: str) -> Callable[[Mapping[str, Any]], float | None]:
    """The size of a step that gives as many rows as the dataset it is given under this name.

    >>> same_rows("data")({"data": 12, "what": "train"})
    12
    """

    def size(arguments: Mapping[str, Any]) -> float | None:
        rows = arguments[name]
        return rows if isinstance(rows, int | float) else None

    return size
