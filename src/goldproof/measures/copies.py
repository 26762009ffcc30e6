"""Copies of rows: exact, but for their form, and near, between splits and within one. It judges nothing.

Texts are compared in a *normal form*: Unicode NFKC, case folded, punctuation and blanks dropped, every number as one
sign (where at most a quarter of the words are numbers). A text's *shingles* are its words (numbered by occurrence) and
its pairs of neighbouring words; two texts are near copies where the Jaccard similarity of their shingles is at least
the threshold, or where one is the other with one to three neighbouring words added to more than twice as many. A row
is a near copy of another where both its texts are, in their places or swapped; where one of them is equal, the other
may also have one word of five exchanged, or words added to as many, or, where the labels are equal too, one word of
four exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.checking import matches
from goldproof.data.checking.matches import KINDS, NEAR, MatchProgress, SplitMatches, SplitRows, match_rows
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError

CopyField = Literal["row", "swapped", "text", "pair"]
CopyKind = Literal["exact", "form", "digits", "near"]
CopyProgress = MatchProgress  # what is at hand, and how many of `count_steps` are done
_COLUMNS = ("split", "row", "id", "of_split", "of_row", "of_id", "field", "kind", "similarity", "labels_agree")


@dataclass(frozen=True, slots=True)
class RowOfSplit:
    """A row: its split, its place in it (from 0) and its id."""

    split: str
    row: int
    id: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A row and the row that it is most like.

    `field` says what is alike: the whole row (text and pair), the row with its sides swapped, or one side alone. `kind`
    says how: the same characters; the same but for case, punctuation, Unicode and blanks; but for digits too; or near.
    A row's similarity is the smaller one of its sides. `labels_agree` is None where one of the two has no label; where
    several rows are equally alike and one has another label, it is that one.
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
    `n_conflicts` are equal, at least in form, to a row with another label: one of the two labels is wrong.
    `n_contrasts` differ in digits or words from their best copy and have another label, as in minimal pairs: they give
    no label away. Of one side alone both only count labels that differ, as they may.
    """

    earlier: str
    later: str
    field: CopyField
    n_exact: int
    n_form: int
    n_digits: int
    n_near: int
    n_conflicts: int
    n_contrasts: int
    total: int

    @property
    def n(self) -> int:
        """How many rows have a copy of any kind."""
        return self.n_exact + self.n_form + self.n_digits + self.n_near


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """All copies that were found.

    `leaked` is a mask for each split: rows of which a whole copy (also swapped) stands in an earlier split, contrasts
    too. One side alone, such as a premise that two splits share, is no leak by itself and only counted in `shared`.
    `table` has a row for each copy with the columns of `Copy` (split, row, id, of_split, of_row, of_id, field, kind,
    similarity, labels_agree), in the order of `shared`, then of rows.
    """

    threshold: float
    shared: tuple[SharedRows, ...]
    leaked: Mapping[str, npt.NDArray[np.bool_]]
    table: pa.Table

    def find(self, earlier: str, later: str, field: CopyField = "row") -> SharedRows:
        """What the two splits share in this field; a split with itself where the names are the same."""
        for shared in self.shared:
            if (shared.earlier, shared.later, shared.field) == (earlier, later, field):
                return shared
        known = ", ".join(f"{each.earlier} / {each.later} ({each.field})" for each in self.shared)
        raise UsageError(f"copies were not looked for between {earlier!r} and {later!r} ({field}); only: {known}")

    def iter_copies(
        self, earlier: str | None = None, later: str | None = None, field: CopyField | None = None
    ) -> Iterator[Copy]:
        """The copies in order: all, or those of an earlier split, of a later one, of a field."""
        table = self.table
        for column, value in (("of_split", earlier), ("split", later), ("field", field)):
            if value is not None:
                table = table.filter(pc.equal(table.column(column), value))
        for batch in table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield Copy(
                    RowOfSplit(row["split"], row["row"], row["id"]),
                    RowOfSplit(row["of_split"], row["of_row"], row["of_id"]),
                    row["field"],
                    row["kind"],
                    row["similarity"],
                    row["labels_agree"],
                )


