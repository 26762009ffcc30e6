"""Task 2, coordination: members of lists joined by "and", who are linked to the hypothesis through others."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import LogicSentence, Name, NameKind, Visit
from goldproof.builders.logic.linked.links import NewNames, among, contrast, denies, exchange, follows, leads, visits
from goldproof.builders.logic.linked.negation import signs, two_ways
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin

CHAINS = 3


def _new(kind: NameKind, n: int, names: NewNames) -> list[Name]:
    return [names.one(kind) for _ in range(n)]


def draw_places(n: int, rng: np.random.Generator) -> Contrast:
    """Three people with lists of places, p listed or denied; A follows one whose list has p, against one denied it."""
    names = NewNames()
    (p,), people, leaders = names.places(1), [*names.people(CHAINS)], [*names.people(CHAINS)]
    blanks = [*names.people(CHAINS)]
    sentences = [follows(one, leader) for one, leader in zip(people, leaders, strict=True)]
    for blank, has_p in zip(blanks, signs(CHAINS, rng), strict=True):
        (q,) = names.places(1)
        listed, denied = (p, q) if has_p else (q, p)
        sentences += [visits(blank, *among(listed, _new(NameKind.PLACE, n - 1, names), rng)), denies(blank, denied)]
    cast = dict(zip(blanks, leaders, strict=True))
    both = cast, exchange(cast, blanks[0], blanks[1])
    return contrast(sentences, both, Visit((people[0],), (p,), True), rng)


def draw_people(n: int, rng: np.random.Generator) -> Contrast:
    """Lists of people, each at a place that leads to p, against one that p leads to: ¬V(A,p) for one of a list."""
    names = NewNames()
    (p,), places, blanks = names.places(1), [*names.places(CHAINS)], [*names.places(CHAINS)]
    (a,) = names.people(1)
    sentences: list[LogicSentence] = []
    for number, place in enumerate(places):
        member = a if number == 0 else names.one(NameKind.PERSON)
        sentences.append(Visit(among(member, _new(NameKind.PERSON, n - 1, names), rng), (place,)))
    for blank, goes_on in zip(blanks, signs(CHAINS, rng), strict=True):
        sentences.append(leads(blank, p) if goes_on else leads(p, blank))
    cast = dict(zip(blanks, places, strict=True))
    return contrast(sentences, (cast, exchange(cast, blanks[0], blanks[1])), Visit((a,), (p,), True), rng)


def draw_lists(n: int, rng: np.random.Generator) -> Contrast:
    """Lists of people with two places each, p among them or denied to a member: A follows a member: ¬V(A,p)."""
    names = NewNames()
    (p,), people, leaders = names.places(1), [*names.people(CHAINS)], [*names.people(CHAINS)]
    blanks = [*names.people(CHAINS)]
    sentences = [follows(one, leader) for one, leader in zip(people, leaders, strict=True)]
    for blank, has_p in zip(blanks, signs(CHAINS, rng), strict=True):
        (q,) = names.places(1)
        listed, denied = (p, q) if has_p else (q, p)
        where = among(listed, _new(NameKind.PLACE, 1, names), rng)
        sentences += [Visit(among(blank, _new(NameKind.PERSON, n - 1, names), rng), where), denies(blank, denied)]
    cast = dict(zip(blanks, leaders, strict=True))
    return contrast(sentences, (cast, exchange(cast, blanks[0], blanks[1])), Visit((people[0],), (p,), True), rng)


def draw_both_ways(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one and is followed by another: the first in a list that visited p, against p denied to the second."""
    names = NewNames()
    (p,), a, below, above, other, more, yes, no = names.places(1), *names.people(7)
    who, whom = names.people(2)
    sentences: list[LogicSentence] = [follows(a, below), follows(above, a)]
    for one, link in ((who, other), (whom, more)):
        sentences.append(follows(one, link) if coin(rng) else follows(link, one))
    where = among(p, [*names.places(1)], rng) if coin(rng) else (p,)
    sentences += [Visit(among(yes, _new(NameKind.PERSON, n - 1, names), rng), where), denies(no, p)]
    listed = among(more, _new(NameKind.PERSON, n - 1, names), rng)
    sentences.append(denies(more, p) if coin(rng) else Visit(listed, where))
    return two_ways(sentences, ({yes: below, no: other}, {yes: other, no: above}), Visit((a,), (p,)), rng)


TEMPLATES = (
    Template("lists of places", LogicTask.COORDINATION, between(2, 5), draw_places, "the nearest sentence"),
    Template("lists of people", LogicTask.COORDINATION, between(2, 8), draw_people, "whether the names are connected"),
    Template("lists with lists", LogicTask.COORDINATION, between(2, 5), draw_lists, "the nearest sentence"),
    Template("both ways", LogicTask.COORDINATION, between(2, 8), draw_both_ways, "the negation in the hypothesis"),
)
