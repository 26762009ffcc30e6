"""Coarse probing: whether a pair of sentences has any feature of a group, before and after the encoder was fine-tuned.

After Figures 16–18 of the stability paper. The features of a pair are joined vectors of its two sentences. The weights
of a fine-tuned instance live as long as the step that probes it, and no longer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.builders.annotation.features import annotate_features
from goldproof.builders.entailment import corpora
from goldproof.builders.entailment.categories import GROUP_OF, GROUP_TITLES
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, GoldproofError, TrainingError
from goldproof.jobs import Job, step
from goldproof.jobs.cache import cache_at
from goldproof.jobs.names import named
from goldproof.jobs.scratch import scratch_folders
from goldproof.measures.activations import find_device
from goldproof.measures.probe_task import probe_task
from goldproof.measures.probes import PROBING, ProbeSettings, fit_probes
from goldproof.models.examples import examples_from_table
from goldproof.models.readout import Readout
from goldproof.models.scratch import Scratch
from goldproof.models.transformer import Transformer, transformer
from goldproof.studies.probing.settings import Config, encoder_of, parse_model
from goldproof.studies.probing.steps import GPU, Probed, keep_probes, read_layers
from goldproof.training.finetune import Hooks, finetune_many
from goldproof.training.recipe import Recipe, Seeds

GROUPS = ("logic", "lexical-semantics", "predicate-argument-structure")
LABELS = ("no", "yes")


@named("probing.CoarseTasks")
@dataclass(frozen=True, slots=True, eq=False)
class CoarseTasks:
    """Pairs of train, validation and test, and for each group whether a pair has any of its features.

    `found` is by the annotator's rules, for all pairs; `tagged` by the experts' tags, for the test pairs.
    """

    texts: tuple[str, ...]
    pairs: tuple[str, ...]
    splits: tuple[str, ...]
    found: dict[str, npt.NDArray[np.bool_]]
    tagged: dict[str, npt.NDArray[np.bool_]]

    def test(self, group: str) -> npt.NDArray[np.bool_]:
        """What the rules say of the test pairs."""
        return np.asarray(self.found[group][np.array(self.splits) == "test"])


@named("probing.CoarseProbed")
@dataclass(frozen=True, slots=True, eq=False)
class CoarseProbed:
    """The probes of each group; a group whose training pairs are all alike has a reason in place of a probe."""

    probes: dict[str, Probed]
    reasons: dict[str, str]


@named("probing.CoarsePlan")
@dataclass(frozen=True, slots=True)
class CoarsePlan:
    """How instances are trained and read."""

    recipe: Recipe
    readout: Readout
    probe: ProbeSettings
    embeddings: bool


@step(version=1, name="goldproof.probing.coarse_tasks")
def coarse_tasks(sets: dict[str, Dataset], features: dict[str, list[list[str]]]) -> CoarseTasks:
    """Entailment's train and validation train, its test validates, the diagnostics test, as in the paper."""
    splits = {"train": "train", "validation": "train", "test": "validation", "diagnostics": "test"}
    order = [name for name in splits if name in sets]
    whole = [name for part in order for name in [splits[part]] * len(sets[part])]
    rows = [features_of for part in order for features_of in features[part]]
    return CoarseTasks(
        tuple(text for part in order for text in sets[part].texts),
        tuple(pair or "" for part in order for pair in sets[part].pairs),
        tuple(whole),
        _members(rows),
        _members(sets["diagnostics"].table.column("tags").to_pylist()),
    )


def _members(rows: Sequence[Sequence[str]]) -> dict[str, npt.NDArray[np.bool_]]:
    groups = [{GROUP_OF[name] for name in row} for row in rows]
    return {group: np.array([group in found for found in groups]) for group in GROUPS}


@step(version=1, name="goldproof.probing.toy_features")
def toy_features(data: Dataset) -> list[list[str]]:
    """Features of generated pairs, by single words."""
    words = {"never": "Negation", "today": "Temporal", "Anna": "Named entities", "helps": "Datives"}
    rows = zip(data.texts, data.pairs, strict=True)
    return [[name for word, name in words.items() if word in f"{one} {two}"] for one, two in rows]


@step(version=1, name="goldproof.probing.coarse_pretrained", resources=GPU, requires=(PROBING,))
def probe_pretrained(model: Any, train: Dataset, tasks: CoarseTasks, plan: CoarsePlan) -> CoarseProbed:
    """The probes of the model as it is; one that starts from nothing is drawn with seed 0."""
    if isinstance(model, Transformer):
        return _probe(model, tasks, plan)
    with tempfile.TemporaryDirectory() as name:
        network = model.load("pair", len(LABELS), examples_from_table(train.table, regression=False))
        network.save({**dict(network.module.named_parameters()), **network.drawn(0)}, Path(name))
        return _probe(transformer(name), tasks, plan)


