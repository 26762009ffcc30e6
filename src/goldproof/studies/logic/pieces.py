"""The experiments of the study: corpora, models of its own, each encoder, each recast corpus; with their places in the
paper, and settings without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from goldproof.jobs import Job
from goldproof.studies.asked import is_asked
from goldproof.studies.experiments import StudyExperiment
from goldproof.studies.logic.own import settle
from goldproof.studies.logic.plan import answers_job, conditions, corpus_jobs, encoders, jobs, nli_job, piece_jobs
from goldproof.studies.logic.settings import Config
from goldproof.studies.own import has_own
from goldproof.studies.shared import parse_folder

LEARNED = ("Table 2", "Figure 1")
ENCODED = ("Table 2", "Figure 1", "Figure 2", "Figure 3", "Figure 4")


def experiments(config: Config) -> tuple[StudyExperiment, ...]:
    """The corpora, the models that start from nothing, each encoder, and each corpus recast."""
    if has_own(config) or is_asked(config):
        name = "your data" if has_own(config) else "the language model"
        return (StudyExperiment(name, (), lambda: jobs(config)),)
    found = [StudyExperiment("the corpora", ("Table 1",), lambda: corpus_jobs(config))]
    if config.learners:
        found.append(_learners(config))
    found += [_encoder(config, text) for text in encoders(config)]
    return (*found, *(_recast(config, name) for name in config.experiments.nli))


def _answered(config: Config, models: Sequence[str]) -> list[Job[Any]]:
    settled = settle(config)
    return [answers_job(settled, each) for each in conditions(settled) if each.model in models]


def _learners(config: Config) -> StudyExperiment:
    names = ", ".join(config.learners)
    return StudyExperiment(
        f"the models that start from nothing ({names})", LEARNED, lambda: _answered(config, config.learners)
    )


def _encoder(config: Config, text: str) -> StudyExperiment:
    def make() -> list[Job[Any]]:
        return [*_answered(config, (text,)), *piece_jobs(config, text)]

    rest = tuple(each for each in encoders(config) if each != text)
    name = f"the model {parse_folder(text).name or parse_folder(text).folder}"
    return StudyExperiment(name, ENCODED, make, partial(replace, config, model=rest))


def _recast(config: Config, name: str) -> StudyExperiment:
    plans = config.experiments
    rest = replace(plans, nli=tuple(each for each in plans.nli if each != name))
    return StudyExperiment(
        f"{name}, recast as contradictions (section 2)",
        (),
        lambda: [nli_job(config, name)],
        lambda: replace(config, experiments=rest),
    )
