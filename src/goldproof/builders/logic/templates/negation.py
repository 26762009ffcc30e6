"""Task 1, negation: facts about who visited what, and one fact affirmed or denied."""

from __future__ import annotations

from functools import cache

import numpy as np

from goldproof.builders.logic.forms import Form, LogicSentence, Visit, person, place
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin, two_of


def fact(who: int, where: int, negated: bool = False) -> Visit:
    """Person number `who` has (not) visited place number `where`."""
    return Visit((person(who),), (place(where),), negated)


@cache
def _crossed(n: int, who: int, other: int) -> Contrast:
    premise: tuple[LogicSentence, ...] = tuple(fact(i, i) for i in range(n))
    return Contrast(Form(premise, fact(who, who, True)), Form(premise, fact(who, other, True)))


def draw_crossed(n: int, rng: np.random.Generator) -> Contrast:
    """All facts affirmed: ¬V(xi,pi) against ¬V(xi,pj)."""
    return _crossed(n, *two_of(n, rng))


def draw_denied(n: int, rng: np.random.Generator) -> Contrast:
    """Some facts denied: V(xi,pi) where it was denied, against V(xi,pj)."""
    who, other = two_of(n, rng)
    negated = rng.random(n) < 0.5
    negated[who] = True
    premise = tuple(fact(i, i, bool(negated[i])) for i in range(n))
    return Contrast(Form(premise, fact(who, who)), Form(premise, fact(who, other)))


def draw_repeated(n: int, rng: np.random.Generator) -> Contrast:
    """A fact turned round against a fact repeated, which is entailed."""
    affirmed, denied = two_of(n, rng)
    negated = rng.random(n) < 0.5
    negated[affirmed], negated[denied] = False, True
    premise = tuple(fact(i, i, bool(negated[i])) for i in range(n))
    turned, repeated = fact(affirmed, affirmed, True), fact(denied, denied, True)
    if coin(rng):
        turned, repeated = fact(denied, denied), fact(affirmed, affirmed)
    return Contrast(Form(premise, turned), Form(premise, repeated))


TEMPLATES = (
    Template(
        "crossed", LogicTask.NEGATION, between(2, 12), draw_crossed, "word overlap: every name stands in the premise"
    ),
    Template("denied", LogicTask.NEGATION, between(2, 12), draw_denied, "the negation in the hypothesis as a cue"),
    Template("repeated", LogicTask.NEGATION, between(2, 12), draw_repeated, "overlap: the hypothesis is entailed"),
)
