"""Task 5, comparison: chains and lists of "taller than" and "as tall as"."""

from __future__ import annotations

import itertools

import numpy as np

from goldproof.builders.logic.forms import AsTall, Form, LogicSentence, Name, Taller, person
from goldproof.builders.logic.templates.contrast import (
    Contrast,
    LogicTask,
    Template,
    between,
    coin,
    in_any_order,
    two_of,
)


def _taller(a: Name, b: Name) -> Taller:
    return Taller(a, (b,))


def turned(premise: tuple[LogicSentence, ...], high: Name, low: Name) -> Contrast:
    """A consequence turned round, against the consequence."""
    return Contrast(Form(premise, _taller(low, high)), Form(premise, _taller(high, low)))


def _chain(people: list[Name]) -> list[LogicSentence]:
    return [_taller(a, b) for a, b in itertools.pairwise(people)]


def _inner_pair(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """Two links of a chain of n + 1 that are not its ends, the higher first.

    An end stands once in the premise, and only as one side of "taller than": in a language with cases its form in the
    hypothesis would give the direction away.
    """
    high, low = sorted(two_of(n - 1, rng))
    return high + 1, low + 1


def draw_chain(n: int, rng: np.random.Generator) -> Contrast:
    """A chain of n facts in order."""
    people = [person(i) for i in range(n + 1)]
    high, low = _inner_pair(n, rng)
    return turned(tuple(_chain(people)), people[high], people[low])


def draw_shuffled(n: int, rng: np.random.Generator) -> Contrast:
    """A chain of n facts in any order."""
    people = [person(i) for i in range(n + 1)]
    high, low = _inner_pair(n, rng)
    return turned(in_any_order(_chain(people), rng), people[high], people[low])


def draw_mixed(n: int, rng: np.random.Generator) -> Contrast:
    """A chain of n facts, in order or not, all "as tall as" but one "taller than" between the two that are compared."""
    people = [person(i) for i in range(n + 1)]
    step = int(rng.integers(1, n - 2))
    pairs = list(itertools.pairwise(people))
    facts: list[LogicSentence] = [_taller(*pair) if i == step else AsTall(*pair) for i, pair in enumerate(pairs)]
    high, low = int(rng.integers(1, step + 1)), int(rng.integers(step + 2, n))
    return turned(tuple(facts) if coin(rng) else in_any_order(facts, rng), people[high], people[low])


def draw_lists(n: int, rng: np.random.Generator) -> Contrast:
    """Two people taller than a list each, and one as tall as each: one of a list above her better, or the other's."""
    size = int(rng.integers(2, n + 1))
    tops, equals = (person(0), person(1)), (person(2), person(3))
    others = [person(4 + i) for i in range(n + size)]
    lists = tuple(others[:n]), tuple(others[n:])
    facts: list[LogicSentence] = [Taller(top, listed) for top, listed in zip(tops, lists, strict=True)]
    facts += [AsTall(equal, top) for equal, top in zip(equals, tops, strict=True)]
    premise, low, better = in_any_order(facts, rng), lists[0][int(rng.integers(n))], equals if coin(rng) else tops
    return Contrast(Form(premise, _taller(low, better[0])), Form(premise, _taller(low, better[1])))


def draw_two_chains(n: int, rng: np.random.Generator) -> Contrast:
    """Two chains of n facts together: a consequence turned round, against a comparison between the chains."""
    first = [person(i) for i in range(n // 2 + 1)]
    second = [person(len(first) + i) for i in range(n - n // 2 + 1)]
    low = int(rng.integers(1, len(first) - 1))
    high, stranger = first[int(rng.integers(low))], second[int(rng.integers(1, len(second) - 1))]
    premise = in_any_order([*_chain(first), *_chain(second)], rng)
    return Contrast(Form(premise, _taller(first[low], high)), Form(premise, _taller(stranger, high)))


TEMPLATES = (
    Template("chain", LogicTask.COMPARISON, between(4, 10), draw_chain, "nothing: as published"),
    Template("shuffled chain", LogicTask.COMPARISON, between(4, 10), draw_shuffled, "the order of mention"),
    Template("mixed chain", LogicTask.COMPARISON, between(4, 10), draw_mixed, "the place of the strict step"),
    Template("two lists", LogicTask.COMPARISON, between(4, 10), draw_lists, "that all pairs are compared"),
    Template("two chains", LogicTask.COMPARISON, between(4, 10), draw_two_chains, "that all pairs are compared"),
)
