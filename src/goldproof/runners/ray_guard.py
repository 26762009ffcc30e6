"""The guard of a local Ray: ends the helpers that would outlive a driver that was killed.

Two helpers of Ray's (its agents, children of the raylet) see within a moment that the raylet is gone, and then spend a
minute trying to say so to a server that is gone as well. The guard is a small process that waits until the driver ends,
however it ends, gives them a moment, and ends them. Linux only; elsewhere they end by themselves, later.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

SECONDS_TO_END = 2.0
_PROCESSES = Path("/proc")


def own_raylets() -> frozenset[int]:
    """The raylets that this process has started, for whatever purpose."""
    return frozenset(_children(os.getpid(), "raylet"))


def start_guard(others: Collection[int]) -> subprocess.Popen[bytes] | None:
    """Guard the helpers of the Ray that this process has just started; None where it has started none.

    `others` are raylets that it had before, such as those of a cluster of its own, which may go on after the runner.
    """
    helpers = [child for raylet in own_raylets().difference(others) for child in _children(raylet)]
    if not helpers:
        return None
    named = [f"{helper}:{_began(helper)}" for helper in helpers]
    command = [sys.executable, "-E", "-s", "-S", __file__, *named]
    # A session of its own: what is sent to all processes of the driver's must not end the guard before its charges.
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def end_guard(guard: subprocess.Popen[bytes]) -> None:
    """Let the guard go, once Ray has been shut down."""
    if guard.stdin is not None:
        guard.stdin.close()
    guard.wait()


def _children(parent: int, name: str = "") -> list[int]:
    """The processes of this parent; those of one name alone where it is given."""
    found = []
    for path in _PROCESSES.glob("[0-9]*"):
        stated = _stated(path.name)
        if stated is not None and int(stated[1]) == parent and name in ("", _name(path)):
            found.append(int(path.name))
    return sorted(found)


def _began(pid: int) -> str:
    """When a process began: with its number, this tells it from all others, also later ones of the same number."""
    stated = _stated(str(pid))
    return stated[19] if stated is not None and stated[0] != "Z" else ""


def _stated(pid: str) -> list[str] | None:
    """The fields of /proc/PID/stat after the name, which may hold blanks; None where there is no such process."""
    try:
        return (_PROCESSES / pid / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _name(path: Path) -> str:
    try:
        return (path / "comm").read_text().strip()
    except OSError:
        return ""


def _watch(charges: dict[int, str]) -> None:
    """Wait until the driver is gone, then until its helpers are; end those that stay."""
    sys.stdin.buffer.read()  # nothing is ever written: it ends when the driver does
    for pid in _staying(charges):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _staying(charges)


def _staying(charges: dict[int, str]) -> list[int]:
    """Those that still live after a moment; sooner if all are gone."""
    deadline = time.monotonic() + SECONDS_TO_END
    while (left := [pid for pid, began in charges.items() if _began(pid) == began]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


if __name__ == "__main__":
    _watch({int(pid): began for pid, began in (charge.split(":") for charge in sys.argv[1:])})
