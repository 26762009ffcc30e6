"""Task 1, negation: a visit affirmed and denied of several people, whom the hypothesis knows only through others."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import LogicSentence, Name, Visit
from goldproof.builders.logic.linked.links import Blanks, NewNames, contrast, either, exchange, follows
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin


def signs(n: int, rng: np.random.Generator) -> list[bool]:
    """Some true and some false, the first true and the second false."""
    return [True, False, *(coin(rng) for _ in range(n - 2))]


def _facts(who: list[Name], what: Name, said: list[bool]) -> list[LogicSentence]:
    return [Visit((one,), (what,), not affirmed) for one, affirmed in zip(who, said, strict=True)]


def draw_handed_on(n: int, rng: np.random.Generator) -> Contrast:
    """Each follows one of n people, who visited p or did not: ¬V(A,p) where A's did, against where A's did not."""
    names = NewNames()
    (p,), people, leaders, blanks = names.places(1), [*names.people(n)], [*names.people(n)], [*names.people(n)]
    sentences = [follows(one, leader) for one, leader in zip(people, leaders, strict=True)]
    cast = dict(zip(blanks, leaders, strict=True))
    both = cast, exchange(cast, blanks[0], blanks[1])
    hypothesis = Visit((people[0],), (p,), True)
    return contrast([*sentences, *_facts(blanks, p, signs(n, rng))], both, hypothesis, rng)


def draw_handed_back(n: int, rng: np.random.Generator) -> Contrast:
    """Each is followed by one of n people, who visited p or did not: V(A,p) where A's did not, against where it did."""
    names = NewNames()
    (p,), people, followers, blanks = names.places(1), [*names.people(n)], [*names.people(n)], [*names.people(n)]
    sentences = [follows(follower, one) for one, follower in zip(people, followers, strict=True)]
    cast = dict(zip(blanks, followers, strict=True))
    both = exchange(cast, blanks[0], blanks[1]), cast
    return contrast([*sentences, *_facts(blanks, p, signs(n, rng))], both, Visit((people[0],), (p,)), rng)


def draw_both_ways(n: int, rng: np.random.Generator) -> Contrast:
    """A follows one of n people and is followed by another: the first visited p, against the second did not."""
    names = NewNames()
    (p,), a, others = names.places(1), *names.people(1), [*names.people(n)]
    below, above, *rest = others
    sentences: list[LogicSentence] = [follows(a, below), follows(above, a)]
    for one in rest:
        (who,) = names.people(1)
        sentences.append(follows(who, one) if coin(rng) else follows(one, who))
    yes, no = names.people(2)
    blanks = [*names.people(len(rest) - 1)]
    facts = _facts([yes, no, *blanks], p, signs(n - 1, rng))
    cast = dict(zip(blanks, rest[1:], strict=True))
    both = {yes: below, no: rest[0], **cast}, {yes: rest[0], no: above, **cast}
    return two_ways([*sentences, *facts], both, Visit((a,), (p,)), rng)


def two_ways(
    sentences: list[LogicSentence], blanks: tuple[Blanks, Blanks], fact: Visit, rng: np.random.Generator
) -> Contrast:
    """A fact that the first casting entails and the second contradicts, affirmed or denied in both."""
    affirmed, denied = either(fact)
    entails, contradicts = blanks
    if coin(rng):
        return contrast(sentences, (contradicts, entails), affirmed, rng)
    return contrast(sentences, (entails, contradicts), denied, rng)


TEMPLATES = (
    Template("handed on", LogicTask.NEGATION, between(4, 6), draw_handed_on, "the nearest sentence"),
    Template("handed back", LogicTask.NEGATION, between(4, 6), draw_handed_back, "the negation in the hypothesis"),
    Template("both ways", LogicTask.NEGATION, between(4, 6), draw_both_ways, "that what follows is entailed"),
)
