"""Pairs of texts, or of rows of two texts, that are nearly alike. Equal ones are not looked for here.

Candidates come from MinHash with banding (Broder 1997): 32 bands of 4 hashes, for rows 2 of each text, so that a band
agrees with the product of similarities: a pair of similarity 0.7 is in no common bucket with a chance of 0.0002. Those
whose sketches of 64 further hashes agree in less than half are dropped (at 0.7: 0.0002 again), the rest are measured
exactly, so there are no false ones. Members of a bucket are sorted by one more hash and each is compared with the next
4, so time is linear in the rows; what is found depends on contents, never on the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.data.checking.shingles import Codes, TextCodes, flat_places, sorted_distinct
from goldproof.draws import mix64

BANDS = 32
_HASHES = 5  # of a band: four for the bucket, one for the order within it
_COMPARED = 4  # members of a bucket that one is compared with
_SKETCHED = 64  # hashes of a sketch, a byte each
_AGREEING = 32  # of a sketch, below which a pair is not measured
_SMALL = 24  # shingles: measured without a look at sketches, which say little of so few
_ENOUGH = 8  # near copies in one split, after which a row is no longer compared with that split
_MEASURED = 1 << 22  # shingles that are compared at once
_MOST_GROWN = 3  # neighbouring words that may be added, as in "63-year-old"
_LEAST_EXCHANGED = 7  # shingles of a text of four words, of which one may be another beside an equal text
_MOST_SPLITS = 255
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What is compared: each distinct content of each split, as places of its texts among the codes.

    `second` is None for single texts. Where `swapped`, the first text of one is compared with the second of the other.
    `settled` (members × splits) marks those that need no near copy in a split, since it holds an equal one.
    """

    first: Longs
    second: Longs | None
    split: npt.NDArray[np.uint8]
    settled: npt.NDArray[np.bool_]
    swapped: bool = False

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class NearPairs:
    """Members that are near copies of each other, `a` below `b`, each pair once, with their similarity.

    Those of `by_label` are copies only where the labels of their rows are equal too.
    """

    a: Longs
    b: Longs
    similarity: npt.NDArray[np.float64]
    by_label: npt.NDArray[np.bool_]


def find_near(
    codes: TextCodes, searches: Sequence[Members], threshold: float, progress: Callable[[int], None] | None = None
) -> list[NearPairs]:
    """The near pairs of each search; `codes` are of distinct texts. `progress` is told how many bands are done."""
    sketches = _sketch(codes)
    states = [_NearSearch(codes, sketches, members, threshold) for members in searches]
    for band in range(BANDS):
        columns = [_min_hashes(codes, band * _HASHES + number) for number in range(_HASHES)]
        for state in states:
            state.look(columns)
        if progress is not None:
            progress(band + 1)
    return [state.result() for state in states]


def is_near(
    shared: npt.NDArray[np.int64], sizes_a: npt.NDArray[np.int64], sizes_b: npt.NDArray[np.int64], threshold: float
) -> npt.NDArray[np.bool_]:
    """Whether so many shared shingles of so many make two texts near copies.

    Either the Jaccard similarity is at least the threshold, or one text is the other with one to three neighbouring
    words added to more than twice as many: of n words that leaves all 2n − 1 shingles but for one pair of neighbours,
    and adds two for each word.

    >>> is_near(np.array([7, 8]), np.array([9, 9]), np.array([9, 11]), 0.7).tolist()
    [False, True]
    """
    smaller, larger = np.minimum(sizes_a, sizes_b), np.maximum(sizes_a, sizes_b)
    alike = shared >= threshold * (smaller + larger - shared) - 1e-9
    for added in range(1, _MOST_GROWN + 1):
        alike |= (larger == smaller + 2 * added) & (smaller - shared <= 1) & (smaller >= 4 * added + 1)
    return np.asarray(alike)


