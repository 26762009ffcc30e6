"""Forms: what a pair of texts says, as small typed values of a template language. Words and proofs are elsewhere.

There are two kinds of individual, people (x1, x2, …) and places (p1, p2, …), one relation "has visited" and one scale,
height. A form is a list of sentences, the premise, and one sentence, the hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache


class NameKind(StrEnum):
    """The kind of an individual: a person or a place."""

    PERSON = "person"
    PLACE = "place"

    __hash__ = str.__hash__  # proofs hash names by the million, and an enumeration's own hash is slow


class Quantifier(StrEnum):
    """A noun phrase that names no one. The first three are subjects, the last three objects of "visited"."""

    EVERYONE = "everyone"
    SOMEONE = "someone"
    NOBODY = "nobody"
    EVERY_PERSON = "every person"
    EVERY_PLACE = "every place"
    ALL_PEOPLE = "all people"  # the same as `EVERY_PERSON`, worded "everyone"

    @property
    def kind(self) -> NameKind:
        """The kind of individual that the phrase ranges over."""
        return NameKind.PLACE if self is Quantifier.EVERY_PLACE else NameKind.PERSON


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """The individual number `index` of its kind."""

    kind: NameKind
    index: int


Term = Name | Quantifier


@dataclass(frozen=True, slots=True)
class Visit:
    """Each of the subjects has visited each of the objects; negated, that is not so.

    "Nobody" has visited none of the objects ("No one has visited A or B").
    """

    subjects: tuple[Term, ...]
    objects: tuple[Term, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Follows:
    """`who` has visited every place, or every person, that the leader has visited."""

    who: Term
    leader: Name
    kind: NameKind


@dataclass(frozen=True, slots=True)
class LeadsTo:
    """Whoever has visited a place has visited another."""

    visited: Name
    also: Name


@dataclass(frozen=True, slots=True)
class Described:
    """`who` is the one person that has visited every place, all people, or one place."""

    who: Name
    visited: Term


@dataclass(frozen=True, slots=True)
class Taller:
    """`who` is taller than each of the others."""

    who: Name
    others: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class AsTall:
    """`who` is as tall as the other."""

    who: Name
    other: Name


@dataclass(frozen=True, slots=True)
class Amount:
    """So many individuals of a kind."""

    n: int
    kind: NameKind


@dataclass(frozen=True, slots=True)
class Only:
    """`who` has visited only so many individuals of each kind named."""

    who: Name
    amounts: tuple[Amount, ...]


LogicSentence = Visit | Follows | LeadsTo | Described | Taller | AsTall | Only


@dataclass(frozen=True, slots=True)
class Form:
    """A premise and a hypothesis."""

    premise: tuple[LogicSentence, ...]
    hypothesis: LogicSentence

    @property
    def sentences(self) -> tuple[LogicSentence, ...]:
        """All sentences, the hypothesis last."""
        return (*self.premise, self.hypothesis)


class Relation(StrEnum):
    """What a premise says of a hypothesis."""

    ENTAILED = "entailed"
    CONTRADICTED = "contradicted"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Readings:
    """How the words are read where the literature differs.

    `only`: "only n places" says exactly n, or at most n. `as_tall_as`: of the same height, or at least as tall.
    `everyone_includes_self`: whoever has visited everyone has also visited herself. Two readings are fixed: distinct
    names are distinct individuals, and no person is a place. How many people and places there are is left open.
    """

    only: str = "exactly"
    as_tall_as: str = "at_least"
    everyone_includes_self: bool = True


DEFAULT_READINGS = Readings()
ALL_READINGS = tuple(
    Readings(only, tall, self_too)
    for only in ("exactly", "at_most")
    for tall in ("at_least", "equal")
    for self_too in (True, False)
)


@lru_cache(maxsize=10_000)
def named(kind: NameKind, index: int) -> Name:
    """The individual number `index` of a kind; the same object each time, since forms by the thousand hold it."""
    return Name(kind, index)


def person(index: int) -> Name:
    """The person number `index`."""
    return named(NameKind.PERSON, index)


def place(index: int) -> Name:
    """The place number `index`."""
    return named(NameKind.PLACE, index)


def terms_of(sentence: LogicSentence) -> tuple[Term, ...]:
    """The noun phrases of a sentence in the order of English."""
    match sentence:
        case Visit(subjects, objects):
            return (*subjects, *objects)
        case Follows(who, leader):
            return (who, leader)
        case LeadsTo(visited, also):
            return (visited, also)
        case Described(who, visited):
            return (who, visited)
        case Taller(who, others):
            return (who, *others)
        case AsTall(who, other):
            return (who, other)
        case Only(who):
            return (who,)


def names_of(form: Form) -> Iterator[Name]:
    """Every mention of a name, in order."""
    for sentence in form.sentences:
        for term in terms_of(sentence):
            if isinstance(term, Name):
                yield term


def renamed(sentence: LogicSentence, name: Callable[[Name], Name]) -> LogicSentence:
    """The sentence with each name replaced."""

    def term(given: Term) -> Term:
        return name(given) if isinstance(given, Name) else given

    match sentence:
        case Visit(subjects, objects):
            return replace(sentence, subjects=tuple(map(term, subjects)), objects=tuple(map(term, objects)))
        case Follows(who, leader):
            return replace(sentence, who=term(who), leader=name(leader))
        case LeadsTo(visited, also):
            return LeadsTo(name(visited), name(also))
        case Described(who, visited):
            return Described(name(who), term(visited))
        case Taller(who, others):
            return Taller(name(who), tuple(map(name, others)))
        case AsTall(who, other):
            return AsTall(name(who), name(other))
        case Only(who):
            return replace(sentence, who=name(who))


@dataclass(frozen=True, slots=True)
class Canonical:
    """A form whose names are numbered from 1 in the order of first mention, with the names that they were."""

    form: Form
    people: tuple[Name, ...]
    places: tuple[Name, ...]


def canonical(form: Form) -> Canonical:
    """The same form with its names numbered by first mention: forms equal up to renaming become equal.

    >>> form = Form((Visit((person(7),), (place(3),)),), Visit((person(7),), (place(9),), negated=True))
    >>> canonical(form).form.hypothesis.objects
    (Name(kind=<NameKind.PLACE: 'place'>, index=2),)
    """
    numbers: dict[Name, Name] = {}
    old: dict[NameKind, list[Name]] = {NameKind.PERSON: [], NameKind.PLACE: []}
    for name in names_of(form):
        if name not in numbers:
            old[name.kind].append(name)
            numbers[name] = named(name.kind, len(old[name.kind]))
    sentences = [renamed(sentence, numbers.__getitem__) for sentence in form.sentences]
    return Canonical(
        Form(tuple(sentences[:-1]), sentences[-1]), tuple(old[NameKind.PERSON]), tuple(old[NameKind.PLACE])
    )
