"""Task 6, counting: two numbers in the premise and a count between them in the hypothesis."""

from __future__ import annotations

from functools import cache

import numpy as np

from goldproof.builders.logic.forms import Amount, Form, LogicSentence, Name, NameKind, Only, Visit, named, person
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin

LARGEST = 30


# Numbers whose word agrees with no noun in any language here (in Russian 1–4 and 21–24 do): with two nouns in a
# premise, agreement would tell even a bag of words which number goes with which noun.
WITHOUT_AGREEMENT = (*between(5, 20), *between(25, LARGEST))


def _kind(rng: np.random.Generator) -> NameKind:
    return NameKind.PLACE if coin(rng) else NameKind.PERSON


def _strangers(kind: NameKind, n: int, start: int = 2) -> tuple[Name, ...]:
    """So many individuals of a kind that are not the visitors."""
    return tuple(named(kind, start + i) for i in range(n))


def _numbers(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """A number above n and a count above n and not above that number."""
    larger = int(rng.integers(n + 1, LARGEST + 1))
    return larger, int(rng.integers(n + 1, larger + 1))


@cache
def _two_kinds(n: int, larger: int, count: int, kind: NameKind, in_order: bool) -> Contrast:
    other = NameKind.PERSON if kind is NameKind.PLACE else NameKind.PLACE

    def premise(of_kind: int, of_other: int) -> tuple[LogicSentence, ...]:
        amounts = Amount(of_kind, kind), Amount(of_other, other)
        return (Only(person(0), amounts if in_order else amounts[::-1]),)

    named = Visit((person(0),), _strangers(kind, count))
    return Contrast(Form(premise(n, larger), named), Form(premise(larger, n), named))


def draw_two_kinds(n: int, rng: np.random.Generator) -> Contrast:
    """Only n places and only m people, against m places and n people: a count of places (people) between them."""
    above = [number for number in WITHOUT_AGREEMENT if number > n]
    larger = above[int(rng.integers(len(above)))]
    return _two_kinds(n, larger, int(rng.integers(n + 1, larger + 1)), _kind(rng), coin(rng))


@cache
def _two_people(n: int, larger: int, count: int, kind: NameKind, in_order: bool) -> Contrast:
    premise: tuple[LogicSentence, ...] = (Only(person(0), (Amount(n, kind),)), Only(person(1), (Amount(larger, kind),)))
    if not in_order:
        premise = premise[::-1]
    named = _strangers(kind, count)
    return Contrast(Form(premise, Visit((person(0),), named)), Form(premise, Visit((person(1),), named)))


def draw_two_people(n: int, rng: np.random.Generator) -> Contrast:
    """One person visited only n, another only m: a count between them claimed of each."""
    return _two_people(n, *_numbers(n, rng), _kind(rng), coin(rng))


@cache
def _two_lists(n: int, longer: int, shorter: int, kind: NameKind, in_order: bool) -> Contrast:
    premise: tuple[LogicSentence, ...] = (
        Visit((person(0),), _strangers(kind, longer)),
        Visit((person(1),), _strangers(kind, shorter, start=2 + longer)),
    )
    if not in_order:
        premise = premise[::-1]
    amount = (Amount(n, kind),)
    return Contrast(Form(premise, Only(person(0), amount)), Form(premise, Only(person(1), amount)))


def draw_two_lists(n: int, rng: np.random.Generator) -> Contrast:
    """One person visited a list longer than n, another one no longer: "only n" claimed of each."""
    longer, shorter = int(rng.integers(n + 1, LARGEST + 1)), int(rng.integers(1, n + 1))
    return _two_lists(n, longer, shorter, _kind(rng), coin(rng))


TEMPLATES = (
    Template("two kinds", LogicTask.COUNTING, WITHOUT_AGREEMENT[:-1], draw_two_kinds, "the length of the list"),
    Template("two counters", LogicTask.COUNTING, between(1, LARGEST - 1), draw_two_people, "the length of the list"),
    Template(
        "two lists", LogicTask.COUNTING, between(1, LARGEST - 1), draw_two_lists, "the number in the premise alone"
    ),
)
