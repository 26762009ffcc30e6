"""Duplicates: against brute force on any texts, and on cases made by hand."""

from __future__ import annotations

import re

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from goldproof.data.checking.duplicates import find_conflicts, find_mirrored, find_near_repeats, find_repeats

_WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]
_SENTENCES = st.lists(st.sampled_from(_WORDS), max_size=9).map(" ".join)
_ITEMS = st.lists(st.tuples(_SENTENCES, st.one_of(st.none(), _SENTENCES)), max_size=7, unique=True)


def _shingles(text: str | None) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", (text or "").casefold())
    if words and len(words) < 3:
        words += [""] * (3 - len(words))
    return {tuple(words[start : start + 3]) for start in range(len(words) - 2)}


def _jaccard(a: str | None, b: str | None) -> float:
    of_a, of_b = _shingles(a), _shingles(b)
    return len(of_a & of_b) / len(of_a | of_b) if of_a | of_b else 1.0


@settings(max_examples=200, deadline=None)
@given(items=_ITEMS)
def test_near_repeats_are_those_of_brute_force(items: list[tuple[str, str | None]]) -> None:
    """With at most 8 rows every candidate is compared; at 0.8 MinHash misses next to nothing."""
    best = {}
    for row, item in enumerate(items):
        for earlier in range(row):
            similarity = min(_jaccard(a, b) for a, b in zip(item, items[earlier], strict=True))
            best[row] = max(best.get(row, 0.0), similarity)
    expected = {row for row, similarity in best.items() if 0.8 <= similarity < 1 and any(map(_shingles, items[row]))}
    assert {repeat.row for repeat in find_near_repeats(items, 0.8)} == expected


def test_near_repeats_among_many_rows() -> None:
    """Planted copies with one word changed at the end are found among thousands of rows, and nothing else is."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(5000)])
    texts = [" ".join(rng.choice(words, size=30)) for _ in range(3000)]
    planted = [texts[row].rpartition(" ")[0] + " changed" for row in range(0, 3000, 100)]
    found = find_near_repeats([(text, None) for text in texts + planted], 0.8)
    assert [(repeat.row, repeat.earlier) for repeat in found] == [(3000 + n, 100 * n) for n in range(30)]


def test_texts_without_spaces() -> None:
    first = "東京は日本の首都であり世界でも有数の大都市として知られています"
    assert [repeat.row for repeat in find_near_repeats([(first, None), (first + "。よ", None)], 0.8)] == [1]


@given(keys=st.lists(st.integers(0, 5)))
def test_repeats_are_rows_less_distinct_rows(keys: list[int]) -> None:
    assert len(find_repeats(keys)) == len(keys) - len(set(keys))


@given(pairs=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"))))
def test_mirrored_by_brute_force(pairs: list[tuple[str, str]]) -> None:
    items: list[tuple[str, str | None]] = [(a, b) for a, b in pairs]
    expected = [
        row
        for row, (a, b) in enumerate(pairs)
        if any(other != row and pairs[other] == (b, a) for other in range(len(pairs)))
    ]
    assert [mirror.row for mirror in find_mirrored(items)] == expected


def test_conflicts() -> None:
    items: list[tuple[str, str | None]] = [("a", None), ("a", None), ("a", None), ("b", None)]
    assert [conflict.row for conflict in find_conflicts(items, ["x", "x", "y", None])] == [2]
