"""Word order broken on purpose: two neighbouring tokens change places where that leaves no grammatical sentence.

NShift swaps only pairs of morphosyntactic patterns: an adposition and what it governs ("в школу" – "школу в"), a
determiner and its noun, the words of a fixed expression, Russian negation at the end of a clause. BShift, for languages
with a fixed order, swaps any two neighbours but those whose order is free. Neither touches the first token (its capital
would give the change away), punctuation, equal words, or tokens that stand for several words.
"""

from __future__ import annotations

from collections.abc import Callable

from goldproof.builders.probing.tree import Tree, base
from goldproof.data.formats.treebank import Token

# Russian prepositions that may follow their noun, and "after" or "ago" words that do.
_POSTPOSED = "ради спустя вопреки навстречу назло назад вслед подобно наперекор напротив включая"
POSTPOSED = frozenset(_POSTPOSED.split())
_FREE = frozenset({"ADV", "PUNCT", "SYM", "X", "INTJ", "NUM", "_"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "DET", "X", "SYM"})
_WITHIN_PHRASE = frozenset({"det", "amod", "nummod"})

PairPlaces = list[int]


def pattern_pairs(tree: Tree) -> PairPlaces:
    """Places i whose tokens i and i + 1, counted from 0 in `tree.surface`, NShift may swap."""
    return _pairs(tree, _breaks_pattern)


def neighbour_pairs(tree: Tree) -> PairPlaces:
    """Places i whose tokens i and i + 1 BShift may swap."""
    return _pairs(tree, _breaks_order)


def swap(tokens: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The tokens with those at `place` and `place + 1` swapped.

    >>> swap(("He", "goes", "to", "school"), 2)
    ('He', 'goes', 'school', 'to')
    """
    return (*tokens[:place], tokens[place + 1], tokens[place], *tokens[place + 2 :])


def _pairs(tree: Tree, breaks: Callable[[Tree, Token, Token, Token | None], bool]) -> PairPlaces:
    found = []
    surface = tree.surface
    for place in range(1, len(surface) - 1):
        (form, first), (next_form, second) = surface[place], surface[place + 1]
        if first is None or second is None or form.lower() == next_form.lower():
            continue
        after = surface[place + 2][1] if place + 2 < len(surface) else None
        following = tree.tokens[after - 1] if after is not None else None
        a, b = tree.tokens[first - 1], tree.tokens[second - 1]
        capital = a.form[:1].isupper() and not b.form[:1].isupper()  # a line of verse: it would give the swap away
        if "PUNCT" not in (a.upos, b.upos) and not capital and breaks(tree, a, b, following):
            found.append(place)
    return found


def _breaks_pattern(tree: Tree, first: Token, second: Token, following: Token | None) -> bool:
    if first.upos == "ADP" and base(first.deprel) == "case":
        return _breaks_adposition(tree, first, second, following)
    if first.upos == "DET" and base(first.deprel) == "det" and first.head == second.number:
        # Without articles (Russian) a determiner may follow its noun: "книга эта".
        return first.features.get("PronType") == "Art" and second.upos in ("NOUN", "ADJ")
    if second.deprel == "fixed" and second.head == first.number:
        return first.upos in ("ADP", "SCONJ", "ADV", "PART") and second.upos in ("ADP", "SCONJ", "ADV", "PART", "NOUN")
    if first.lemma == "не" and first.head == second.number and second.upos == "VERB":
        return following is None or following.form in (".", ",", "!", "?", ";")
    return False


def _breaks_adposition(tree: Tree, first: Token, second: Token, following: Token | None) -> bool:
    if first.lemma.lower() in POSTPOSED or tree.has(first, "fixed"):
        return False
    if first.head == second.number:
        if second.upos not in ("NOUN", "PROPN", "PRON"):
            return False
        # "в школу сестру" – "школу в сестру" would be a phrase again.
        if following is None or following.upos not in _NOMINAL:
            return following is None or following.upos != "ADV"
        ours, theirs = second.features.get("Case"), following.features.get("Case")
        return ours is not None and theirs is not None and ours != theirs
    within = base(second.deprel) in _WITHIN_PHRASE and second.head == first.head and second.upos != "NUM"
    # "вошёл в большой дом" – "вошёл большой в дом" has a reading; so has any form that is also a nominative (больной).
    if second.form.lower() == second.lemma.lower():
        return False
    return within and second.features.get("Case") not in (None, "Acc", "Nom")


def _breaks_order(tree: Tree, first: Token, second: Token, following: Token | None) -> bool:
    if first.upos == second.upos or {first.upos, second.upos} & _FREE:
        return False
    relations = {base(first.deprel), base(second.deprel)}
    if relations & {
        "conj",
        "cc",
        "parataxis",
        "discourse",
        "vocative",
        "goeswith",
        "flat",
        "compound",
        "appos",
        "list",
    }:
        return False
    if {first.upos, second.upos} & {"AUX"} and relations & {"nsubj", "expl", "aux", "cop"}:
        # "he is" – "is he" is a question; "not be" – "be not", "not have" – "have not" exist.
        inverted = relations & {"nsubj", "expl"} or "PART" in (first.upos, second.upos)
        return not inverted
    if "PART" in (first.upos, second.upos) and first.lemma not in ("to", "'s"):
        return False
    related = first.head == second.number or second.head == first.number
    opens = base(second.deprel) in ("case", "det") and second.head > second.number  # "see the dog" – "the see dog"
    return related or opens or base(first.deprel) in ("case", "det", "mark")