def count_steps(splits: Mapping[str, Dataset]) -> int:
    """How many steps of progress `find_copies` takes."""
    return matches.count_steps(_rows_of(splits))


def find_copies(
    splits: Mapping[str, Dataset], *, threshold: float = NEAR, progress: CopyProgress | None = None
) -> Copies:
    """Copies between splits, the earlier ones first in the mapping, and within each.

    The order of rows changes nothing but their numbers. A `threshold` of 1 looks for rows that are equal in form only.

    >>> first = "the quick brown fox jumps over the lazy dog"
    >>> train = Dataset.from_rows("train", [{"text": first, "label": "a"}, {"text": "nothing like it", "label": "b"}])
    >>> test = Dataset.from_rows("test", [{"text": "The quick, brown fox now jumps over the lazy dog", "label": "a"}])
    >>> copies = find_copies({"train": train, "test": test})
    >>> [(copy.row.row, copy.of.row, copy.kind, round(copy.similarity, 2)) for copy in copies.iter_copies()]
    [(0, 0, 'near', 0.8)]
    >>> copies.leaked["test"].tolist()
    [True]
    """
    found = match_rows(_rows_of(splits), threshold, progress)
    leaked = {name: np.zeros(len(data), bool) for name, data in splits.items()}
    for match in found:
        if match.field in ("row", "swapped") and match.earlier != match.later:
            leaked[match.later][match.row] = True
    tables = [_table(match, splits) for match in found]
    return Copies(threshold, tuple(map(_count, found)), leaked, pa.concat_tables(tables))


def _rows_of(splits: Mapping[str, Dataset]) -> list[SplitRows]:
    rows = []
    for name, data in splits.items():
        pairs = data.table.column("pair")
        labels = data.table.column("label")
        of_tokens = labels.null_count == len(labels)
        tokens = data.table.column("token_labels")
        if of_tokens and tokens.null_count < len(tokens):
            labels = pc.binary_join(tokens, " ")
        rows.append(
            SplitRows(
                name,
                _Strings(data.table.column("text")),
                None if pairs.null_count == len(pairs) else _Strings(pairs),
                _Strings(labels),
                of_tokens,
            )
        )
    return rows


class _Strings(Sequence[str]):
    """A column read piece by piece: a million texts are never all Python strings at once."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        found: str | list[str] = self._column[at].as_py() if isinstance(at, int) else self._column[at].to_pylist()
        return found

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self._column), 4096):
            yield from self._column.slice(start, 4096).to_pylist()


def _count(match: SplitMatches) -> SharedRows:
    n_exact, n_form, n_digits, n_near = np.bincount(match.kind, minlength=len(KINDS)).tolist()
    differ = match.agree == 0
    equal = match.kind <= KINDS.index("form")
    return SharedRows(
        match.earlier,
        match.later,
        match.field,
        n_exact,
        n_form,
        n_digits,
        n_near,
        int((differ & equal).sum()),
        int((differ & ~equal).sum()),
        match.total,
    )


def _table(match: SplitMatches, splits: Mapping[str, Dataset]) -> pa.Table:
    n = len(match.row)
    row, of = pa.array(match.row), pa.array(match.of)
    agree = pa.array(match.agree == 1, mask=match.agree < 0)
    columns = (
        pa.repeat(match.later, n),
        row,
        splits[match.later].table.column("id").take(row),
        pa.repeat(match.earlier, n),
        of,
        splits[match.earlier].table.column("id").take(of),
        pa.repeat(match.field, n),
        pa.array(KINDS).take(pa.array(match.kind)),
        pa.array(match.similarity),
        agree,
    )
    return pa.table(dict(zip(_COLUMNS, columns, strict=True)))
