"""Which rows are trained on and evaluated: the parts of every language, from one corpus, several, or the user's files.

`find_sets` says at planning which languages have which sets, and why one is left out. Nothing is read that planning
does not need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from goldproof.builders.questions import check_language, generate_questions
from goldproof.data.corpora.catalog import available_splits, hub_splits, load
from goldproof.data.corpora.steps import corpus_job, file_part_job, file_parts, hub_job
from goldproof.data.dataset import Dataset
from goldproof.data.formats.added import is_readable
from goldproof.draws import draw_bytes
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job, step
from goldproof.studies.asked import is_asked
from goldproof.studies.own import OwnData, Wants, find_own, find_source_language, has_own, own_name, settled
from goldproof.studies.transfer.settings import Config, find_elsewhere
from goldproof.studies.transfer.toy import GENERATED, generate_topics, likeness

SALT = "goldproof.transfer"
FEWEST_POINTS = 3
SPLITS = ("train", "validation", "test")


def own_data(config: Config) -> OwnData:
    """The user's own data; the source is the one that is set, else the only language that there is to train on."""
    if is_asked(config):
        return find_own(config, Wants("transfer", ("text", "pair"), validation=False, source=config.source))
    return find_own(config, Wants("transfer", ("text", "pair", "tokens", "question"), source=config.source))


def settle(config: Config) -> Config:
    """The Config with source, languages and task as the user's own files have them; else as it is."""
    if not has_own(config):
        return config
    config = replace(config, source=find_source_language(config, config.source))
    own = own_data(config)
    if not own.languages:
        raise DataError(
            f"the test data are only in {config.source!r}, the language trained on; transfer needs a test set in "
            "another language: name that language in 'data.languages', or name the column that holds each row's "
            "language in 'columns.language'",
            path=config.data.test or config.data.train,
        )
    if not is_asked(config):
        _check_checkpoints(config, len(own.sets[config.source, "train"].data))
    return replace(settled(config, own), task=cast(Any, own.kind))  # one of those that are wanted


def _check_checkpoints(config: Config, n_rows: int) -> None:
    """Refuse a training that is too short for checkpoints to choose from, before any work."""
    n_steps = math.ceil(math.ceil(n_rows / config.recipe.batch) * config.recipe.epochs)
    if n_steps < FEWEST_POINTS:
        raise UsageError(
            f"{n_rows} training rows in batches of {config.recipe.batch} for {config.recipe.epochs:g} epochs make "
            f"{n_steps} {'step' if n_steps == 1 else 'steps'}, but a choice needs at least {FEWEST_POINTS} "
            "checkpoints; train longer (recipe.epochs), in smaller batches (recipe.batch) or on more data"
        )


def corpus_name(config: Config) -> str:
    """What the data are called."""
    return own_name(config.data) if has_own(config) else config.data.corpus


def corpora_in_words(config: Config) -> str:
    """The corpus, and which parts come from another one.

    >>> from goldproof.studies.transfer.settings import PAPER, Rows
    >>> corpora_in_words(replace(PAPER, rows=Rows(corpora=("en/train=glue/mnli",))))
    'mldoc (en/train=glue/mnli)'
    """
    elsewhere = "" if has_own(config) else ", ".join(config.rows.corpora)
    return corpus_name(config) + (f" ({elsewhere})" if elsewhere else "")


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
        there = splits_of(config, language)
        if "test" in there:
            evaluate[f"{language}/test"] = part_of(config, language, "test")
        elif language != config.source:
            raise _no_test(config, language, there)
        dev, reason = _held_out(config, language) if held_out else _own_dev(config, language, there)
        if dev is not None:
            evaluate[f"{language}/dev"] = dev
        else:
            notes.append(reason)
    if f"{config.source}/dev" not in evaluate:
        raise DataError(
            f"{_corpus_of(config, config.source, 'validation')!r} has no development set in the source language "
            f"{config.source!r}, by which checkpoints are chosen; rows.dev_share holds out a share of the training set"
        )
    _check_training(config)
    evaluate = {name: limited(config, data) for name, data in evaluate.items()}
    return Sets(_train(config), evaluate, tuple(notes))


def _no_test(config: Config, language: str, there: tuple[str, ...]) -> DataError:
    """The error of a target language without a test set; where no file of it is at hand, that is what it says."""
    if not there:
        try:
            part_of(config, language, "test")
        except DataError as error:
            return error
    return DataError(f"{_corpus_of(config, language, 'test')!r} has no test set in the target language {language!r}")


def _corpus_of(config: Config, language: str, split: str) -> str:
    """What the corpus of a part is called."""
    return own_name(config.data) if has_own(config) else find_elsewhere(config, language, split)[0]


