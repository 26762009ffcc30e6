"""Outcome: what became of one job, small enough to travel; the value itself stays in the store."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from typing import Literal

Status = Literal["kept", "done", "failed", "skipped", "damaged", "lost"]

PASSING: tuple[Status, ...] = ("damaged", "lost")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one job.

    kept: it was in the store already. done: it ran. failed: `error` says why. skipped: a job that it needs failed.
    damaged: its stored value was found damaged and thrown away; it runs again. lost: its worker was lost or could not
    use the store, `error` says how; it runs again. These two are passing: another outcome of the same job follows.
    """

    key: str
    step: str
    description: str
    status: Status
    seconds: float = 0.0
    error: str = ""
    where: str = ""


def here() -> str:
    """The name of this process for people: HOST:PID."""
    return f"{platform.node()}:{os.getpid()}"
