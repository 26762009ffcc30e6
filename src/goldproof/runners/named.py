"""The runner behind a name: serial, pool or ray. Nothing is started until work is submitted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.extras import Need
    from goldproof.jobs import Runner


def make_runner(name: str, workers: int | None = None, address: str | None = None) -> Runner:
    """The runner of this name."""
    if name == "serial":
        from goldproof.runners.serial import SerialRunner

        return SerialRunner()
    if name == "pool":
        from goldproof.runners.pool import PoolRunner

        return PoolRunner(workers)
    if name == "ray":
        from goldproof.runners.ray import RayRunner

        return RayRunner(address, workers)
    raise UsageError(f"there is no runner {name!r}; allowed: serial, pool, ray")


def runner_needs(name: str) -> tuple[Need, ...]:
    """The extras that the runner of this name needs."""
    if name != "ray":
        return ()
    from goldproof.runners.ray import RAY

    return (RAY,)


@contextmanager
def closing(runner: Runner) -> Iterator[Runner]:
    """Wait for what runs at the end of the block; where the block failed, end it now."""
    finished = False
    try:
        yield runner
        finished = True
    finally:
        runner.close(cancel=not finished)
