"""Rows that repeat others: exactly, but for case, punctuation and spaces, or nearly.

Two rows are *near duplicates* when both their texts (and both their pairs) have a Jaccard similarity of at least the
threshold over their shingles: runs of 3 words, or of 5 characters where a text has hardly any spaces. Candidates come
from MinHash with banding (Broder 1997; Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, ch. 3) and each is
then measured exactly, so there are no false ones. 16 bands of 4 hashes miss a pair of similarity 0.8 with probability
0.0002. A row is compared with at most 8 earlier rows of a bucket, so time and memory grow linearly with the rows.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.draws import mix64

_WORD = re.compile(r"\w+")
_WINDOW, _BANDS, _HASHES_PER_BAND, _COMPARED, _CHUNK = 3, 16, 4, 8, 2048
_Item = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row that repeats an earlier one."""

    row: int
    earlier: int
    similarity: float = 1.0


def normalize(text: str) -> str:
    """The text without what case, punctuation and spaces add.

    >>> normalize("  The cat, sat — on THE mat!")
    'the cat sat on the mat'
    """
    return " ".join(_WORD.findall(text.casefold()))


def find_repeats(keys: Sequence[Hashable]) -> list[Repeat]:
    """Every row whose key stands in an earlier row.

    >>> find_repeats(["a", "b", "a", "a"])
    [Repeat(row=2, earlier=0, similarity=1.0), Repeat(row=3, earlier=0, similarity=1.0)]
    """
    first: dict[Hashable, int] = {}
    return [Repeat(row, first[key]) for row, key in enumerate(keys) if first.setdefault(key, row) != row]


def find_near_repeats(items: Sequence[_Item], threshold: float) -> list[Repeat]:
    """Rows that nearly repeat an earlier row, rows that are equal after `normalize` left aside.

    >>> first = "the quick brown fox jumps over the lazy dog near the river bank today"
    >>> find_near_repeats([(first, None), (first + " again", None), ("something else", None)], 0.8)
    [Repeat(row=1, earlier=0, similarity=0.9230769230769231)]
    """
    shingles = _shingle(items)
    repeats = []
    buckets: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(_BANDS)]
    for row, keys in enumerate(_iter_band_keys(shingles)):
        found = [bucket[key] for bucket, key in zip(buckets, keys, strict=False)]
        candidates = {other for rows in found for other in rows}
        best = max(
            (Repeat(row, other, shingles.similarity(row, other)) for other in sorted(candidates)),
            key=lambda repeat: repeat.similarity,
            default=None,
        )
        if best is not None and threshold <= best.similarity < 1.0:
            repeats.append(best)
        for rows in found:
            if len(rows) < _COMPARED:
                rows.append(row)
    return repeats


def find_mirrored(items: Sequence[_Item]) -> list[Repeat]:
    """Rows (a, b) for which another row is (b, a), with that row.

    >>> [(mirror.row, mirror.earlier) for mirror in find_mirrored([("a", "b"), ("c", "d"), ("b", "a")])]
    [(0, 2), (2, 0)]
    """
    rows_of: dict[_Item, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        rows_of[item].append(row)
    mirrored = []
    for row, (text, pair) in enumerate(items):
        if pair is not None:
            twin = next((other for other in rows_of.get((pair, text), ()) if other != row), None)
            mirrored += [Repeat(row, twin)] if twin is not None else []
    return mirrored


def find_conflicts(items: Sequence[_Item], labels: Sequence[str | None]) -> list[Repeat]:
    """Rows whose item stood in an earlier row with another label."""
    first: dict[_Item, int] = {}
    conflicts = []
    for row, item in enumerate(items):
        earlier = first.setdefault(item, row)
        if labels[row] is not None and labels[earlier] is not None and labels[row] != labels[earlier]:
            conflicts.append(Repeat(row, earlier))
    return conflicts


@dataclass(frozen=True, slots=True)
class _Shingles:
    """The shingles of all texts in one array: text k of row i has those from `bounds[i, k]` to `bounds[i, k + 1]`."""

    values: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.int64]

    def similarity(self, a: int, b: int) -> float:
        """The smaller Jaccard similarity of the two texts of rows a and b."""
        return min(self._jaccard(a, b, 0), self._jaccard(a, b, 1))

    def _jaccard(self, a: int, b: int, text: int) -> float:
        of_a, of_b = (set(self.values[slice(*self.bounds[row, text : text + 2])].tolist()) for row in (a, b))
        return len(of_a & of_b) / len(of_a | of_b) if of_a or of_b else 1.0


def _shingle(items: Sequence[_Item]) -> _Shingles:
    vocabulary: dict[str, int] = {}
    codes = array("Q")
    n_codes = [0]
    for text in (text for item in items for text in item):
        units = _units(text) if text is not None else []
        codes.extend([vocabulary.setdefault(unit, len(vocabulary) + 1) for unit in units])
        codes.extend([0] * (_WINDOW - len(units) if 0 < len(units) < _WINDOW else 0))
        n_codes.append(len(codes))
    flat = np.frombuffer(codes, np.uint64) if codes else np.empty(0, np.uint64)
    ends = np.array(n_codes)
    mixed = mix64(flat)
    for shift in range(1, _WINDOW):
        mixed = mix64(mixed[:-1] * np.uint64(0x9E3779B97F4A7C15) + flat[shift:])
    lengths = np.diff(ends)
    last = np.repeat(ends[1:] - _WINDOW, lengths)
    inside = (np.arange(len(flat)) <= last)[: len(mixed)]  # windows that do not run into the next text
    bounds = np.concatenate([[0], np.cumsum(np.maximum(lengths - _WINDOW + 1, 0))])
    firsts = np.arange(len(items))[:, None] * 2 + np.arange(3)
    return _Shingles(mixed[inside], bounds[firsts])


def _units(text: str) -> list[str]:
    """Words, or overlapping runs of three characters where there are hardly any spaces."""
    words = _WORD.findall(text.casefold())
    joined = " ".join(words)
    if len(words) * 12 >= len(joined):
        return words
    return [joined[start : start + 3] for start in range(max(len(joined) - 2, 1))]


def _iter_band_keys(shingles: _Shingles) -> Iterator[list[bytes]]:
    """For each row the key of its MinHash signature in each band; a row without shingles has no keys."""
    salts = mix64(np.arange(1, _BANDS * _HASHES_PER_BAND + 1, dtype=np.uint64))
    starts, ends = shingles.bounds[:, 0], shingles.bounds[:, -1]
    for first in range(0, len(starts), _CHUNK):
        rows = slice(first, first + _CHUNK)
        flat = shingles.values[starts[rows][0] : ends[rows][-1]]
        filled = ends[rows] > starts[rows]
        signatures = np.zeros((len(filled), len(salts)), np.uint64)
        if filled.any():
            offsets = (starts[rows] - starts[rows][0])[filled]
            for column, salt in enumerate(salts):
                signatures[filled, column] = np.minimum.reduceat(mix64(flat ^ salt), offsets)
        keys = signatures.reshape(len(filled), _BANDS, _HASHES_PER_BAND)
        for row, has_shingles in enumerate(filled):
            yield [keys[row, band].tobytes() for band in range(_BANDS)] if has_shingles else []


def count_words(texts: Sequence[str]) -> tuple[int, int]:
    """(distinct words, words in all): runs of letters and digits, case aside."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text.casefold()))
    return len(counts), counts.total()
