"""Copies of rows: exact, but for their form, and near, between splits and within one. It judges nothing.

Texts are compared in a *normal form*: Unicode NFKC, case folded, punctuation and blanks dropped, every run of digits as
one sign. A text's *shingles* are its words (numbered by occurrence) and its pairs of neighbouring words; two texts are
near copies where the Jaccard similarity of their shingles is at least the threshold, or where one is the other with one
word added. A row is a near copy of another where both its texts are, in their places or swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from goldproof.data.dataset import Dataset

NEAR = 0.7
CopyField = Literal["row", "swapped", "text", "pair"]
CopyKind = Literal["exact", "form", "digits", "near"]
CopyProgress = Callable[[str, int, int], None]  # what is at hand, how much of it is done, of how much


@dataclass(frozen=True, slots=True)
class RowOfSplit:
    """A row: its split, its place in it (from 0) and its id."""

    split: str
    row: int
    id: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A row and the row that it is most like.

    `field` says what is alike: the whole row (text and pair), the row with its sides swapped, or one side alone. `kind`:
    the same characters; the same but for case, punctuation, Unicode and blanks; but for digits too; or near. A row's
    similarity is the smaller one of its sides. `labels_agree` is None where one of the two has no label.
    """

    row: RowOfSplit
    of: RowOfSplit
    field: CopyField
    kind: CopyKind
    similarity: float
    labels_agree: bool | None


@dataclass(frozen=True, slots=True)
class SharedRows:
    """How many rows of `later` have a copy in `earlier`, by kind; the same name twice is a split with itself.

    A row counts once, under its best copy. Within one split each row that has a twin counts, so two equal rows are two.
    `n_conflicts` have a copy with another label.
    """

    earlier: str
    later: str
    field: CopyField
    n_exact: int
    n_form: int
    n_digits: int
    n_near: int
    n_conflicts: int
    total: int

    @property
    def n(self) -> int:
        """How many rows have a copy of any kind."""
        return self.n_exact + self.n_form + self.n_digits + self.n_near


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """All copies that were found.

    `leaked` is a mask for each split: rows of which a whole copy (also swapped) stands in an earlier split. One side
    alone, such as a premise that two splits share, is no leak by itself and only counted in `shared`. `table` has a row
    for each copy, sorted, with the columns of `Copy`: split, row, id, of_split, of_row, of_id, field, kind, similarity,
    labels_agree.
    """

    threshold: float
    shared: tuple[SharedRows, ...]
    leaked: Mapping[str, npt.NDArray[np.bool_]]
    table: pa.Table

    def find(self, earlier: str, later: str, field: CopyField = "row") -> SharedRows:
        """What the two splits share in this field; a split with itself where the names are the same."""
        raise NotImplementedError

    def iter_copies(self, earlier: str | None = None, later: str | None = None) -> Iterator[Copy]:
        """The copies in order, those of two splits or all."""
        raise NotImplementedError


def find_copies(
    splits: Mapping[str, Dataset], *, threshold: float = NEAR, progress: CopyProgress | None = None
) -> Copies:
    """Copies between splits, the earlier ones first in the mapping, and within each.

    The order of rows changes nothing but their numbers. `threshold` 1 looks for no near copies.
    """
    raise NotImplementedError
