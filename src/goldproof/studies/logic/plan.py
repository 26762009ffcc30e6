"""The jobs: build corpora, train every model with every seed in every condition, keep its answers on the test sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.builders.logic.build import find_task
from goldproof.data.corpora.steps import corpus_job, file_job
from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset
from goldproof.extras import Need
from goldproof.jobs import Job, step
from goldproof.jobs.names import named
from goldproof.measures.chains import learn_reader
from goldproof.measures.leaks import Certificate
from goldproof.models.language_model import ASKING
from goldproof.models.named import find_model
from goldproof.models.protocols import Task
from goldproof.models.transformer import Transformer, transformer
from goldproof.studies.asked import AskedSet, is_asked, set_jobs
from goldproof.studies.in_turn import in_turn
from goldproof.studies.logic import search, steps
from goldproof.studies.logic.asked import asked_cells, asked_set
from goldproof.studies.logic.own import own_certificate, own_corpus_job, settle
from goldproof.studies.logic.settings import CHAINS, Config
from goldproof.studies.own import has_own
from goldproof.studies.shared import each_model, parse_folder
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train
from goldproof.training.outcome import ExecutionFacts, TrainingOutcome
from goldproof.training.recipe import Seeds
from goldproof.training.selection import best_point


@dataclass(frozen=True, slots=True)
class LogicCondition:
    """One cell of the study: who learns what from how much; `preset` is empty for that of the settings."""

    task: str
    language: str
    model: str
    fraction: float = 1.0
    shared_names: bool = False
    control: str = ""
    preset: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether nothing is changed: all the data as they are."""
        return self == LogicCondition(self.task, self.language, self.model)


@named("logic.Answers")
@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """Answers of all seeds, as `keep_answers` stores them: for each test language class numbers, seeds × items, and how
    many test items were cut; `scores` makes Answers of them.
    """

    classes: tuple[str, ...]
    runs: dict[str, np.ndarray[Any, Any]]
    truncated: dict[str, int]


def jobs(config: Config) -> list[Job[Any]]:
    """The answers of every condition, the corpora that they were given for, and the certificates."""
    config = settle(config)
    if is_asked(config):
        return [job for one in in_turn(config) for job in _asked_jobs(one)]
    wanted: list[Job[Any]] = [answers_job(config, condition) for condition in conditions(config)]
    wanted += corpus_jobs(config)
    wanted += [job for model in tokenizers(config) for job in piece_jobs(config, model)]
    return [*wanted, *(nli_job(config, name) for name in config.experiments.nli)]


def corpus_jobs(config: Config) -> list[Job[Any]]:
    """Every corpus with its certificate and its figures."""
    wanted: list[Job[Any]] = []
    for task, language, preset in corpora(config):
        wanted.append(corpus_job_of(config, task, language, preset=preset))
        if config.experiments.certificates:
            wanted.append(leak_job(config, task, language, preset))
    for task in config.tasks:
        for language in config.data.languages:
            wanted.append(steps.figures.job(corpus_job_of(config, task, language)))
            if config.experiments.overlap:
                wanted.append(corpus_job_of(config, task, language, shared_names=True))
    return wanted


def piece_jobs(config: Config, model: str) -> list[Job[steps.Pieces]]:
    """An encoder's pieces of words in every language, where it has a tokenizer to look at."""
    there = model in tokenizers(replace(config, model=(model,)))
    return [pieces_job(config, model, language) for language in config.data.languages] if there else []


def _asked_jobs(config: Config) -> list[Job[Any]]:
    """The jobs that ask a language model about every set, the sets, and what words give away in their corpora."""
    recast = [nli_job(config, name) for name in config.experiments.nli]
    return list(dict.fromkeys([*set_jobs(config, asked_sets(config)), *corpus_jobs(config), *recast]))


