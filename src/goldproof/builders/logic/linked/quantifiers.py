"""Task 3, quantifiers: everyone, someone, no one, every place and every person, of places and people between."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Follows, LogicSentence, Name, NameKind, Quantifier, Term, Visit
from goldproof.builders.logic.linked.links import Blanks, NewNames, contrast, denies, exchange, follows, leads, visits
from goldproof.builders.logic.linked.negation import signs
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin

EVERYONE, SOMEONE, NOBODY = Quantifier.EVERYONE, Quantifier.SOMEONE, Quantifier.NOBODY


def _said(who: Term, what: Term) -> Visit:
    return Visit((who,), (what,))


def draw_everyone_follows(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone follows one person, someone each of two others, all with lists: a place of the first denied to A."""
    names = NewNames()
    (a,), people, blanks = names.people(1), [*names.people(3)], [*names.people(3)]
    lists = [[*names.places(n)] for _ in people]
    sentences = [visits(one, *listed) for one, listed in zip(people, lists, strict=True)]
    subjects = EVERYONE, SOMEONE, SOMEONE
    sentences += [Follows(who, leader, NameKind.PLACE) for who, leader in zip(subjects, blanks, strict=True)]
    cast = dict(zip(blanks, people, strict=True))
    both = cast, exchange(cast, blanks[0], blanks[1])
    return contrast(sentences, both, denies(a, lists[0][int(rng.integers(n))]), rng)


def draw_everyone_visits(n: int, rng: np.random.Generator) -> Contrast:
    """Places that lead to p or that p leads to: everyone visited one of the first, against one of the rest: ¬V(A,p)."""
    names = NewNames()
    (a,), (p,), places, blanks = names.people(1), names.places(1), [*names.places(n)], [*names.places(n)]
    said = signs(n, rng)
    sentences = [leads(place, p) if to_p else leads(p, place) for place, to_p in zip(places, said, strict=True)]
    subjects = [EVERYONE, *[SOMEONE] * (n - 1)]
    sentences += [_said(who, blank) for who, blank in zip(subjects, blanks, strict=True)]
    cast = dict(zip(blanks, places, strict=True))
    return contrast(sentences, (cast, exchange(cast, blanks[0], blanks[1])), denies(a, p), rng)


def draw_nobody_visits(n: int, rng: np.random.Generator) -> Contrast:
    """Places that lead to others: p to one that no one visited, against one that someone did: p visited by someone."""
    names = NewNames()
    (a,), places = names.people(1), [*names.places(n)]
    targets, blanks = [*names.places(n)], [*names.places(n)]
    sentences = [leads(place, target) for place, target in zip(places, targets, strict=True)]
    subjects = [NOBODY, SOMEONE, *(NOBODY if coin(rng) else SOMEONE for _ in range(n - 2))]
    sentences += [_said(who, blank) for who, blank in zip(subjects, blanks, strict=True)]
    cast = dict(zip(blanks, targets, strict=True))
    hypothesis = _said(SOMEONE if coin(rng) else a, places[0])
    return contrast(sentences, (cast, exchange(cast, blanks[0], blanks[1])), hypothesis, rng)


def draw_everyone_nobody(n: int, rng: np.random.Generator) -> Contrast:
    """One place leads to p, p to another: everyone visited the first, against no one the second."""
    names = NewNames()
    (a,), (p, before, after, alls, nones) = names.people(1), names.places(5)
    sentences = [leads(before, p), leads(p, after), _said(EVERYONE, alls), _said(NOBODY, nones)]
    others = [*names.places(n - 1)]
    for number, other in enumerate(others):
        (q,) = names.places(1)
        sentences.append(leads(q, other) if coin(rng) else leads(other, q))
        sentences += [_said(SOMEONE, other)] if number else []
    everyones, nobodys = {alls: before, nones: others[0]}, {alls: others[0], nones: after}
    hypothesis, contradicts_all = (
        (_said(a if coin(rng) else SOMEONE, p), False)
        if coin(rng)
        else (denies(a, p) if coin(rng) else _said(NOBODY, p), True)
    )
    blanks: tuple[Blanks, Blanks] = (everyones, nobodys) if contradicts_all else (nobodys, everyones)
    return contrast(sentences, blanks, hypothesis, rng)


def draw_kinds(n: int, rng: np.random.Generator) -> Contrast:
    """Each follows one who visited every place or every person: a new place (person) denied to A, by whom A follows."""
    names = NewNames()
    kind = NameKind.PLACE if coin(rng) else NameKind.PERSON
    new: Name = names.one(kind)
    people, leaders, blanks = [*names.people(n)], [*names.people(n)], [*names.people(n)]
    right, wrong = Quantifier.EVERY_PLACE, Quantifier.EVERY_PERSON
    right, wrong = (right, wrong) if kind is NameKind.PLACE else (wrong, right)
    sentences: list[LogicSentence] = [follows(one, leader, kind) for one, leader in zip(people, leaders, strict=True)]
    said = signs(n, rng)
    sentences += [_said(blank, right if is_right else wrong) for blank, is_right in zip(blanks, said, strict=True)]
    cast = dict(zip(blanks, leaders, strict=True))
    return contrast(sentences, (cast, exchange(cast, blanks[0], blanks[1])), denies(people[0], new), rng)


TEMPLATES = (
    Template(
        "everyone, someone", LogicTask.QUANTIFIERS, between(1, 5), draw_everyone_follows, '"someone" as a cue; overlap'
    ),
    Template("everyone's place", LogicTask.QUANTIFIERS, between(3, 5), draw_everyone_visits, "the nearest sentence"),
    Template("no one's place", LogicTask.QUANTIFIERS, between(3, 5), draw_nobody_visits, "the nearest sentence"),
    Template(
        "everyone, no one", LogicTask.QUANTIFIERS, between(3, 5), draw_everyone_nobody, "the negation in the hypothesis"
    ),
    Template(
        "every place, every person", LogicTask.QUANTIFIERS, between(3, 5), draw_kinds, "the quantifiers of the premise"
    ),
)
