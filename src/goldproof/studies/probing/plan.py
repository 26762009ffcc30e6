"""The jobs: every model and baseline probed on every task in every language, and what is looked at beyond.

Jobs of one model stand together, so that its weights are loaded once, and its activations lie in the store's cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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
from goldproof.studies.beside import is_model
from goldproof.studies.probing import steps
from goldproof.studies.probing.coarse import coarse_jobs
from goldproof.studies.probing.published import HUB_NAMES, TOKENIZERS, VECTORS, canonical_name
from goldproof.studies.probing.settings import Config, encoder_of, parse_model
from goldproof.studies.probing.tasks import facts_job, settle, task_job, tasks_of
from goldproof.studies.shared import each_model


@dataclass(frozen=True, slots=True)
class Arm:
    """A column of the study: a model, its random twin, or a baseline; `kind` says which, `paper` which column of the
    paper's tables it is, if any.
    """

    title: str
    kind: str
    model: Any
    languages: tuple[str, ...]
    twin_of: str = ""
    paper: str = ""


@dataclass(frozen=True, slots=True)
class ProbingCell:
    """An arm on a task in a language."""

    arm: Arm
    language: str
    task: str

    @property
    def where(self) -> tuple[str, str, str]:
        """The cell's part of a label."""
        return self.arm.title, self.language, self.task


def jobs(config: Config) -> list[Job[Any]]:
    """Every job whose value the report needs."""
    return list(dict.fromkeys(labelled(settle(config)).values()))


def label_of(what: str, *where: str) -> str:
    """The label of a value that the report shows.

    >>> label_of("facts", "ru", "tree_depth")
    'facts/ru/tree_depth'
    """
    return "/".join((what, *(part.replace("/", "\N{FRACTION SLASH}") for part in where)))


def labelled(config: Config) -> dict[str, Job[Any]]:
    """The jobs of settled settings by the label of what they give."""
    found: dict[str, Job[Any]] = {
        label_of("facts", language, task): facts_job(config, language, task)
        for language in config.data.languages
        for task in tasks_of(config, language)
    }
    for cell in cells(config):
        found |= cell_jobs(config, cell)
    found |= {label_of("similarity", *place): similarity_job(config, *place) for place in compared(config)}
    return found | {label_of("coarse", *where): job for where, job in coarse_jobs(config).items()}


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    annotated = config.coarse.languages if config.coarse.seeds and config.data.corpus != "generated" else ()
    return (PROBING, *(need for language in annotated for need in annotation_needs(language)))


def cell_jobs(config: Config, cell: ProbingCell) -> dict[str, Job[Any]]:
    """All jobs of a cell by their labels; a baseline is probed, and nothing beyond."""
    found: dict[str, Job[Any]] = {}
    for kind in config.probe.kinds:
        found[label_of("probe", kind, *cell.where)] = probe_job(config, cell, kind)
        found[label_of("tests", kind, *cell.where)] = assess_job(config, cell, kind)
    if cell.arm.kind == "baseline":
        return found
    if config.selectivity:
        found[label_of("selectivity", *cell.where)] = selectivity_job(config, cell)
    if config.description_length:
        found[label_of("code", *cell.where)] = code_job(config, cell)
    if config.neurons.run and not cell.arm.twin_of:
        found[label_of("neurons", *cell.where)] = neurons_job(config, cell)
    return found


def arms(config: Config) -> list[Arm]:
    """Models with their twins, then baselines."""
    found = []
    for text in each_model(config.model):
        named = parse_model(text)
        languages = named.languages or config.data.languages
        paper = "" if named.is_random else _column_of(text, HUB_NAMES)
        encoder = encoder_of(named.folder, named.is_random)
        found.append(Arm(named.title, "model", encoder, languages, paper=paper))
        if config.twins and not named.is_random:
            title = f"{named.title}, random weights"
            found.append(Arm(title, "model", encoder_of(named.folder, True), languages, named.title))
    return [*found, *_baselines(config)]


def _baselines(config: Config) -> list[Arm]:
    choice, everywhere = config.baselines, config.data.languages
    found = [Arm("Length", "baseline", Length(), everywhere)] if choice.length else []
    counted = [("TF-IDF Char", ngrams(max_features=choice.most_features))] if choice.characters else []
    counted += [
        (_column_of(folder, TOKENIZERS), ngrams(folder, max_features=choice.most_features))
        for folder in choice.tokenizers
    ]
    found += [Arm(model.name, "baseline", model, everywhere, paper=paper) for paper, model in counted]
    for text in choice.vectors:
        language, _, path = text.partition("=")
        paper = "fastText" if Path(path).name.startswith(VECTORS) else ""
        found.append(Arm(f"Word vectors ({language})", "baseline", static_vectors(path), (language,), paper=paper))
    return found


def _column_of(given: str, columns: Mapping[str, str]) -> str:
    """The column of the paper's tables whose model of the hub was given, if it is any."""
    return next((column for column, name in columns.items() if is_model(given, name)), "")


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
