"""The steps that make entailment corpora ready: two labels, and diagnostics whose rows and categories are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldproof.builders.entailment.categories import Membership, category_tags, check_tags
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError
from goldproof.jobs import step
from goldproof.jobs.pace import same_rows

BINARY = {
    "entailment": "entailment",
    "not_entailment": "not_entailment",
    "neutral": "not_entailment",
    "contradiction": "not_entailment",
}


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


def _at_most(arguments: Mapping[str, Any]) -> float | None:
    rows, most = same_rows("data")(arguments), arguments["most"]
    return rows if rows is None or most is None else min(rows, most)


@step(version=1, name="goldproof.stability.entailment", size=_at_most, paced_by=())
def prepare_entailment(data: Dataset, what: str, most: int | None = None) -> Dataset:
    """An entailment corpus with two labels, or its first `most` rows."""
    prepared = binary(data, what)
    return prepared if most is None else prepared.take(range(min(most, len(prepared))))


@step(version=1, name="goldproof.stability.diagnostics", size=same_rows("data"), paced_by=())
def prepare_diagnostics(data: Dataset, language: str, first: Dataset | None, first_language: str) -> Dataset:
    """Diagnostics with two labels whose tags are known and whose rows are those of the first language."""
    check_tags(data, language)
    if first is not None:
        _check_same_rows(data, language, first, first_language)
    return binary(data, f"diagnostics ({language})")


@step(version=1, name="goldproof.stability.categorise", size=same_rows("data"), paced_by=())
def categorise(data: Dataset, language: str, membership: Membership) -> Dataset:
    """Diagnostics whose tags are the categories that each row belongs to."""
    return data.with_column("tags", [list(row) for row in category_tags(data, membership, language)])


def _check_same_rows(data: Dataset, language: str, first: Dataset, first_language: str) -> None:
    ours, theirs = (each.table.column("id").to_pylist() for each in (data, first))
    if ours == theirs:
        return
    counts = f"{language} has {len(ours):,} rows and {first_language} has {len(theirs):,}"
    place = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    where = "" if place is None else f"; row {place} is item {ours[place]!r} and item {theirs[place]!r}"
    raise DataError(f"the diagnostics of the languages must have the same rows: {counts}{where}")
