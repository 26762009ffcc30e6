"""Which items stay hard for the shortcuts: those whose gold label the shortcuts together find less likely than usual.

The shortcuts that are credibly above the floor are combined by a model that is cross-fitted over the test items: an
item is judged by weights that were learned on other items only. It says what a cue can solve, not what a model solved
by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.measures.shortcuts.judged import JudgedShortcuts
from goldproof.statistics.arrays import Array, FloatArray, IntArray, group_codes

FOLDS = 10
FEWEST = 50  # items, and items of the rarest label that there must be to split them


@dataclass(frozen=True, slots=True, eq=False)
class HardItems:
    """Which items are hard, how likely the shortcuts find each item's gold label, its prior, and the names of both."""

    hard: Array
    likely: FloatArray
    prior: FloatArray
    shortcuts: tuple[str, ...]


def find_hard(
    gold: Array, judged: JudgedShortcuts, clusters: Array | None, rng: np.random.Generator
) -> HardItems | str:
    """The hard items, or the reason why there is no split."""
    names = tuple(each.name for each in judged.above)
    if judged.n_classes == 0:
        return "a score to predict has no label that a shortcut could be sure of"
    if not names:
        return "no shortcut that was tried is credibly above the floor"
    counts = np.bincount(gold, minlength=judged.n_classes)
    if len(gold) < FEWEST or np.sort(counts)[-2] < FOLDS:
        return f"{len(gold)} items are too few to say which of them are hard"
    table = np.concatenate([_log_likely(judged.guesses[name].likely) for name in names], axis=1)
    likely, prior = _crossed(table, gold, group_codes(clusters, len(gold)), rng)
    return HardItems(likely < prior, likely, prior, names)


def _log_likely(likely: FloatArray | None) -> FloatArray:
    assert likely is not None
    held = np.log(np.clip(likely, 0.01, 1.0))
    return np.asarray(held - held.mean(axis=1, keepdims=True))


def _crossed(
    table: FloatArray, gold: Array, codes: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """For each item how likely its gold label is, by a model of the other folds, and that label's share there."""
    from sklearn.linear_model import LogisticRegression

    likely, prior = np.zeros(len(gold)), np.zeros(len(gold))
    folds = deal_folds(gold, codes, rng)
    for fold in range(FOLDS):
        asked, known = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        labels, place = np.unique(gold[known], return_inverse=True)
        if not len(asked):
            continue
        model = LogisticRegression(C=1.0, max_iter=500).fit(table[known], gold[known])
        column = np.searchsorted(labels, gold[asked])
        there = (column < len(labels)) & (labels[np.minimum(column, len(labels) - 1)] == gold[asked])
        column = np.minimum(column, len(labels) - 1)
        likely[asked] = np.where(there, model.predict_proba(table[asked])[np.arange(len(asked)), column], 0.0)
        prior[asked] = np.where(there, (np.bincount(place) / len(known))[column], 1.0 / len(gold))
    return likely, prior


def deal_folds(gold: Array, codes: IntArray, rng: np.random.Generator) -> IntArray:
    """Folds that keep clusters whole and deal the clusters of each first label out evenly."""
    n_clusters = int(codes.max()) + 1
    first = np.zeros(n_clusters, np.int64)
    first[codes[::-1]] = np.asarray(gold)[::-1]
    order = rng.permutation(n_clusters)
    order = order[np.argsort(first[order], kind="stable")]
    fold_of = np.empty(n_clusters, np.int64)
    fold_of[order] = np.arange(n_clusters) % FOLDS
    return np.asarray(fold_of[codes])
