"""The jobs: every model and baseline probed on every task in every language, and what is looked at beyond.

Jobs of one model stand together, so that its weights are loaded once, and its activations lie in the store's cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goldproof.builders.annotation.features import annotation_needs
from goldproof.extras import Need
from goldproof.jobs import Job
from goldproof.measures.layer_tests import LayerTests
from goldproof.measures.neurons import NeuronSettings
from goldproof.measures.probes import PROBING, ProbeSettings
from goldproof.measures.selectivity import Selectivity
from goldproof.models.length import Length
from goldproof.models.ngrams import NGrams, ngrams
from goldproof.models.static_vectors import static_vectors
from goldproof.studies.probing import steps
from goldproof.studies.probing.coarse import coarse_jobs
from goldproof.studies.probing.published import canonical_name
from goldproof.studies.probing.settings import Config, encoder_of, parse_model
from goldproof.studies.probing.tasks import facts_job, settle, task_job, tasks_of
from goldproof.studies.shared import each_model


@dataclass(frozen=True, slots=True)
class Arm:
    """A column of the study: a model, its random twin, or a baseline; `kind` says which."""

    title: str
    kind: str
    model: Any
    languages: tuple[str, ...]
    twin_of: str = ""


@dataclass(frozen=True, slots=True)
class ProbingCell:
    """An arm on a task in a language."""

    arm: Arm
    language: str
    task: str


def jobs(config: Config) -> list[Job[Any]]:
    """Every job whose value the report needs."""
    config = settle(config)
    wanted: list[Job[Any]] = [
        facts_job(config, language, task) for language in config.data.languages for task in tasks_of(config, language)
    ]
    for cell in cells(config):
        wanted += cell_jobs(config, cell)
    wanted += [similarity_job(config, language, task) for language, task in compared(config)]
    return list(dict.fromkeys([*wanted, *coarse_jobs(config)]))


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    annotated = config.coarse.languages if config.coarse.seeds and config.data.corpus != "generated" else ()
    return (PROBING, *(need for language in annotated for need in annotation_needs(language)))


def cell_jobs(config: Config, cell: ProbingCell) -> list[Job[Any]]:
    """All jobs of a cell; a baseline is probed, and nothing beyond."""
    wanted: list[Job[Any]] = []
    for kind in config.probe.kinds:
        wanted += [probe_job(config, cell, kind), assess_job(config, cell, kind)]
    if cell.arm.kind == "baseline":
        return wanted
    if config.selectivity:
        wanted.append(selectivity_job(config, cell))
    if config.description_length:
        wanted.append(code_job(config, cell))
    if config.neurons.run and not cell.arm.twin_of:
        wanted.append(neurons_job(config, cell))
    return wanted


def arms(config: Config) -> list[Arm]:
    """Models with their twins, then baselines."""
    found = []
    for text in each_model(config.model):
        named = parse_model(text)
        languages = named.languages or config.data.languages
        found.append(Arm(named.title, "model", encoder_of(named.folder, named.is_random), languages))
        if config.twins and not named.is_random:
            title = f"{named.title}, random weights"
            found.append(Arm(title, "model", encoder_of(named.folder, True), languages, named.title))
    return [*found, *_baselines(config)]


def _baselines(config: Config) -> list[Arm]:
    choice, everywhere = config.baselines, config.data.languages
    found = [Arm("Length", "baseline", Length(), everywhere)] if choice.length else []
    counted = [ngrams(max_features=choice.most_features)] if choice.characters else []
    counted += [ngrams(folder, max_features=choice.most_features) for folder in choice.tokenizers]
    found += [Arm(model.name, "baseline", model, everywhere) for model in counted]
    for text in choice.vectors:
        language, _, path = text.partition("=")
        found.append(Arm(f"Word vectors ({language})", "baseline", static_vectors(path), (language,)))
    return found


def cells(config: Config) -> list[ProbingCell]:
    """Every arm on every task in its languages."""
    return [
        ProbingCell(arm, language, task)
        for arm in arms(config)
        for language in config.data.languages
        if language in arm.languages
        for task in tasks_of(config, language)
    ]


def probe_settings(config: Config, kind: str) -> ProbeSettings:
    """The settings of a kind of probe; the seed plays no part in a logistic one."""
    seeds = config.probe.seeds if kind == "mlp" else (0,)
    return ProbeSettings(kind, config.probe.l2, seeds)  # type: ignore[arg-type]


def probe_job(config: Config, cell: ProbingCell, kind: str = "logistic") -> Job[steps.Probed | None]:
    """The probes of a cell."""
    task, settings = task_job(config, cell.language, cell.task), probe_settings(config, kind)
    if _is_sparse(cell):
        return steps.probe_ngrams.job(cell.arm.model, task, settings, config.most_classes)
    found: Job[Any] = steps.probe.job(cell.arm.model, config.readout, task, settings, config.embeddings)
    return found


def assess_job(config: Config, cell: ProbingCell, kind: str = "logistic") -> Job[LayerTests | None]:
    """Bands and ties of a cell's layers."""
    return steps.assess.job(probe_job(config, cell, kind), config.level)


def selectivity_job(config: Config, cell: ProbingCell) -> Job[Selectivity | None]:
    """The control task of a cell."""
    settings, limit = probe_settings(config, "logistic"), config.most_classes
    task = task_job(config, cell.language, cell.task)
    return steps.selectivity.job(cell.arm.model, config.readout, task, settings, limit, config.embeddings)


def code_job(config: Config, cell: ProbingCell) -> Job[steps.Code | None]:
    """The description length of a cell."""
    task = task_job(config, cell.language, cell.task)
    return steps.code_length.job(
        cell.arm.model, config.readout, task, config.probe.l2, config.most_classes, config.embeddings
    )


def neurons_job(config: Config, cell: ProbingCell) -> Job[steps.Ranked | None]:
    """The neurons of a cell."""
    choice = config.neurons
    settings = NeuronSettings(choice.l1, choice.l2, choice.share, choice.by)
    plan = steps.NeuronPlan(settings, choice.n_random, choice.seeds, choice.sample, config.most_classes)
    task = task_job(config, cell.language, cell.task)
    return steps.neurons.job(cell.arm.model, config.readout, task, plan, config.embeddings)


def compared(config: Config) -> list[tuple[str, str]]:
    """Languages and tasks on which models are compared: the tasks that all languages share."""
    if not config.similarity.measures or not each_model(config.model):
        return []
    tasks = {language: tasks_of(config, language) for language in config.data.languages}
    shared = set.intersection(*({_question(config, task) for task in each} for each in tasks.values()))
    return [(language, task) for language, each in tasks.items() for task in each if _question(config, task) in shared]


def _question(config: Config, task: str) -> str:
    """What a task asks: the paper's suites have two names for some tasks that its languages share."""
    return canonical_name(task) if config.data.corpus == "paper" else task


def models_of(config: Config, language: str) -> list[Arm]:
    """Models and twins that are probed in a language."""
    return [arm for arm in arms(config) if arm.kind == "model" and language in arm.languages]


def similarity_job(config: Config, language: str, task: str) -> Job[steps.Likeness]:
    """All models of a language compared on a task's sentences."""
    models = tuple(arm.model for arm in models_of(config, language))
    ready = task_job(config, language, task)
    return steps.compare_models.job(models, config.readout, ready, config.similarity, config.embeddings)


def _is_sparse(cell: ProbingCell) -> bool:
    return isinstance(cell.arm.model, NGrams)
