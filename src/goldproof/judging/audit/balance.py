"""Label balance: how far the most frequent label takes one, and how the labels of train and test differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from goldproof.judging.audit.material import Material, labelled_rows
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import clopper_pearson
from goldproof.statistics.proportions import unpaired_proportions


@dataclass(frozen=True, slots=True)
class Balance:
    """How often each label stands in each split, in the order of the splits."""

    counts: Mapping[str, Mapping[str, int]]
    judged: str

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, the most frequent of the judged split first."""
        found = sorted({label for counts in self.counts.values() for label in counts})
        return tuple(sorted(found, key=lambda label: -self.counts[self.judged].get(label, 0)))

    @property
    def majority(self) -> str:
        """The most frequent label of the judged split."""
        return self.labels[0]

    def share(self, role: str, label: str) -> float:
        """The share of a label in a split."""
        counts = self.counts[role]
        return counts.get(label, 0) / max(sum(counts.values()), 1)

    def evenness(self, level: float) -> Estimate:
        """How far the most frequent label takes one from guessing evenly (0) to being always right (1)."""
        counts = self.counts[self.judged]
        n, even = sum(counts.values()), 1 / max(len(self.labels), 2)
        found = clopper_pearson(counts[self.majority], n, level)
        value, low, high = (max(0.0, (end - even) / (1 - even)) for end in (found.value, found.low, found.high))
        return Estimate(value, low, high, found.method, n, level)

    def drift(self, level: float) -> Estimate:
        """The largest difference of a label's share between train and the judged split; its sign is taken off.

        The level is shared out among the labels.
        """
        train, judged = self.counts["train"], self.counts[self.judged]
        sizes = sum(train.values()), sum(judged.values())
        shared = 1 - (1 - level) / len(self.labels)
        found = []
        for label in self.labels:
            each = unpaired_proportions(judged.get(label, 0), sizes[1], train.get(label, 0), sizes[0], shared)
            low, high = sorted((abs(each.low), abs(each.high)))
            low = 0.0 if each.low < 0 < each.high else low
            found.append(Estimate(abs(each.value), low, high, each.method, each.n, level))
        best = max(found, key=lambda each: each.value)
        return Estimate(
            best.value, max(each.low for each in found), max(each.high for each in found), best.method, best.n, level
        )


def find_balance(material: Material) -> Balance | str:
    """The balance of classes, or the reason why there is none."""
    if material.task != "classes":
        reasons = {"numbers": "scores have no label balance", "tokens": "token tags are never balanced"}
        return reasons.get(material.task, "there are no labels")
    if not material.is_labelled(material.judged):
        return f"{material.judged} has no labels"
    counts = {}
    for role, data in material.splits.items():
        rows = labelled_rows(material, role)
        if len(rows):
            counts[role] = dict(Counter(data.take(rows).table.column("label").to_pylist()))
    return Balance(counts, material.judged)
