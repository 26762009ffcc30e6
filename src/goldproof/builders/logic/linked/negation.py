"""Task 1, negation: facts affirmed and denied of people whom the hypothesis knows only through others."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import LogicSentence, Name, Visit
from goldproof.builders.logic.linked.links import NewNames, contrast, either, follows, not_visited, visited
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin


def _others(n: int, names: NewNames, rng: np.random.Generator) -> list[LogicSentence]:
    """Links between other people, either way, with a fact of each."""
    sentences: list[LogicSentence] = []
    for _ in range(n):
        who, other = names.people(2)
        sentences.append(follows(who, other))
        sentences.append(Visit((other if coin(rng) else who,), tuple(names.places(1)), coin(rng)))
    return sentences


def draw_handed_on(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one of two people, of whom one visited p and one did not: ¬V(A,p) against the two exchanged."""
    names = NewNames()
    a, b, first, second, yes, no = names.people(6)
    (p,) = names.places(1)
    sentences = [
        follows(a, first),
        follows(b, second),
        visited(yes, p),
        not_visited(no, p),
        *_others(n - 2, names, rng),
    ]
    blanks = {yes: first, no: second}, {yes: second, no: first}
    return contrast(sentences, blanks, (not_visited(a, p),) * 2, rng)


def draw_handed_back(n: int, rng: np.random.Generator) -> Contrast:
    """One of two people follows A, and one of them visited p, one did not: V(A,p) against the two exchanged."""
    names = NewNames()
    a, b, first, second, yes, no = names.people(6)
    (p,) = names.places(1)
    sentences = [
        follows(first, a),
        follows(second, b),
        visited(yes, p),
        not_visited(no, p),
        *_others(n - 2, names, rng),
    ]
    blanks = {no: first, yes: second}, {no: second, yes: first}
    return contrast(sentences, blanks, (visited(a, p),) * 2, rng)


def draw_both_ways(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one and is followed by another: p visited by the first, against p not visited by the second."""
    names = NewNames()
    a, c, below, above, other, yes, no = names.people(7)
    (p,) = names.places(1)
    sentences = [follows(a, below), follows(above, a), visited(yes, p), not_visited(no, p), follows(c, other)]
    return two_ways(
        [*sentences, *_others(n - 2, names, rng)],
        ({yes: below, no: other}, {yes: other, no: above}),
        visited(a, p),
        rng,
    )


def two_ways(
    sentences: list[LogicSentence],
    blanks: tuple[dict[Name, Name], dict[Name, Name]],
    fact: Visit,
    rng: np.random.Generator,
) -> Contrast:
    """A fact that the first casting entails and the second contradicts, affirmed or denied in both."""
    affirmed, denied = either(fact)
    hypothesis, order = (affirmed, blanks[::-1]) if coin(rng) else (denied, blanks)
    return contrast(sentences, (order[0], order[1]), (hypothesis, hypothesis), rng)


TEMPLATES = (
    Template("handed on", LogicTask.NEGATION, between(2, 4), draw_handed_on, "the nearest sentence"),
    Template("handed back", LogicTask.NEGATION, between(2, 4), draw_handed_back, "the negation in the hypothesis"),
    Template("both ways", LogicTask.NEGATION, between(2, 4), draw_both_ways, "that what follows is entailed"),
)
