"""The templates of the published corpus (Salvatore et al. 2019), leaks and all, for comparison with it.

The kinds of pair, their shares and the ranges of n are those found in its training files. Its faulty rows are not
imitated: no name is shared by the splits or by a person and a place, no pair stands twice, nouns agree with numbers.
Names are as many and as long as there (`names.py`); `clcd-few` has the fewer, shorter ones of before, and where it
counts both kinds, the two numbers have nothing to do with each other.
"As tall as" is read as "of the same height", the only reading under which all of its labels hold.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from goldproof.builders.logic.forms import (
    Amount,
    AsTall,
    Described,
    Form,
    LogicSentence,
    Name,
    NameKind,
    Only,
    Quantifier,
    Readings,
    Taller,
    Term,
    Visit,
    person,
    place,
)
from goldproof.builders.logic.templates.comparison import turned
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, between, coin, two_of
from goldproof.builders.logic.templates.coordination import denied
from goldproof.builders.logic.templates.negation import fact

READINGS = Readings(as_tall_as="equal")
_NEW = 1_000


def draw_negation(n: int, rng: np.random.Generator) -> Contrast:
    """A fact denied, against a new place."""
    facts = tuple(fact(i, i) for i in range(n))
    first, second = int(rng.integers(n)), int(rng.integers(n))
    return Contrast(Form(facts, fact(first, first, True)), Form(facts, fact(second, _NEW, True)))


def draw_coordination(n: int, rng: np.random.Generator, *, of: NameKind) -> Contrast:
    """A member of the list denied, against a new member or a new other side."""
    listed = tuple(Name(of, i) for i in range(n))
    people, places = (listed, (place(0),)) if of is NameKind.PERSON else ((person(0),), listed)
    premise = (Visit(people, places),)
    who, where = people[int(rng.integers(len(people)))], places[int(rng.integers(len(places)))]
    other = denied(person(_NEW), where) if coin(rng) else denied(who, place(_NEW))
    return Contrast(Form(premise, denied(who, where)), Form(premise, other))


def draw_list(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone visited a list: a listed place denied, against an unlisted one."""
    premise = (Visit((Quantifier.EVERYONE,), tuple(place(i) for i in range(n))),)
    listed, unlisted = place(int(rng.integers(n))), place(_NEW)
    return Contrast(Form(premise, denied(person(0), listed)), Form(premise, denied(person(0), unlisted)))


def draw_every(n: int, rng: np.random.Generator, *, of: NameKind) -> Contrast:
    """Everyone visited every place (person): a place denied, against a person (and the reverse)."""
    quantifier = Quantifier.EVERY_PLACE if of is NameKind.PLACE else Quantifier.EVERY_PERSON
    premise = (Visit((Quantifier.EVERYONE,), (quantifier,)),)
    right, wrong = (place(0), person(1)) if of is NameKind.PLACE else (person(1), place(0))
    return Contrast(Form(premise, denied(person(0), right)), Form(premise, denied(person(0), wrong)))


def draw_everything(n: int, rng: np.random.Generator) -> Contrast:
    """Everyone, against someone, visited every person and every place: an instance denied."""
    both: tuple[Term, ...] = (Quantifier.EVERY_PERSON, Quantifier.EVERY_PLACE)
    hypothesis = denied(person(0), place(0) if coin(rng) else person(1))
    everyone, someone = (Visit((subject,), both) for subject in (Quantifier.EVERYONE, Quantifier.SOMEONE))
    return Contrast(Form((everyone,), hypothesis), Form((someone,), hypothesis))


def draw_description(n: int, rng: np.random.Generator) -> Contrast:
    """A described person and another: an instance denied to the first, against the second."""
    x, y = person(0), person(1)
    what, unseen = (Quantifier.EVERY_PLACE, place(0)) if coin(rng) else (Quantifier.ALL_PEOPLE, person(2))
    met = Visit((x,), (y,)) if coin(rng) else Visit((y,), (x,))
    premise: tuple[LogicSentence, ...] = (Described(x, what), met)
    if coin(rng):
        premise = premise[::-1]
    return Contrast(Form(premise, denied(x, unseen)), Form(premise, denied(y, unseen)))


def draw_chain(n: int, rng: np.random.Generator) -> Contrast:
    """A chain of n facts: a consequence turned round, against the consequence."""
    premise = tuple(Taller(person(i), (person(i + 1),)) for i in range(n))
    high, low = sorted(two_of(n + 1, rng))
    return turned(premise, person(high), person(low))


