"""Small steps that the tests and benchmarks of jobs, store and runners share."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.waiting import wait_until

from goldproof.errors import TrainingError
from goldproof.jobs import Resources, location, scratch_folder, step
from goldproof.jobs.names import named
from goldproof.jobs.scratch import scratch_folders


@named("tests.Journal")
@dataclass(frozen=True)
class Journal:
    """A file that steps append to, so that a test can see what ran; where it lies is no part of a key."""

    path: str = location(default="")

    def write(self, line: str) -> None:
        if self.path:
            with Path(self.path).open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def lines(self) -> list[str]:
        return Path(self.path).read_text(encoding="utf-8").splitlines() if Path(self.path).exists() else []


NOWHERE = Journal()


@named("tests.Gate")
@dataclass(frozen=True)
class Gate:
    """A file at which steps wait until a test makes it; where it lies is no part of a key."""

    path: str = location(default="")

    def open(self) -> None:
        Path(self.path).touch()

    def pass_through(self) -> None:
        wait_until(Path(self.path).exists, f"the gate {self.path} is opened")


@step(version=1, name="tests.square")
def square(x: int, journal: Journal = NOWHERE) -> int:
    journal.write(f"square {x}")
    return x * x


@step(version=1, name="tests.slow_square")
def slow_square(x: int, seconds: float, journal: Journal = NOWHERE) -> int:
    time.sleep(seconds)
    journal.write(f"slow_square {x}")
    return x * x


@step(version=1, name="tests.gated_square")
def gated_square(x: int, gate: Gate, journal: Journal = NOWHERE) -> int:
    gate.pass_through()
    journal.write(f"gated_square {x}")
    return x * x


@step(version=1, name="tests.total")
def total(numbers: list[int], journal: Journal = NOWHERE) -> int:
    journal.write("total")
    return sum(numbers)


@step(version=1, name="tests.fails")
def fails(x: int) -> int:
    raise ValueError(f"no {x} today")


@step(version=1, name="tests.fails_clearly")
def fails_clearly(x: int) -> int:
    raise TrainingError(f"the loss of step {x} is not finite")


@step(version=1, name="tests.table")
def table(n: int) -> pa.Table:
    return pa.table({"x": list(range(n)), "text": [f"<row {i}>" for i in range(n)]})


@step(version=1, name="tests.matrix")
def matrix(n: int) -> np.ndarray:
    return np.arange(n * n, dtype=np.float64).reshape(n, n)


@step(version=1, name="tests.size")
def size(of: Any) -> int:
    return int(of.num_rows if isinstance(of, pa.Table) else of.size)


@step(version=1, name="tests.unkeepable")
def unkeepable() -> Any:
    return {1, 2}


@step(version=1, name="tests.kills_its_worker")
def kills_its_worker(times: int, journal: Journal) -> int:
    """End the process that runs it as if it were out of memory, the first so many times."""
    journal.write("try")
    if len(journal.lines()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(journal.lines())


def add_many(arguments: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Several additions at once; a negative seed fails alone."""
    arguments[0]["journal"].write("together " + " ".join(str(a["seed"]) for a in arguments))
    return [TrainingError(f"seed {a['seed']} is negative") if a["seed"] < 0 else a["x"] + a["seed"] for a in arguments]


@step(version=1, name="tests.add", together=add_many, over=("seed",), largest_group=4)
def add(x: int, seed: int, journal: Journal = NOWHERE) -> int:
    journal.write(f"alone {seed}")
    return x + seed


@step(version=1, name="tests.resumes")
def resumes(journal: Journal) -> int:
    """Counts to 5 with a snapshot after each number, and dies once at 3."""
    folder = scratch_folder()
    assert folder is not None
    snapshot = folder / "count"
    count = int(snapshot.read_text()) if snapshot.exists() else 0
    while count < 5:
        count += 1
        journal.write(f"count {count}")
        snapshot.write_text(str(count))
        if count == 3 and journal.lines().count("count 3") == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    return count


def devices_of_many(arguments: Sequence[Mapping[str, Any]]) -> list[str]:
    return [os.environ.get("CUDA_VISIBLE_DEVICES", "")] * len(arguments)


@step(
    version=1,
    name="tests.device",
    together=devices_of_many,
    over=("seed",),
    largest_group=4,
    resources=Resources(gpus=1),
)
def device(seed: int) -> str:
    """The accelerators that the job was given."""
    return devices_of_many([{}])[0]


@step(version=1, name="tests.greedy", resources=Resources(memory_gb=1e6))
def greedy(x: int) -> int:
    """Asks for more memory than any machine has."""
    return x


def scratch_of_many(arguments: Sequence[Mapping[str, Any]]) -> list[str]:
    return [folder.name for folder in scratch_folders()]


@step(version=1, name="tests.scratch_name", together=scratch_of_many, over=("seed",))
def scratch_name(seed: int) -> str:
    folder = scratch_folder()
    assert folder is not None
    return folder.name
