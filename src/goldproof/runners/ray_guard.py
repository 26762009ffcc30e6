"""The guard of a local Ray: ends the helpers that would outlive a driver that was killed.

Two helpers of Ray's (its agents, children of the raylet) see within a moment that the raylet is gone, and then spend a
minute trying to say so to a server that is gone as well. The guard is a small process that waits until the driver ends,
however it ends, gives them a moment, and ends them. It starts before Ray does, as a driver may be killed while Ray
starts, and knows Ray's processes by a mark in their environment: some write over theirs when they set their title, so
it looks again and again until all have started. Linux only; elsewhere they end by themselves, later.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = "GOLDPROOF_RAY_GUARD"
SECONDS_TO_END = 2.0
SECONDS_BETWEEN_LOOKS = 0.1
LEAST_LOOKS = 3  # a process that is just being made has not yet the environment that it will have
_PROCESSES = Path("/proc")
_STARTED = b"\n"


@contextmanager
def guarded_start() -> Iterator[subprocess.Popen[bytes] | None]:
    """Guard the Ray that is started within the block; None where there is nothing to read processes from."""
    if not (_PROCESSES / "self" / "environ").exists():
        yield None
        return
    mark = secrets.token_hex(16)
    command = [sys.executable, "-E", "-s", "-S", __file__, mark]
    # A session of its own: what is sent to all processes of the driver's must not end the guard before its charges.
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    os.environ[MARK] = mark
    try:
        yield guard
    except BaseException:
        end_guard(guard)
        raise
    finally:
        os.environ.pop(MARK, None)
    assert guard.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # somebody ended the guard
        guard.stdin.write(_STARTED)
        guard.stdin.flush()


def end_guard(guard: subprocess.Popen[bytes]) -> None:
    """Let the guard go, once Ray has been shut down."""
    if guard.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            guard.stdin.close()
    guard.wait()


Charges = dict[int, str]
"""Processes that are guarded: their numbers, and when each began, which tells it from later ones of its number."""


def _watch(mark: str) -> None:
    """Learn which processes are the driver's Ray, wait until the driver is gone, and end those that stay."""
    charges = _learn(mark)
    sys.stdin.buffer.read()  # nothing more is ever written: it ends when the driver does
    charges |= _found(mark, charges)
    for pid in _staying(charges, mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _staying(charges)


def _learn(mark: str) -> Charges:
    """The processes of Ray, looked for until the driver says that all have started, or is gone."""
    charges: Charges = {}
    while not select.select([sys.stdin], [], [], SECONDS_BETWEEN_LOOKS)[0]:
        charges |= _found(mark, charges)
    os.read(sys.stdin.fileno(), len(_STARTED))
    return charges | _found(mark, charges)


def _staying(charges: Charges, mark: str = "") -> list[int]:
    """Those that still live after a moment; sooner if all are gone. With a mark, new ones are added meanwhile."""
    deadline, looks = time.monotonic() + SECONDS_TO_END, 0
    while True:
        if mark:
            charges |= _found(mark, charges)
        left, looks = [pid for pid, began in charges.items() if _began(pid) == began], looks + 1
        if time.monotonic() > deadline or (not left and looks >= LEAST_LOOKS):
            return left
        time.sleep(SECONDS_BETWEEN_LOOKS / 2)


def _found(mark: str, known: Charges) -> Charges:
    """The processes that carry the mark, or whose parent is known and lives."""
    sign = f"{MARK}={mark}".encode()
    found: Charges = {}
    for path in _PROCESSES.glob("[0-9]*"):
        stated, pid = _stated(path.name), int(path.name)
        if stated is None or stated[0] == "Z" or pid in (*known, os.getpid()):
            continue
        parent = int(stated[1])
        if (parent in known and _began(parent) == known[parent]) or sign in _environment(path):
            found[pid] = stated[19]
    return found


def _began(pid: int) -> str:
    """When a process began; nothing where it is gone."""
    stated = _stated(str(pid))
    return stated[19] if stated is not None and stated[0] != "Z" else ""


def _stated(pid: str) -> list[str] | None:
    """The fields of /proc/PID/stat after the name, which may hold blanks; None where there is no such process."""
    try:
        return (_PROCESSES / pid / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _environment(path: Path) -> bytes:
    try:
        return (path / "environ").read_bytes()
    except OSError:  # it is gone, or another user's
        return b""


if __name__ == "__main__":
    _watch(sys.argv[1])
