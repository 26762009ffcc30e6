"""How well a short answer to a question matches those that are right: exact match and F1 over words, best of the golds.

Without a language both are those of SQuAD's own script (Rajpurkar et al. 2016); with one, those of MLQA's (Lewis et al.
2020), which leaves out the articles of that language and all of Unicode's punctuation, and takes each Chinese character
for a word.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "ar": r"\sال^|ال",
}
_OF_ENGLISH = re.compile(_ARTICLES["en"])
_PLAIN = frozenset(string.punctuation)
_BY_CHARACTER = ("zh",)
_HAN = re.compile(r"[一-龥]")


@dataclass(frozen=True, slots=True)
class AnswerMatch:
    """Whether an answer is exactly one of the golds, and its F1 with the nearest."""

    exact: float
    f1: float


def match_answer(prediction: str, golds: Sequence[str], language: str | None = None) -> AnswerMatch:
    """The match with the best of the golds; where there is none, only an empty answer is right.

    >>> match_answer("the Denver Broncos!", ["Broncos", "Denver Broncos"])
    AnswerMatch(exact=1.0, f1=1.0)
    >>> round(match_answer("in Denver", ["Denver Broncos", "Denver"]).f1, 3), match_answer("", []).exact
    (0.667, 1.0)
    """
    if not golds:
        empty = float(not answer_words(prediction, language))
        return AnswerMatch(empty, empty)
    return AnswerMatch(
        max(float(normal_answer(prediction, language) == normal_answer(gold, language)) for gold in golds),
        max(_f1(answer_words(prediction, language), answer_words(gold, language)) for gold in golds),
    )


def normal_answer(text: str, language: str | None = None) -> str:
    """The answer in lower case, without punctuation, articles and superfluous blanks.

    >>> normal_answer("An  apple, the pear"), normal_answer("die Äpfel", "de")
    ('apple pear', 'äpfel')
    """
    text = "".join(letter for letter in text.lower() if not _is_punctuation(letter, language))
    articles = _OF_ENGLISH if language is None else re.compile(_ARTICLES[language]) if language in _ARTICLES else None
    if articles is not None:
        text = articles.sub(" ", text)
    return " ".join(_split(text, language))


def answer_words(text: str, language: str | None = None) -> list[str]:
    """The words of an answer in its normal form."""
    return normal_answer(text, language).split()


def _is_punctuation(letter: str, language: str | None) -> bool:
    if letter in _PLAIN:
        return True
    return language is not None and unicodedata.category(letter).startswith("P")


def _split(text: str, language: str | None) -> list[str]:
    """Words between blanks; in Chinese each character by itself, and what is not Chinese in one piece."""
    if language not in _BY_CHARACTER:
        return text.split()
    return _HAN.sub(lambda found: f" {found.group()} ", text).split()


def _f1(prediction: Sequence[str], gold: Sequence[str]) -> float:
    if not prediction or not gold:
        return float(prediction == gold)
    shared = sum((Counter(prediction) & Counter(gold)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(prediction), shared / len(gold)
    return 2 * precision * recall / (precision + recall)
