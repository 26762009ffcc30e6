"""Accuracy, MCC and F1 from the diagonal and the margins of the confusion table, for labels too many for the table.

A table of k labels has k² cells, and a matrix over its cells k⁴ numbers; the diagonal and the two margins have 3k. An
item adds to at most three of them, so items are rows of a sparse matrix, one for each cell that occurs, and the
influence of a cell is known in closed form. No intervals here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.statistics.arrays import Array, FloatArray

MOST_LABELS_IN_TABLE = 30


@dataclass(frozen=True, slots=True)
class LabelSums:
    """What labels have: items right, items of gold, items predicted; the last axis is the labels."""

    hits: FloatArray
    gold: FloatArray
    predicted: FloatArray

    @classmethod
    def of_flat(cls, sums: FloatArray) -> LabelSums:
        """From one axis of 3k numbers."""
        k = sums.shape[-1] // 3
        return cls(sums[..., :k], sums[..., k : 2 * k], sums[..., 2 * k :])

    @classmethod
    def of_table(cls, table: FloatArray) -> LabelSums:
        """From confusion tables, the last two axes."""
        return cls(np.diagonal(table, axis1=-2, axis2=-1), table.sum(-1), table.sum(-2))

    def flat(self) -> FloatArray:
        """One axis of 3k numbers."""
        return np.concatenate([self.hits, self.gold, self.predicted], axis=-1)


@dataclass(frozen=True, slots=True)
class CellRows:
    """Cells of the confusion table that occur, by the labels of gold and prediction; `matrix` has a row for each."""

    gold: Array
    predicted: Array
    n_labels: int

    def matrix(self) -> Any:
        """Cells × 3k: what an item of the cell adds to hits, gold and predictions, as a sparse matrix."""
        from scipy import sparse

        n, k = len(self.gold), self.n_labels
        right = self.gold == self.predicted
        rows = np.concatenate([np.arange(n)[right], np.arange(n), np.arange(n)])
        columns = np.concatenate([self.gold[right], k + self.gold, 2 * k + self.predicted])
        return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, 3 * k))


def score_gradient(name: str, sums: LabelSums, unscored: int = 0) -> LabelSums:
    """How the score moves with each hit, gold and prediction, at these sums (one axis).

    Accuracy H/T; R_K of Gorodkin (2004) N/√(A·B); F1 2h/(g + p) of each label, averaged.
    """
    if name == "accuracy":
        return _accuracy_gradient(sums)
    if name == "mcc":
        return _mcc_gradient(sums)
    return _f1_gradient(sums, name.removesuffix("_f1"), unscored)


def _accuracy_gradient(sums: LabelSums) -> LabelSums:
    total, k = float(sums.gold.sum()), len(sums.gold)
    hits = float(sums.hits.sum())
    return LabelSums(np.full(k, 1 / total), np.full(k, -hits / total**2), np.zeros(k))


def _mcc_gradient(sums: LabelSums) -> LabelSums:
    gold, predicted, total = sums.gold, sums.predicted, float(sums.gold.sum())
    hits = float(sums.hits.sum())
    covariance = hits * total - float(gold @ predicted)
    of_predicted, of_gold = total**2 - float(predicted @ predicted), total**2 - float(gold @ gold)
    product = of_predicted * of_gold
    if product <= 1e-24 * total**4:
        nothing = np.zeros(len(gold))
        return LabelSums(nothing, nothing, nothing)
    root = np.sqrt(product)
    bend = covariance / 2 / (product * root)
    by_gold = (hits - predicted) / root - bend * (2 * total * of_gold + of_predicted * (2 * total - 2 * gold))
    by_predicted = -gold / root + bend * of_gold * 2 * predicted
    return LabelSums(np.full(len(gold), total / root), by_gold, by_predicted)


def _f1_gradient(sums: LabelSums, average: str, unscored: int) -> LabelSums:
    both = sums.gold + sums.predicted
    safe = np.where(both > 0, both, 1.0)
    if average == "micro":
        total, hits = float(both.sum()), float(sums.hits.sum())
        flat = np.full(len(both), -2 * hits / total**2)
        return LabelSums(np.full(len(both), 2 / total), flat, flat)
    weight = sums.gold if average == "weighted" else (both > 0).astype(float)
    if unscored:
        weight = np.where(np.arange(len(weight)) < len(weight) - unscored, weight, 0.0)
    share = weight / max(float(weight.sum()), 1e-300)
    by_hit, by_count = share * 2 / safe, -share * 2 * sums.hits / safe**2
    if average != "weighted":
        return LabelSums(by_hit, by_count, by_count)
    each = np.where(both > 0, 2 * sums.hits / safe, 0.0)
    counted = (weight > 0) | (np.arange(len(weight)) < len(weight) - unscored)
    moved = np.where(counted, each - float(share @ each), 0.0) / max(float(weight.sum()), 1e-300)
    return LabelSums(by_hit, by_count + moved, by_count)


def pseudo_sums(sums: LabelSums, total: float) -> LabelSums:
    """Pseudo-items spread evenly over the cells of the labels that occur, so many in all."""
    present = (sums.gold + sums.predicted > 0).astype(float)
    k = max(float(present.sum()), 1.0)
    return LabelSums(present * total / k**2, present * total / k, present * total / k)


def pseudo_squares(present: Array, gradient: LabelSums, mean: float, total: float) -> float:
    """The pseudo-items' sum of squared influence: Σ over cells of (a_g·[g = p] + b_g + c_p − m)², times their weight.

    Without the diagonal the sum over all cells needs the sums and squares of b and c alone.
    """
    k = int(present.sum())
    if not k or not total:
        return 0.0
    a, b, c = (part[present] for part in (gradient.hits, gradient.gold - mean, gradient.predicted))
    off = k * float(b @ b) + k * float(c @ c) + 2 * float(b.sum()) * float(c.sum())
    diagonal = float(((a + b + c) ** 2 - (b + c) ** 2).sum())
    return (off + diagonal) * total / k**2


@dataclass(frozen=True, slots=True)
class ManyLabels:
    """A score of so many labels that it is made from hits and margins; `pseudo_items` is how many intervals add."""

    name: str
    n_labels: int
    unscored: int
    pseudo_items: float
