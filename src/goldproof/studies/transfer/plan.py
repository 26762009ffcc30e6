"""The jobs: fine-tune on the source language several times, and take every run's answers at every checkpoint.

At each checkpoint the development and test sets of the source and of every target language are evaluated in one pass,
sorted by length; logits are kept in the store with the training, the report needs only the condensed answers.
`find_sets` says at planning which languages have which sets, and why one is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from goldproof.data.corpora.catalog import available_splits, load
from goldproof.data.corpora.steps import corpus_job, file_part_job, file_parts
from goldproof.data.dataset import Dataset
from goldproof.data.formats.added import is_readable
from goldproof.draws import draw_bytes
from goldproof.errors import DataError, UsageError
from goldproof.extras import Need
from goldproof.jobs import Job, step
from goldproof.jobs.names import named
from goldproof.models.named import find_model
from goldproof.statistics.arrays import Array
from goldproof.studies.in_turn import in_turn
from goldproof.studies.own import PLACE, OwnData, Wants, find_own, find_source_language, has_own, own_name, settled
from goldproof.studies.shared import only_model, recipe_for
from goldproof.studies.transfer.settings import Config
from goldproof.studies.transfer.toy import GENERATED, generate_topics, likeness
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train, train_averaged
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import EarlyStopping, Recipe, Seeds


def jobs(config: Config) -> list[Job[StoredRun]]:
    """The condensed answers of every run, in the order of the seeds, for one model after the other."""
    return [job for one in in_turn(config) for job in _jobs(one)]


def _jobs(config: Config) -> list[Job[StoredRun]]:
    config = settle(config)
    sets, model, recipe = find_sets(config), find_model(only_model(config.model).folder), make_recipe(config)
    evaluate = dict(sets.evaluate)
    training = train_averaged if config.average_weights else train
    trainings = [training.job(model, sets.train, evaluate, recipe, Seeds.all(seed)) for seed in config.seeds]
    return [condense.job(outcome, evaluate) for outcome in trainings]


def own_data(config: Config) -> OwnData:
    """The user's own data; the source is the one that is set, else the only language that there is to train on."""
    return find_own(config, Wants("transfer", ("text", "pair", "tokens"), source=config.source))


def settle(config: Config) -> Config:
    """The Config with source, languages and task as the user's own files have them; else as it is."""
    if not has_own(config):
        return config
    config = replace(config, source=find_source_language(config, config.source))
    own = own_data(config)
    if not own.languages:
        raise DataError(
            f"the test data are in {config.source!r} alone, which is trained on; a test set in another language is "
            "needed to ask about transfer: name its language in 'data.languages', or those of the rows in a column "
            "that 'columns.language' names",
            path=config.data.test or config.data.train,
        )
    _check_checkpoints(config, len(own.sets[config.source, "train"].data))
    return replace(settled(config, own), task=cast(Any, own.kind))  # one of those that are wanted


def _check_checkpoints(config: Config, n_rows: int) -> None:
    """Refuse a training that is too short for checkpoints to choose from, before any work."""
    n_steps = math.ceil(math.ceil(n_rows / config.recipe.batch) * config.recipe.epochs)
    if n_steps < FEWEST_POINTS:
        raise UsageError(
            f"{n_rows} training rows in batches of {config.recipe.batch} for {config.recipe.epochs:g} epochs come to "
            f"{n_steps} {'step' if n_steps == 1 else 'steps'}, and at least {FEWEST_POINTS} checkpoints are needed to "
            "choose from; train longer (recipe.epochs), in smaller batches (recipe.batch) or on more data"
        )


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    if not has_own(config):
        return ()
    found = settle(config)
    own, targets = own_data(found), ", ".join(found.data.languages)
    columns = [each.file.columns.language_column for each in own.sets.values()]
    untold = " (nothing in the files says so: these are the settings 'source' and 'data.languages')"
    is_told = any(columns) or PLACE in config.data.test
    return (*own.notes, f"Trained on {found.source}, tested in {targets}{'' if is_told else untold}.")


