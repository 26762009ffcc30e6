"""Task 2, coordination: members of lists joined by "and", who are linked to the hypothesis through others."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import LogicSentence, Name, NameKind, Visit
from goldproof.builders.logic.linked.links import NewNames, contrast, follows, leads, not_visited, visited
from goldproof.builders.logic.linked.negation import two_ways
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin


def _listed(member: Name, n: int, names: NewNames, rng: np.random.Generator) -> tuple[Name, ...]:
    """A list of n with the member anywhere."""
    others = [names.one(member.kind) for _ in range(n - 1)]
    others.insert(int(rng.integers(n)), member)
    return tuple(others)


def draw_places(n: int, rng: np.random.Generator) -> Contrast:
    """Two people, a list of places each, and p denied to the second; A follows the first, against the second: ¬V(A,p)."""
    names = NewNames()
    a, b, first, second, one, other = names.people(6)
    p, q = names.places(2)
    sentences: list[LogicSentence] = [follows(a, first), follows(b, second)]
    sentences += [visited(one, *_listed(p, n, names, rng)), visited(other, *_listed(q, n, names, rng))]
    sentences += [not_visited(other, p), not_visited(one, q)]
    blanks = {one: first, other: second}, {one: second, other: first}
    return contrast(sentences, blanks, (not_visited(a, p),) * 2, rng)


def draw_people(n: int, rng: np.random.Generator) -> Contrast:
    """A is one of a list who visited one place, which leads to p, against one that p leads to: ¬V(A,p)."""
    names = NewNames()
    a, b = names.people(2)
    p, first, second, source, target = names.places(5)
    sentences: list[LogicSentence] = [
        Visit(_listed(a, n, names, rng), (first,)),
        Visit(_listed(b, n, names, rng), (second,)),
        leads(source, p),
        leads(p, target),
    ]
    blanks = {source: first, target: second}, {source: second, target: first}
    return contrast(sentences, blanks, (not_visited(a, p),) * 2, rng)


def draw_lists(n: int, rng: np.random.Generator) -> Contrast:
    """Lists of people with lists of places: A follows one of the list that visited p, against one of another list."""
    names = NewNames()
    a, b, first, second, one, other = names.people(6)
    p, q = names.places(2)
    sentences: list[LogicSentence] = [follows(a, first), follows(b, second)]
    for who, where in ((one, p), (other, q)):
        people, places = _listed(who, n, names, rng), _listed(where, 2, names, rng)
        sentences.append(Visit(people, places))
    sentences += [not_visited(other, p), not_visited(one, q)]
    blanks = {one: first, other: second}, {one: second, other: first}
    return contrast(sentences, blanks, (not_visited(a, p),) * 2, rng)


def draw_both_ways(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one and is followed by another: the first in the list that visited p, against p denied to the second."""
    names = NewNames()
    a, c, below, above, other, yes, no = names.people(7)
    p = names.one(NameKind.PLACE)
    listed = _listed(yes, n, names, rng)
    where = _listed(p, 2, names, rng) if coin(rng) else (p,)
    sentences: list[LogicSentence] = [follows(a, below), follows(above, a), follows(c, other)]
    sentences += [Visit(listed, where), not_visited(no, p)]
    return two_ways(sentences, ({yes: below, no: other}, {yes: other, no: above}), visited(a, p), rng)


TEMPLATES = (
    Template("lists of places", LogicTask.COORDINATION, between(2, 8), draw_places, "the nearest sentence"),
    Template("lists of people", LogicTask.COORDINATION, between(2, 8), draw_people, "whether the names are connected"),
    Template("lists with lists", LogicTask.COORDINATION, between(2, 8), draw_lists, "the nearest sentence"),
    Template("both ways", LogicTask.COORDINATION, between(2, 8), draw_both_ways, "the negation in the hypothesis"),
)
