"""Sentences and premises of linked templates: who follows whom, which place leads to which, and blanks to be cast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


def follows(who: Name, leader: Name, kind: NameKind = NameKind.PLACE) -> Follows:
    """`who` has visited every place (person) that the leader has visited."""
    return Follows(who, leader, kind)


def visited(who: Name, *what: Name) -> Visit:
    """Someone named has visited each of these."""
    return Visit((who,), what)


def not_visited(who: Name, what: Name) -> Visit:
    """Someone named has not visited that."""
    return Visit((who,), (what,), True)


def either(what: Visit) -> tuple[Visit, Visit]:
    """A visit affirmed and denied."""
    return what, Visit(what.subjects, what.objects, not what.negated)


def cast(sentences: Iterable[LogicSentence], blanks: dict[Name, Name]) -> tuple[LogicSentence, ...]:
    """Sentences with blanks filled; other names stay."""
    return tuple(renamed(sentence, lambda name: blanks.get(name, name)) for sentence in sentences)


def contrast(
    sentences: list[LogicSentence],
    blanks: tuple[dict[Name, Name], dict[Name, Name]],
    hypotheses: tuple[LogicSentence, LogicSentence],
    rng: np.random.Generator,
) -> Contrast:
    """The same sentences in the same order with blanks cast in two ways, the contradiction first."""
    ordered = in_any_order(sentences, rng)
    contradiction, other = (
        Form(cast(ordered, one), hypothesis) for one, hypothesis in zip(blanks, hypotheses, strict=True)
    )
    return Contrast(contradiction, other)


def leads(visited: Name, also: Name) -> LeadsTo:
    """Whoever has visited one place has visited the other."""
    return LeadsTo(visited, also)
