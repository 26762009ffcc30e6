"""French and German rules over a tagger's universal classes and word lists: which of the 15 features a text shows.

There is no parse and no model of names here: relative clauses and datives are told by their pronouns and articles,
French names by capitals, and German names, as all nouns have one, not at all (`UNTOLD`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldproof.builders.annotation.lists import WordList, word_lists
from goldproof.builders.tagging.registry import choose_tagger
from goldproof.builders.tagging.tagged import Tagging

AT_ONCE = 256
UNTOLD: Mapping[str, tuple[str, ...]] = {"fr": (), "de": ("Named entities",)}
_LISTED = {
    "Negation": "negation",
    "Temporal": "temporal",
    "Conditionals": "conditionals",
    "Conjunction": "conjunction",
    "Disjunction": "disjunction",
    "Quantifiers": "quantifiers",
    "Anaphora/Coreference": "anaphora",
}
_AFFIXED = {
    "fr": re.compile(r"(in|im|ir|il)\w+(able|ible|ables|ibles|if|ifs|ive|ives)|(non-|mal|dés)\w{4,}"),
    "de": re.compile(r"un\w{3,}(lich|bar|ig|isch|haft|sam|et|t)(e|er|es|en|em)?|\w{3,}los(e|er|es|en|em)?"),
}
_ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text in lower case with their classes, and as they stand in the text."""

    words: tuple[str, ...]
    classes: tuple[str, ...]
    forms: tuple[str, ...]


def annotate_tagged(language: str) -> Callable[[Iterable[str]], Iterator[frozenset[str]]]:
    """The function that gives the features of each text of a language, French or German."""

    def annotate(texts: Iterable[str]) -> Iterator[frozenset[str]]:
        tagger, waiting = choose_tagger(language).load(), list(texts)
        for start in range(0, len(waiting), AT_ONCE):
            for tagging in tagger.tag(waiting[start : start + AT_ONCE]):
                yield features_of_tagging(language, tagging)

    return annotate


def features_of_tagging(language: str, tagging: Tagging) -> frozenset[str]:
    """The features of one tagged text."""
    return frozenset(_features(language, _tokens(tagging)))


def _tokens(tagging: Tagging) -> Tokens:
    forms = tuple(form.replace("’", "'") for form in tagging.forms)
    return Tokens(tuple(form.lower() for form in forms), tagging.tags, forms)


def _features(language: str, found: Tokens) -> Iterator[str]:
    lists = word_lists(language)
    for feature, name in _LISTED.items():
        if lists[name].matches(found.words):
            yield feature
    yield from _negations(language, found, lists)
    if "ADP" in found.classes:
        yield "Prepositional phrases"
    if "NUM" in found.classes or any(w[0].isdigit() for w in found.words) or lists["numbers"].matches(found.words):
        yield "Intervals/Numbers"
    if any(c in ("VERB", "ADV", "ADJ") and _begins(w, lists["factivity"]) for w, c in _pairs(found)):
        yield "Factivity"
    if _has_relative(language, found, lists["relatives"]):
        yield "Relative clauses"
    if any(_is_dative(language, found, i, lists["datives"]) for i in range(len(found.words))):
        yield "Datives"
    if language == "fr" and _has_name(found):
        yield "Named entities"


def _pairs(found: Tokens) -> Iterator[tuple[str, str]]:
    return zip(found.words, found.classes, strict=True)


def _begins(word: str, stems: WordList) -> bool:
    """Whether a word begins with a stem of the list."""
    return word.startswith(tuple(stems.words))


def _negations(language: str, found: Tokens, lists: Mapping[str, WordList]) -> Iterator[str]:
    """Morphological negation, and two negations of either kind in one sentence; "ne … pas" is one."""
    affixed = [is_negated(language, word) for word in found.words]
    if any(affixed):
        yield "Morphological negation"
    counted = lists["negation_once"].words
    marks = [affix or word in counted for affix, word in zip(affixed, found.words, strict=True)]
    if any(sum(part) > 1 for part in _sentences(marks, found.words)):
        yield "Double negation"


def _sentences(marks: Sequence[bool], words: Sequence[str]) -> Iterator[list[bool]]:
    part: list[bool] = []
    for mark, word in zip(marks, words, strict=True):
        part.append(mark)
        if word in _ENDS:
            yield part
            part = []
    yield part


def _has_relative(language: str, found: Tokens, relatives: WordList) -> bool:
    """A relative pronoun: in German after a comma and perhaps a preposition, in French "que" only after a noun."""
    for i, word in enumerate(found.words):
        if language == "fr":
            after_noun = i > 0 and found.classes[i - 1] == "NOUN"
            if word in relatives.words or (word in ("que", "qu'") and after_noun):
                return True
        elif word in relatives.words and i > 0:
            before = i - 2 if found.classes[i - 1] == "ADP" else i - 1
            if before >= 0 and found.words[before] == ",":
                return True
    return False


def _is_dative(language: str, found: Tokens, i: int, datives: WordList) -> bool:
    """A dative pronoun or article that no preposition asks for; in French a pronoun."""
    if found.words[i] not in datives.words:
        return False
    if language == "fr":
        return found.classes[i] == "PRON" and not (i > 0 and found.classes[i - 1] == "ADP")
    return not (i > 0 and found.classes[i - 1] == "ADP")


def _has_name(found: Tokens) -> bool:
    """A noun with a capital that does not begin a sentence."""
    starts = [i == 0 or found.words[i - 1] in _ENDS for i in range(len(found.words))]
    return any(
        form[0].isupper() and kind == "NOUN" and not first
        for form, kind, first in zip(found.forms, found.classes, starts, strict=True)
    )


def is_negated(language: str, word: str) -> bool:
    """Whether a word has a negating affix.

    >>> [word for word in ("unmöglich", "unterwegs", "arbeitslos", "und") if is_negated("de", word)]
    ['unmöglich', 'arbeitslos']
    >>> [word for word in ("impossible", "invisible", "important", "malheureux") if is_negated("fr", word)]
    ['impossible', 'invisible', 'malheureux']
    """
    lists = word_lists(language)
    if word in lists["not_morphological_negation"].words or _begins(word, lists["not_begin_negated"]):
        return False
    return word in lists["morphological_negation"].words or bool(_AFFIXED[language].fullmatch(word))
