"""The studies: each a readable package with Config, PAPER, TINY, jobs and report."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from goldproof.errors import UsageError
from goldproof.jobs import Job, Results
from goldproof.report.summary import Report


class Study(Protocol):
    """What a study package shows.

    It may show two more: `outline(config) -> str`, its plan in numbers, and `requires(config) -> tuple[Need, ...]`, the
    extras that its jobs need, told from the settings alone.
    """

    Config: type[Any]
    PAPER: Any
    TINY: Any

    def jobs(self, config: Any) -> Sequence[Job[Any]]:
        """The jobs whose values the report needs."""

    def report(self, config: Any, results: Results) -> Report:
        """What was found."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A study in the list: its name, the question that it answers, and its package."""

    name: str
    question: str
    module: str


ENTRIES = (
    Entry("demo", "How far does a small score move with the seed and the size of the data?", "goldproof.studies.demo"),
    Entry("stability", "Would the score hold with another seed?", "goldproof.studies.stability"),
    Entry("probing", "What do the layers know?", "goldproof.studies.probing"),
    Entry("logic", "Does it infer, or match words?", "goldproof.studies.logic"),
    Entry(
        "transfer", "Would the zero-shot score survive an honest choice of checkpoint?", "goldproof.studies.transfer"
    ),
    Entry("corruption", "How much of the score survives nonsense?", "goldproof.studies.corruption"),
)


def find_study(name: str) -> Study:
    """The study of this name, or an error that names those that can be run."""
    known = {entry.name: entry for entry in ENTRIES}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UsageError(f"there is no study {name!r}; {hint}studies that can be run: {', '.join(known)}")
    return cast(Study, importlib.import_module(known[name].module))