def draw_as_tall_chain(n: int, rng: np.random.Generator) -> Contrast:
    """A chain of n "as tall as" that ends in "taller than": the last person above another, against the reverse."""
    chain: list[LogicSentence] = [AsTall(person(i), person(i + 1)) for i in range(n)]
    premise = (*chain, Taller(person(n), (person(n + 1),)))
    return turned(premise, person(int(rng.integers(n + 1))), person(n + 1))


def draw_taller_list(n: int, rng: np.random.Generator) -> Contrast:
    """One taller than a list and as tall as another (either way): the other against one of the list."""
    top, equal = person(0), person(1)
    others = tuple(person(2 + i) for i in range(n))
    same = AsTall(equal, top) if coin(rng) else AsTall(top, equal)
    return turned((Taller(top, others), same), equal, others[int(rng.integers(n))])


def draw_counting(n: int, rng: np.random.Generator, *, of: NameKind, both: bool = False) -> Contrast:
    """Only n places (people): n + 1 named, against fewer than n (one, where n is 1); `both` as `clcd-few` draws it."""
    amounts = [Amount(n, of)]
    if both:
        other = NameKind.PERSON if of is NameKind.PLACE else NameKind.PLACE
        amounts.append(Amount(int(rng.integers(1, 31)), other))
    amounts.sort(key=lambda amount: amount.kind is NameKind.PERSON)
    return _counted(tuple(amounts), n, of, rng)


def draw_counting_both(n: int, rng: np.random.Generator, *, of: NameKind) -> Contrast:
    """Only n places and some people, n at most, as published: more of one kind named, against fewer."""
    people = int(rng.integers(1, n + 1))
    amounts = Amount(n, NameKind.PLACE), Amount(people, NameKind.PERSON)
    return _counted(amounts, n if of is NameKind.PLACE else people, of, rng)


def _counted(amounts: tuple[Amount, ...], tested: int, of: NameKind, rng: np.random.Generator) -> Contrast:
    premise = (Only(person(0), amounts),)

    def named(count: int) -> Visit:
        return Visit((person(0),), tuple(Name(of, 1 + i) for i in range(count)))

    fewer = int(rng.integers(1, max(tested, 2)))
    return Contrast(Form(premise, named(tested + 1)), Form(premise, named(fewer)))


_NO_N = (0,)
_ALIKE = (
    Template("facts", LogicTask.NEGATION, between(2, 12), draw_negation),
    Template("people", LogicTask.COORDINATION, between(2, 20), partial(draw_coordination, of=NameKind.PERSON)),
    Template("places", LogicTask.COORDINATION, between(2, 20), partial(draw_coordination, of=NameKind.PLACE)),
    Template("list", LogicTask.QUANTIFIERS, between(10, 20), draw_list),
    Template("every place", LogicTask.QUANTIFIERS, _NO_N, partial(draw_every, of=NameKind.PLACE)),
    Template("every person", LogicTask.QUANTIFIERS, _NO_N, partial(draw_every, of=NameKind.PERSON)),
    Template("everything", LogicTask.QUANTIFIERS, _NO_N, draw_everything),
    Template("description", LogicTask.DESCRIPTION, _NO_N, draw_description),
    Template("chain", LogicTask.COMPARISON, between(4, 10), draw_chain),
    Template("as tall chain", LogicTask.COMPARISON, between(4, 10), draw_as_tall_chain),
    Template("list of people", LogicTask.COMPARISON, between(4, 10), draw_taller_list),
    Template("only places", LogicTask.COUNTING, between(1, 30), partial(draw_counting, of=NameKind.PLACE)),
    Template("only people", LogicTask.COUNTING, between(1, 30), partial(draw_counting, of=NameKind.PERSON)),
)
_BOTH = (("both, places", NameKind.PLACE), ("both, people", NameKind.PERSON))
TEMPLATES = (
    *_ALIKE,
    *(Template(name, LogicTask.COUNTING, between(1, 30), partial(draw_counting_both, of=kind)) for name, kind in _BOTH),
)
FEW_TEMPLATES = (
    *_ALIKE,
    *(
        Template(name, LogicTask.COUNTING, between(1, 30), partial(draw_counting, of=kind, both=True))
        for name, kind in _BOTH
    ),
)
