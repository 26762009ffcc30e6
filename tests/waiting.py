"""How tests wait: until something can be seen, never for so many seconds; the one limit only ends a test that hangs.

A campaign that a test breaks off must not come to its end first, however late the test looks: the test holds the claim
on a job of it (`held`), as another process at work on that job would.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from goldproof.jobs import Job, Store

HANG_SECONDS = 300
LOOK_SECONDS = 0.02
Seen = TypeVar("Seen")


def wait_until(condition: Callable[[], Seen], what: str) -> Seen:
    """What the condition gives, as soon as it is true; `what` says what was waited for if that never happens."""
    deadline = time.monotonic() + HANG_SECONDS
    while not (seen := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: this did not happen within {HANG_SECONDS} s")
        time.sleep(LOOK_SECONDS)
    return seen


@contextmanager
def started(
    command: Sequence[str | Path], folder: Path, env: Mapping[str, str], **pipes: Any
) -> Iterator[subprocess.Popen[str]]:
    """A process in a session of its own; it, what it started and its pipes end with the block, whatever happened."""
    with subprocess.Popen(command, cwd=folder, env=env, start_new_session=True, text=True, **pipes) as process:
        try:
            yield process
        finally:
            if process.returncode is None:  # else its number may by now be another's
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def ended(process: subprocess.Popen[str]) -> int:
    """The exit status of a process that ends by itself."""
    return process.wait(HANG_SECONDS)


def kill(process: subprocess.Popen[str]) -> None:
    """End a process alone and at one blow; its number stays its own until the block in which it was started ends."""
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def living(select: str, of: int) -> dict[int, str]:
    """The command lines of the processes that `ps` selects (--sid: of a session, --ppid: of a parent) and that live."""
    listed = subprocess.run(
        ["ps", "-ww", select, str(of), "-o", "pid=,stat=,args="], capture_output=True, text=True, check=False
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return {int(pid): args[0] if args else "" for pid, state, *args in rows if not state.startswith("Z")}


@contextmanager
def held(store: Store, jobs: Iterable[Job[Any]]) -> Iterator[None]:
    """Within the block no other process can finish these jobs, so that a campaign that wants them does not end."""
    claims = [store.claim(job.key) for job in jobs]
    assert None not in claims, "another process is still at work on what is to be held"
    try:
        yield
    finally:
        for claim in claims:
            if claim is not None:
                claim.release()
