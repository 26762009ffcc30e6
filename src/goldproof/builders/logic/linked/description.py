"""Task 4, definite description: the person that has visited a place, which other places lead to, or which leads on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.builders.logic.forms import Described, LogicSentence, Name, Visit
from goldproof.builders.logic.linked.links import Blanks, NewNames, contrast, denies, exchange, leads
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between


def _described(n: int, names: NewNames) -> tuple[list[LogicSentence], list[Name], list[Name]]:
    """N people, each the person that has visited a place: the sentences, the people and the places."""
    people, places = [*names.people(n)], [*names.places(n)]
    sentences: list[LogicSentence] = [Described(*each) for each in zip(people, places, strict=True)]
    return sentences, people, places


@dataclass(frozen=True, slots=True)
class _Crossroads:
    """Places led to by one place and leading to another, with the place that matters before the first, or after."""

    sentences: list[LogicSentence]
    first: Name
    before: Blanks
    after: Blanks


def _crossroads(places: list[Name], names: NewNames, rng: np.random.Generator) -> _Crossroads:
    """A crossroads for each place that describes someone: where the first's is before it, the second's is after it.

    Those of the others stay where they are. The place at the other side was not visited by someone: so both sides come
    twice, and once-named places do not tell which is which.
    """
    sentences: list[LogicSentence] = []
    before: Blanks = {}
    after: Blanks = {}
    crossed = [*names.places(len(places))]
    for number, (crossing, place) in enumerate(zip(crossed, places, strict=True)):
        source, target, free = names.places(3)
        (elsewhere,) = names.people(1)
        sentences += [leads(source, crossing), leads(crossing, target), denies(elsewhere, free)]
        ends = {source: place, target: free}
        ways = [ends, exchange(ends, source, target)]
        first, second = (0, 1) if number == 0 else (1, 0) if number == 1 else [int(rng.integers(2))] * 2
        before |= ways[first]
        after |= ways[second]
    return _Crossroads(sentences, crossed[0], before, after)


def draw_only_another(n: int, rng: np.random.Generator) -> Contrast:
    """The place p leads to the place that only another person visited, against being led to from there: V(A,p)."""
    names = NewNames()
    sentences, (a, *_), (own, others, *places) = _described(n, names)
    roads = _crossroads([others, own, *places], names, rng)
    return contrast([*sentences, *roads.sentences], (roads.after, roads.before), Visit((a,), (roads.first,)), rng)


def draw_own_place(n: int, rng: np.random.Generator) -> Contrast:
    """The place that only A visited leads to p, against p leading there: ¬V(A,p)."""
    names = NewNames()
    sentences, (a, *_), places = _described(n, names)
    roads = _crossroads(places, names, rng)
    return contrast([*sentences, *roads.sentences], (roads.before, roads.after), denies(a, roads.first), rng)


def draw_stranger(n: int, rng: np.random.Generator) -> Contrast:
    """The place p leads to the place that one person alone visited, against being led to from there: V(another,p)."""
    names = NewNames()
    sentences, _, places = _described(n, names)
    roads = _crossroads(places, names, rng)
    (stranger,) = names.people(1)
    said = Visit((stranger,), (roads.first,))
    return contrast([*sentences, *roads.sentences], (roads.after, roads.before), said, rng)


TEMPLATES = (
    Template("only another", LogicTask.DESCRIPTION, between(3, 4), draw_only_another, "how often a name stands there"),
    Template("own place", LogicTask.DESCRIPTION, between(3, 4), draw_own_place, "the nearest sentence"),
    Template("stranger", LogicTask.DESCRIPTION, between(3, 4), draw_stranger, "whether the names are connected"),
)
