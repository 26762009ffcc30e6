"""The studies: each a readable package with Config, PAPER, TINY, jobs and report; installed plugins add theirs."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from goldproof.errors import UsageError
from goldproof.jobs import Job, Results
from goldproof.jobs.names import name_of
from goldproof.plugins import Group, describe
from goldproof.report.summary import Report


class Study(Protocol):
    """What a study package shows.

    It may show more: `question`, the text that `goldproof list` says of it, `outline(config) -> str`, its plan in
    numbers, `notes(config) -> tuple[str, ...]`, what is said of the user's own data before work starts and in the
    report, `requires(config) -> tuple[Need, ...]`, the extras that its jobs need, told from the settings alone,
    `experiments(config)`, its parts (`experiments.py`), `keep(config, results)` with `report_kept(config, kept)`, by
    which a report can be rendered again from a file (`kept.py`), and `answers(config, results) -> Sequence[Answers]`,
    what its runs answered, which is written beside the report.
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
    """A study in the list: its name, the question that it answers, its package, and whose plugin it is, if one."""

    name: str
    question: str
    module: str
    origin: str = ""


ENTRIES = (
    Entry("demo", "How far does a small score move with the seed and the size of the data?", "goldproof.studies.demo"),
    Entry("stability", "Would the score hold with another seed?", "goldproof.studies.stability"),
    Entry("probing", "What do the layers know?", "goldproof.studies.probing"),
    Entry("logic", "Does it infer, or match words?", "goldproof.studies.logic"),
    Entry(
        "transfer", "Would the zero-shot score survive an honest choice of checkpoint?", "goldproof.studies.transfer"
    ),
    Entry("corruption", "How much of the score survives nonsense?", "goldproof.studies.corruption"),
    Entry("claims", "What may be claimed of this model on these data?", "goldproof.claiming"),
)


def added_entries() -> list[Entry]:
    """The studies of installed plugins that can be run; this loads them."""
    return [
        Entry(each.plugin.name, str(getattr(each.thing, "question", "")), each.plugin.value, each.plugin.origin)
        for each in PLUGINS.survey()
        if not each.problem
    ]


def find_study(name: str) -> Study:
    """The study of this name, or an error that names those that can be run."""
    known = {entry.name: entry for entry in ENTRIES}
    if name in known:
        return cast(Study, importlib.import_module(known[name].module))
    added = PLUGINS.load(name)
    if added is not None:
        return cast(Study, added.thing)
    names = [*known, *PLUGINS.names()]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise UsageError(f"there is no study {name!r}; {hint}studies that can be run: {', '.join(names)}")


def _problem(study: Any) -> str:
    """What a study of a plugin lacks, or nothing."""
    absent = [name for name in ("Config", "PAPER", "TINY", "jobs", "report") if not hasattr(study, name)]
    if absent:
        return f"a study needs Config, PAPER, TINY, jobs and report; this one has no {' and no '.join(absent)}"
    config = study.Config
    if not (isinstance(config, type) and dataclasses.is_dataclass(config)):
        return f"its Config must be a dataclass; got {config!r}"
    for name in ("PAPER", "TINY"):
        if not isinstance(getattr(study, name), config):
            return f"its {name} must be an instance of its Config; got {type(getattr(study, name)).__name__}"
    for name in ("jobs", "report"):
        if not callable(getattr(study, name)):
            return f"its {name} must be a function; got {type(getattr(study, name)).__name__}"
    try:
        config()
    except Exception as error:  # noqa: BLE001 - a plugin's code may raise anything
        return f"its Config must work without arguments, and that failed ({describe(error)})"
    try:
        name_of(config)
    except UsageError as error:
        return str(error)
    return ""


PLUGINS = Group("studies", tuple(entry.name for entry in ENTRIES), _problem)
