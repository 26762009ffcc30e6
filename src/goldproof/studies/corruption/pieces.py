"""The experiments of the study: each task makes its row of every table and figure, and may be left out alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from goldproof.jobs import Job
from goldproof.studies.corruption.plan import jobs
from goldproof.studies.corruption.settings import Config
from goldproof.studies.experiments import StudyExperiment
from goldproof.studies.own import has_own

PLACES = ("Table 2", "Table 3", "Figure 1", "Figure 2", "Figure 3")
OF_TASK = {"glue/mrpc": ("Table 1", "Table 5"), "glue/sst2": ("Table 4",)}


def experiments(config: Config) -> tuple[StudyExperiment, ...]:
    """Every task with its cells, and what is asked about its reasons."""
    if has_own(config):
        return (StudyExperiment("your data", (), lambda: jobs(config)),)
    return tuple(_task(config, name) for name in config.tasks)


def _task(config: Config, name: str) -> StudyExperiment:
    rest = tuple(each for each in config.tasks if each != name)
    own = {text for text in config.recipes if text.split()[0] == name}
    recipes = tuple(text for text in config.recipes if text not in own)
    return StudyExperiment(
        name,
        (*PLACES, *OF_TASK.get(name, ())),
        partial(_jobs_of, config, name),
        lambda: replace(config, tasks=rest, recipes=recipes),
    )


def _jobs_of(config: Config, name: str) -> list[Job[Any]]:
    """The jobs of one task, for one model after the other."""
    own = tuple(text for text in config.recipes if text.split()[0] == name)
    return jobs(replace(config, tasks=(name,), recipes=own))
