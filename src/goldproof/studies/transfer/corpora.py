"""The corpora of the study as jobs: a corpus of the catalog, a file of one's own, or texts made on the spot.

`find_sets` says at planning which languages have which sets, and why one is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from goldproof.data.corpora.catalog import available_splits, load
from goldproof.data.corpora.steps import corpus_job, file_part_job, file_parts
from goldproof.data.dataset import Dataset
from goldproof.data.formats.added import is_added
from goldproof.data.formats.files import FORMATS, suffix_of
from goldproof.draws import draw_bytes
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job, step
from goldproof.studies.transfer.generated import GENERATED, generate_topics, likeness

if TYPE_CHECKING:
    from goldproof.studies.transfer.plan import Config

SALT = "goldproof.transfer"


@dataclass(frozen=True, slots=True)
class Sets:
    """The training set, every evaluation set by name (`en/dev`, `de/test`), and notes on what is not there."""

    train: Job[Dataset]
    evaluate: Mapping[str, Job[Dataset]]
    notes: tuple[str, ...]


def find_sets(config: Config) -> Sets:
    """The jobs that give the data of a configuration."""
    languages = (config.source, *config.targets)
    evaluate: dict[str, Job[Dataset]] = {}
    notes = []
    held_out = config.data.dev_share > 0
    for language in languages:
        there = _splits(config, language)
        if "test" in there:
            evaluate[f"{language}/test"] = _part(config, language, "test")
        elif language != config.source:
            raise DataError(f"{config.corpus!r} has no test set in the target language {language!r}")
        dev, reason = _held_out(config, language) if held_out else _own_dev(config, language, there)
        if dev is not None:
            evaluate[f"{language}/dev"] = dev
        else:
            notes.append(reason)
    if f"{config.source}/dev" not in evaluate:
        raise DataError(
            f"{config.corpus!r} has no development set in the source language {config.source!r}, by which checkpoints "
            "are chosen; data.dev_share holds out a share of the training set"
        )
    most = config.data.most_evaluated
    if most:
        evaluate = {name: choose_rows.job(data, most, "evaluate") for name, data in evaluate.items()}
    return Sets(_train(config), evaluate, tuple(notes))


def _train(config: Config) -> Job[Dataset]:
    whole = _part(config, config.source, config.data.train_split)
    train = hold_out.job(whole, whole, float(config.data.dev_share), False) if config.data.dev_share else whole
    return choose_rows.job(train, config.data.most_train, "train") if config.data.most_train else train


def _own_dev(config: Config, language: str, there: tuple[str, ...]) -> tuple[Job[Dataset] | None, str]:
    if "validation" in there:
        return _part(config, language, "validation"), ""
    return None, f"{language}: {config.corpus!r} has no development set, so the oracle is not available."


def _held_out(config: Config, language: str) -> tuple[Job[Dataset] | None, str]:
    """The rows held out of the source's training set, in this language; only where the rows are translations."""
    split = config.data.train_split
    whole = _part(config, config.source, split)
    if language == config.source:
        return hold_out.job(whole, whole, float(config.data.dev_share), True), ""
    if split not in _splits(config, language):
        return None, f"{language}: there is no split {split!r} to hold rows out of, so the oracle is not available."
    if not _is_translation(config, language):
        return None, (
            f"{language}: split {split!r} is not the same items as in {config.source!r}, and rows of it may be "
            "translations of training rows; it is not used, so the oracle is not available."
        )
    return hold_out.job(_part(config, language, split), whole, float(config.data.dev_share), True), ""


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
    if config.corpus == GENERATED:
        n = {"train": config.data.most_train or 400}.get(split, config.data.most_evaluated or 200)
        return generate_topics.job(language, split, n, likeness(config, language))
    if is_file(config.corpus):
        return file_part_job(config.corpus, language=language, split=split)
    return corpus_job(config.corpus, language=language, split=split, root=config.data.root or None)


def _splits(config: Config, language: str) -> tuple[str, ...]:
    """The splits that a language has."""
    if config.corpus == GENERATED:
        return ("train", "validation", "test")
    if is_file(config.corpus):
        parts = file_parts(config.corpus)
        if not any(part.language == language for part in parts):
            there = ", ".join(sorted({part.language for part in parts}))
            raise UsageError(f"{config.corpus} has no rows in the language {language!r}; it has: {there}")
        return tuple(part.split for part in parts if part.language == language)
    return available_splits(config.corpus, language=language, root=config.data.root or None)


def is_file(corpus: str) -> bool:
    """Whether a setting names a file of one's own and not a corpus of the catalog."""
    return suffix_of(Path(corpus)) in FORMATS or is_added(Path(corpus))


def _is_translation(config: Config, language: str) -> bool:
    """Whether a language's rows are those of the source: the same ids with the same labels."""
    if config.corpus == GENERATED:
        return True
    split, root = config.data.train_split, config.data.root
    return _labels(config.corpus, language, split, root) == _labels(config.corpus, config.source, split, root)


@lru_cache(maxsize=64)
def _labels(corpus: str, language: str, split: str, root: str) -> tuple[tuple[str, str | None], ...]:
    if is_file(corpus):
        from goldproof.data.corpora.steps import read_part

        data = read_part(Path(corpus), language, split)
    else:
        data = load(corpus, language=language, split=split, root=root or None)
    columns = (data.table.column(name).to_pylist() for name in ("id", "label"))
    return tuple(sorted(zip(*columns, strict=True)))