def asked_sets(config: Config) -> list[AskedSet]:
    """What a language model is asked about, a set for each cell."""
    return [
        asked_set(config, cell, corpus_job_of(config, cell.task, cell.language, preset=cell.preset))
        for cell in asked_cells(config)
    ]


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at: forests and chains need none."""
    if is_asked(config):
        return (ASKING,)
    return () if {"forest", CHAINS}.issuperset(model_names(config)) else (TRAINING,)


def corpora(config: Config) -> list[tuple[str, str, str]]:
    """Task, language and preset of every corpus with new names in the test split."""
    found = [(task, language, config.data.corpus) for language in config.data.languages for task in config.tasks]
    other = config.experiments.beside
    if other:
        found += [(task, language, other) for language in languages_trained(config) for task in config.tasks]
    return found


def conditions(config: Config) -> list[LogicCondition]:
    """Every cell of the study, the plain ones first."""
    plans, models = config.experiments, model_names(config)
    cells = [LogicCondition(t, lang, m) for t in config.tasks for lang in languages_trained(config) for m in models]
    found = list(cells)
    found += [replace(cell, fraction=share) for share in plans.fractions if share != 1 for cell in cells]
    if plans.overlap:
        found += [replace(cell, shared_names=True) for cell in cells]
    if plans.beside:
        found += [replace(cell, preset=plans.beside) for cell in cells]
    for control in plans.controls:
        found += [replace(cell, control=control) for cell in cells if is_controlled(config, cell.model)]
    return found


def languages_trained(config: Config) -> tuple[str, ...]:
    """The languages to train on."""
    return (config.experiments.source,) if config.experiments.source_only else config.data.languages


def model_names(config: Config) -> tuple[str, ...]:
    """The models in order; encoders as they were given."""
    return (*config.learners, *encoders(config))


def encoders(config: Config) -> tuple[str, ...]:
    """The encoders, each as [NAME=]FOLDER."""
    return each_model(config.model)


def tokenizers(config: Config) -> tuple[str, ...]:
    """The encoders whose tokenizer can be looked at: folders, and not models of plugins.

    Of the user's own pairs it is not known which words are names, so nothing is looked at there, nor where a model is
    asked.
    """
    if has_own(config) or is_asked(config):
        return ()
    return tuple(model for model in encoders(config) if isinstance(find_model(parse_folder(model).folder), Transformer))


def is_controlled(config: Config, model: str) -> bool:
    """Whether controls are run for a model."""
    return (model if model in config.learners else "encoder") in config.experiments.controlled


def corpus_job_of(
    config: Config, task: str, language: str, shared_names: bool = False, preset: str = ""
) -> Job[Dataset]:
    """The job that builds a corpus, or recasts the user's own."""
    if has_own(config):
        return own_corpus_job(config, language)
    sizes = config.sizes
    return steps.build_job(
        steps.LogicSource(
            language, find_task(task).value, sizes.train, sizes.validation, sizes.test, sizes.seed,
            preset or config.data.corpus, shared_names,
        )
    )  # fmt: skip


def leak_job(config: Config, task: str, language: str, preset: str = "") -> Job[Certificate]:
    """The certificate of a corpus."""
    if has_own(config):
        return own_certificate.job(corpus_job_of(config, task, language))
    return steps.certificate.job(corpus_job_of(config, task, language, preset=preset), language)


def pieces_job(config: Config, model: str, language: str) -> Job[steps.Pieces]:
    """Into how many pieces an encoder's tokenizer cuts the words of a language's corpora."""
    corpora = [corpus_job_of(config, task, language) for task in config.tasks]
    return steps.count_pieces.job(transformer(parse_folder(model).folder), corpora, language, config.data.corpus)


def nli_job(config: Config, name: str) -> Job[Certificate]:
    """The certificate of an NLI corpus of the catalog or of a file, given as name[:split][@language]."""
    named_part, _, language = name.partition("@")
    for path, spoken in ((name, UNKNOWN_LANGUAGE), (named_part, language)):
        if Path(path).is_file():
            return steps.nli_certificate.job(file_job(path, language=spoken or UNKNOWN_LANGUAGE))
    corpus, _, split = named_part.partition(":")
    root = config.data.root or None
    return steps.nli_certificate.job(corpus_job(corpus, language=language or None, split=split or None, root=root))


def languages_tested(config: Config, condition: LogicCondition) -> tuple[str, ...]:
    """The languages whose test sets a condition answers: its own, and all where it is trained on the source."""
    if condition.is_plain and condition.language == config.experiments.source:
        return config.data.languages
    return (condition.language,)


def answers_job(config: Config, condition: LogicCondition) -> Job[StoredAnswers]:
    """The answers of all seeds in one condition."""
    corpus = corpus_job_of(config, condition.task, condition.language, condition.shared_names, condition.preset)
    held = steps.part.job(corpus, "validation", 1.0, condition.control)
    sets = {"validation": held}
    for language in languages_tested(config, condition):
        tested = corpus_job_of(config, condition.task, language, condition.shared_names, condition.preset)
        sets[language] = steps.part.job(tested, "test", 1.0, condition.control)
    trainings = [
        training_job(config, condition, learned_job(condition, corpus, seed), sets, seed) for seed in config.seeds
    ]
    return keep_answers.job(trainings, held)


def learned_job(condition: LogicCondition, corpus: Job[Dataset], seed: int) -> Job[Dataset]:
    """What a seed learns from. Labels at random are dealt anew for each: of one deal alone a model may learn, say, that
    one word goes with one label, and every seed would be right or wrong by the same chance.
    """
    deal = seed if condition.control == "noise" else 0
    return steps.part.job(corpus, "train", condition.fraction, condition.control, deal)