def is_near_beside_equal(shared: Longs, sizes_a: Longs, sizes_b: Longs) -> npt.NDArray[np.bool_]:
    """Whether two texts are near copies where the other text of their rows is equal, which asks for less.

    One to three neighbouring words may be added to as many or more, or stand in place of one word where four times as
    many stay: an exchanged word takes three of the 2n − 1 shingles of n words, and k words in its place add 2k + 1.

    >>> is_near_beside_equal(np.array([6, 4]), np.array([9, 7]), np.array([9, 7])).tolist()
    [True, False]
    """
    smaller, larger = np.minimum(sizes_a, sizes_b), np.maximum(sizes_a, sizes_b)
    lost = smaller - shared
    alike = np.zeros(len(shared), bool)
    for words in range(1, _MOST_GROWN + 1):
        alike |= (larger == smaller + 2 * words) & (lost <= 1) & (smaller >= 2 * words + 1)
        alike |= (larger - shared <= 2 * words + 1) & (lost <= 3) & (smaller >= 8 * words + 1)
    return alike


def is_near_with_its_label(shared: Longs, sizes_a: Longs, sizes_b: Longs) -> npt.NDArray[np.bool_]:
    """Whether two texts are near copies where the other text of their rows is equal and so is the label.

    One word may be another, or up to three others, where three words stay: with another label such rows are the minimal
    pairs of many corpora.

    >>> is_near_with_its_label(np.array([6, 4, 2]), np.array([9, 7, 5]), np.array([9, 7, 5])).tolist()
    [True, True, False]
    """
    smaller, larger = np.minimum(sizes_a, sizes_b), np.maximum(sizes_a, sizes_b)
    return (larger - shared <= 2 * _MOST_GROWN + 1) & (smaller - shared <= 3) & (smaller >= _LEAST_EXCHANGED)


def similarities(shared: Longs, sizes_a: Longs, sizes_b: Longs) -> npt.NDArray[np.float64]:
    """Jaccard similarities; two texts without a shingle are not alike."""
    return np.asarray(shared / np.maximum(sizes_a + sizes_b - shared, 1))


def count_shared(codes: TextCodes, a: Longs, b: Longs) -> Longs:
    """How many shingles the texts at a[i] and b[i] share."""
    sizes = codes.sizes
    shared = np.zeros(len(a), np.int64)
    n_shingles = np.cumsum(sizes[a] + sizes[b])
    first = 0
    while first < len(a):
        before = n_shingles[first - 1] if first else 0
        last = max(int(np.searchsorted(n_shingles, before + _MEASURED)), first + 1)
        here_a, here_b = a[first:last], b[first:last]
        keys = np.concatenate([_keyed(codes, here_a, sizes), _keyed(codes, here_b, sizes)])
        keys.sort(kind="stable")
        twice = keys[1:][keys[1:] == keys[:-1]] >> np.uint64(32)
        shared[first:last] = np.bincount(twice.astype(np.int64), minlength=last - first)
        first = last
    return shared


def _keyed(codes: TextCodes, texts: Longs, sizes: Longs) -> Codes:
    """The shingles of the texts, each with the text's number above it."""
    numbers = np.repeat(np.arange(len(texts), dtype=np.uint64), sizes[texts])
    return numbers << np.uint64(32) | codes.shingles[flat_places(codes.starts[texts], sizes[texts])]


def _min_hashes(codes: TextCodes, number: int) -> npt.NDArray[np.uint32]:
    """The least hash of each text's shingles by one function; the largest value where there are none."""
    salts = mix64(np.array([2 * number + 1, 2 * number + 2], np.uint64)).astype(np.uint32)
    factor, shift = salts[0] | np.uint32(1), salts[1]
    least = np.full(len(codes.raw), np.iinfo(np.uint32).max, np.uint32)
    filled = np.flatnonzero(codes.sizes)
    step = 1 << 14  # texts at once, whose shingles stay in the processor's cache
    for first in range(0, len(filled), step):
        rows = filled[first : first + step]
        start, end = codes.starts[rows[0]], codes.starts[rows[-1] + 1]
        hashed = codes.shingles[start:end] * factor + shift
        hashed ^= hashed >> np.uint32(15)
        hashed *= np.uint32(0x2C1B3C6D)
        least[rows] = np.minimum.reduceat(hashed, codes.starts[rows] - start)
    return least


