"""Small steps that the tests of jobs, store and runners share."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.jobs import location, scratch_folder, step


@step(version=1)
def square(x: int) -> int:
    return x * x


@step(version=1)
def total(numbers: list[int]) -> int:
    return sum(numbers)


@step(version=1)
def fails(x: int) -> int:
    raise ValueError(f"no {x} today")
