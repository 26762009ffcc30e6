"""Lemmas of words where a language's extra is installed, so that overlap sees "cats" and "cat" as one; else why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from goldproof.extras import Need
from goldproof.measures.shortcuts.items import words

_NEEDS = {
    "en": Need("english", "overlap of English stems"),
    "de": Need("german", "overlap of German lemmas"),
    "ru": Need("russian", "overlap of Russian lemmas", ("pymorphy3",)),
}


@dataclass(frozen=True, slots=True)
class Lemmas:
    """The lemmas of a text, and what they are called; `of` is None where there are none and `reason` says why."""

    of: Callable[[str], tuple[str, ...]] | None
    what: str = "lemmas"
    reason: str = ""


def lemmas_of(language: str) -> Lemmas:
    """What there is for a language on this machine; English has stems (Porter 1980), which need no word list."""
    need = _NEEDS.get(language)
    if need is None:
        known = ", ".join(_NEEDS)
        said = "the language was not said" if language == "und" else f"there are none for {language!r}"
        return Lemmas(None, reason=f"overlap of lemmas was not tried: {said} (lemmas are known for {known})")
    if not need.is_met:
        install = f"pip install 'goldproof[{need.extra}]'"
        return Lemmas(None, reason=f"{need.what} was not tried: it needs an optional package ({install})")
    of_word = _word_lemma(language)
    return Lemmas(lambda text: tuple(of_word(word) for word in words(text)), "stems" if language == "en" else "lemmas")


@cache
def _word_lemma(language: str) -> Callable[[str], str]:
    """A function from a word to its lemma, which remembers what it was asked."""
    if language == "en":
        from nltk.stem.porter import PorterStemmer

        stem = PorterStemmer().stem
        return cache(lambda word: str(stem(word)))
    if language == "ru":
        from pymorphy3 import MorphAnalyzer

        parse = MorphAnalyzer().parse
        return cache(lambda word: str(parse(word)[0].normal_form))
    from HanTa import HanoverTagger

    analyse = HanoverTagger.HanoverTagger("morphmodel_ger.pgz").analyze
    return cache(lambda word: str(analyse(word)[0]).lower())
