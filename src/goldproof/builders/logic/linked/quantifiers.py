"""Task 3, quantifiers: everyone, someone, no one, every place and every person, of places and people between."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Follows, LogicSentence, Name, NameKind, Quantifier, Term, Visit
from goldproof.builders.logic.linked.links import NewNames, contrast, follows, leads, not_visited, visited
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin

EVERYONE, SOMEONE, NOBODY = Quantifier.EVERYONE, Quantifier.SOMEONE, Quantifier.NOBODY


def _said(who: Term, what: Term) -> Visit:
    return Visit((who,), (what,))


def _links(n: int, names: NewNames, rng: np.random.Generator) -> list[LogicSentence]:
    """Places that lead to others, some of them visited by someone."""
    sentences: list[LogicSentence] = []
    for _ in range(n):
        source, target = names.places(2)
        sentences += [leads(source, target), _said(SOMEONE, source if coin(rng) else target)]
    return sentences


def draw_everyone_follows(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone follows one person, someone another, each with a list: a place of the first denied to A, or exchanged."""
    names = NewNames()
    a, one, other, alls, someones = names.people(5)
    lists = [*names.places(n)], [*names.places(n)]
    sentences: list[LogicSentence] = [visited(one, *lists[0]), visited(other, *lists[1])]
    sentences += [Follows(EVERYONE, alls, NameKind.PLACE), Follows(SOMEONE, someones, NameKind.PLACE)]
    blanks = {alls: one, someones: other}, {alls: other, someones: one}
    return contrast(sentences, blanks, (not_visited(a, lists[0][int(rng.integers(n))]),) * 2, rng)


def draw_everyone_visits(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone visited a place that leads to p, someone one that leads elsewhere: ¬V(A,p), against the two exchanged."""
    names = NewNames()
    (a,) = names.people(1)
    p, q, first, second, alls, someones = names.places(6)
    sentences = [leads(first, p), leads(second, q), _said(EVERYONE, alls), _said(SOMEONE, someones)]
    blanks = {alls: first, someones: second}, {alls: second, someones: first}
    return contrast([*sentences, *_links(n - 2, names, rng)], blanks, (not_visited(a, p),) * 2, rng)


def draw_nobody_visits(n: int, rng: np.random.Generator) -> Contrast:
    """p leads to a place that no one visited, q to one that someone did: V(someone,p), against the two exchanged."""
    names = NewNames()
    (a,) = names.people(1)
    p, q, first, second, nones, someones = names.places(6)
    sentences = [leads(p, first), leads(q, second), _said(NOBODY, nones), _said(SOMEONE, someones)]
    blanks = {nones: first, someones: second}, {nones: second, someones: first}
    hypothesis = _said(SOMEONE if coin(rng) else a, p)
    return contrast([*sentences, *_links(n - 2, names, rng)], blanks, (hypothesis,) * 2, rng)


def draw_everyone_nobody(n: int, rng: np.random.Generator) -> Contrast:
    """A place leads to p and p to another: everyone visited the first, against no one the second."""
    names = NewNames()
    (a,) = names.people(1)
    p, q, before, after, other, alls, nones = names.places(7)
    sentences = [leads(before, p), leads(p, after), leads(q, other), _said(EVERYONE, alls), _said(NOBODY, nones)]
    everyones, nobodys = {alls: before, nones: other}, {alls: other, nones: after}
    against_nobody = coin(rng)
    if against_nobody:
        hypothesis, blanks = _said(a if coin(rng) else SOMEONE, p), (nobodys, everyones)
    else:
        hypothesis, blanks = not_visited(a, p) if coin(rng) else _said(NOBODY, p), (everyones, nobodys)
    return contrast([*sentences, *_links(n - 2, names, rng)], blanks, (hypothesis,) * 2, rng)


def draw_kinds(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one who visited every place (person), against one who visited every person (place): ¬V(A,new)."""
    names = NewNames()
    a, b, new, first, second, places, people = names.people(7)
    kind = NameKind.PLACE if coin(rng) else NameKind.PERSON
    unseen: Name = names.one(NameKind.PLACE) if kind is NameKind.PLACE else new
    sentences: list[LogicSentence] = [follows(a, first, kind), follows(b, second, kind)]
    sentences += [_said(places, Quantifier.EVERY_PLACE), _said(people, Quantifier.EVERY_PERSON)]
    for _ in range(n - 2):
        who, other = names.people(2)
        sentences.append(follows(who, other, kind))
    right, wrong = (places, people) if kind is NameKind.PLACE else (people, places)
    blanks = {right: first, wrong: second}, {right: second, wrong: first}
    return contrast(sentences, blanks, (not_visited(a, unseen),) * 2, rng)


TEMPLATES = (
    Template(
        "everyone, someone", LogicTask.QUANTIFIERS, between(1, 8), draw_everyone_follows, '"someone" as a cue; overlap'
    ),
    Template("everyone's place", LogicTask.QUANTIFIERS, between(2, 4), draw_everyone_visits, "the nearest sentence"),
    Template("no one's place", LogicTask.QUANTIFIERS, between(2, 4), draw_nobody_visits, "the nearest sentence"),
    Template(
        "everyone, no one", LogicTask.QUANTIFIERS, between(2, 4), draw_everyone_nobody, "the negation in the hypothesis"
    ),
    Template(
        "every place, every person", LogicTask.QUANTIFIERS, between(2, 4), draw_kinds, "the quantifiers of the premise"
    ),
)
