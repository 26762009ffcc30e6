"""For each row the row of an earlier split, and of its own, that it is most like: equal, equal in form, or near.

Only numbers of rows come out; `goldproof.measures.copies` gives them ids and words, `check` makes findings of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldproof.data.checking.near import BANDS, Longs, Members, NearPairs, find_near
from goldproof.data.checking.shingles import Codes, TextCodes, encode
from goldproof.draws import mix64
from goldproof.errors import UsageError

NEAR = 0.7  # Jaccard similarity from which texts are near copies
MatchField = Literal["row", "swapped", "text", "pair"]
KINDS = ("exact", "form", "digits", "near")  # the order of `SplitMatches.kind`
MatchProgress = Callable[[str, int], None]  # what is at hand, and how many of `count_steps` are done
_MOST_SPLITS = 200


@dataclass(frozen=True, slots=True, eq=False)
class SplitRows:
    """The rows of one split: texts, second texts (None where rows have none) and labels.

    With `labels_of_tokens` a label is that of a whole row of tokens, so rows that are not equal cannot contradict.
    """

    name: str
    texts: Sequence[str]
    pairs: Sequence[str | None] | None
    labels: Sequence[str | None]
    labels_of_tokens: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SplitMatches:
    """Rows of `later` with a copy in `earlier` (perhaps the same split): the row, its copy, and how alike they are.

    `kind` are places in `KINDS`; `agree` is 1 where labels agree, 0 where the copy has another one, −1 without labels.
    """

    earlier: str
    later: str
    field: MatchField
    row: Longs
    of: Longs
    kind: npt.NDArray[np.int8]
    similarity: npt.NDArray[np.float64]
    agree: npt.NDArray[np.int8]
    total: int


def count_steps(splits: Sequence[SplitRows]) -> int:
    """How many steps `match_rows` takes: one for each text that is read, and as many for the search."""
    n_sides = 2 if any(split.pairs is not None for split in splits) else 1
    return 2 * n_sides * sum(len(split.texts) for split in splits)


def match_rows(
    splits: Sequence[SplitRows],
    threshold: float = NEAR,
    progress: MatchProgress | None = None,
    *,
    one_side: bool = True,
) -> list[SplitMatches]:
    """The best copy of every row in every earlier split and in its own, for the whole row and for each side.

    Rows with a second text are also looked for with their sides swapped (where the row itself has no copy) and by one
    side alone, unless `one_side` is False; texts without a word are not looked for alone. A `threshold` of 1
    looks for rows that are equal in form only.
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"near must be above 0 and at most 1; got {threshold}")
    if len(splits) > _MOST_SPLITS:
        raise UsageError(f"copies are looked for in at most {_MOST_SPLITS} splits; got {len(splits)}")
    n_steps, tell = count_steps(splits), progress or (lambda what, n_done: None)
    codes = encode(_iter_texts(splits), lambda n_done: tell("reading texts", n_done))
    rows = _MatchedRows.of(splits, codes)
    fields = [_Field.of(name, rows, codes) for name in rows.field_names(one_side)]
    distinct = codes.take(rows.first_of_distinct)
    del codes
    near: list[NearPairs | None] = [None] * len(fields)
    if threshold < 1:

        def tell_bands(n_bands: int) -> None:
            tell("looking for near copies", n_steps // 2 + n_steps * n_bands // (2 * BANDS))

        near = list(find_near(distinct, [field.members for field in fields], threshold, tell_bands))
    found = [match for field, pairs in zip(fields, near, strict=True) for match in _match_field(field, pairs, rows)]
    return _without_straight(found)


def _iter_texts(splits: Sequence[SplitRows]) -> Iterator[str | None]:
    """All first texts, then all second ones, where any split has them."""
    for split in splits:
        yield from split.texts
    if any(split.pairs is not None for split in splits):
        for split in splits:
            yield from split.pairs if split.pairs is not None else [None] * len(split.texts)


@dataclass(frozen=True, slots=True, eq=False)
class _MatchedRows:
    """All rows of all splits: where each split starts, labels as numbers, and the distinct text of each side."""

    splits: tuple[SplitRows, ...]
    starts: Longs
    split: npt.NDArray[np.uint8]
    labels: Longs
    first: Longs
    second: Longs | None
    first_of_distinct: Longs

    @classmethod
    def of(cls, splits: Sequence[SplitRows], codes: TextCodes) -> _MatchedRows:
        sizes = [len(split.texts) for split in splits]
        n = sum(sizes)
        _, first_of_distinct, places = np.unique(codes.masked, return_index=True, return_inverse=True)
        second = places[n:] if len(places) > n else None
        split = np.repeat(np.arange(len(splits), dtype=np.uint8), sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = _number_labels(label for split in splits for label in split.labels)
        return cls(tuple(splits), starts, split, labels, places[:n], second, first_of_distinct)

    def field_names(self, one_side: bool) -> tuple[MatchField, ...]:
        if self.second is None:
            return ("row",)
        return ("row", "swapped", "text", "pair") if one_side else ("row", "swapped")

    def of_split(self, number: int) -> slice:
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


def _number_labels(labels: Iterable[str | None]) -> Longs:
    """Labels as numbers in alphabetical order, −1 for none: numbers by appearance would hang on the order of rows."""
    seen: dict[str, int] = {}
    numbers = [-1 if label is None else seen.setdefault(label, len(seen)) for label in labels]
    rank = np.empty(len(seen) + 1, np.int64)
    rank[[seen[label] for label in sorted(seen)]] = np.arange(len(seen))
    rank[-1] = -1
    return rank[np.array(numbers, np.int64)]


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """What is compared in one field: keys of rows at three levels, as the looked-for and as those found."""

    name: MatchField
    queries: tuple[Codes, Codes, Codes]
    targets: tuple[Codes, Codes, Codes]
    counts: npt.NDArray[np.bool_]
    member_of_row: Longs
    members: Members

    @classmethod
    def of(cls, name: MatchField, rows: _MatchedRows, codes: TextCodes) -> _Field:
        n = len(rows.split)
        levels = (codes.raw, codes.form, codes.masked)
        counts = np.ones(n, bool)
        if name in ("text", "pair"):
            side = slice(0, n) if name == "text" else slice(n, None)
            queries = targets = _three(level[side] for level in levels)
            counts = codes.sizes[side] > 0
        elif rows.second is None:
            queries = targets = _three(levels)
        else:
            queries = targets = _three(_both(level[:n], level[n:]) for level in levels)
            if name == "swapped":
                queries = _three(_both(level[n:], level[:n]) for level in levels)
        members, member_of_row = _members(name, rows, targets[2], queries[2])
        return cls(name, queries, targets, counts, member_of_row, members)


def _three(levels: Iterable[Codes]) -> tuple[Codes, Codes, Codes]:
    raw, form, masked = levels
    return raw, form, masked


def _both(first: Codes, second: Codes) -> Codes:
    return mix64(mix64(first) * np.uint64(3) + second)


def _members(name: MatchField, rows: _MatchedRows, contents: Codes, queries: Codes) -> tuple[Members, Longs]:
    """The distinct contents of each split, sorted by split and content, and the member that each row is."""
    order = np.lexsort((contents, rows.split))
    new = np.ones(len(order), bool)
    new[1:] = (contents[order][1:] != contents[order][:-1]) | (rows.split[order][1:] != rows.split[order][:-1])
    member_of_row = np.empty(len(order), np.int64)
    member_of_row[order] = np.cumsum(new) - 1
    shown = order[new]
    settled = np.zeros((len(shown), len(rows.splits)), bool)
    for number in range(len(rows.splits)):
        there = np.unique(contents[rows.of_split(number)])
        settled[:, number] = np.isin(queries[shown], there)
    own = rows.split[shown]
    alone = np.bincount(member_of_row, minlength=len(shown)) == 1
    settled[np.arange(len(shown)), own] &= ~alone if name != "swapped" else True
    first = rows.second if name == "pair" and rows.second is not None else rows.first
    second = rows.second[shown] if name in ("row", "swapped") and rows.second is not None else None
    return Members(first[shown], second, own, settled, name == "swapped"), member_of_row


def _match_field(field: _Field, near: NearPairs | None, rows: _MatchedRows) -> Iterator[SplitMatches]:
    for later in range(len(rows.splits)):
        for earlier in range(later + 1):
            yield _match_splits(field, near, rows, earlier, later)


def _match_splits(field: _Field, near: NearPairs | None, rows: _MatchedRows, earlier: int, later: int) -> SplitMatches:
    """Equal rows level by level, the finest first, then near ones among what is left."""
    here, there = rows.of_split(later), rows.of_split(earlier)
    n = here.stop - here.start
    found = _Found(np.full(n, -1), np.zeros(n, np.int8), np.zeros(n), np.full(n, -1, np.int8))
    own = np.arange(n) if earlier == later else None
    levels = list(zip(field.queries, field.targets, strict=True))
    for kind, (queries, targets) in enumerate(levels if near is not None else levels[:2]):
        left = np.flatnonzero((found.of < 0) & field.counts[here])
        groups = _Groups(targets[there], rows.labels[there])
        groups.fill(found, left, queries[here][left], rows.labels[here][left], None if own is None else own[left])
        found.note(left, kind, 1.0)
    if near is not None:
        best = _best_near(near, field.members, later, earlier)
        of_row = field.member_of_row[here]
        left = np.flatnonzero((found.of < 0) & field.counts[here] & (best.member[of_row] >= 0))
        twins = best.member[of_row[left]]
        groups = _Groups(field.member_of_row[there], rows.labels[there])
        silent = rows.splits[later].labels_of_tokens
        labels = np.full(len(left), -1) if silent else rows.labels[here][left]
        groups.fill(found, left, twins, labels, None)
        found.note(left, KINDS.index("near"), best.similarity[of_row[left]])
        found.drop(left[best.by_label[of_row[left]] & (found.agree[left] != 1)])
    row = np.flatnonzero(found.of >= 0)
    names = rows.splits[earlier].name, rows.splits[later].name
    return SplitMatches(
        *names, field.name, row, found.of[row], found.kind[row], found.similarity[row], found.agree[row], n
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What was found so far for each row of a split; −1 in `of` is nothing yet."""

    of: Longs
    kind: npt.NDArray[np.int8]
    similarity: npt.NDArray[np.float64]
    agree: npt.NDArray[np.int8]

    def note(self, rows: Longs, kind: int, similarity: float | npt.NDArray[np.float64]) -> None:
        """Say how those of the rows that have a copy now were found."""
        done = self.of[rows] >= 0
        self.kind[rows[done]] = kind
        self.similarity[rows[done]] = similarity[done] if isinstance(similarity, np.ndarray) else similarity

    def drop(self, rows: Longs) -> None:
        """Take the copies of these rows back."""
        self.of[rows], self.kind[rows], self.similarity[rows], self.agree[rows] = -1, 0, 0.0, -1


class _Groups:
    """Rows of one split by their key, sorted by label and number within it."""

    def __init__(self, keys: npt.NDArray[np.uint64] | Longs, labels: Longs) -> None:
        self._rows = np.lexsort((labels, keys))
        self._keys, self._labels = keys[self._rows], labels[self._rows]
        self._labelled = np.concatenate([[0], np.cumsum(self._labels >= 0)])

    def fill(
        self, found: _Found, rows: Longs, keys: npt.NDArray[np.uint64] | Longs, labels: Longs, own: Longs | None
    ) -> None:
        """Give rows a copy from the group of their key: one of another label where there is one; never themselves."""
        low, high = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        low_safe = np.minimum(low, len(self._keys) - 1)
        of = np.where(high > low, self._rows[low_safe], -1)
        if own is not None:
            next_one = np.where(high > low + 1, self._rows[np.minimum(low + 1, len(self._keys) - 1)], -1)
            of = np.where(of == own, next_one, of)
        n_labelled = self._labelled[high] - self._labelled[low] - (0 if own is None else labels >= 0)
        told = (of >= 0) & (labels >= 0) & (n_labelled > 0)
        last = np.maximum(high - 1, 0)
        least = np.minimum(high - (self._labelled[high] - self._labelled[low]), len(self._keys) - 1)
        low_differs, high_differs = told & (self._labels[least] != labels), told & (self._labels[last] != labels)
        of = np.where(low_differs, self._rows[least], np.where(high_differs, self._rows[last], of))
        found.of[rows] = of
        found.agree[rows] = np.where(told, ~(low_differs | high_differs), -1)


@dataclass(frozen=True, slots=True, eq=False)
class _BestNear:
    member: Longs
    similarity: npt.NDArray[np.float64]
    by_label: npt.NDArray[np.bool_]


def _best_near(near: NearPairs, members: Members, later: int, earlier: int) -> _BestNear:
    """The most similar member of `earlier` for each of `later`; of equally similar ones the least by content.

    Those that need an equal label come last.
    """
    best = _BestNear(np.full(len(members), -1), np.zeros(len(members)), np.zeros(len(members), bool))
    ours, theirs = np.concatenate([near.a, near.b]), np.concatenate([near.b, near.a])
    similarity, by_label = np.tile(near.similarity, 2), np.tile(near.by_label, 2)
    kept = (members.split[ours] == later) & (members.split[theirs] == earlier)
    ours, theirs, similarity, by_label = ours[kept], theirs[kept], similarity[kept], by_label[kept]
    order = np.lexsort((-theirs, similarity, ~by_label, ours))  # members of a split are sorted by content
    best.member[ours[order]] = theirs[order]  # the last one of each stays
    best.similarity[ours[order]] = similarity[order]
    best.by_label[ours[order]] = by_label[order]
    return best


def _without_straight(found: list[SplitMatches]) -> list[SplitMatches]:
    """Leave out swapped copies of rows that have a copy as they stand."""
    straight = {(match.earlier, match.later): match.row for match in found if match.field == "row"}
    return [
        match if match.field != "swapped" else _keep(match, ~np.isin(match.row, straight[match.earlier, match.later]))
        for match in found
    ]


def _keep(match: SplitMatches, kept: npt.NDArray[np.bool_]) -> SplitMatches:
    columns = {name: getattr(match, name)[kept] for name in ("row", "of", "kind", "similarity", "agree")}
    return replace(match, **columns)
