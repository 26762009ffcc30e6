"""The noise card: which differences between two models a test set can show with 80 % power, and what one point costs.

Before any model has answered, two things are not known: on what share of items two models answer differently, and how
far items of one cluster are answered alike. The first are the columns of the card. The second is taken from a
shortcut's right and wrong answers, which is a guess; the bounds go from "not at all" to "all of a cluster alike".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.statistics.arrays import Array, IntArray
from goldproof.statistics.clusters import cluster_shares, cluster_variance
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.power import detectable_paired

ACCURACIES = (0.6, 0.7, 0.8, 0.9, 0.95)
DIFFERING = (0.05, 0.1, 0.2, 0.3)
TYPICAL = 0.1
POWER = 0.8
POINT = 0.01
MOST_ITEMS = 100_000_000


@dataclass(frozen=True, slots=True)
class NoiseCell:
    """The smallest difference shown at this accuracy where two models differ in that share of answers; inf if none."""

    accuracy: float
    differing: float
    difference: float


@dataclass(frozen=True, slots=True)
class NoisePart:
    """A part of the test set (all of it, a language, a category): items, what they are worth, what they can show.

    `least` and `most` are the smallest differences shown in the best case (two models differ in 5 % of the answers, or
    in as many as it takes, and items of a cluster have nothing in common) and where they differ in 20 % and a cluster
    is answered alike.
    """

    name: str
    n: int
    effective: float
    typical: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class NoiseCard:
    """What a test set can show: a table for the whole, its parts, and how many items show a difference of one point.

    `alike` is the correlation within clusters that the effective number of items rests on.
    """

    cells: tuple[NoiseCell, ...]
    parts: tuple[NoisePart, ...]
    alike: float
    items_for_a_point: tuple[tuple[float, int], ...]

    @property
    def whole(self) -> NoisePart:
        """The whole test set."""
        return self.parts[0]

    def range(self, level: float) -> Estimate:
        """The smallest difference between its best and its worst case; no sample stands behind the bounds."""
        whole = self.whole
        return Estimate(whole.typical, whole.least, whole.most, "from 5 to 20 % differing answers", whole.n, level)


def make_card(data: Dataset, clusters: Array | None, smallest: int, alike: float = 1.0) -> NoiseCard:
    """The card of a test set; categories are its tags, those of fewer items than `smallest` are left out."""
    everything = np.arange(len(data))
    parts = [_part("all", everything, clusters, alike)]
    if len(data.languages) > 1:
        languages = np.array(data.table.column("language").to_pylist())
        rows = {language: np.flatnonzero(languages == language) for language in data.languages}
        parts += [_part(language, each, clusters, alike) for language, each in rows.items()]
    rows_of: dict[str, list[int]] = {}
    for row, tags in enumerate(data.table.column("tags").to_pylist()):
        for tag in set(tags):
            rows_of.setdefault(tag, []).append(row)
    tagged = {tag: np.array(rows) for tag, rows in sorted(rows_of.items()) if len(rows) >= smallest}
    parts += [_part(tag, rows, clusters, alike) for tag, rows in tagged.items()]
    effective = parts[0].effective
    cells = [
        NoiseCell(accuracy, differing, shown(effective, differing, accuracy))
        for accuracy in ACCURACIES
        for differing in DIFFERING
    ]
    point = tuple((each, items_for(POINT, each)) for each in DIFFERING)
    return NoiseCard(tuple(cells), tuple(parts), alike, point)


def _part(name: str, rows: IntArray, clusters: Array | None, alike: float) -> NoisePart:
    n, codes = len(rows), None if clusters is None else clusters[rows]
    effective, worst = effective_size(codes, n, alike), effective_size(codes, n)
    least = min(shown(n, differing) for differing in DIFFERING)
    return NoisePart(name, n, effective, shown(effective, TYPICAL), least, max(least, shown(worst, DIFFERING[2])))


def effective_size(clusters: Array | None, n: int, alike: float = 1.0) -> float:
    """How many independent items tell as much: n / (1 + ρ·(m − 1)), m the mean size of an item's cluster (Kish 1965).

    >>> effective_size(np.repeat(np.arange(10), 3), 30), effective_size(np.repeat(np.arange(10), 3), 30, 0.0)
    (10.0, 30.0)
    """
    return n / (1 + alike * (_mean_size(clusters) - 1))


def _mean_size(clusters: Array | None) -> float:
    if clusters is None or not len(clusters):
        return 1.0
    sizes = np.unique(clusters, return_counts=True)[1].astype(float)
    return float((sizes**2).sum() / sizes.sum())


def how_alike(right: Array, clusters: Array | None) -> float:
    """The correlation ρ of right and wrong answers within clusters, from the variance of their mean; from 0 to 1.

    >>> how_alike(np.repeat([0.0, 1.0, 1.0, 0.0], 5), np.repeat(np.arange(4), 5))
    1.0
    """
    size = _mean_size(clusters)
    share, n = float(np.mean(right)), len(right)
    if clusters is None or size <= 1 or not 0 < share < 1:
        return 1.0
    codes = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    shares = cluster_shares(codes)
    variance = cluster_variance(np.bincount(codes, weights=right - share) / n, shares)
    effect = variance * n / (share * (1 - share))
    return float(np.clip((effect - 1) / (size - 1), 0.0, 1.0))


def shown(n: float, differing: float, accuracy: float | None = None) -> float:
    """The smallest difference of accuracy that n items show with 80 % power (Connor 1987), infinite where none.

    Two models of this accuracy differ in being right on at most 2·(1 − accuracy) of the items: where they answer
    differently more often, both are wrong on the rest.

    >>> round(100 * shown(1000, 0.1), 2), round(100 * shown(1000, 0.1, 0.99), 2)
    (2.8, 1.25)
    """
    discordant = differing if accuracy is None else min(differing, 2 * (1 - accuracy), 2 * accuracy)
    return detectable_paired(max(1, round(n)), discordant, power=POWER)


def items_for(difference: float, differing: float) -> int:
    """How many independent items show this difference with 80 % power.

    >>> items_for(0.01, 0.1)
    7847
    """
    low, high = 0, MOST_ITEMS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle, differing) <= difference else (middle, high)
    return high
