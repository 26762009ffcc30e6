"""Word lists as data: one TOML file for each language, and whether a text has one of their words or phrases."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class WordList:
    """Words, and phrases of several words."""

    words: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]

    def matches(self, words: Sequence[str]) -> int:
        """How many words or phrases of the list stand in a text.

        >>> WordList(frozenset({"or"}), (("as", "well", "as"),)).matches("this as well as that or none".split())
        2
        """
        return sum(word in self.words for word in words) + self.matches_phrase(words)

    def matches_phrase(self, words: Sequence[str]) -> int:
        """How many phrases of the list stand in a text.

        >>> WordList(frozenset({"it"}), (("each", "other"),)).matches_phrase("it is each other".split())
        1
        """
        return sum(
            tuple(words[i : i + len(phrase)]) == phrase
            for phrase in self.phrases
            for i in range(len(words) - len(phrase) + 1)
        )


@cache
def word_lists(language: str) -> Mapping[str, WordList]:
    """The lists of a language, by name."""
    entries = tomllib.loads(files("goldproof.builders.annotation").joinpath(f"{language}.toml").read_text("utf-8"))
    return {name: _make(words) for name, words in entries.items()}


def _make(entries: Sequence[str]) -> WordList:
    split = [tuple(entry.split()) for entry in entries]
    return WordList(frozenset(entry[0] for entry in split if len(entry) == 1), tuple(e for e in split if len(e) > 1))
