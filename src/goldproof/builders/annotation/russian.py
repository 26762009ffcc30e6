"""Russian rules over pymorphy3's lemmas and cases, Natasha's names, and word lists: which features a text shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from goldproof.builders.annotation.lists import word_lists
from goldproof.extras import Need, import_extra

RUSSIAN = Need("russian", "annotating Russian")
_LISTED = {
    "Negation": "negation",
    "Temporal": "temporal",
    "Conditionals": "conditionals",
    "Conjunction": "conjunction",
    "Disjunction": "disjunction",
    "Anaphora/Coreference": "anaphora",
    "Relative clauses": "relatives",
    "Quantifiers": "quantifiers",
    "Factivity": "factivity",
}
_AFFIXED = frozenset(("NOUN", "ADJF", "ADJS", "ADVB", "PRTF", "PRTS", "PRED"))
_PREFIXES = ("не", "без", "бес")
_DENIALS = frozenset(("не", "нет", "нельзя", "без"))
_NEAR = 3


@dataclass(frozen=True, slots=True)
class RussianWord:
    """A word as pymorphy3 reads it, the likeliest reading alone: form, lemma, part of speech, case."""

    form: str
    lemma: str
    part: str
    case: str


def annotate_russian(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    """The features of each text."""
    for text in texts:
        yield frozenset(_features(text))


def _features(text: str) -> Iterator[str]:
    sentences = [[_read(word) for word in sentence] for sentence in _split(text)]
    words = [word for sentence in sentences for word in sentence]
    lemmas, lists = [word.lemma for word in words], word_lists("ru")
    for feature, name in _LISTED.items():
        if lists[name].matches(lemmas):
            yield feature
    if any(word.part == "PREP" for word in words):
        yield "Prepositional phrases"
    if lists["numbers"].matches(lemmas) or any(word.part == "NUMR" or _has_digit(word.form) for word in words):
        yield "Intervals/Numbers"
    if any(word.part in ("NOUN", "NPRO") and word.case == "datv" for word in words):
        yield "Datives"
    if any(_is_negated(word) for word in words):
        yield "Morphological negation"
    if any(_denies_twice(sentence) for sentence in sentences):
        yield "Double negation"
    if _has_name(text):
        yield "Named entities"


def _has_digit(form: str) -> bool:
    return any(character.isdigit() for character in form)


def _denies_twice(sentence: Sequence[RussianWord]) -> bool:
    """Two negations close together ("не мог не знать"); "никто не пришёл" denies once, as Russian asks for both."""
    places = [i for i, word in enumerate(sentence) if word.lemma in _DENIALS or _is_negated(word)]
    return any(after - before <= _NEAR for before, after in pairwise(places))


def _is_negated(word: RussianWord) -> bool:
    if word.part not in _AFFIXED or word.lemma in word_lists("ru")["not_morphological_negation"].words:
        return False
    return any(word.lemma.startswith(p) and _is_word(word.lemma.removeprefix(p)) for p in _PREFIXES)


@cache
def _is_word(stem: str) -> bool:
    return len(stem) > 2 and bool(_analyzer().word_is_known(stem))


@cache
def _read(form: str) -> RussianWord:
    best = _analyzer().parse(form)[0]
    return RussianWord(form, best.normal_form, str(best.tag.POS or ""), str(best.tag.case or ""))


def _split(text: str) -> Iterator[list[str]]:
    razdel = import_extra("razdel", RUSSIAN)
    for sentence in razdel.sentenize(text):
        yield [token.text.lower() for token in razdel.tokenize(sentence.text)]


@cache
def _analyzer() -> Any:
    return import_extra("pymorphy3", RUSSIAN).MorphAnalyzer(lang="ru")


@cache
def _names() -> tuple[Any, Any]:
    natasha = import_extra("natasha", RUSSIAN)
    return natasha.Segmenter(), natasha.NewsNERTagger(natasha.NewsEmbedding())


def _has_name(text: str) -> bool:
    segmenter, tagger = _names()
    doc = import_extra("natasha", RUSSIAN).Doc(text)
    doc.segment(segmenter)
    doc.tag_ner(tagger)
    return bool(doc.spans)
