"""Splits of a dataset as what shortcuts see: one coding of labels for all, clusters of items that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset
from goldproof.data.one_split import ROLES
from goldproof.errors import DataError
from goldproof.measures.shortcuts.clusters import Clusters, number_values, text_clusters
from goldproof.measures.shortcuts.items import TextItems
from goldproof.measures.shortcuts.tokens import TokenItems
from goldproof.statistics.arrays import Array, IntArray

AuditTask = Literal["classes", "numbers", "tokens", "unlabelled"]
MANY_NUMBERS = 20  # different labels from which whole and broken numbers are scores, and no classes


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The splits by role, what is to be predicted, the labels in the order of their codes, and what was decided."""

    splits: Mapping[str, Dataset]
    task: AuditTask
    labels: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def judged(self) -> str:
        """The split that is judged: test where there is one, else the last."""
        return next(role for role in reversed(ROLES) if role in self.splits)

    def is_labelled(self, role: str) -> bool:
        """Whether the rows of a split have what is to be predicted."""
        return role in self.splits and _has(self.splits[role], self.task)


def make_material(splits: Mapping[str, Dataset]) -> Material:
    """See what is to be predicted; labels that are numbers with a point are taken as scores, and it is said."""
    empty = [role for role, data in splits.items() if not len(data)]
    if empty:
        raise DataError(f"the split {empty[0]!r} has no rows")
    notes: list[str] = []
    tasks: tuple[AuditTask, ...] = ("classes", "numbers", "tokens")
    task: AuditTask = next((task for task in tasks if any(_has(data, task) for data in splits.values())), "unlabelled")
    if task == "classes" and _are_numbers(splits):
        splits = {role: _as_scores(data) for role, data in splits.items()}
        task = "numbers"
        notes.append("The labels are many different decimal numbers, so they are treated as scores to predict.")
    labels = (
        sorted({label for data in splits.values() for label in data.labels}) if task in ("classes", "tokens") else []
    )
    return Material(dict(splits), task, tuple(labels), tuple(notes))


def _has(data: Dataset, task: AuditTask) -> bool:
    column = {"classes": "label", "numbers": "score", "tokens": "token_labels", "unlabelled": "label"}[task]
    return bool(data.table.column(column).null_count < len(data))


def _are_numbers(splits: Mapping[str, Dataset]) -> bool:
    found = {label for data in splits.values() for label in data.labels}
    if len(found) < MANY_NUMBERS or not any("." in label for label in found):
        return False
    try:
        return bool(np.isfinite([float(label) for label in found]).all())
    except ValueError:
        return False


def _as_scores(data: Dataset) -> Dataset:
    given = data.table.column("label").to_pylist()
    scores = [None if label is None else float(label) for label in given]
    return data.with_column("score", scores).with_column("label", [None] * len(data))


def texts_of(material: Material, role: str, rows: Array) -> TextItems:
    """Rows of a split as shortcuts see them; `place` stays the row's number in its split."""
    data = material.splits[role].take(rows)
    pairs = data.pairs if any(pair is not None for pair in data.pairs) else None
    second = None if pairs is None else tuple(pair or "" for pair in pairs)
    languages = data.languages
    language = languages[0] if len(languages) == 1 else UNKNOWN_LANGUAGE
    gold, n_classes = _gold(material, data)
    return TextItems(tuple(data.texts), second, gold, np.asarray(rows), n_classes, language)


def _gold(material: Material, data: Dataset) -> tuple[Array, int]:
    if material.task == "numbers":
        return np.array(data.table.column("score").to_pylist(), float), 0
    codes = {label: code for code, label in enumerate(material.labels)}
    return np.array([codes[label] for label in data.table.column("label").to_pylist()], np.int64), len(codes)


def tokens_of(material: Material, role: str, rows: Array) -> TokenItems:
    """Rows of a split as tokens after each other; the cluster of a token is its sentence."""
    data = material.splits[role].take(rows)
    codes = {label: code for code, label in enumerate(material.labels)}
    words: list[str] = []
    gold: list[int] = []
    sentence: list[int] = []
    columns = (data.table.column(name).to_pylist() for name in ("tokens", "token_labels"))
    for at, (tokens, tags) in enumerate(zip(*columns, strict=True)):
        words += tokens or ()
        gold += [codes[tag] for tag in tags or ()]
        sentence += [at] * len(tokens or ())
    return TokenItems(tuple(words), np.array(gold, np.int64), np.array(sentence, np.int64), len(codes))


def labelled_rows(material: Material, role: str) -> IntArray:
    """The rows of a split that have what is to be predicted."""
    column = {"classes": "label", "numbers": "score", "tokens": "token_labels", "unlabelled": "label"}[material.task]
    return np.flatnonzero(np.asarray(material.splits[role].table.column(column).is_valid()))


def find_clusters(data: Dataset) -> Clusters:
    """Rows of several languages that have one id belong together, else rows that share one of their texts."""
    if len(data.languages) > 1:
        ids = data.table.column("id").to_pylist()
        if len(set(ids)) < len(ids):
            return Clusters(number_values(ids), "an id, in several languages")
    has_pairs = data.table.column("pair").null_count < len(data)
    return text_clusters(data.texts, [pair or "" for pair in data.pairs] if has_pairs else None)
