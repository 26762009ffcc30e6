"""All shortcuts by name: which can be tried on these data, and what each of them answers on test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy import sparse

from goldproof.measures.shortcuts import surface
from goldproof.measures.shortcuts.grams import Grams, character_table, find_grams
from goldproof.measures.shortcuts.items import Guess, TextItems
from goldproof.measures.shortcuts.lemmas import lemmas_of
from goldproof.measures.shortcuts.linear import (
    find_neighbours,
    forest_guess,
    linear_guess,
    nearest_guess,
    neighbour_guess,
)
from goldproof.measures.shortcuts.names import single_guess
from goldproof.measures.shortcuts.sentences import sentence_overlap

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A rule without understanding: its name, what it sees, and whether it needs pairs of texts."""

    name: str
    sees: str
    pairs_only: bool = False


SHORTCUTS = (
    Shortcut("one word", "whether one word or pair of neighbouring words (the best one in train) occurs"),
    Shortcut("bag of words", "which words and pairs of neighbouring words occur"),
    Shortcut("words together", "which of the commonest words occur together: trees, not weights"),
    Shortcut("characters", "which sequences of 2 to 4 characters occur"),
    Shortcut("first text only", "the words of the first text only", pairs_only=True),
    Shortcut("second text only", "the words of the second text only", pairs_only=True),
    Shortcut("length", "the number of words and characters"),
    Shortcut("overlap of words", "how many words of the second text occur in the first", pairs_only=True),
    Shortcut(
        "overlap of characters", "how many character triples of the second text occur in the first", pairs_only=True
    ),
    Shortcut("overlap of lemmas", "how many lemmas of the second text occur in the first", pairs_only=True),
    Shortcut("nearest sentence", "the most similar sentence, its position, and which side is negated", pairs_only=True),
    Shortcut("marks and capitals", "punctuation, digits and capital letters"),
    Shortcut("repetition", "how often words and names are repeated"),
    Shortcut("nearest neighbour", "the gold label of the train item that shares the most rare words"),
    Shortcut("neighbours' labels", "what such a neighbour's gold label says in train: the same label or another"),
    Shortcut("order of the file", "the place in the file"),
)
_FAMILIES: dict[str, surface.NumberFamily] = {
    "length": surface.length,
    "overlap of words": surface.word_overlap,
    "overlap of characters": surface.character_overlap,
    "nearest sentence": sentence_overlap,
    "marks and capitals": surface.marks,
    "repetition": surface.repetition,
    "order of the file": surface.order,
}


@dataclass(frozen=True, slots=True, eq=False)
class TriedShortcuts:
    """The answers of every shortcut that was tried, the grams behind them, and why others were not tried."""

    guesses: dict[str, Guess]
    grams: Grams
    untried: dict[str, str]


def applicable(has_pairs: bool, language: str) -> tuple[list[str], dict[str, str]]:
    """The names of the shortcuts that such items allow, and why others are not tried."""
    names, untried = [], {}
    for shortcut in SHORTCUTS:
        if shortcut.pairs_only and not has_pairs:
            continue
        if shortcut.name == "overlap of lemmas" and (reason := lemmas_of(language).reason):
            untried[shortcut.name] = reason
            continue
        names.append(shortcut.name)
    return names, untried


def try_shortcuts(train: TextItems, test: TextItems, told: Told | None = None) -> TriedShortcuts:
    """Learn every shortcut on train and let it answer test; `told` hears the name of each before it begins."""
    names, untried = applicable(train.pairs is not None, train.language)
    grams = find_grams(train, test)
    works = _works(train, test, grams)
    guesses = {}
    for name in names:
        if told is not None:
            told(name)
        guesses[name] = works[name]()
    return TriedShortcuts(guesses, grams, untried)


def _works(train: TextItems, test: TextItems, grams: Grams) -> dict[str, Callable[[], Guess]]:
    """What each shortcut does, by name."""
    words = "words and pairs of neighbours"
    near = cache(partial(find_neighbours, train, grams.train, grams.test))
    return {
        "one word": partial(single_guess, train, grams),
        "bag of words": partial(linear_guess, train, grams.train, grams.test, words),
        "words together": partial(forest_guess, train, grams.train, grams.test),
        "characters": partial(_characters, train, test),
        "first text only": partial(_one_side, train, grams, 0),
        "second text only": partial(_one_side, train, grams, 1),
        **{name: partial(surface.tree_guess, train, test, family) for name, family in _FAMILIES.items()},
        "overlap of lemmas": partial(_lemma_overlap, train, test),
        "nearest neighbour": lambda: nearest_guess(train, near(), len(test)),
        "neighbours' labels": lambda: neighbour_guess(train, near(), len(test)),
    }


def _one_side(train: TextItems, grams: Grams, side: int) -> Guess:
    kept = np.flatnonzero(grams.sides == side)
    known, asked = (_columns(table, kept) for table in (grams.train, grams.test))
    return linear_guess(train, known, asked, "words and pairs of neighbours of that text")


def _columns(table: sparse.csr_matrix, kept: np.ndarray) -> sparse.csr_matrix:
    return table[:, kept] if len(kept) else sparse.csr_matrix((table.shape[0], 1))


def _characters(train: TextItems, test: TextItems) -> Guess:
    return linear_guess(train, character_table(train), character_table(test), "sequences of characters")


def _lemma_overlap(train: TextItems, test: TextItems) -> Guess:
    lemmas = lemmas_of(train.language)
    assert lemmas.of is not None
    return surface.tree_guess(train, test, partial(surface.overlap_of, parts=lemmas.of, what=lemmas.what))
