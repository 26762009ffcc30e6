"""What shortcuts see (`TextItems`) and what they answer (`Guess`); words are made once and shared by all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goldproof.statistics.arrays import Array, FloatArray

PIECE = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
MOST_CHARACTERS = 5_000  # of a text that shortcuts read: the longest texts would take all the time


@dataclass(frozen=True, slots=True, eq=False)
class TextItems:
    """TextItems with their gold: class codes (whole numbers) or numbers to predict.

    `pairs` are the second texts, None where items have one text; `place` is where in its file each item stands, from 0;
    `n_classes` is 0 for numbers; `language` is a code, "und" where nobody said.
    """

    texts: tuple[str, ...]
    pairs: tuple[str, ...] | None
    gold: Array
    place: Array
    n_classes: int
    language: str = "und"

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The first texts and, of pairs, the second."""
        return (self.texts,) if self.pairs is None else (self.texts, self.pairs)

    @property
    def is_numeric(self) -> bool:
        """Whether gold is a number to predict."""
        return self.n_classes == 0

    def take(self, rows: Array) -> TextItems:
        """The items at these rows."""
        chosen = np.asarray(rows).tolist()
        pairs = None if self.pairs is None else tuple(self.pairs[row] for row in chosen)
        texts = tuple(self.texts[row] for row in chosen)
        return TextItems(texts, pairs, self.gold[rows], self.place[rows], self.n_classes, self.language)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What a shortcut answers on each test item, how likely it holds each class (items × classes), and by what rule.

    Numbers to predict have no likelihoods: `likely` is then None.
    """

    predicted: Array
    likely: FloatArray | None
    rule: str


@lru_cache(maxsize=400_000)
def pieces(text: str) -> tuple[str, ...]:
    """Words and marks of a text in lower case, of its first characters.

    >>> pieces("He didn't, never.")
    ('he', "didn't", ',', 'never', '.')
    """
    return tuple(PIECE.findall(text[:MOST_CHARACTERS].lower()))


@lru_cache(maxsize=400_000)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without its marks.

    >>> words("He didn't, never.")
    ('he', "didn't", 'never')
    """
    return tuple(piece for piece in pieces(text) if piece[0].isalnum() or piece[0] == "_")


def guess_of(likely: FloatArray, rule: str) -> Guess:
    """The guess of the likeliest class."""
    return Guess(likely.argmax(axis=1), likely, rule)


def shares(gold: Array, n_classes: int) -> FloatArray:
    """The share of each class."""
    return np.bincount(gold, minlength=n_classes) / len(gold)


def constant(train: TextItems, n: int, rule: str) -> Guess:
    """The same answer to every item: the most frequent class of train, or its mean."""
    if train.is_numeric:
        return Guess(np.full(n, float(np.mean(train.gold))), None, rule)
    return guess_of(np.tile(shares(train.gold, train.n_classes), (n, 1)), rule)


def shortened(text: str, most: int = 60) -> str:
    """A text on one line that is not too long.

    >>> shortened("a  b" * 30, 9)
    'a ba ba …'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def side_name(side: int, has_pairs: bool) -> str:
    """What a side is called in a sentence."""
    return "the text" if not has_pairs else ("the first text", "the second text")[side]


def joined(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
