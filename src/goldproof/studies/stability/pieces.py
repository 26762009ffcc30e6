"""The experiments of the study: the tables and figures of the paper that each makes, and the settings without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from goldproof.jobs import Job
from goldproof.studies.asked import is_asked
from goldproof.studies.experiments import StudyExperiment
from goldproof.studies.in_turn import in_turn
from goldproof.studies.own import has_own
from goldproof.studies.stability.plan import (
    Condition,
    attributed,
    attribution_seeds,
    diagnostics_job,
    figures_job,
    jobs,
    presence_jobs,
    rates_jobs,
    seeds_of,
    training_job,
    validation_job,
)
from goldproof.studies.stability.settings import Config

SEED_FIGURES = {"en": "Figure 2", "fr": "Figure 6", "de": "Figure 7", "ru": "Figure 8", "sv": "Figure 9"}
MORE_DATA = ("Table 4", "Figure 3", *(f"Figure {n}" for n in range(10, 16)))
COARSE = "goldproof run probing --preset paper (its settings coarse.*)"


def experiments(config: Config) -> tuple[StudyExperiment, ...]:
    """Each language, extra data everywhere, amounts of it, and features in it; coarse probing is another study's."""
    if is_asked(config):
        return (StudyExperiment("asking", (), lambda: jobs(config)),)
    if has_own(config):
        return (StudyExperiment("your data", (), lambda: jobs(config)),)
    found = [_language(config, language) for language in config.data.languages]
    if config.extra.amounts_everywhere:
        found.append(_everywhere(config))
    if config.extra.amounts:
        found.append(_amounts(config))
    if config.presence.features:
        found.append(_presence(config))
    found += [_rates(config, corpus) for corpus in config.presence.annotated]
    if config.data.corpus == "published":
        found.append(StudyExperiment("coarse probing", ("Figure 16", "Figure 17", "Figure 18"), command=COARSE))
    return tuple(found)


def _each(config: Config, make: Callable[[Config], list[Job[Any]]]) -> list[Job[Any]]:
    return list(dict.fromkeys(job for one in in_turn(config) for job in make(one)))


def _language(config: Config, language: str) -> StudyExperiment:
    def make(one: Config) -> list[Job[Any]]:
        wanted: list[Job[Any]] = [figures_job(one, language), diagnostics_job(one, language)]
        wanted += [validation_job(one, language), *_trained(one, Condition(language))]
        more = attribution_seeds(one) if language in attributed(one) else []
        return [*wanted, *(training_job(one, Condition(language), seeds) for seeds in more)]

    places = ("Table 1", "Table 3", "Table 6", "Figure 1", *filter(None, [SEED_FIGURES.get(language)]))
    return StudyExperiment(
        f"the language {language}", places, lambda: _each(config, make), partial(_without, config, language)
    )


def _without(config: Config, language: str) -> Config:
    """The settings without a language; an error where it is the only one."""

    def rest(languages: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for each in languages if each != language)

    extra, presence, attribution = config.extra, config.presence, config.attribution
    features = presence.features if rest(presence.languages) else ()
    return replace(
        config,
        data=replace(config.data, languages=rest(config.data.languages)),
        extra=replace(extra, languages=rest(extra.languages)),
        presence=replace(presence, languages=rest(presence.languages), features=features),
        attribution=replace(attribution, languages=rest(attribution.languages)),
    )


def _trained(config: Config, condition: Condition) -> list[Job[Any]]:
    return [training_job(config, condition, seeds) for seeds in seeds_of(config)]


def _everywhere(config: Config) -> StudyExperiment:
    def make(one: Config) -> list[Job[Any]]:
        cells = [
            Condition(language, n) for language in one.data.languages for n in sorted(one.extra.amounts_everywhere)
        ]
        return [job for cell in cells for job in _trained(one, cell)]

    return StudyExperiment(
        "extra data in every language",
        MORE_DATA,
        lambda: _each(config, make),
        lambda: replace(config, extra=replace(config.extra, amounts_everywhere=())),
    )


def _amounts(config: Config) -> StudyExperiment:
    def make(one: Config) -> list[Job[Any]]:
        cells = [Condition(language, n) for language in one.extra.languages for n in sorted(one.extra.amounts)]
        return [job for cell in cells for job in _trained(one, cell)]

    places = ("Figure 4",) if config.extra.amounts_everywhere else ("Table 4", "Figure 3", "Figure 4")
    return StudyExperiment(
        "amounts of extra data",
        places,
        lambda: _each(config, make),
        lambda: replace(config, extra=replace(config.extra, amounts=())),
    )


def _presence(config: Config) -> StudyExperiment:
    return StudyExperiment(
        "features in the extra data",
        ("Table 5", "Figure 5"),
        lambda: _each(config, presence_jobs),
        lambda: replace(config, presence=replace(config.presence, features=())),
    )


def _rates(config: Config, corpus: str) -> StudyExperiment:
    rest = tuple(each for each in config.presence.annotated if each != corpus)
    what = "the extra data" if corpus == "extra" else f"the training data in {corpus}"
    return StudyExperiment(
        f"how often {what} have each feature",
        ("Table 7",),
        lambda: _each(config, lambda one: rates_jobs(one, corpus)),
        lambda: replace(config, presence=replace(config.presence, annotated=rest)),
    )
