"""A job of 1 ms, in a module of its own so that every worker can import it."""

from __future__ import annotations

import time

from goldproof.jobs import step


def nap(x: int) -> int:
    """Busy for one millisecond (a sleep would let workers overlap more than real work does)."""
    end = time.perf_counter() + 0.001
    while time.perf_counter() < end:
        pass
    return x


@step(version=1, name="benchmarks.nap")
def nap_step(x: int) -> int:
    return nap(x)
