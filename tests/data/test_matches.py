"""Copies of rows: against brute force, over orders, names and forms, and planted among many rows."""

from __future__ import annotations

import re
import string
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from goldproof.data.checking.matches import KINDS, SplitMatches, SplitRows, match_rows
from goldproof.errors import UsageError

_WORDS = ["alpha", "beta", "gamma", "delta"]
_SENTENCES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(" ".join)
_ROWS = st.lists(st.tuples(_SENTENCES, _SENTENCES, st.sampled_from(["yes", "no"])), min_size=1, max_size=4)


def _split(name: str, rows: list[tuple[str, str, str]]) -> SplitRows:
    return SplitRows(name, [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def _find(matches: list[SplitMatches], earlier: str, later: str, field: str = "row") -> SplitMatches:
    (found,) = [match for match in matches if (match.earlier, match.later, match.field) == (earlier, later, field)]
    return found


def _kinds(match: SplitMatches) -> list[tuple[int, int, str]]:
    return [(row, of, KINDS[kind]) for row, of, kind in zip(match.row, match.of, match.kind, strict=True)]


def _bag(text: str) -> set[tuple[object, ...]]:
    """The definition, written out: words and neighbouring pairs, numbered by occurrence."""
    words = re.findall(r"\w+", text.lower())
    bag: set[tuple[object, ...]] = set()
    for shingle in [*[(word,) for word in words], *pairwise(words)]:
        number = sum(shingle == other[:-1] for other in bag)
        bag.add((*shingle, number))
    return bag


def _similarity(a: str, b: str, eased: bool = False) -> float:
    """1 where equal; the Jaccard similarity of near copies; 0 of others. Eased: the rows' other texts are equal."""
    of_a, of_b = sorted((_bag(a), _bag(b)), key=len)
    jaccard = len(of_a & of_b) / len(of_a | of_b)
    added, lost = len(of_b) - len(of_a), len(of_a - of_b)
    grown = lost <= 1 and added in (2, 4, 6) and len(of_a) >= 2 * added + 1
    if eased and not grown:
        more = len(of_b - of_a)
        grown = (lost <= 1 and added in (2, 4, 6) and len(of_a) >= added + 1) or (
            lost <= 3 and any(more <= 2 * words + 1 and len(of_a) >= 8 * words + 1 for words in (1, 2, 3))
        )
    return jaccard if jaccard >= 0.7 or grown else 0.0


def _row_similarity(row: tuple[str, str, str], other: tuple[str, str, str]) -> float:
    first, second = row[0] == other[0], row[1] == other[1]
    return min(_similarity(row[0], other[0], second), _similarity(row[1], other[1], first))


def _is_slight(row: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    """One side equal; of the other one word exchanged for up to three, three others staying."""

    def exchanged(a: str, b: str) -> bool:
        of_a, of_b = sorted((_bag(a), _bag(b)), key=len)
        return len(of_a - of_b) <= 3 and len(of_b - of_a) <= 7 and len(of_a) >= 7

    return (row[0] == other[0] and exchanged(row[1], other[1])) or (row[1] == other[1] and exchanged(row[0], other[0]))


@settings(max_examples=150)
@given(train=_ROWS, test=_ROWS)
def test_rows_are_matched_as_by_brute_force(
    train: list[tuple[str, str, str]], test: list[tuple[str, str, str]]
) -> None:
    """With so few rows every bucket is compared whole, and MinHash misses next to nothing."""
    found = _find(match_rows([_split("train", train), _split("test", test)]), "train", "test")
    expected = {}
    for row, item in enumerate(test):
        best = max(_row_similarity(item, other) for other in train)
        if best > 0:
            expected[row] = best
    similar = dict(zip(found.row.tolist(), found.similarity.tolist(), strict=True))
    assert {row: each for row, each in similar.items() if row in expected} == pytest.approx(expected)
    slight = {row: [other for other in train if _is_slight(item, other)] for row, item in enumerate(test)}
    for row, of in zip(found.row.tolist(), found.of.tolist(), strict=True):
        assert row in expected or (train[of] in slight[row] and train[of][2] == test[row][2])
    for row, others in slight.items():
        if others and {other[2] for other in others} == {test[row][2]}:
            assert row in similar


@settings(max_examples=60)
@given(train=_ROWS, test=_ROWS, order=st.randoms())
def test_the_order_of_rows_and_the_names_of_splits_change_nothing(train, test, order) -> None:
    straight = match_rows([_split("train", train), _split("test", test)])
    shuffled = list(range(len(train)))
    order.shuffle(shuffled)
    other = match_rows([_split("a", [train[row] for row in shuffled]), _split("b", test)])
    for ours, theirs in zip(straight, other, strict=True):
        if ours.later == "test":
            assert ours.field == theirs.field
            assert ours.row.tolist() == theirs.row.tolist()
            assert ours.kind.tolist() == theirs.kind.tolist()
            assert ours.similarity.tolist() == theirs.similarity.tolist()
            assert ours.agree.tolist() == theirs.agree.tolist()


@settings(max_examples=60)
@given(train=_ROWS, test=_ROWS)
def test_case_and_punctuation_change_no_row_that_is_found(train, test) -> None:
    def dressed(text: str) -> str:
        return f"  «{text.upper().replace(' ', ', ')}»!\u00a0"

    plain = _find(match_rows([_split("train", train), _split("test", test)]), "train", "test")
    changed = [(dressed(text), dressed(pair), label) for text, pair, label in test]
    other = _find(match_rows([_split("train", train), _split("test", changed)]), "train", "test")
    assert plain.row.tolist() == other.row.tolist()
    assert plain.similarity.tolist() == other.similarity.tolist()
    assert "exact" not in {kind for _, _, kind in _kinds(other)}


def test_kinds_and_labels() -> None:
    first = "The committee met on the third of May and agreed on a new budget"
    train = [
        (first, "A budget was agreed on in 1998 by all", "yes"),
        ("Ｎａïve cafés serve straße food", "It is served in the old town every day", "no"),
    ]
    test = [
        train[0],
        (first.upper() + "!", "a budget was agreed on in 1998 by all", "no"),
        (first, "A budget was agreed on in 2003 by all", "yes"),
        (first, "A budget was probably agreed on in 1998 by all", "no"),
        ("naïve cafe\u0301s serve STRASSE food", "It is served in the old town every day", "no"),
        (train[1][1], train[1][0], "no"),
        (first, "Nothing was said about it", "yes"),
    ]
    matches = match_rows([_split("train", train), _split("test", test)])
    found = _find(matches, "train", "test")
    expected = [(0, 0, "exact"), (1, 0, "form"), (2, 0, "digits"), (3, 0, "near"), (4, 1, "form")]
    assert _kinds(found) == expected
    assert found.agree.tolist() == [1, 0, 1, 0, 1]
    assert _kinds(_find(matches, "train", "test", "swapped")) == [(5, 1, "exact")]
    assert _find(matches, "train", "test", "text").row.tolist() == [0, 1, 2, 3, 4, 6]
    assert _find(matches, "test", "test").row.tolist() == [0, 1, 2, 3]


def test_a_copy_with_another_label_is_shown_first() -> None:
    train = [("one two three", "x y", "yes"), ("one two three", "x y", "no"), ("one two three", "x y", "yes")]
    found = _find(match_rows([_split("train", train)]), "train", "train")
    assert found.of.tolist() == [1, 2, 1]
    assert found.agree.tolist() == [0, 0, 0]


def test_numbers_that_are_the_text_are_no_copies() -> None:
    sums = SplitRows("all", [f"{a} + {b} = {a + b}" for a in range(5) for b in range(5)], None, [None] * 25)
    assert not len(match_rows([sums])[0].row)


def test_planted_copies_among_many_rows() -> None:
    """One word added to or dropped from one side of pairs; at least 99 % are found, and nothing else."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list(string.ascii_lowercase), 6)) for _ in range(3000)])
    chances = 1 / np.arange(1, 3001)
    chances /= chances.sum()

    def sentence(n: int) -> list[str]:
        return list(rng.choice(words, n, p=chances))

    def changed(text: list[str]) -> list[str]:
        at = int(rng.integers(len(text)))
        return [*text[:at], "planted", *text[at:]] if rng.random() < 0.7 else [*text[:at], *text[at + 1 :]]

    train = [(sentence(int(rng.integers(8, 40))), sentence(int(rng.integers(4, 15)))) for _ in range(3000)]
    planted = [(text, changed(pair)) for text, pair in train[::10]]
    fresh = [(sentence(int(rng.integers(8, 40))), sentence(int(rng.integers(4, 15)))) for _ in range(700)]
    rows = [[(" ".join(a), " ".join(b), "yes") for a, b in part] for part in (train, planted + fresh)]
    found = _find(match_rows([_split("train", rows[0]), _split("test", rows[1])]), "train", "test")
    assert len(found.row) >= 297
    assert all(of == 10 * row and row < 300 for row, of in zip(found.row, found.of, strict=True))


def test_texts_without_spaces() -> None:
    first = "東京は日本の首都であり世界でも有数の大都市として知られています"
    other = "大阪は西日本の中心となる都市であり食べ物がおいしいことで有名です"
    split = SplitRows("all", [first, first + "。よ", other], None, [None] * 3)
    assert match_rows([split])[0].row.tolist() == [0, 1]


def test_odd_texts() -> None:
    long = "word " * 20_000
    texts = [long, long + "more", "", "", "???", "!!!", "yes", "Yes."]
    (found,) = match_rows([SplitRows("all", texts, None, [None] * len(texts))])
    assert _kinds(found) == [
        (0, 1, "near"),
        (1, 0, "near"),
        (2, 3, "exact"),
        (3, 2, "exact"),
        (6, 7, "form"),
        (7, 6, "form"),
    ]
    assert found.agree.tolist() == [-1] * 6


def test_nothing_to_compare() -> None:
    (found,) = match_rows([SplitRows("all", [], None, [])])
    assert (found.total, len(found.row)) == (0, 0)


def test_wrong_thresholds_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^near must be above 0 and at most 1; got 0$"):
        match_rows([], 0)
