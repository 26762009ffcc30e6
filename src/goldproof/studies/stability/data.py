"""Data of the study as jobs: two labels, checked diagnostics, training data with extra rows, figures of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.data.checking.duplicates import count_words
from goldproof.data.dataset import Dataset, concat
from goldproof.errors import DataError, UsageError
from goldproof.jobs import step
from goldproof.jobs.names import named
from goldproof.studies.stability.categories import Membership, category_tags, check_tags

BINARY = {
    "entailment": "entailment",
    "not_entailment": "not_entailment",
    "neutral": "not_entailment",
    "contradiction": "not_entailment",
}


@named("stability.CorpusFigures")
@dataclass(frozen=True, slots=True)
class CorpusFigures:
    """Rows by split, different words, and words a sample, as in Table 1 of the paper."""

    rows: dict[str, int]
    vocabulary: int
    words: float


def binary(data: Dataset, what: str) -> Dataset:
    """The data with the labels entailment and not_entailment; neutral and contradiction become not_entailment."""
    for row in data:
        if row["label"] is None:
            raise DataError(f"{what}: item {row['id']!r} has no label")
        if row["label"] not in BINARY:
            raise DataError(f"{what}: item {row['id']!r} has the label {row['label']!r}; allowed: {', '.join(BINARY)}")
        if row["pair"] is None:
            raise DataError(f"{what}: item {row['id']!r} has no second text, which entailment needs")
    labels = [BINARY[label] for label in data.table.column("label").to_pylist()]
    return data.with_column("label", labels)


@step(version=1, name="goldproof.stability.entailment")
def prepare_entailment(data: Dataset, what: str, most: int | None = None) -> Dataset:
    """An entailment corpus with two labels, or its first `most` rows."""
    prepared = binary(data, what)
    return prepared if most is None else prepared.take(range(min(most, len(prepared))))


@step(version=1, name="goldproof.stability.diagnostics")
def prepare_diagnostics(data: Dataset, language: str, first: Dataset | None, first_language: str) -> Dataset:
    """Diagnostics with two labels whose tags are known and whose rows are those of the first language."""
    check_tags(data, language)
    if first is not None:
        _check_same_rows(data, language, first, first_language)
    return binary(data, f"diagnostics ({language})")


@step(version=1, name="goldproof.stability.categorise")
def categorise(data: Dataset, language: str, membership: Membership) -> Dataset:
    """Diagnostics whose tags are the categories that each row belongs to."""
    return data.with_column("tags", [list(row) for row in category_tags(data, membership, language)])


@step(version=1, name="goldproof.stability.extend")
def extend(base: Dataset, extra: Dataset, amount: int, seed: int) -> Dataset:
    """The base with so many rows of the extra data; a larger amount with the same seed holds the smaller one."""
    return add_rows(base, extra, shuffled(extra, seed)[:amount], amount)


@step(version=1, name="goldproof.stability.figures")
def figures(sets: dict[str, Dataset]) -> CorpusFigures:
    """Rows of each split; vocabulary and words a sample over all of them."""
    texts = [text for data in sets.values() for text in (*data.texts, *(pair or "" for pair in data.pairs))]
    vocabulary, n_words = count_words(texts)
    n_rows = sum(len(data) for data in sets.values())
    return CorpusFigures({name: len(data) for name, data in sets.items()}, vocabulary, n_words / n_rows)


def add_rows(base: Dataset, extra: Dataset, rows: Sequence[int] | np.ndarray[Any, Any], amount: int) -> Dataset:
    """The base with these rows of the extra data; an error where there are fewer than the amount asked for."""
    if len(rows) < amount:
        raise UsageError(f"extra data: {amount:,} rows were asked for, but {extra.name!r} has only {len(rows):,}")
    chosen = extra.take(rows)
    # The extra rows keep their language, but their ids must not meet those of the base.
    marked = chosen.with_column("id", [f"extra-{i}" for i in chosen.table.column("id").to_pylist()])
    return concat(f"{base.name}+{amount}", [base, marked.with_column("split", ["train"] * amount)])


def shuffled(data: Dataset, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rows in an order that is a function of the seed alone."""
    return np.random.default_rng([seed, len(data)]).permutation(len(data))


def _check_same_rows(data: Dataset, language: str, first: Dataset, first_language: str) -> None:
    ours, theirs = (each.table.column("id").to_pylist() for each in (data, first))
    if ours == theirs:
        return
    counts = f"{language} has {len(ours):,} rows and {first_language} has {len(theirs):,}"
    place = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    where = "" if place is None else f"; row {place} is item {ours[place]!r} and item {theirs[place]!r}"
    raise DataError(f"the diagnostics of the languages must have the same rows: {counts}{where}")
