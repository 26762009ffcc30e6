"""The seconds that each part of the work on data takes, at measured rates."""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import removed, sides, source_seeds
from goldproof.claiming.settings import Config
from goldproof.claiming.timing import Rates

MOST_PRICED = 3  # classes


@dataclass(frozen=True, slots=True)
class Prices:
    """The seconds of each part of the work on these data, at these rates."""

    config: Config
    data: ClaimData
    rates: Rates

    def audit(self) -> float:
        """The audit of the data, by their rows; to look for wrong labels it learns each class several times.

        Classes beyond a few take no longer, as each has fewer rows (measured: docs/validation/claims.md).
        """
        n = sum(len(part.data) for part in self.data.parts.values())
        labels = 0.004 * n * min(len(self.data.classes), MOST_PRICED) if self.config.labels else 0.0
        return 4.0 + 0.004 * n * (2 if self.data.kind == "pair" else 1) + labels

    def rows(self, config: Config) -> int:
        """How many rows are trained on."""
        n = len(self.data.parts["train"].data)
        return min(config.data.most_train or n, n)

    def training(self, config: Config) -> float:
        """One training with all that it is asked."""
        test = len(self.data.parts["test"].data)
        asked = len(self.data.parts["validation"].data) + test * (1 + len(removed(config, self.data)))
        asked += sum(len(part.data) for part in self.data.further.values() if config.tests)
        return self._one(self.rows(config), asked)

    def plain(self, config: Config) -> float:
        """One training that answers validation and test alone."""
        asked = len(self.data.parts["validation"].data) + len(self.data.parts["test"].data)
        return self._one(self.rows(config), asked)

    def _one(self, rows: int, asked: int) -> float:
        recipe = self.config.recipe
        points = len(recipe.points(rows))
        return self.rates.load + recipe.n_steps(rows) * self.rates.step + points * asked * self.rates.item

    def layers(self, config: Config) -> float:
        """The study of layers: every row read by the model and its random twin, and a probe for each layer."""
        read = sum(min(len(part.data), config.most_probed or len(part.data)) for part in self.data.parts.values())
        return 2 * (self.rates.load + read * self.rates.item) + 26 * (0.6 + read * 0.0008)

    def more(self, current: Config, wanted: Config, audit: float) -> float:
        """The trainings of `wanted` where those of `current` are done: other ones only where what they learn from or
        answer is the same. On other rows all that was learned from rows is learned anew, and these are audited.
        """
        if _learned(current) == _learned(wanted):
            return (len(wanted.seeds) - len(current.seeds)) * self.training(wanted)
        seconds = len(wanted.seeds) * self.training(wanted)
        if current.data.most_train == wanted.data.most_train:
            return seconds
        n = 2 * wanted.one_side * bool(sides(wanted, self.data)) + (wanted.references if wanted.reference else 0)
        n += len(source_seeds(wanted))
        return seconds + n * self.plain(wanted) + 2 * audit * self.growth(current, wanted)

    def growth(self, current: Config, wanted: Config) -> float:
        """How many times as many rows are trained on."""
        return self.rows(wanted) / self.rows(current)


def _learned(config: Config) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """What makes a training another one, beside its seed."""
    return config.data.most_train, config.tests, config.classes
