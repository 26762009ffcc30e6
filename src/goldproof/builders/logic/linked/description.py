"""Task 4, definite description: the person that has visited a place, which other places lead to, or which leads on."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Described, LogicSentence, Name
from goldproof.builders.logic.linked.links import NewNames, contrast, leads, not_visited, visited
from goldproof.builders.logic.linked.negation import two_ways
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin


def _described(names: NewNames) -> tuple[list[LogicSentence], Name, Name, Name]:
    """Two people, each the person that has visited a place: the sentences, the second person, and the two places."""
    other, own = names.people(2)
    others, owns = names.places(2)
    return [Described(other, others), Described(own, owns)], own, owns, others


def _more(n: int, names: NewNames, rng: np.random.Generator) -> list[LogicSentence]:
    """Other people described by other places, which lead on or are led to."""
    sentences: list[LogicSentence] = []
    for _ in range(n):
        (who,) = names.people(1)
        where, other = names.places(2)
        sentences += [Described(who, where), leads(where, other) if coin(rng) else leads(other, where)]
    return sentences


def draw_only_another(n: int, rng: np.random.Generator) -> Contrast:
    """p leads to the place that only another person visited, against being led to from there: V(A,p)."""
    names = NewNames()
    sentences, a, _, others = _described(names)
    p, free, source, target = names.places(4)
    sentences += [leads(source, p), leads(p, target), *_more(n - 2, names, rng)]
    blanks = {target: others, source: free}, {target: free, source: others}
    return contrast(sentences, blanks, (visited(a, p),) * 2, rng)


def draw_own_place(n: int, rng: np.random.Generator) -> Contrast:
    """The place that only A visited leads to p, against p leading there: ¬V(A,p)."""
    names = NewNames()
    sentences, a, owns, _ = _described(names)
    p, free, source, target = names.places(4)
    sentences += [leads(source, p), leads(p, target), *_more(n - 2, names, rng)]
    blanks = {source: owns, target: free}, {source: free, target: owns}
    return contrast(sentences, blanks, (not_visited(a, p),) * 2, rng)


def draw_claimed(n: int, rng: np.random.Generator) -> Contrast:
    """A is the person that visited p: the place that only another visited leads to p, against leading elsewhere."""
    names = NewNames()
    sentences, a, _, others = _described(names)
    p, q, one, two, source, target, far = names.places(7)
    sentences += [leads(source, p), leads(p, target), leads(q, far), *_more(n - 2, names, rng)]
    blanks = {source: others, target: one, far: two}, {source: one, target: two, far: others}
    return contrast(sentences, blanks, (Described(a, p),) * 2, rng)


def draw_both_ways(n: int, rng: np.random.Generator) -> Contrast:
    """A's own place leads to p, against p leading to A's place and to another's, which no one person can be at."""
    names = NewNames()
    sentences, a, owns, others = _described(names)
    p, q, one, two, source, first, second, far = names.places(8)
    sentences += [leads(source, p), leads(p, first), leads(p, second), leads(q, far), *_more(n - 2, names, rng)]
    visits = {source: owns, first: one, second: two, far: others}
    denies = {source: one, first: others, second: owns, far: two}
    return two_ways(sentences, (visits, denies), visited(a, p), rng)


TEMPLATES = (
    Template("only another", LogicTask.DESCRIPTION, between(2, 4), draw_only_another, "how often a name stands there"),
    Template("own place", LogicTask.DESCRIPTION, between(2, 4), draw_own_place, "the nearest sentence"),
    Template("claimed", LogicTask.DESCRIPTION, between(2, 4), draw_claimed, "the negation in the hypothesis"),
    Template("both ways", LogicTask.DESCRIPTION, between(2, 4), draw_both_ways, "whether the names are connected"),
)
