"""Train, validation and test rows of a task: the same classes in the same shares, and no sentence in two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldproof.builders.probing.sampling import LabelledSentence
from goldproof.errors import UsageError

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class SplitSizes:
    """The most rows of each split; smaller corpora are split in the same ratio."""

    train: int = 100_000
    validation: int = 10_000
    test: int = 10_000

    def __post_init__(self) -> None:
        for name in SPLITS:
            if getattr(self, name) < 1:
                raise UsageError(f"the size of {name} must be at least 1; got {getattr(self, name)}")

    @property
    def total(self) -> int:
        """Rows in all."""
        return self.train + self.validation + self.test


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A row of a task."""

    split: str
    candidate: LabelledSentence


def split_rows(classes: Mapping[str, Sequence[LabelledSentence]], sizes: SplitSizes) -> tuple[TaskRow, ...]:
    """The rows of each class in the ratio of the sizes, at least one in each split, mixed within a split."""
    rows: list[TaskRow] = []
    for candidates in classes.values():
        n = len(candidates)
        n_test, n_validation = (max(1, round(n * size / sizes.total)) for size in (sizes.test, sizes.validation))
        for place, candidate in enumerate(candidates):
            split = "test" if place < n_test else "validation" if place < n_test + n_validation else "train"
            rows.append(TaskRow(split, candidate))
    return tuple(sorted(rows, key=lambda row: (SPLITS.index(row.split), row.candidate.rank, row.candidate.key)))
