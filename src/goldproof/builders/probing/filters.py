"""Which sentences a task may use: of fitting length, of words that are not rare, with an unambiguous target word.

Frequencies are those of wordfreq, per million words (Speer 2022); a Russian word's parts of speech are those of
pymorphy3's dictionary (Korobov 2015), other languages' those in the treebank itself and in a given word list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from goldproof.builders.probing.survey import Survey
from goldproof.builders.probing.tree import Tree
from goldproof.builders.tagging.tagset import FROM_OPENCORPORA
from goldproof.data.formats.files import check_file, iter_lines
from goldproof.errors import DataError
from goldproof.extras import Need, import_extra

FREQUENCIES = Need("probing", "the frequency filter (--min-frequency 0 switches it off)")
RUSSIAN_WORDS = Need("russian", "the one-part-of-speech filter for Russian", ("pymorphy3",))

MeanFrequency = Callable[[Tree], float | None]
IsSingle = Callable[[str], bool]

# pymorphy's tags by universal part of speech; what is one lexeme's form counts as one.
_PYMORPHY = {**FROM_OPENCORPORA, "PRCL": "PART", "INTJ": "INTJ"}  # as Universal Dependencies name these two


def filter_needs(language: str, min_frequency: float) -> tuple[Need, ...]:
    """The extras that the filters need for a language."""
    return (*((FREQUENCIES,) if min_frequency > 0 else ()), *((RUSSIAN_WORDS,) if language == "ru" else ()))


def make_frequency(language: str) -> MeanFrequency | None:
    """A function that gives the mean frequency of a sentence's lemmas per million; None where wordfreq has no list."""
    wordfreq = import_extra("wordfreq", FREQUENCIES)
    if language not in wordfreq.available_languages():
        return None
    frequencies: Mapping[str, float] = wordfreq.get_frequency_dict(language)

    def mean(tree: Tree) -> float | None:
        lemmas = [token.lemma.lower() for token in tree.tokens if token.upos not in ("PUNCT", "SYM")]
        if not lemmas:
            return None
        return 1e6 * sum(frequencies.get(lemma, 0.0) for lemma in lemmas) / len(lemmas)

    return mean


def make_is_single(language: str, found: Survey, lexicon: Mapping[str, frozenset[str]]) -> IsSingle:
    """A function that says whether a form has one part of speech only."""
    russian = _russian_parts_of_speech() if language == "ru" else None

    @lru_cache(maxsize=100_000)
    def is_single(form: str) -> bool:
        form = form.lower()
        if russian is not None:
            return len(russian(form)) <= 1
        return len(_merged(found.parts_of_speech(form) | lexicon.get(form, frozenset()))) <= 1

    return is_single


def read_lexicon(path: str | Path | None) -> dict[str, frozenset[str]]:
    """A word list `word<TAB>part of speech`, a line for each; none where no path is given."""
    if path is None:
        return {}
    path = check_file(path)
    words: dict[str, set[str]] = {}
    for number, line in iter_lines(path):
        cells = line.split("\t")
        if len(cells) != 2:
            message = f"a line of a word list is word<TAB>part of speech; got {len(cells)} columns"
            raise DataError(message, path=path, line=number)
        words.setdefault(cells[0].lower(), set()).add(cells[1].upper())
    return {word: frozenset(parts) for word, parts in words.items()}


def _merged(parts: set[str] | frozenset[str]) -> set[str]:
    """Names and nouns, auxiliaries and verbs, are one part of speech here."""
    return {{"PROPN": "NOUN", "AUX": "VERB"}.get(part, part) for part in parts}


def _russian_parts_of_speech() -> Callable[[str], set[str]]:
    analyzer = import_extra("pymorphy3", RUSSIAN_WORDS).MorphAnalyzer()

    def parts(form: str) -> set[str]:
        if not analyzer.word_is_known(form):
            return set()  # a guess from the ending is no evidence
        return {_PYMORPHY[parse.tag.POS] for parse in analyzer.parse(form) if parse.tag.POS in _PYMORPHY}

    return parts
