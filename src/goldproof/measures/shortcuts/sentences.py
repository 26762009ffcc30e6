"""Sentence-level overlap of pairs: the sentence of the first text that shares most with the second, its place, and
whether the two agree in negation (the numbers are shallow: nothing says what the negation applies to).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

import numpy as np

from goldproof.measures.shortcuts.items import MOST_CHARACTERS, TextItems, words
from goldproof.measures.shortcuts.surface import Numbers

_END = re.compile(r"(?<=[.!?…])[\"'”»)]*\s+|[。！？]|\n+")
_OTHERS = {
    "sv": ("inte", "ej", "icke", "aldrig", "ingen", "inget", "inga", "utan", "varken"),
    "es": ("no", "nunca", "jamás", "nadie", "nada", "ningún", "ninguno", "ninguna", "sin", "ni", "tampoco"),
    "pt": ("não", "nunca", "jamais", "ninguém", "nada", "nenhum", "nenhuma", "sem", "nem"),
}
_LISTED = ("en", "de", "fr", "ru")
NAMES = (
    "share of the second text's words in the nearest sentence",
    "share of the nearest sentence's words in the second text",
    "place of the nearest sentence (0 to 1)",
    "sentences of the first text",
    "whether the nearest sentence is negated",
    "whether the second text is negated",
    "whether exactly one of the two is negated",
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, by marks and line ends alone.

    >>> sentences("He left. She stayed!")
    ['He left.', 'She stayed!']
    """
    return [part for part in _END.split(text[:MOST_CHARACTERS]) if part and part.strip()] or [text[:MOST_CHARACTERS]]


@lru_cache(maxsize=32)
def negations(language: str) -> frozenset[str]:
    """The negating words of a language; of all languages that have a list where this one has none."""
    if language in _OTHERS:
        return frozenset(_OTHERS[language])
    if language in _LISTED:
        source = resources.files("goldproof.builders.annotation") / f"{language}.toml"
        return frozenset(tomllib.loads(source.read_text(encoding="utf-8"))["negation"])
    return frozenset().union(*map(negations, (*_LISTED, *_OTHERS)))


def is_negated(given: Sequence[str], negating: frozenset[str]) -> bool:
    """Whether words hold a negation.

    >>> is_negated(words("He didn't go."), negations("en")), is_negated(words("He went."), negations("en"))
    (True, False)
    """
    return any(word in negating or word.endswith(("n't", "n’t")) for word in given)


def sentence_overlap(texts: TextItems) -> Numbers:
    """The numbers of `NAMES` for each pair."""
    negating = negations(texts.language)
    rows = [_nearest(first, second, negating) for first, second in zip(texts.texts, texts.pairs or (), strict=True)]
    return Numbers(NAMES, np.array(rows, float).reshape(-1, len(NAMES)))


def _nearest(first: str, second: str, negating: frozenset[str]) -> tuple[float, ...]:
    given = words(second)
    wanted = set(given)
    parts = sentences(first)
    found = [set(words(part)) for part in parts]
    best = max(range(len(parts)), key=lambda at: (len(found[at] & wanted), -len(found[at])))
    shared = len(found[best] & wanted)
    one, other = is_negated(tuple(found[best]), negating), is_negated(given, negating)
    return (
        shared / max(len(wanted), 1),
        shared / max(len(found[best]), 1),
        best / max(len(parts) - 1, 1),
        len(parts),
        one,
        other,
        one != other,
    )
