"""Duplicates within a split: against brute force, and on cases made by hand; near ones are in test_matches.py."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from goldproof.data.checking.duplicates import find_conflicts, find_mirrored, find_repeats


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