def _sketch(codes: TextCodes) -> npt.NDArray[np.uint8]:
    """A byte of each of further hashes (texts × hashes): equal ones estimate the similarity of two texts."""
    sketches = np.empty((len(codes.raw), _SKETCHED), np.uint8)
    for number in range(_SKETCHED):
        least = _min_hashes(codes, BANDS * _HASHES + number)
        sketches[:, number] = (least * np.uint32(0x9E3779B1)) >> np.uint32(24)
    return sketches


class _NearSearch:
    """One search over the bands: what was measured, what was found, and who has found enough."""

    def __init__(self, codes: TextCodes, sketches: npt.NDArray[np.uint8], members: Members, threshold: float) -> None:
        self._codes, self._sketches, self._members, self._threshold = codes, sketches, members, threshold
        self._sizes = codes.sizes
        self._n_found = np.where(members.settled, _ENOUGH, 0).astype(np.uint8)
        second = members.first if members.second is None else members.second
        self._content = mix64(codes.masked[members.first] * np.uint64(3) + codes.masked[second])
        self._texts = np.flatnonzero((self._sizes[members.first] > 0) | (self._sizes[second] > 0))
        self._known = np.empty(0, np.uint64)
        self._found: list[NearPairs] = []

    def look(self, columns: Sequence[npt.NDArray[np.uint32]]) -> None:
        """Compare what one band brings together."""
        keys, members = self._keys(columns)
        order = np.lexsort((self._content[members], columns[4][self._members.first[members]], keys))
        keys, members = keys[order], members[order]
        for step in range(1, _COMPARED + 1):
            at = np.flatnonzero(keys[step:] == keys[:-step])
            if not len(at):
                return
            self._measure(members[at], members[at + step])

    def _keys(self, columns: Sequence[npt.NDArray[np.uint32]]) -> tuple[Codes, Longs]:
        """The bucket of each member in this band; where sides are swapped, of each in both its orders."""
        members, rows = self._members, self._texts
        both = [_joined(columns[0], columns[1])[members.first[rows]]]
        if members.second is None:
            return mix64(both[0] * np.uint64(5) + _joined(columns[2], columns[3])[members.first[rows]]), rows
        both.append(_joined(columns[0], columns[1])[members.second[rows]])
        straight = mix64(both[0] * np.uint64(5) + both[1])
        if not members.swapped:
            return straight, rows
        return np.concatenate([straight, mix64(both[1] * np.uint64(5) + both[0])]), np.concatenate([rows, rows])

    def _measure(self, a: Longs, b: Longs) -> None:
        a, b = self._unmeasured(a, b)
        if not len(a):
            return
        members = self._members
        if members.second is None:
            sides = [(members.first[a], members.first[b])]
        elif members.swapped:
            sides = [(members.first[a], members.second[b]), (members.second[a], members.first[b])]
        else:
            sides = [(members.first[a], members.first[b]), (members.second[a], members.second[b])]
        masked = self._codes.masked
        equal = [masked[ours] == masked[theirs] for ours, theirs in sides]
        similarity, by_label = np.ones(len(a)), np.zeros(len(a), bool)
        for (ours, theirs), beside in zip(sides, reversed(equal), strict=True):
            left = np.flatnonzero(similarity > 0)
            eased = beside[left] & (len(sides) == 2)
            found, only = self._similarity(ours[left], theirs[left], eased)
            similarity[left] = np.minimum(similarity[left], found)
            by_label[left] |= only
        kept = similarity > 0
        self._note(NearPairs(a[kept], b[kept], similarity[kept], by_label[kept]))

    def _similarity(
        self, a: Longs, b: Longs, eased: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """The similarity of texts that are near copies or equal, 0 of others, and which of them need an equal label.

        Beside an equal text they are `eased`.
        """
        of_a, of_b = self._sizes[a], self._sizes[b]
        found = np.asarray(self._codes.masked[a] == self._codes.masked[b], np.float64)
        most = np.minimum(of_a, of_b)  # shared shingles at best
        possible = is_near(most, of_a, of_b, self._threshold)
        possible |= eased & (is_near_beside_equal(most, of_a, of_b) | is_near_with_its_label(most, of_a, of_b))
        left = np.flatnonzero((found == 0) & (most > 0) & possible)
        left = left[self._agree(a[left], b[left])]
        shared = count_shared(self._codes, a[left], b[left])
        sizes = of_a[left], of_b[left]
        near = is_near(shared, *sizes, self._threshold) | (eased[left] & is_near_beside_equal(shared, *sizes))
        only = eased[left] & is_near_with_its_label(shared, *sizes) & ~near
        found[left] = np.where(near | only, similarities(shared, *sizes), 0.0)
        by_label = np.zeros(len(a), bool)
        by_label[left] = only
        return found, by_label

    def _agree(self, a: Longs, b: Longs) -> npt.NDArray[np.bool_]:
        """Whether sketches make a near copy possible."""
        agree = (self._sizes[a] <= _SMALL) | (self._sizes[b] <= _SMALL)
        large = np.flatnonzero(~agree)
        for first in range(0, len(large), _MEASURED // _SKETCHED):
            rows = large[first : first + _MEASURED // _SKETCHED]
            same = np.count_nonzero(self._sketches[a[rows]] == self._sketches[b[rows]], axis=1)
            agree[rows] = same >= _AGREEING
        return agree

    def _unmeasured(self, a: Longs, b: Longs) -> tuple[Longs, Longs]:
        """Those of different content, of which one still looks for copies, and which are not known to be near."""
        split, n_found = self._members.split, self._n_found
        wanted = (n_found[a, split[b]] < _ENOUGH) | (n_found[b, split[a]] < _ENOUGH)
        if not self._members.swapped:
            wanted &= self._content[a] != self._content[b]
        wanted &= a != b
        pairs = np.minimum(a, b)[wanted].astype(np.uint64) << np.uint64(32) | np.maximum(a, b)[wanted].astype(np.uint64)
        pairs = sorted_distinct(pairs)
        if len(self._known):
            at = np.minimum(np.searchsorted(self._known, pairs), len(self._known) - 1)
            pairs = pairs[self._known[at] != pairs]
        return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)

    def _note(self, near: NearPairs) -> None:
        if not len(near.a):
            return
        self._found.append(near)
        pairs = near.a.astype(np.uint64) << np.uint64(32) | near.b.astype(np.uint64)
        self._known = np.sort(np.concatenate([self._known, pairs]), kind="stable")
        split, n_found = self._members.split, self._n_found
        for ours, theirs in ((near.a, near.b), (near.b, near.a)):
            cells, counts = np.unique(ours * _MOST_SPLITS + split[theirs], return_counts=True)
            rows, columns = cells // _MOST_SPLITS, cells % _MOST_SPLITS
            n_found[rows, columns] = np.minimum(n_found[rows, columns] + counts, _ENOUGH).astype(np.uint8)

    def result(self) -> NearPairs:
        """The pairs of all bands, sorted, each once."""
        none: Longs = np.empty(0, np.int64)
        found = self._found or [NearPairs(none, none, np.empty(0), np.empty(0, bool))]
        a, b = np.concatenate([each.a for each in found]), np.concatenate([each.b for each in found])
        similarity = np.concatenate([each.similarity for each in found])
        by_label = np.concatenate([each.by_label for each in found])
        _, first = np.unique(a.astype(np.uint64) << np.uint64(32) | b.astype(np.uint64), return_index=True)
        return NearPairs(a[first], b[first], similarity[first], by_label[first])


def _joined(high: npt.NDArray[np.uint32], low: npt.NDArray[np.uint32]) -> Codes:
    return high.astype(np.uint64) << np.uint64(32) | low
