"""Rows that repeat others of one split: exactly, or but for case, punctuation and spaces; near ones: `matches.py`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\w+")
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


def count_words(texts: Sequence[str]) -> tuple[int, int]:
    """(distinct words, words in all): runs of letters and digits, case aside."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text.casefold()))
    return len(counts), counts.total()
