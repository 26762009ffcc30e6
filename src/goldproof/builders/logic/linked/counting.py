"""Task 6, counting: how many someone has visited, known through those who follow or are followed."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Amount, LogicSentence, Name, NameKind, Only, Visit
from goldproof.builders.logic.linked.links import NewNames, contrast, follows
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin

LARGEST = 12


def _kinds(rng: np.random.Generator) -> tuple[NameKind, NameKind]:
    kinds = NameKind.PLACE, NameKind.PERSON
    return kinds if coin(rng) else kinds[::-1]


def _numbers(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """A number above n, and a count above n and not above that number."""
    larger = int(rng.integers(n + 1, LARGEST + 1))
    return larger, int(rng.integers(n + 1, larger + 1))


def _new(kind: NameKind, n: int, names: NewNames) -> tuple[Name, ...]:
    return tuple(names.one(kind) for _ in range(n))


def draw_two_counters(n: int, rng: np.random.Generator) -> Contrast:
    """Who follows A visited only n, another only m, against the reverse: a count between them claimed of A."""
    names = NewNames()
    a, b, c, first, second, third, few, many = names.people(8)
    larger, count = _numbers(n, rng)
    kind, _ = _kinds(rng)
    sentences: list[LogicSentence] = [follows(first, a, kind), follows(second, b, kind), follows(third, c, kind)]
    numbers = (few, n), (many, larger), (third, int(rng.integers(1, LARGEST + 1)))
    sentences += [Only(who, (Amount(number, kind),)) for who, number in numbers]
    blanks = {few: first, many: second}, {few: second, many: first}
    return contrast(sentences, blanks, Visit((a,), _new(kind, count, names)), rng)


def draw_two_kinds(n: int, rng: np.random.Generator) -> Contrast:
    """Who follows A visited only n places and m people, another m places and n people, against the reverse."""
    names = NewNames()
    a, b, first, second, one, other = names.people(6)
    larger, count = _numbers(n, rng)
    kind, more = _kinds(rng)
    sentences: list[LogicSentence] = [follows(first, a, kind), follows(second, b, kind)]
    for who, of_kind, of_more in ((one, n, larger), (other, larger, n)):
        amounts = Amount(of_kind, kind), Amount(of_more, more)
        sentences.append(Only(who, amounts if kind is NameKind.PLACE else amounts[::-1]))
    blanks = {one: first, other: second}, {one: second, other: first}
    return contrast(sentences, blanks, Visit((a,), _new(kind, count, names)), rng)


def draw_two_lists(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one who visited a list longer than n, against one whose list is no longer: "only n" claimed of A."""
    names = NewNames()
    a, b, c, first, second, third, long, short = names.people(8)
    longer, shorter = int(rng.integers(n + 1, LARGEST + 1)), int(rng.integers(1, n + 1))
    kind, _ = _kinds(rng)
    sentences: list[LogicSentence] = [follows(a, first, kind), follows(b, second, kind), follows(c, third, kind)]
    lists = (long, longer), (short, shorter), (third, int(rng.integers(1, LARGEST + 1)))
    sentences += [Visit((who,), _new(kind, size, names)) for who, size in lists]
    blanks = {long: first, short: second}, {long: second, short: first}
    return contrast(sentences, blanks, Only(a, (Amount(n, kind),)), rng)


TEMPLATES = (
    Template("two counters", LogicTask.COUNTING, between(1, LARGEST - 1), draw_two_counters, "the length of the list"),
    Template("two kinds", LogicTask.COUNTING, between(1, LARGEST - 1), draw_two_kinds, "the numbers of the premise"),
    Template("two lists", LogicTask.COUNTING, between(1, LARGEST - 1), draw_two_lists, "the number in the hypothesis"),
)
