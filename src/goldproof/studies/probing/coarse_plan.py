"""The jobs of coarse probing: stability's corpora, annotated, and its encoder before and after fine-tuning."""

from __future__ import annotations

from typing import Any

from goldproof.builders.annotation.features import annotate_features
from goldproof.data.dataset import Dataset
from goldproof.jobs import Job
from goldproof.measures.probes import ProbeSettings
from goldproof.models.scratch import Scratch
from goldproof.studies.probing import coarse
from goldproof.studies.probing.encoders import encoder_of
from goldproof.studies.probing.settings import Config, parse_model
from goldproof.studies.stability import Config as Stability
from goldproof.studies.stability.generated import generate_entailment
from goldproof.studies.stability.plan import Condition, diagnostics_job, entailment_job, train_data, validation_job
from goldproof.studies.stability.settings import Attribution
from goldproof.training.recipe import Seeds


def coarse_jobs(config: Config) -> list[Job[Any]]:
    """The tasks and every instance's probes, for each language; none without seeds."""
    wanted: list[Job[Any]] = []
    for language in config.coarse.languages if config.coarse.seeds else ():
        wanted += [tasks_job(config, language), pretrained_job(config, language)]
        wanted += [tuned_job(config, language, seed) for seed in config.coarse.seeds]
    return wanted


def tasks_job(config: Config, language: str) -> Job[coarse.CoarseTasks]:
    """The pairs of a language with their groups."""
    stability = _stability(config)
    sets = {
        "train": train_data(stability, Condition(language)),
        "validation": validation_job(stability, language),
        "test": _test(config, stability, language),
        "diagnostics": diagnostics_job(stability, language),
    }
    return coarse.coarse_tasks.job(sets, {name: _features(config, data, language) for name, data in sets.items()})


def pretrained_job(config: Config, language: str) -> Job[coarse.CoarseProbed]:
    """The encoder as it is."""
    train = train_data(_stability(config), Condition(language))
    return coarse.probe_pretrained.job(_model(config), train, tasks_job(config, language), _plan(config))


def tuned_job(config: Config, language: str, seed: int) -> Job[coarse.CoarseProbed]:
    """The instance of a seed."""
    train = train_data(_stability(config), Condition(language))
    tasks = tasks_job(config, language)
    return coarse.probe_tuned.job(_model(config), train, tasks, _plan(config), Seeds.all(seed))


def _features(config: Config, data: Job[Dataset], language: str) -> Job[list[list[str]]]:
    if config.corpus == "generated":
        return coarse.toy_features.job(data)
    return annotate_features.job(data, language)


def _test(config: Config, stability: Stability, language: str) -> Job[Dataset]:
    if config.corpus == "generated":
        return generate_entailment.job(language, stability.toy.n_validation, seed=4)
    return entailment_job(stability, language, "test")


def _stability(config: Config) -> Stability:
    choice = config.coarse
    return Stability(
        model="fake",
        languages=choice.languages,
        corpus="generated" if config.corpus == "generated" else "published",
        root=config.root,
        n_train=choice.n_train,
        recipe=choice.recipe,
        attribution=Attribution(levels=0, languages=choice.languages),
    )


def _model(config: Config) -> Any:
    if config.coarse.model == "small":
        return Scratch(hidden=32, n_heads=2)
    named = parse_model(config.coarse.model)
    return encoder_of(named.folder, named.is_random)


def _plan(config: Config) -> coarse.CoarsePlan:
    probe = ProbeSettings("logistic", config.probe.l2)
    return coarse.CoarsePlan(config.coarse.recipe, config.readout, probe, config.embeddings)
