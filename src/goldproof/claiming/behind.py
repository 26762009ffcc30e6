"""What stands behind each claim of the page: the jobs that it rests on, and what it holds for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from goldproof.claiming import titles
from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import (
    asked_jobs,
    audit_job,
    layer_jobs,
    reference_jobs,
    side_jobs,
    sides,
    source_jobs,
    training_jobs,
)
from goldproof.claiming.settings import Config
from goldproof.jobs import Job
from goldproof.judging.audit.sentences import TITLES as AUDIT_TITLES
from goldproof.studies.asked import is_asked

SCOPE = "holds for"  # what the page's numbers hold for, in its provenance
ITEMS, THESE = "items like these", "these items"
RUNS = "trainings or prompts like these, on these items"
AUDITED = tuple(AUDIT_TITLES[name] for name in ("shortcuts", "labels"))
COUNTED = tuple(AUDIT_TITLES[name] for name in ("leaks", "size"))
SAYS_NOTHING = (titles.NOT_ASKED, titles.ADDED, titles.RULES, titles.FILES)
HEAVY = ("goldproof.train", "goldproof.ask")


@dataclass(frozen=True, slots=True)
class Behind:
    """The keys of the audit and of the trainings or prompts, those that a section has beside them, and what numbers of
    the page hold for.
    """

    audit: tuple[str, ...]
    runs: tuple[str, ...]
    beside: Mapping[str, tuple[str, ...]]
    scope: str

    def jobs(self, section: str) -> tuple[str, ...]:
        """The jobs that a section rests on."""
        if section in SAYS_NOTHING:
            return ()
        return self.audit if section == titles.DATA else self.beside.get(section, self.runs)

    def jobs_of_light(self, name: str) -> tuple[str, ...]:
        """The jobs that a light rests on."""
        if name in (*AUDITED, *COUNTED):
            return self.audit
        return (*self.audit, *self.runs) if name == titles.WORDS_LIGHT else self.runs

    def scope_of_light(self, name: str) -> str:
        """What a light holds for."""
        if name in AUDITED:
            return ITEMS
        if name in COUNTED or name.startswith("Constant"):
            return THESE
        return self.scope if name == titles.WORDS_LIGHT else RUNS


def find_behind(config: Config, data: ClaimData, scope: str) -> Behind:
    """The jobs of the page, by the section that rests on them."""
    audit = _keys([audit_job(config, data)])
    if is_asked(config):
        runs = _keys(job for job in asked_jobs(config, data) if job.step.name in HEAVY)
        both = (*audit, *runs)
        beside = {titles.RIVALS: both, titles.HARD: both}
        return Behind(audit, runs, {**beside, titles.REFUSED: both}, scope)
    runs = _keys(training_jobs(config, data))
    both = (*audit, *runs)
    alone = _keys(job for side in sides(config, data) for job in side_jobs(config, data, side))
    beside = {
        titles.REFUSED: both,
        titles.RIVALS: (*both, *_keys(reference_jobs(config, data))),
        titles.HARD: both,
        titles.SOURCES: _keys(source_jobs(config, data)),
        titles.SIDES: (*runs, *alone),
        titles.LAYERS: _keys(layer_jobs(config, data)),
    }
    return Behind(audit, runs, beside, scope)


def _keys(jobs: Iterable[Job[Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(job.key for job in jobs))
