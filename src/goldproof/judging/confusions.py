"""Confusions: which labels are taken for which, and how well each label is found, for any number of labels.

Only pairs of labels that occur are counted: 3,000 labels have nine million pairs, and 100,000 answers at most 100,000
of them. No report is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.missing import NO_ANSWER
from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, wilson
from goldproof.statistics.metrics import metric
from goldproof.statistics.runs import runs_interval

MOST_CONFUSIONS = 20
_RIGHT = metric("accuracy", 2)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many answers each pair of labels has: codes of gold and of the answer, and `n`, sorted by the codes."""

    gold: IntArray
    predicted: IntArray
    n: FloatArray

    @classmethod
    def of_codes(cls, cells: IntArray, n: FloatArray, n_labels: int) -> PairCounts:
        """From cells of the confusion table, gold · n_labels + predicted, which may be repeated."""
        pairs, where = np.unique(cells, return_inverse=True)
        return cls(pairs // n_labels, pairs % n_labels, np.bincount(where.ravel(), weights=n).astype(float))

    @classmethod
    def of_list(cls, cells: Sequence[tuple[int, int]], n_labels: int) -> PairCounts:
        """From such cells, each with its count."""
        of_cell = np.array(cells, np.int64).reshape(-1, 2)
        return cls.of_codes(of_cell[:, 0], of_cell[:, 1].astype(float), n_labels)

    @classmethod
    def of_runs(cls, gold: Array, runs: Array, n_labels: int) -> PairCounts:
        """From gold and the answers of runs (runs × items), run by run."""
        cells = gold.astype(np.int64) * n_labels
        if n_labels**2 <= max(len(gold), 10_000):  # counting is faster than sorting
            counts = sum(np.bincount(cells + run, minlength=n_labels**2) for run in runs)
            occurring = np.flatnonzero(counts)
            return cls(occurring // n_labels, occurring % n_labels, np.asarray(counts, float)[occurring])
        counted = [np.unique(cells + run, return_counts=True) for run in runs]
        pairs, n = (np.concatenate(parts) for parts in zip(*counted, strict=True))
        return cls.of_codes(pairs, n, n_labels)

    @classmethod
    def together(cls, several: Iterable[PairCounts], n_labels: int) -> PairCounts:
        """The counts of several runs, added."""
        parts = [(each.gold * n_labels + each.predicted, each.n) for each in several]
        return cls.of_codes(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), n_labels)

    def of_gold(self, n_labels: int) -> FloatArray:
        """How many answers the items of each gold label have."""
        return np.bincount(self.gold, weights=self.n, minlength=n_labels).astype(float)

    def of_predicted(self, n_labels: int) -> FloatArray:
        """How often each label was given."""
        return np.bincount(self.predicted, weights=self.n, minlength=n_labels).astype(float)

    def hits(self, n_labels: int) -> FloatArray:
        """How often each label was given where it is gold."""
        right = self.gold == self.predicted
        return np.bincount(self.gold[right], weights=self.n[right], minlength=n_labels).astype(float)

    def table(self, n_labels: int) -> FloatArray:
        """The whole confusion table, gold × predicted."""
        table = np.zeros((n_labels, n_labels))
        table[self.gold, self.predicted] = self.n
        return table


@dataclass(frozen=True, slots=True)
class Confusion:
    """A gold label that was taken for another: by how many answers of all runs, and the rate of the gold label's."""

    where: Mapping[str, str]
    gold: str
    predicted: str
    n: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class LabelScore:
    """How well a label is found: its items, and recall, precision and F1 over all runs together.

    A label that is never gold has no recall, one that is never given no precision.
    """

    where: Mapping[str, str]
    label: str
    n_items: int
    recall: Estimate | None
    precision: float | None
    f1: float


@dataclass(frozen=True, slots=True)
class LabelFindings:
    """The worst confusions of a set, most answers first, and every label that occurs."""

    confusions: Sequence[Confusion]
    labels: Sequence[LabelScore]


Share = Callable[[int, int], Estimate]
"""The rate at which the items of a gold label are given a label (codes), over the runs."""


def label_findings(answers: Answers, level: float = 0.95) -> LabelFindings:
    """The worst confusions and the labels of answers of which none is missing."""
    k = len(answers.labels)
    order = np.argsort(answers.gold, kind="stable")
    starts = np.searchsorted(answers.gold[order], np.arange(k + 1))

    def share(gold: int, predicted: int) -> Estimate:
        items = order[starts[gold] : starts[gold + 1]]
        given = (answers.runs[:, items] == predicted).astype(np.int64)
        clusters = None if answers.clusters is None else answers.clusters[items]
        return runs_interval(_RIGHT, np.ones(len(items), np.int64), given, clusters, level)

    total = PairCounts.of_runs(answers.gold, answers.runs, k)
    return _findings(answers.where, answers.labels, total, answers.n_runs, share)


def counted_findings(
    where: Mapping[str, str], labels: Sequence[str], runs: Sequence[PairCounts], level: float = 0.95
) -> LabelFindings:
    """The same from the counts of each run, where the items are not at hand: intervals as those of such scores."""
    k = len(labels)
    tables = [{(int(g), int(p)): n for g, p, n in zip(each.gold, each.predicted, each.n, strict=True)} for each in runs]
    gold = [each.of_gold(k) for each in runs]

    def share(of: int, given: int) -> Estimate:
        counted = [(table.get((of, given), 0.0), float(n[of])) for table, n in zip(tables, gold, strict=True) if n[of]]
        first, n_items = counted[0]
        if len(counted) == 1:
            return wilson(first, int(n_items), level)
        over = mean_interval(np.array([n / n_gold for n, n_gold in counted]), level)
        low, high = max(over.low, 0.0), min(over.high, 1.0)
        return Estimate(over.value, low, high, "t over runs, items fixed", int(n_items), level)

    return _findings(where, labels, PairCounts.together(runs, k), len(runs), share)


def _findings(
    where: Mapping[str, str], labels: Sequence[str], total: PairCounts, n_runs: int, share: Share
) -> LabelFindings:
    return LabelFindings(_worst(where, labels, total, share), _labels(where, labels, total, n_runs, share))


def _worst(where: Mapping[str, str], labels: Sequence[str], total: PairCounts, share: Share) -> list[Confusion]:
    wrong = np.flatnonzero(total.gold != total.predicted)
    worst = wrong[np.argsort(-total.n[wrong], kind="stable")[:MOST_CONFUSIONS]]
    codes = [(int(total.gold[i]), int(total.predicted[i]), int(total.n[i])) for i in worst]
    return [Confusion(where, labels[gold], labels[given], n, share(gold, given)) for gold, given, n in codes]


def _labels(
    where: Mapping[str, str], labels: Sequence[str], total: PairCounts, n_runs: int, share: Share
) -> list[LabelScore]:
    k = len(labels)
    gold, given, hits = total.of_gold(k), total.of_predicted(k), total.hits(k)
    return [
        LabelScore(
            where,
            label,
            round(gold[code] / n_runs),
            share(code, code) if gold[code] else None,
            float(hits[code] / given[code]) if given[code] else None,
            float(2 * hits[code] / (gold[code] + given[code])),
        )
        for code, label in enumerate(labels)
        if label != NO_ANSWER and gold[code] + given[code]
    ]