def _check_training(config: Config) -> None:
    """Refuse a source language without training rows, and say where they may come from."""
    split = config.rows.train_split
    if split in splits_of(config, config.source):
        return
    raise DataError(
        f"{_corpus_of(config, config.source, split)!r} has no split {split!r} in the source language "
        f"{config.source!r} to train on; another corpus may give it (rows.corpora={config.source}/train=CORPUS), or "
        "part of the development set (rows.train_split=validation and rows.dev_share=0.2)"
    )


def _train(config: Config) -> Job[Dataset]:
    whole = part_of(config, config.source, config.rows.train_split)
    train = hold_out.job(whole, whole, float(config.rows.dev_share), False) if config.rows.dev_share else whole
    return choose_rows.job(train, config.data.most_train, "train") if config.data.most_train else train


def _own_dev(config: Config, language: str, there: tuple[str, ...]) -> tuple[Job[Dataset] | None, str]:
    if "validation" in there:
        return part_of(config, language, "validation"), ""
    corpus = _corpus_of(config, language, "validation")
    return None, f"{language}: {corpus!r} has no development set, so the oracle is not available."


def _held_out(config: Config, language: str) -> tuple[Job[Dataset] | None, str]:
    """The rows held out of the source's training set, in this language; only where the rows are translations."""
    split = config.rows.train_split
    whole = part_of(config, config.source, split)
    if language == config.source:
        return hold_out.job(whole, whole, float(config.rows.dev_share), True), ""
    if split not in splits_of(config, language):
        return None, f"{language}: there is no split {split!r} to hold rows out of, so the oracle is not available."
    if config.data.hub and not has_own(config) and config.data.corpus != GENERATED:
        return None, (
            f"{language}: whether split {split!r} on the hub is the same items as in {config.source!r} is unknown "
            "when jobs are planned, and its rows may be translations of training rows; so it is not used, and the "
            "oracle is not available."
        )
    if not _is_translation(config, language):
        return None, (
            f"{language}: split {split!r} is not the same items as in {config.source!r}, and its rows may be "
            "translations of training rows; so it is not used, and the oracle is not available."
        )
    return hold_out.job(part_of(config, language, split), whole, float(config.rows.dev_share), True), ""


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


def limited(config: Config, data: Job[Dataset]) -> Job[Dataset]:
    """The rows that are evaluated: all, or so many of them."""
    most = config.rows.most_evaluated
    return choose_rows.job(data, most, "evaluate") if most else data


def class_names(config: Config) -> tuple[str, ...]:
    """The classes of the corpus, as the source's rows have them; nothing is downloaded to know them."""
    if config.data.hub:
        raise UsageError(
            "a language model is asked about a corpus at hand, whose classes are known when jobs are planned; leave "
            "out 'data.hub', or give files in 'data.train' and 'data.test'"
        )
    found: set[str] = set()
    for split in splits_of(config, config.source):
        corpus, called = find_elsewhere(config, config.source, split)
        found |= {str(label) for _, label in _labels(corpus, config.source, called, config.data.root)}
    return tuple(sorted(found))


def part_of(config: Config, language: str, split: str) -> Job[Dataset]:
    """The job that gives a split in a language."""
    if has_own(config):
        return own_data(config).job(language, split)
    if config.data.corpus == GENERATED:
        n = {"train": config.data.most_train or 400}.get(split, config.rows.most_evaluated or 200)
        if config.task == "question":
            return generate_questions.job(language, split, n)
        return generate_topics.job(language, split, n, likeness(config, language))
    corpus, called = find_elsewhere(config, language, split)
    if is_file(corpus):
        return file_part_job(corpus, language=language, split=called)
    if config.data.hub:
        return hub_job(corpus, language=language, split=called)
    return corpus_job(corpus, language=language, split=called, root=config.data.root or None)


def splits_of(config: Config, language: str) -> tuple[str, ...]:
    """The splits that a language has."""
    if has_own(config):
        return own_data(config).splits(language)
    if config.data.corpus == GENERATED:
        if config.task == "question":
            check_language(language)
        return SPLITS
    found = ((split, *find_elsewhere(config, language, split)) for split in SPLITS)
    return tuple(split for split, corpus, called in found if called in _splits_of(config, corpus, language))


def _splits_of(config: Config, corpus: str, language: str) -> tuple[str, ...]:
    """The splits of a corpus in a language; an error where it does not have the language."""
    if is_file(corpus):
        parts = file_parts(corpus)
        if not any(part.language == language for part in parts):
            there = ", ".join(sorted({part.language for part in parts}))
            raise UsageError(f"{corpus} has no rows in the language {language!r}; it has: {there}")
        return tuple(part.split for part in parts if part.language == language)
    if config.data.hub:
        return hub_splits(corpus, language)
    return available_splits(corpus, language=language, root=config.data.root or None)


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
    (corpus, called), (source, of_source) = (find_elsewhere(config, name, split) for name in (language, config.source))
    return _labels(corpus, language, called, root) == _labels(source, config.source, of_source, root)


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
    return tuple(sorted(zip(*columns, strict=True), key=str))
