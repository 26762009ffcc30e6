"""The one word or pair of neighbours that tells most about the label, and a list of those that give labels away."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from goldproof.measures.shortcuts.grams import Grams
from goldproof.measures.shortcuts.items import Guess, TextItems, constant, guess_of, side_name
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson

MOST_WORDS = 20


@dataclass(frozen=True, slots=True)
class GiveAway:
    """A word (or two neighbours) and the label it goes with: how often in test, beside the label's share in test.

    `side` is 0 for the first text and 1 for the second; `rate_train` is the label's share among train's items with it;
    `example` is the row of a test item that has both word and label, −1 where there is none.
    """

    gram: str
    side: int
    label: int
    n_train: int
    rate_train: float
    rate: Estimate
    base: float
    example: int


def single_guess(train: TextItems, grams: Grams) -> Guess:
    """The one gram whose presence decides most labels of train rightly, named in the rule."""
    n_test = grams.test.shape[0]
    if not grams.names:
        return constant(train, n_test, "no word stands in two items of train")
    if train.is_numeric:
        return _single_number(train, grams)
    counts = _by_class(train, grams)
    totals = np.bincount(train.gold, minlength=train.n_classes)
    hits = counts.max(axis=0) + (totals[:, None] - counts).max(axis=0)
    tells = _information(counts, totals)
    best = int(np.lexsort((tells, hits))[-1])
    within, without = counts[:, best], totals - counts[:, best]
    likely = np.where(
        np.asarray(grams.test[:, best].toarray()).ravel()[:, None] > 0,
        _smoothed(within, totals),
        _smoothed(without, totals),
    )
    return guess_of(
        likely, f"whether {grams.names[best]!r} stands in {side_name(int(grams.sides[best]), train.pairs is not None)}"
    )


def _single_number(train: TextItems, grams: Grams) -> Guess:
    """The same for numbers: the gram whose presence moves the mean most, by its t statistic."""
    gold = train.gold - train.gold.mean()
    often = np.asarray(grams.train.sum(axis=0)).ravel()
    sums = np.asarray(grams.train.T @ gold).ravel()
    n = len(train)
    spread = np.sqrt(often * (n - often) / n)
    best = int(np.argmax(np.abs(np.divide(sums, spread, out=np.zeros_like(sums), where=spread > 0))))
    within, without = sums[best] / often[best], -sums[best] / max(n - often[best], 1)
    present = np.asarray(grams.test[:, best].toarray()).ravel() > 0
    where = side_name(int(grams.sides[best]), train.pairs is not None)
    rule = f"whether {grams.names[best]!r} stands in {where}"
    return Guess(train.gold.mean() + np.where(present, within, without), None, rule)


def _by_class(train: TextItems, grams: Grams) -> FloatArray:
    """How many items of each class have each gram: classes × grams."""
    return np.stack(
        [np.asarray(grams.train[train.gold == label].sum(axis=0)).ravel() for label in range(train.n_classes)]
    ).astype(float)


def _information(counts: FloatArray, totals: Array) -> FloatArray:
    """Mutual information of each gram's presence and the label, in nats times items."""
    n = totals.sum()
    often = counts.sum(axis=0)
    found = np.zeros(counts.shape[1])
    for observed, margin in ((counts, often), (totals[:, None] - counts, n - often)):
        expected = totals[:, None] * margin / n
        ratio = np.divide(observed, expected, out=np.ones_like(counts), where=(expected > 0) & (observed > 0))
        found += (observed * np.log(ratio)).sum(axis=0)
    return found


def _smoothed(counts: FloatArray, totals: Array) -> FloatArray:
    return np.asarray((counts + totals / totals.sum()) / (counts.sum() + 1))


def give_aways(train: TextItems, test: TextItems, grams: Grams) -> list[GiveAway]:
    """The grams that go with a label most surely in train, with what they do in test.

    They are ranked by how far the label's rate among train's items with the gram lies above its share, in standard
    errors; of grams that hold each other and stand in the same items, the first is shown.
    """
    if train.is_numeric or not grams.names or not len(test):
        return []
    counts, often = _by_class(train, grams), np.asarray(grams.train.sum(axis=0)).ravel()
    base = np.bincount(train.gold, minlength=train.n_classes) / len(train)
    error = np.sqrt(np.maximum(base * (1 - base), 1e-9)[:, None] / np.maximum(often, 1))
    sizes = (counts / np.maximum(often, 1) - base[:, None]) / error
    labels = sizes.argmax(axis=0)
    order = np.argsort(-sizes.max(axis=0), kind="stable")[: 10 * MOST_WORDS]
    found: list[GiveAway] = []
    seen: set[tuple[int, int, int, bytes]] = set()
    for place in order.tolist():
        label = int(labels[place])
        key = (int(grams.sides[place]), label, int(often[place]), grams.train[:, [place]].indices.tobytes())
        if key in seen:
            continue
        seen.add(key)
        rows = grams.test[:, [place]].tocoo().row
        right = rows[test.gold[rows] == label]
        share = float((test.gold == label).mean())
        rate = wilson(len(right), len(rows)) if len(rows) else Estimate(math.nan, math.nan, math.nan, "not in test", 0)
        rate_train = float(counts[label, place] / often[place])
        example = int(right[0]) if len(right) else -1
        side, n_train = int(grams.sides[place]), int(often[place])
        found.append(GiveAway(grams.names[place], side, label, n_train, rate_train, rate, share, example))
        if len(found) == MOST_WORDS:
            break
    return found