def corpus_name(config: Config) -> str:
    """What the data are called."""
    return own_name(config.data) if has_own(config) else config.data.corpus


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    return (TRAINING,)


def make_recipe(config: Config) -> Recipe:
    """The training of a configuration, evaluated after every share `every` of all steps or of the training data."""
    length = config.recipe.epochs if config.of == "data" else 1.0
    stopping = EarlyStopping(f"{config.source}/dev", "accuracy", config.patience) if config.patience else None
    evaluations = max(1, round(length / config.every))
    return replace(recipe_for(config.recipe, config.task), evaluations=evaluations, early_stopping=stopping)


SALT = "goldproof.transfer"
FEWEST_POINTS = 3


@dataclass(frozen=True, slots=True)
class Sets:
    """The training set, every evaluation set by name (`en/dev`, `de/test`), and notes on what is not there."""

    train: Job[Dataset]
    evaluate: Mapping[str, Job[Dataset]]
    notes: tuple[str, ...]


def find_sets(config: Config) -> Sets:
    """The jobs that give the data of a configuration."""
    languages = (config.source, *config.data.languages)
    evaluate: dict[str, Job[Dataset]] = {}
    notes = []
    held_out = config.rows.dev_share > 0
    for language in languages:
        there = _splits(config, language)
        if "test" in there:
            evaluate[f"{language}/test"] = _part(config, language, "test")
        elif language != config.source:
            raise DataError(f"{corpus_name(config)!r} has no test set in the target language {language!r}")
        dev, reason = _held_out(config, language) if held_out else _own_dev(config, language, there)
        if dev is not None:
            evaluate[f"{language}/dev"] = dev
        else:
            notes.append(reason)
    if f"{config.source}/dev" not in evaluate:
        raise DataError(
            f"{corpus_name(config)!r} has no development set in the source language {config.source!r}, by which "
            "checkpoints are chosen; rows.dev_share holds out a share of the training set"
        )
    most = config.rows.most_evaluated
    if most:
        evaluate = {name: choose_rows.job(data, most, "evaluate") for name, data in evaluate.items()}
    return Sets(_train(config), evaluate, tuple(notes))


def _train(config: Config) -> Job[Dataset]:
    whole = _part(config, config.source, config.rows.train_split)
    train = hold_out.job(whole, whole, float(config.rows.dev_share), False) if config.rows.dev_share else whole
    return choose_rows.job(train, config.data.most_train, "train") if config.data.most_train else train


def _own_dev(config: Config, language: str, there: tuple[str, ...]) -> tuple[Job[Dataset] | None, str]:
    if "validation" in there:
        return _part(config, language, "validation"), ""
    return None, f"{language}: {corpus_name(config)!r} has no development set, so the oracle is not available."


def _held_out(config: Config, language: str) -> tuple[Job[Dataset] | None, str]:
    """The rows held out of the source's training set, in this language; only where the rows are translations."""
    split = config.rows.train_split
    whole = _part(config, config.source, split)
    if language == config.source:
        return hold_out.job(whole, whole, float(config.rows.dev_share), True), ""
    if split not in _splits(config, language):
        return None, f"{language}: there is no split {split!r} to hold rows out of, so the oracle is not available."
    if not _is_translation(config, language):
        return None, (
            f"{language}: split {split!r} is not the same items as in {config.source!r}, and rows of it may be "
            "translations of training rows; it is not used, so the oracle is not available."
        )
    return hold_out.job(_part(config, language, split), whole, float(config.rows.dev_share), True), ""


@step(version=1, name="goldproof.transfer.choose_rows")
def choose_rows(data: Dataset, most: int, purpose: str) -> Dataset:
    """At most so many rows, drawn by their ids, so that languages with the same ids keep the same items."""
    ids = data.table.column("id").to_pylist()
    if len(ids) <= most:
        return data
    ranks = sorted(range(len(ids)), key=lambda row: _draw(purpose, ids[row]))
    return data.take(np.sort(ranks[:most]))


