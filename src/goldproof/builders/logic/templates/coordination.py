"""Task 2, coordination: lists of people or places joined by "and"."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Form, LogicSentence, Name, Visit, person, place
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin


def denied(who: Name, what: Name) -> Visit:
    """One has not visited the other."""
    return Visit((who,), (what,), True)


def _shuffled(first: LogicSentence, second: LogicSentence, rng: np.random.Generator) -> tuple[LogicSentence, ...]:
    return (first, second) if coin(rng) else (second, first)


def _second_size(n: int, rng: np.random.Generator) -> int:
    return int(rng.integers(2, n + 1))


def draw_people(n: int, rng: np.random.Generator) -> Contrast:
    """Two lists of people, each at its place: a member denied its own place, against the other."""
    people = [person(i) for i in range(n + _second_size(n, rng))]
    premise = _shuffled(Visit(tuple(people[:n]), (place(0),)), Visit(tuple(people[n:]), (place(1),)), rng)
    member = people[int(rng.integers(n))]
    return Contrast(Form(premise, denied(member, place(0))), Form(premise, denied(member, place(1))))


def draw_places(n: int, rng: np.random.Generator) -> Contrast:
    """Two people, each with a list of places: a place denied to its visitor, against the other."""
    places = [place(i) for i in range(n + _second_size(n, rng))]
    premise = _shuffled(Visit((person(0),), tuple(places[:n])), Visit((person(1),), tuple(places[n:])), rng)
    member = places[int(rng.integers(n))]
    return Contrast(Form(premise, denied(person(0), member)), Form(premise, denied(person(1), member)))


def draw_both(n: int, rng: np.random.Generator) -> Contrast:
    """Two lists of people, each with two places: a member denied a place of its own list, against the other's."""
    people = [person(i) for i in range(n + _second_size(n, rng))]
    own, others = (place(0), place(1)), (place(2), place(3))
    premise = _shuffled(Visit(tuple(people[:n]), own), Visit(tuple(people[n:]), others), rng)
    member, which = people[int(rng.integers(n))], int(rng.integers(2))
    return Contrast(Form(premise, denied(member, own[which])), Form(premise, denied(member, others[which])))


def draw_except(n: int, rng: np.random.Generator) -> Contrast:
    """A list of people at a place and one who was not there: a fact turned round, against a fact repeated."""
    people, outsider = tuple(person(i) for i in range(n)), person(n)
    premise = _shuffled(Visit(people, (place(0),)), denied(outsider, place(0)), rng)
    member = people[int(rng.integers(n))]
    if coin(rng):
        return Contrast(Form(premise, denied(member, place(0))), Form(premise, denied(outsider, place(0))))
    turned, repeated = Visit((outsider,), (place(0),)), Visit((member,), (place(0),))
    return Contrast(Form(premise, turned), Form(premise, repeated))


TEMPLATES = (
    Template("two lists of people", LogicTask.COORDINATION, between(2, 20), draw_people, "word overlap"),
    Template("two lists of places", LogicTask.COORDINATION, between(2, 20), draw_places, "word overlap"),
    Template("lists with lists", LogicTask.COORDINATION, between(2, 20), draw_both, "word overlap"),
    Template(
        "all but one", LogicTask.COORDINATION, between(2, 20), draw_except, "the negation in the hypothesis as a cue"
    ),
)
