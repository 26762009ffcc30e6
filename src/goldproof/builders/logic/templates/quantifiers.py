"""Task 3, quantifiers: everyone, someone, no one, every place and every person."""

from __future__ import annotations

from functools import cache

import numpy as np

from goldproof.builders.logic.forms import Form, LogicSentence, Name, Quantifier, Term, Visit, person, place
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin, two_of
from goldproof.builders.logic.templates.negation import fact

EVERYONE, SOMEONE, NOBODY = Quantifier.EVERYONE, Quantifier.SOMEONE, Quantifier.NOBODY


def _visited(who: Term, *what: Term) -> Visit:
    return Visit((who,), what)


def _two_lists(
    first: Term, second: Term, n: int, rng: np.random.Generator
) -> tuple[tuple[LogicSentence, ...], Name, Name]:
    """A premise of two subjects with a list of places each, in any order; one place of each list."""
    size = int(rng.integers(2, n + 1))
    places = [place(i) for i in range(n + size)]
    premise = _visited(first, *places[:n]), _visited(second, *places[n:])
    ordered = premise if coin(rng) else premise[::-1]
    return ordered, places[int(rng.integers(n))], places[n + int(rng.integers(size))]


def draw_everyone_list(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone visited a list, someone another: a new person denied a place of the first, against the second."""
    premise, everyones, someones = _two_lists(EVERYONE, SOMEONE, n, rng)
    return Contrast(
        Form(premise, Visit((person(0),), (everyones,), True)), Form(premise, Visit((person(0),), (someones,), True))
    )


def draw_nobody_list(n: int, rng: np.random.Generator) -> Contrast:
    """No one visited a list, someone another: "someone visited …", or "no one visited …", of each list."""
    premise, nobodys, someones = _two_lists(NOBODY, SOMEONE, n, rng)
    if coin(rng):
        return Contrast(Form(premise, _visited(SOMEONE, nobodys)), Form(premise, _visited(SOMEONE, someones)))
    return Contrast(Form(premise, _visited(NOBODY, someones)), Form(premise, _visited(NOBODY, nobodys)))


@cache
def _kinds(of_places: bool, in_order: bool) -> Contrast:
    own, other = Quantifier.EVERY_PLACE, Quantifier.EVERY_PERSON
    unseen: Name = place(0)
    if not of_places:
        own, other, unseen = other, own, person(1)
    hypothesis = Visit((person(0),), (unseen,), True)
    contradicting: tuple[LogicSentence, ...] = (_visited(EVERYONE, own), _visited(SOMEONE, other))
    open_: tuple[LogicSentence, ...] = (_visited(EVERYONE, other), _visited(SOMEONE, own))
    if not in_order:
        contradicting, open_ = contradicting[::-1], open_[::-1]
    return Contrast(Form(contradicting, hypothesis), Form(open_, hypothesis))


def draw_kinds(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone visited every place and someone every person, against the reverse: one visit of a new person denied."""
    return _kinds(coin(rng), coin(rng))


@cache
def _two_people(of_places: bool, in_order: bool) -> Contrast:
    premise: tuple[LogicSentence, ...] = (
        _visited(person(0), Quantifier.EVERY_PLACE),
        _visited(person(1), Quantifier.EVERY_PERSON),
    )
    unseen = place(0) if of_places else person(2)
    own, other = (person(0), person(1)) if of_places else (person(1), person(0))
    if not in_order:
        premise = premise[::-1]
    return Contrast(Form(premise, Visit((own,), (unseen,), True)), Form(premise, Visit((other,), (unseen,), True)))


def draw_two_people(n: int, rng: np.random.Generator) -> Contrast:
    """One person visited every place, another every person: a new place, or person, denied to each."""
    return _two_people(coin(rng), coin(rng))


def draw_general(n: int, rng: np.random.Generator) -> Contrast:
    """Facts affirmed and denied: "everyone" (or "no one") of a place denied, against a place affirmed."""
    affirmed, denied = two_of(n, rng)
    negated = rng.random(n) < 0.5
    negated[affirmed], negated[denied] = False, True
    premise = tuple(fact(i, i, bool(negated[i])) for i in range(n))
    subject, wrong, open_ = (EVERYONE, denied, affirmed) if coin(rng) else (NOBODY, affirmed, denied)
    return Contrast(Form(premise, _visited(subject, place(wrong))), Form(premise, _visited(subject, place(open_))))


_NO_N = (0,)
TEMPLATES = (
    Template(
        "everyone, someone", LogicTask.QUANTIFIERS, between(2, 20), draw_everyone_list, '"someone" as a cue; overlap'
    ),
    Template("no one, someone", LogicTask.QUANTIFIERS, between(2, 20), draw_nobody_list, 'contradictions of "someone"'),
    Template(
        "every place, every person", LogicTask.QUANTIFIERS, _NO_N, draw_kinds, "the quantifiers of the premise alone"
    ),
    Template("two visitors", LogicTask.QUANTIFIERS, _NO_N, draw_two_people, "word overlap"),
    Template("facts", LogicTask.QUANTIFIERS, between(2, 12), draw_general, '"everyone" in the premise only'),
)