@step(version=1, name="goldproof.transfer.hold_out")
def hold_out(data: Dataset, source: Dataset, share: float, held: bool) -> Dataset:
    """The rows of `data` that are held out of the source's training set, or those that are not.

    Rows of the source that share their text (hypotheses of one premise) stay together; other languages follow by id.
    """
    rows = zip(source.table.column("id").to_pylist(), source.texts, strict=True)
    chosen = {identity for identity, text in rows if (_draw("hold out", text) < share) == held}
    return data.take([row for row, identity in enumerate(data.table.column("id").to_pylist()) if identity in chosen])


def _draw(purpose: str, text: str) -> float:
    """A number from 0 to 1 that hangs on the text alone."""
    drawn = draw_bytes(SALT, purpose, text, n_bytes=6, method="sha256", between=" ")
    return int.from_bytes(drawn, "big") / 2**48


def _part(config: Config, language: str, split: str) -> Job[Dataset]:
    if has_own(config):
        return own_data(config).job(language, split)
    if config.data.corpus == GENERATED:
        n = {"train": config.data.most_train or 400}.get(split, config.rows.most_evaluated or 200)
        return generate_topics.job(language, split, n, likeness(config, language))
    if is_file(config.data.corpus):
        return file_part_job(config.data.corpus, language=language, split=split)
    return corpus_job(config.data.corpus, language=language, split=split, root=config.data.root or None)


def _splits(config: Config, language: str) -> tuple[str, ...]:
    """The splits that a language has."""
    if has_own(config):
        return own_data(config).splits(language)
    if config.data.corpus == GENERATED:
        return ("train", "validation", "test")
    if is_file(config.data.corpus):
        parts = file_parts(config.data.corpus)
        if not any(part.language == language for part in parts):
            there = ", ".join(sorted({part.language for part in parts}))
            raise UsageError(f"{config.data.corpus} has no rows in the language {language!r}; it has: {there}")
        return tuple(part.split for part in parts if part.language == language)
    return available_splits(config.data.corpus, language=language, root=config.data.root or None)


def is_file(corpus: str) -> bool:
    """Whether a setting names a file of one's own and not a corpus of the catalog."""
    return is_readable(Path(corpus))


def _is_translation(config: Config, language: str) -> bool:
    """Whether a language's rows are those of the source: the same ids with the same labels."""
    if config.data.corpus == GENERATED and not has_own(config):
        return True
    if has_own(config):
        return _own_labels(config, language) == _own_labels(config, config.source)
    split, root = config.rows.train_split, config.data.root
    return _labels(config.data.corpus, language, split, root) == _labels(config.data.corpus, config.source, split, root)


def _own_labels(config: Config, language: str) -> list[tuple[str, str | None]]:
    data = own_data(config).sets[language, config.rows.train_split].data
    return sorted(zip(*(data.table.column(name).to_pylist() for name in ("id", "label")), strict=True))


@lru_cache(maxsize=64)
def _labels(corpus: str, language: str, split: str, root: str) -> tuple[tuple[str, str | None], ...]:
    if is_file(corpus):
        from goldproof.data.corpora.steps import read_part

        data = read_part(Path(corpus), language, split)
    else:
        data = load(corpus, language=language, split=split, root=root or None)
    columns = (data.table.column(name).to_pylist() for name in ("id", "label"))
    return tuple(sorted(zip(*columns, strict=True)))


OUTSIDE = "O"


