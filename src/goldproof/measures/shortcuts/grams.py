"""Words and neighbouring words of both sides as one sparse table, made once, and character sequences as another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from goldproof.draws import mix64
from goldproof.measures.shortcuts.items import TextItems, pieces
from goldproof.statistics.arrays import IntArray

MOST_GRAMS = 200_000
CHARACTER_COLUMNS = 2**16
MOST_HASHED = 2_000  # characters of a text whose sequences are looked at
CHARACTER_SIZES = (2, 3, 4)
_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Grams:
    """Which words and pairs of neighbours stand in which item (items × grams, 0 or 1); `sides` says on which side."""

    names: tuple[str, ...]
    sides: IntArray
    train: sparse.csr_matrix
    test: sparse.csr_matrix


def find_grams(train: TextItems, test: TextItems) -> Grams:
    """The grams that stand in two items of train at least, or in one and in test: a rare word may tell a neighbour."""
    known: dict[tuple[int, str], int] = {}
    rows = [_numbers(train, known, grow=True), _numbers(test, known, grow=False)]
    tables = [_table(found, len(known)) for found in rows]
    often, there = (np.asarray(table.sum(axis=0)).ravel() for table in tables)
    kept = np.flatnonzero((often >= 2) | (there >= 1))
    if len(kept) > MOST_GRAMS:
        kept = np.sort(kept[np.argsort(-often[kept], kind="stable")[:MOST_GRAMS]])
    keys = list(known)
    names, sides = [keys[place][1] for place in kept], [keys[place][0] for place in kept]
    return Grams(tuple(names), np.array(sides, np.int64), *(table[:, kept].tocsr() for table in tables))


def grams_of(text: str) -> Iterator[str]:
    """The words, marks and pairs of neighbours of a text.

    >>> list(grams_of("Never again."))
    ['never', 'again', '.', 'never again', 'again .']
    """
    found = pieces(text)
    yield from found
    for first, second in pairwise(found):
        yield f"{first} {second}"


def _numbers(texts: TextItems, known: dict[tuple[int, str], int], grow: bool) -> list[IntArray]:
    """The distinct grams of each item by number."""
    rows = []
    for at in range(len(texts)):
        keys = {(side, gram) for side, several in enumerate(texts.sides) for gram in grams_of(several[at])}
        if grow:
            for key in sorted(key for key in keys if key not in known):
                known[key] = len(known)
        rows.append(np.array(sorted(known[key] for key in keys if key in known), np.int64))
    return rows


def _table(rows: Sequence[IntArray], n_columns: int) -> sparse.csr_matrix:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.concatenate([np.empty(0, np.int64), *rows])
    return sparse.csr_matrix((np.ones(len(columns), np.float32), columns, starts), (len(rows), max(n_columns, 1)))


def character_table(texts: TextItems) -> sparse.csr_matrix:
    """Which sequences of 2, 3 and 4 characters stand in which item, hashed into columns; each side has its own."""
    return sparse.hstack([_characters(side) for side in texts.sides]).tocsr()


def _characters(texts: Sequence[str]) -> sparse.csr_matrix:
    lines = [f" {text[:MOST_HASHED].lower()} ".encode("utf-32-le", "surrogatepass") for text in texts]
    lengths = np.array([len(line) // 4 for line in lines], np.int64)
    codes = np.frombuffer(b"".join(lines), np.uint32).astype(np.uint64)
    ends = np.repeat(np.cumsum(lengths), lengths)
    places = np.arange(len(codes))
    found = sparse.csr_matrix((len(texts), CHARACTER_COLUMNS), dtype=np.float32)
    for size in CHARACTER_SIZES:
        starts = places[places + size <= ends]
        hashed = np.full(len(starts), size, np.uint64)
        for offset in range(size):
            hashed = mix64(hashed * _STEP + codes[starts + offset])
        columns = (hashed % np.uint64(CHARACTER_COLUMNS)).astype(np.int32)
        bounds = np.concatenate([[0], np.cumsum(np.maximum(lengths - size + 1, 0))])
        found = found + sparse.csr_matrix((np.ones(len(columns), np.float32), columns, bounds), found.shape)
    found.data[:] = 1.0
    return found