def tune_together(arguments: Sequence[Mapping[str, Any]]) -> list[CoarseProbed | GoldproofError]:
    """Several instances that differ only in their seeds: trained together, probed one after the other."""
    first = arguments[0]
    examples = examples_from_table(first["train"].table, regression=False)
    seeds = [each["seeds"] for each in arguments]
    with tempfile.TemporaryDirectory() as name:
        folders = tuple(Path(name) / str(place) for place in range(len(seeds)))
        hooks = Hooks(scratch=scratch_folders(), weights=folders)
        trained = finetune_many(first["model"], examples, {}, first["plan"].recipe, seeds, hooks=hooks)
        return [
            outcome
            if isinstance(outcome, TrainingError)
            else _probe(transformer(folder), first["tasks"], first["plan"])
            for outcome, folder in zip(trained, folders, strict=True)
        ]


@step(
    version=1,
    name="goldproof.probing.coarse_tuned",
    together=tune_together,
    over=("seeds",),
    resources=GPU,
    requires=(PROBING,),
)
def probe_tuned(model: Any, train: Dataset, tasks: CoarseTasks, plan: CoarsePlan, seeds: Seeds) -> CoarseProbed:
    """The probes of an instance that was fine-tuned on entailment: its weights after the last step."""
    found = tune_together([{"model": model, "train": train, "tasks": tasks, "plan": plan, "seeds": seeds}])[0]
    if isinstance(found, GoldproofError):
        raise found
    return found


def _probe(model: Transformer, tasks: CoarseTasks, plan: CoarsePlan) -> CoarseProbed:
    probes: dict[str, Probed] = {}
    reasons: dict[str, str] = {}
    with _passing_cache(), read_layers(model, plan.readout, tasks.texts, plan.embeddings, tasks.pairs) as read:
        for group in GROUPS:
            try:
                task = probe_task([LABELS[int(is_there)] for is_there in tasks.found[group]], tasks.splits)
            except DataError as error:
                reasons[group] = f"{GROUP_TITLES[group]}: {error}"
                continue
            found = fit_probes(read.layers, task, plan.probe, device=find_device())
            probes[group] = keep_probes(found, read.numbers, read.n_cut)
    return CoarseProbed(probes, reasons)


@contextmanager
def _passing_cache() -> Iterator[None]:
    """Activations of an instance are read once, so they are not kept."""
    with tempfile.TemporaryDirectory() as folder, cache_at(Path(folder)):
        yield


def coarse_jobs(config: Config) -> dict[tuple[str, str], Job[Any]]:
    """The tasks and every instance's probes by language and what they are called; none without seeds."""
    found: dict[tuple[str, str], Job[Any]] = {}
    for language in config.coarse.languages if config.coarse.seeds else ():
        found[language, "tasks"] = tasks_job(config, language)
        found[language, "pretrained"] = pretrained_job(config, language)
        found |= {(language, f"seed {seed}"): tuned_job(config, language, seed) for seed in config.coarse.seeds}
    return found


def tasks_job(config: Config, language: str) -> Job[CoarseTasks]:
    """The pairs of a language with their groups."""
    given = _corpora(config)
    sets = {
        "train": _train(config, language),
        "validation": corpora.validation_job(given, language),
        "test": corpora.entailment_job(given, language, "test"),
        "diagnostics": corpora.categories_job(given, language, "split"),
    }
    return coarse_tasks.job(sets, {name: _features(config, data, language) for name, data in sets.items()})


def pretrained_job(config: Config, language: str) -> Job[CoarseProbed]:
    """The encoder as it is."""
    train = _train(config, language)
    return probe_pretrained.job(_model(config), train, tasks_job(config, language), _plan(config))


def tuned_job(config: Config, language: str, seed: int) -> Job[CoarseProbed]:
    """The instance of a seed."""
    train = _train(config, language)
    tasks = tasks_job(config, language)
    return probe_tuned.job(_model(config), train, tasks, _plan(config), Seeds.all(seed))


def _features(config: Config, data: Job[Dataset], language: str) -> Job[list[list[str]]]:
    if config.data.corpus == "generated":
        return toy_features.job(data)
    return annotate_features.job(data, language)


def _train(config: Config, language: str) -> Job[Dataset]:
    return corpora.train_job(_corpora(config), language, config.coarse.most_train)


def _corpora(config: Config) -> corpora.Corpora:
    return corpora.Corpora(config.coarse.languages[0], config.data.root, config.data.corpus == "generated")


def _model(config: Config) -> Any:
    if config.coarse.model == "small":
        return Scratch(hidden=32, n_heads=2)
    named = parse_model(config.coarse.model)
    return encoder_of(named.folder, named.is_random)


def _plan(config: Config) -> CoarsePlan:
    probe = ProbeSettings("logistic", config.probe.l2)
    return CoarsePlan(config.coarse.recipe, config.readout, probe, config.embeddings)