def training_job(
    config: Config, condition: LogicCondition, learned: Job[Dataset], sets: dict[str, Job[Dataset]], seed: int
) -> Job[TrainingOutcome]:
    """One training of one model, with the best settings of its search where there is one."""
    if condition.model in ("forest", CHAINS):
        return (fit_forest if condition.model == "forest" else fit_chains).job(learned, sets, seed)
    task: Task = "text" if condition.control in ("premise", "hypothesis") else "pair"
    found = search.candidates(config, condition.model)
    trials = trial_jobs(config, condition)
    if trials:
        return search.train_best.job(found, trials, learned, sets, task, Seeds.all(seed))
    return train.job(found[0].model, learned, sets, replace(found[0].recipe, task=task), Seeds.all(seed))


def trial_jobs(config: Config, condition: LogicCondition) -> list[Job[search.Trial]]:
    """The trials of a condition's task, language and model, in the order of the candidates; none without a search."""
    if not search.is_searched(config, condition.model):
        return []
    corpus = corpus_job_of(config, condition.task, condition.language, preset=condition.preset)
    learned, held = (steps.part.job(corpus, split) for split in ("train", "validation"))
    return [
        search.try_candidate.job(each, learned, held, Seeds.all(config.search.seed))
        for each in search.candidates(config, condition.model)
    ]


@step(version=1, name="goldproof.logic.forest")
def fit_forest(train: Dataset, evaluate: dict[str, Dataset], seed: int) -> TrainingOutcome:
    """A random forest on the bag of words of both texts together, as an outcome with one point."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        CountVectorizer(max_features=2_000),
        RandomForestClassifier(n_estimators=100, min_samples_leaf=5, random_state=seed),
    )
    model.fit(_joined(train), train.table.column("label").to_pylist())
    likely = {name: model.predict_proba(_joined(each)) for name, each in evaluate.items()}
    return _outcome(model.classes_, likely, evaluate, seed)


@step(version=1, name="goldproof.logic.chains")
def fit_chains(train: Dataset, evaluate: dict[str, Dataset], seed: int) -> TrainingOutcome:
    """A linear model over chains of sentences, its items shuffled by the seed, as an outcome with one point."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    reader = learn_reader(train.texts, _second(train))

    def chains(data: Dataset) -> list[list[str]]:
        return [reader.chains(*pair) for pair in zip(data.texts, _second(data), strict=True)]

    model = make_pipeline(
        CountVectorizer(analyzer=list, binary=True),
        SGDClassifier(loss="log_loss", alpha=1e-5, max_iter=30, tol=None, random_state=seed),
    )
    model.fit(chains(train), train.table.column("label").to_pylist())
    likely = {name: model.predict_proba(chains(each)) for name, each in evaluate.items()}
    return _outcome(model.classes_, likely, evaluate, seed)


def _outcome(
    classes: Sequence[str], likely: dict[str, np.ndarray[Any, Any]], evaluate: dict[str, Dataset], seed: int
) -> TrainingOutcome:
    """Likelihoods of a model that is not a network, as an outcome with one point."""
    return TrainingOutcome(
        seeds=Seeds.all(seed),
        classes=tuple(str(label) for label in classes),
        points=(1,),
        logits={name: np.log(np.maximum(each, 1e-6)).astype(np.float32)[None] for name, each in likely.items()},
        items={name: tuple(each.table.column("id").to_pylist()) for name, each in evaluate.items()},
        losses=np.zeros(0, np.float32),
        norms=np.zeros(0, np.float32),
        truncated={},
        stopped_at=None,
        conduct=ExecutionFacts("cpu", 1, 0, 0, (), None, False),
    )


@step(version=1, name="goldproof.logic.answers")
def keep_answers(trainings: list[TrainingOutcome], held: Dataset) -> StoredAnswers:
    """Each seed's answers on the test sets, at its best point on the validation split."""
    labels = held.table.column("label").to_pylist()
    points = [best_point(outcome, "validation", labels) for outcome in trainings]
    names = [name for name in trainings[0].logits if name != "validation"]
    runs = {
        name: np.stack([o.at(name)[p].argmax(axis=-1).astype(np.int8) for o, p in zip(trainings, points, strict=True)])
        for name in names
    }
    return StoredAnswers(trainings[0].classes, runs, dict(trainings[0].truncated))


def _second(texts: Dataset) -> list[str]:
    """The second texts; empty where a control took them away."""
    return [pair or "" for pair in texts.pairs]


def _joined(texts: Dataset) -> list[str]:
    return [f"{a} {b or ''}" for a, b in zip(texts.texts, texts.pairs, strict=True)]