@named("transfer.SetCourse")
@dataclass(frozen=True, slots=True)
class StoredSet:
    """One evaluation set of one run, as `condense` stores it; `scores` makes Answers of it.

    Classification: `gold` and `averaged` have a class number for each item, `answers` for each checkpoint and item.
    Tagging: `answers` and `averaged` have hits, gold spans and predicted spans of each sentence, `gold` is all 0.
    `averaged` are the answers of the mean log-probabilities over all checkpoints; `confidence` is the mean
    log-probability of the choices at each checkpoint. `clusters` are numbers of items that share their first text.
    `averaged_weights` are the answers of the checkpoints' mean weights, in the form of `averaged`; None where the
    training did not average them.
    """

    ids: tuple[str, ...]
    gold: Array
    answers: Array
    averaged: Array
    confidence: Array
    clusters: Array | None
    averaged_weights: Array | None = None


@named("transfer.Course")
@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run, as `condense` stores it: the steps of its checkpoints, the classes, and every evaluation set by name."""

    points: tuple[int, ...]
    classes: tuple[str, ...]
    sets: dict[str, StoredSet]
    stopped_at: int | None


@step(version=1, name="goldproof.transfer.condense")
def condense(outcome: TrainingOutcome, evaluate: dict[str, Dataset]) -> StoredRun:
    """The answers of a training on every evaluation set at every checkpoint."""
    sets = {}
    for name, data in evaluate.items():
        logits = outcome.at(name)
        tagging = data.table.column("token_labels").null_count < len(data)
        mean_weights = None if outcome.averaged is None else outcome.averaged[name]
        sets[name] = (_tagged if tagging else _classified)(outcome, data, logits, mean_weights)
    return StoredRun(outcome.points, outcome.classes, sets, outcome.stopped_at)


def _classified(outcome: TrainingOutcome, data: Dataset, logits: Array, mean_weights: Array | None) -> StoredSet:
    logs = _log_probabilities(logits)
    index = {name: code for code, name in enumerate(outcome.classes)}
    gold = np.array([index[label] for label in data.table.column("label").to_pylist()])
    texts = data.texts
    clusters = np.unique(np.array(texts, object), return_inverse=True)[1] if len(set(texts)) < len(texts) else None
    return StoredSet(
        tuple(data.table.column("id").to_pylist()),
        gold.astype(np.int16),
        logs.argmax(axis=-1).astype(np.int16),
        logs.mean(axis=0).argmax(axis=-1).astype(np.int16),
        logs.max(axis=-1).mean(axis=-1).astype(np.float32),
        None if clusters is None else clusters.astype(np.int32),
        None if mean_weights is None else mean_weights.argmax(axis=-1).astype(np.int16),
    )


def _tagged(outcome: TrainingOutcome, data: Dataset, logits: Array, mean_weights: Array | None) -> StoredSet:
    from goldproof.statistics.spans import coded_span_counts

    index = {name: code for code, name in enumerate(outcome.classes)}
    words = data.table.column("token_labels").to_pylist()
    lengths = np.array([len(sentence) for sentence in words])
    gold = np.array([index[tag] for sentence in words for tag in sentence])
    known = ~np.isnan(logits).any(axis=-1)  # words beyond the longest length have no logits: nothing is found there
    logs = _log_probabilities(np.nan_to_num(logits))
    outside = index.get(OUTSIDE, 0)
    answers = np.where(known, logs.argmax(axis=-1), outside)
    averaged = np.where(known.all(axis=0), logs.mean(axis=0).argmax(axis=-1), outside)

    def count(codes: Array) -> Array:
        return coded_span_counts(gold, codes, lengths, outcome.classes).astype(np.int16)

    confidence = (logs.max(axis=-1) * known).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    ids = tuple(data.table.column("id").to_pylist())
    return StoredSet(
        ids,
        np.zeros(len(ids), np.int16),
        count(answers),
        count(averaged),
        confidence.astype(np.float32),
        None,
        None
        if mean_weights is None
        else count(np.where(known.all(axis=0), np.nan_to_num(mean_weights).argmax(-1), outside)),
    )


def _log_probabilities(logits: Array) -> Array:
    from scipy.special import log_softmax

    return np.asarray(log_softmax(np.asarray(logits, np.float64), axis=-1))
