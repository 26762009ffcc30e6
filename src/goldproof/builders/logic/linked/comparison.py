"""Task 5, comparison: two people compared through others, up, down, or not at all."""

from __future__ import annotations

import itertools

import numpy as np

from goldproof.builders.logic.forms import AsTall, LogicSentence, Name, Taller
from goldproof.builders.logic.linked.links import Blanks, NewNames, contrast
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between


def _taller(a: Name, *others: Name) -> Taller:
    return Taller(a, others)


class _Ladder:
    """Two people, a and b, n others one above the other, and what stands above and below a and b as blanks."""

    def __init__(self, n: int) -> None:
        self.names = NewNames()
        self.a, self.b, self.below_a, self.above_a, self.below_b, self.above_b = self.names.people(6)
        self.steps = [*self.names.people(n)]
        self.low, self.lower, self.high, self.higher = self.names.people(4)

    @property
    def inner(self) -> list[tuple[Name, Name]]:
        """Each of the others above the next."""
        return [*itertools.pairwise(self.steps)]

    @property
    def ends(self) -> list[tuple[Name, Name]]:
        """What is above and below a and b."""
        return [(self.a, self.below_a), (self.above_a, self.a), (self.b, self.below_b), (self.above_b, self.b)]

    @property
    def loose(self) -> list[tuple[Name, Name]]:
        """What is below and above those that fill the blanks that are left, so that they come again as others do."""
        return [(self.low, self.lower), (self.higher, self.high)]

    @property
    def a_above(self) -> Blanks:
        """The others go down from a to b."""
        first, last = self.steps[0], self.steps[-1]
        return {self.below_a: first, self.above_b: last, self.below_b: self.low, self.above_a: self.high}

    @property
    def b_above(self) -> Blanks:
        """The others go down from b to a."""
        first, last = self.steps[0], self.steps[-1]
        return {self.below_b: first, self.above_a: last, self.below_a: self.low, self.above_b: self.high}


def draw_up_or_down(n: int, rng: np.random.Generator) -> Contrast:
    """N people between two, all "taller than", down from b to a, against down from a to b: a is taller than b."""
    ladder = _Ladder(n)
    sentences: list[LogicSentence] = [_taller(*pair) for pair in (*ladder.inner, *ladder.ends, *ladder.loose)]
    return contrast(sentences, (ladder.b_above, ladder.a_above), _taller(ladder.a, ladder.b), rng)


def draw_mixed(n: int, rng: np.random.Generator) -> Contrast:
    """The same with "as tall as" at every step but one between the others: a is taller than b."""
    ladder = _Ladder(n)
    strict = int(rng.integers(n - 1))
    sentences: list[LogicSentence] = [
        _taller(*pair) if place == strict else AsTall(*pair) for place, pair in enumerate(ladder.inner)
    ]
    sentences += [AsTall(*pair) for pair in ladder.ends]
    sentences += [_taller(*pair) for pair in ladder.loose]
    return contrast(sentences, (ladder.b_above, ladder.a_above), _taller(ladder.a, ladder.b), rng)


def draw_lists(n: int, rng: np.random.Generator) -> Contrast:
    """One person between two, each "taller than" of a list of n: down from b to a, against down from a to b."""
    ladder = _Ladder(1)
    sentences: list[LogicSentence] = []
    for high, low in (*ladder.ends, *ladder.loose):
        listed = [*ladder.names.people(n - 1)]
        listed.insert(int(rng.integers(n)), low)
        sentences.append(_taller(high, *listed))
    return contrast(sentences, (ladder.b_above, ladder.a_above), _taller(ladder.a, ladder.b), rng)


TEMPLATES = (
    Template("up or down", LogicTask.COMPARISON, between(1, 4), draw_up_or_down, "the order of mention"),
    Template("mixed", LogicTask.COMPARISON, between(2, 4), draw_mixed, "the place of the strict step"),
    Template("lists", LogicTask.COMPARISON, between(2, 4), draw_lists, "whether the names are connected"),
)
