"""Shortcuts of token data: each token is answered from a list, by its word, ending, shape or place alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.measures.shortcuts.items import Guess, guess_of
from goldproof.statistics.arrays import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenItems:
    """TokenItems of all sentences after each other: word, gold tag as a code, and the sentence that each stands in."""

    words: tuple[str, ...]
    gold: IntArray
    sentence: IntArray
    n_classes: int

    def __len__(self) -> int:
        return len(self.words)

    def take(self, rows: Array) -> TokenItems:
        """The tokens at these places."""
        chosen = np.asarray(rows).tolist()
        return TokenItems(
            tuple(self.words[row] for row in chosen), self.gold[rows], self.sentence[rows], self.n_classes
        )


def shape(word: str) -> str:
    """The shape of a word: capitals, small letters, digits and marks, runs made short.

    >>> shape("McDonald's"), shape("1999")
    ('XxXx.x', 'd')
    """
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else "." for c in word[:50]]
    return "".join(kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] != kind)


def try_token_shortcuts(train: TokenItems, test: TokenItems) -> dict[str, Guess]:
    """The most frequent tag of each key in train; a key that train does not have gets the shares of all tokens."""
    keys: dict[str, tuple[Callable[[TokenItems], Sequence[object]], str]] = {
        "most frequent tag of a word": (lambda tokens: tokens.words, "the word's most frequent tag in train"),
        "ending": (lambda tokens: [word[-3:].lower() for word in tokens.words], "the tag of its last three letters"),
        "shape": (lambda tokens: [shape(word) for word in tokens.words], "the tag of its shape (capitals, digits)"),
        "place in the sentence": (_places, "the tag of its place, from the left and from the right"),
        "word before": (_before, "the most frequent tag after the word before"),
    }
    return {name: _listed(train, test, keyed, rule) for name, (keyed, rule) in keys.items()}


def _listed(train: TokenItems, test: TokenItems, keyed: Callable[[TokenItems], Sequence[object]], rule: str) -> Guess:
    known: dict[object, int] = {}
    numbers = np.array([known.setdefault(key, len(known)) for key in keyed(train)], np.int64)
    table = np.zeros((len(known) + 1, train.n_classes))
    np.add.at(table, (numbers, train.gold), 1.0)
    base = np.bincount(train.gold, minlength=train.n_classes) / len(train)
    table = (table + base) / (table.sum(axis=1, keepdims=True) + 1)
    asked = np.array([known.get(key, len(known)) for key in keyed(test)], np.int64)
    return guess_of(table[asked], rule)


def _places(tokens: TokenItems) -> list[object]:
    starts = np.flatnonzero(np.r_[True, np.diff(tokens.sentence) != 0])
    sizes = np.diff(np.r_[starts, len(tokens)])
    left = np.arange(len(tokens)) - np.repeat(starts, sizes)
    right = np.repeat(sizes, sizes) - 1 - left
    return [(min(a, 3), min(b, 2)) for a, b in zip(left.tolist(), right.tolist(), strict=True)]


def _before(tokens: TokenItems) -> list[object]:
    same = np.r_[False, np.diff(tokens.sentence) == 0].tolist()
    return [tokens.words[at - 1].lower() if same[at] else "" for at in range(len(tokens))]
