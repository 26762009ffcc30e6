"""How to audit: level, seed, how near a copy is, how much is read, and the thresholds of the five lights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from goldproof.data.checking.matches import NEAR
from goldproof.errors import UsageError
from goldproof.jobs.names import named

AuditProgress = Callable[[str, int, int], None]  # what is at hand, how many steps are done, of how many


@named("audit.LightThresholds")
@dataclass(frozen=True, slots=True)
class LightThresholds:
    """The thresholds of the lights, all as shares of 1.

    `leaks`: test rows that have a copy in an earlier split. `shortcuts`: how far of the way from the most frequent
    label to perfect the best shortcut gets. `labels`: wrong labels. `size`: the smallest difference of two models that
    can be shown. `balance`: how far the most frequent label takes one of the way from guessing evenly to perfect;
    `drift`: by how much the share of a label differs between train and test.
    """

    leaks: float = 0.01
    shortcuts: float = 0.10
    labels: float = 0.05
    size: float = 0.02
    balance: float = 0.50
    drift: float = 0.10

    def __post_init__(self) -> None:
        """Refuse thresholds that are no shares."""
        for name in ("leaks", "shortcuts", "labels", "size", "balance", "drift"):
            if not 0 < getattr(self, name) < 1:
                raise UsageError(f"the threshold of {name} must be above 0 and below 1; got {getattr(self, name):g}")


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What an audit may be told.

    `name` is what the data are called in the report, `language` the language where neither rows nor file names say one;
    `near` is the Jaccard similarity from which rows are near copies (1: exact copies only); `most_train` is from how
    many rows, drawn at random, shortcuts learn at most; `most_test` on how many they are judged; `smallest_tag` is the
    smallest category of the noise card. `labels` False leaves the search for wrong labels out, which takes longest.
    """

    name: str = "this data"
    language: str | None = None
    level: float = 0.95
    seed: int = 0
    near: float = NEAR
    most_train: int = 50_000
    most_test: int = 50_000
    smallest_tag: int = 10
    labels: bool = True
    thresholds: LightThresholds = field(default_factory=LightThresholds)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not 0 < self.near <= 1:
            raise UsageError(f"near must be above 0 and at most 1; got {self.near:g}")
        if not 0 < self.level < 1:
            raise UsageError(f"the level must be above 0 and below 1; got {self.level:g}")
        if min(self.most_train, self.most_test) < 1:
            raise UsageError(f"at least 1 row must be read; got {min(self.most_train, self.most_test)}")
