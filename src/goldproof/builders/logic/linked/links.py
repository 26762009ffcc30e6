"""Sentences and premises of linked templates: who follows whom, which place leads to which, and blanks to be cast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from goldproof.builders.logic.forms import (
    Follows,
    Form,
    LeadsTo,
    LogicSentence,
    Name,
    NameKind,
    Visit,
    named,
    renamed,
)
from goldproof.builders.logic.templates.contrast import Contrast, in_any_order

Blanks = dict[Name, Name]
"""Names that stand for others, and those others."""


@dataclass(slots=True)
class NewNames:
    """Individuals that were not named before."""

    n: dict[NameKind, int] = field(default_factory=dict)

    def one(self, kind: NameKind) -> Name:
        """A new individual of a kind."""
        self.n[kind] = self.n.get(kind, -1) + 1
        return named(kind, self.n[kind])

    def people(self, n: int) -> Iterator[Name]:
        """New people."""
        return (self.one(NameKind.PERSON) for _ in range(n))

    def places(self, n: int) -> Iterator[Name]:
        """New places."""
        return (self.one(NameKind.PLACE) for _ in range(n))


def follows(who: Name, leader: Name, kind: NameKind = NameKind.PLACE) -> LogicSentence:
    """`who` has visited every place (person) that the leader has visited."""
    return Follows(who, leader, kind)


def leads(visited: Name, also: Name) -> LogicSentence:
    """Whoever has visited one place has visited the other."""
    return LeadsTo(visited, also)


def visits(who: Name, *what: Name) -> LogicSentence:
    """Someone named has visited each of these."""
    return Visit((who,), what)


def denies(who: Name, what: Name) -> LogicSentence:
    """Someone named has not visited that."""
    return Visit((who,), (what,), True)


def either(what: Visit) -> tuple[Visit, Visit]:
    """A visit affirmed and denied."""
    return what, Visit(what.subjects, what.objects, not what.negated)


def exchange(blanks: Blanks, one: Name, other: Name) -> Blanks:
    """The same with two blanks cast the other way round."""
    return {**blanks, one: blanks[other], other: blanks[one]}


def among(member: Name, others: Sequence[Name], rng: np.random.Generator) -> tuple[Name, ...]:
    """A list with the member anywhere."""
    listed = list(others)
    listed.insert(int(rng.integers(len(listed) + 1)), member)
    return tuple(listed)


def contrast(
    sentences: list[LogicSentence], blanks: tuple[Blanks, Blanks], hypothesis: LogicSentence, rng: np.random.Generator
) -> Contrast:
    """The same sentences in the same order with blanks cast in two ways, the contradiction first."""
    ordered = in_any_order(sentences, rng)
    contradiction, other = (
        Form(tuple(renamed(sentence, lambda name: cast.get(name, name)) for sentence in ordered), hypothesis)  # noqa: B023
        for cast in blanks
    )
    return Contrast(contradiction, other)
