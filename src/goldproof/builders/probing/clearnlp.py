"""The dependencies of spaCy's English models (ClearNLP style) turned into Universal Dependencies.

Prepositions hang on their noun, a copula on its predicate, a conjunction on what it joins; labels get their universal
names. It is as good as the parse, and coarser than a treebank: predicates that are prepositional phrases keep "be".
"""

from __future__ import annotations

from dataclasses import replace

from goldproof.builders.probing.parsed import ParsedWord

_NAMES = {
    "dobj": "obj",
    "dative": "iobj",
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
    "neg": "advmod",
    "relcl": "acl:relcl",
    "poss": "nmod:poss",
    "prt": "compound:prt",
    "npadvmod": "obl:npmod",
    "quantmod": "advmod",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "intj": "discourse",
    "meta": "parataxis",
    "oprd": "xcomp",
    "attr": "xcomp",
    "acomp": "xcomp",
    "prep": "advmod",
    "agent": "advmod",
    "pobj": "obl",
    "pcomp": "advcl",
}
_PREDICATES = ("VERB", "AUX", "ADJ", "ADV")


def to_universal(words: list[ParsedWord]) -> list[ParsedWord]:
    """The sentence with universal dependencies."""
    words = list(words)
    for number in range(1, len(words) + 1):
        _hang_preposition(words, number)
    for number in range(1, len(words) + 1):
        _hang_copula(words, number)
    for number in range(1, len(words) + 1):
        _flatten_conjunct(words, number)
    for number in range(1, len(words) + 1):
        _hang_conjunction(words, number)
    return [replace(word, deprel=_NAMES.get(word.deprel, word.deprel)) for word in words]


def _children(words: list[ParsedWord], head: int, *relations: str) -> list[int]:
    return [n for n, word in enumerate(words, start=1) if word.head == head and word.deprel in relations]


def _move(words: list[ParsedWord], number: int, head: int, relation: str) -> None:
    words[number - 1] = replace(words[number - 1], head=head, deprel=relation)


def _move_children(words: list[ParsedWord], old: int, new: int) -> None:
    for number, word in enumerate(words, start=1):
        if word.head == old and number != new:
            _move(words, number, new, word.deprel)


def _hang_preposition(words: list[ParsedWord], number: int) -> None:
    preposition = words[number - 1]
    complements = _children(words, number, "pobj", "pcomp")
    if preposition.deprel not in ("prep", "agent", "dative") or not complements:
        return
    complement = complements[0]
    outer = words[preposition.head - 1].upos if preposition.head > 0 else "VERB"
    if words[complement - 1].deprel == "pcomp":
        link, relation = "mark", "advcl"
    else:
        link, relation = "case", "obl" if outer in _PREDICATES else "nmod"
    _move(words, complement, preposition.head, "obl:agent" if preposition.deprel == "agent" else relation)
    _move_children(words, number, complement)
    _move(words, number, complement, link)


def _hang_copula(words: list[ParsedWord], number: int) -> None:
    copula = words[number - 1]
    predicates = _children(words, number, "attr", "acomp")
    if copula.lemma != "be" or not predicates or _children(words, number, "dobj"):
        return
    predicate = predicates[0]
    _move(words, predicate, copula.head, copula.deprel)
    _move_children(words, number, predicate)
    _move(words, number, predicate, "cop")


def _flatten_conjunct(words: list[ParsedWord], number: int) -> None:
    """A later conjunct hangs on the first, not on the one before it."""
    word = words[number - 1]
    head = word.head
    while word.deprel == "conj" and head > 0 and words[head - 1].deprel == "conj":
        head = words[head - 1].head
    if word.deprel == "conj":
        _move(words, number, head, "conj")


def _hang_conjunction(words: list[ParsedWord], number: int) -> None:
    """A conjunction hangs on the conjunct that follows it."""
    word = words[number - 1]
    first = word.head
    if word.deprel != "cc" or first <= 0:
        return
    if words[first - 1].deprel == "conj":
        first = words[first - 1].head
    following = [n for n in _children(words, first, "conj") if n > number]
    if following:
        _move(words, number, following[0], "cc")
