"""What follows: a decision procedure for the forms, proved once for each form up to renaming.

Visits. Every sentence asks for visits, leaves a gap ("not all of these visits"; a single visit denied is the smallest
gap) or bounds how many there are. The least model has the asked visits only, over the named individuals, a witness for
each "someone", and one generic person and place that stand for all unnamed ones. It is a model of everything, if
anything is: the sentences are satisfiable together exactly if no gap is filled and no bound is passed (there are always
unnamed individuals left to reach a lower bound). Who follows another, and places that lead to another, are rules under
which the asked visits are closed first. Heights are a graph with > and ≥ edges:
satisfiable exactly if no > lies on a cycle. "Or" is tried case by case.

`solver.py` decides the same by z3; a test compares them on every template and size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product

from goldproof.builders.logic.forms import (
    DEFAULT_READINGS,
    AsTall,
    Described,
    Follows,
    Form,
    LeadsTo,
    LogicSentence,
    Name,
    NameKind,
    Only,
    Quantifier,
    Readings,
    Relation,
    Taller,
    Term,
    Visit,
    canonical,
    names_of,
)
from goldproof.errors import UsageError

GENERIC = {kind: Name(kind, 0) for kind in NameKind}
_FIRST_WITNESS = 1_000_000
NamePair = tuple[Name, Name]


@dataclass(slots=True)
class _Case:
    """One way in which the sentences may be true together."""

    asked: set[NamePair] = field(default_factory=set)
    gaps: list[set[NamePair]] = field(default_factory=list)
    at_least: list[tuple[Name, NameKind, int]] = field(default_factory=list)
    at_most: list[tuple[Name, NameKind, int]] = field(default_factory=list)
    higher: list[tuple[Name, Name, bool]] = field(default_factory=list)  # (a, b, strictly)
    followers: list[tuple[Name, Name, NameKind]] = field(default_factory=list)  # (who, leader, what is visited)
    leads: list[tuple[Name, Name]] = field(default_factory=list)

    def add(self, other: _Case) -> None:
        self.asked |= other.asked
        self.gaps += other.gaps
        self.at_least += other.at_least
        self.at_most += other.at_most
        self.higher += other.higher
        self.followers += other.followers
        self.leads += other.leads

    def close(self, includes_self: bool) -> None:
        """Ask for every visit that follows from those asked for by who follows whom and by places that lead on."""
        todo = list(self.asked)
        while todo:
            subject, item = todo.pop()
            found = [(subject, also) for visited, also in self.leads if visited == item]
            found += [
                (who, item)
                for who, leader, kind in self.followers
                if leader == subject and item.kind is kind and (includes_self or who != item or not who.index)
            ]
            new = set(found) - self.asked
            self.asked |= new
            todo += new


def prove(form: Form, readings: Readings = DEFAULT_READINGS) -> Relation:
    """The relation of premise and hypothesis: P ∧ H unsatisfiable, P ∧ ¬H unsatisfiable, or neither.

    >>> from goldproof.builders.logic.notation import read_form
    >>> prove(read_form("V(everyone,{p1,p2}); V(someone,p3) |- ~V(x1,p2)")).value
    'contradicted'
    >>> prove(read_form("V(everyone,{p1,p2}); V(someone,p3) |- ~V(x1,p3)")).value
    'neither'
    """
    return prove_canonical(canonical(form).form, readings)


@lru_cache(maxsize=200_000)
def prove_canonical(form: Form, readings: Readings) -> Relation:
    """`prove` for a form whose names are numbered in order of first mention; remembered."""
    world = _World(form, readings)
    premise = [world.cases(sentence, truth=True) for sentence in form.premise]
    satisfiable = partial(_is_satisfiable, includes_self=readings.everyone_includes_self)
    if not satisfiable(premise):
        raise UsageError("the premise of a form must be able to be true; this one contradicts itself")
    if not satisfiable([*premise, world.cases(form.hypothesis, truth=True)]):
        return Relation.CONTRADICTED
    if not satisfiable([*premise, world.cases(form.hypothesis, truth=False)]):
        return Relation.ENTAILED
    return Relation.NEITHER


def _is_satisfiable(sentences: Iterable[list[_Case]], *, includes_self: bool) -> bool:
    return any(_is_possible(choice, includes_self) for choice in product(*sentences))


def _is_possible(choice: tuple[_Case, ...], includes_self: bool) -> bool:
    case = _Case()
    for part in choice:
        case.add(part)
    if case.followers or case.leads:
        case.close(includes_self)
    if any(gap <= case.asked for gap in case.gaps):
        return False
    return _counts_fit(case) and _heights_fit(case)


def _counts_fit(case: _Case) -> bool:
    for who, kind, most in case.at_most:
        reached = {item for subject, item in case.asked if subject == who and item.kind is kind}
        if GENERIC[kind] in reached:
            raise UsageError(f"no procedure for a person who has visited every {kind.value} and only {most} of them")
        leaders = {leader for one, leader, of in case.followers if one == who and of is kind}
        if any(one in leaders and of is kind for one, of, _ in case.at_least):
            raise UsageError("no procedure for a person with a number of visits who follows another with one")
        least = max((n for one, of, n in case.at_least if one == who and of is kind), default=0)
        if len(reached) > most or least > most:
            return False
    return True


def _heights_fit(case: _Case) -> bool:
    """Whether no strict edge lies on a cycle."""
    below: dict[Name, list[Name]] = {}
    for high, low, _ in case.higher:
        below.setdefault(high, []).append(low)
    return not any(strict and high in _reachable(low, below) for high, low, strict in case.higher)


def _reachable(start: Name, below: dict[Name, list[Name]]) -> set[Name]:
    seen, stack = {start}, [start]
    while stack:
        for low in below.get(stack.pop(), ()):
            if low not in seen:
                seen.add(low)
                stack.append(low)
    return seen


class _World:
    """The individuals that a form speaks of, and what its sentences ask of them."""

    def __init__(self, form: Form, readings: Readings) -> None:
        self.readings = readings
        named = set(names_of(form))
        n_someone = sum(_mentions_someone(sentence) for sentence in form.sentences)
        witnesses = {Name(NameKind.PERSON, _FIRST_WITNESS + number) for number in range(n_someone + 1)}
        self.unused = sorted(witnesses)
        self.all = {
            NameKind.PERSON: {name for name in named if name.kind is NameKind.PERSON}
            | witnesses
            | {GENERIC[NameKind.PERSON]},
            NameKind.PLACE: {name for name in named if name.kind is NameKind.PLACE} | {GENERIC[NameKind.PLACE]},
        }

    def cases(self, sentence: LogicSentence, *, truth: bool) -> list[_Case]:
        """The ways in which a sentence can be true (or false)."""
        match sentence:
            case Visit():
                return self.visit_cases(sentence, truth != sentence.negated)
            case Follows() | LeadsTo():
                return self.rule_cases(sentence, truth)
            case Described(who, visited):
                return self.described_cases(who, visited, truth)
            case Taller(who, others):
                if truth:
                    return [_Case(higher=[(who, other, True) for other in others])]
                return [_Case(higher=[(other, who, False)]) for other in others]
            case AsTall(who, other):
                return self.as_tall_cases(who, other, truth)
            case Only():
                return self.only_cases(sentence, truth)

    def visit_cases(self, visit: Visit, truth: bool) -> list[_Case]:
        subjects, objects = visit.subjects, visit.objects
        if len(subjects) == 1 and subjects[0] in (Quantifier.SOMEONE, Quantifier.NOBODY):
            # "Nobody has visited A or B" denies each visit; "someone has visited A and B" asks for both of one person.
            groups = [objects] if subjects[0] is Quantifier.SOMEONE else [(item,) for item in objects]
            if (subjects[0] is Quantifier.SOMEONE) is truth:
                return [_Case(asked=self.cells(one, group)) for one in self.witness_choices() for group in groups]
            people = self.all[NameKind.PERSON]
            return [_Case(gaps=[self.cells(one, group) for one in people for group in groups])]
        cells: set[NamePair] = set()
        for subject in subjects:
            if subject is Quantifier.EVERYONE:
                cells |= self.everyones_cells(objects)
            else:
                cells |= self.cells(_only_name(subject), objects)
        return [_Case(asked=cells)] if truth else [_Case(gaps=[cells])]

    def witness_choices(self) -> Iterator[Name]:
        yield self.unused.pop()
        yield from sorted(name for name in self.all[NameKind.PERSON] if 0 < name.index < _FIRST_WITNESS)

    def cells(self, who: Name, objects: Iterable[Term]) -> set[NamePair]:
        """The visits of one person to all these objects."""
        cells: set[NamePair] = set()
        for item in objects:
            if isinstance(item, Name):
                cells.add((who, item))
                continue
            everything = self.all[item.kind]
            if item.kind is NameKind.PERSON and not self.readings.everyone_includes_self and who.index:
                everything = everything - {who}
            cells |= {(who, each) for each in everything}
        return cells

    def everyones_cells(self, objects: Iterable[Term]) -> set[NamePair]:
        cells = {cell for one in self.all[NameKind.PERSON] for cell in self.cells(one, objects)}
        if self.readings.everyone_includes_self:
            return cells
        return {(who, item) for who, item in cells if who != item or not who.index}

    def rule_cases(self, rule: Follows | LeadsTo, truth: bool) -> list[_Case]:
        """A rule for visits; that someone follows another is always true, since everyone follows oneself."""
        if not truth:
            raise UsageError("no procedure for a hypothesis that says who follows whom, or which place leads to which")
        if isinstance(rule, LeadsTo):
            return [_Case(leads=[(rule.visited, rule.also)])]
        if rule.who is Quantifier.SOMEONE:
            return [_Case()]
        everyone = sorted(self.all[NameKind.PERSON]) if rule.who is Quantifier.EVERYONE else [_only_name(rule.who)]
        return [_Case(followers=[(one, rule.leader, rule.kind) for one in everyone if one != rule.leader])]

    def described_cases(self, who: Name, visited: Term, truth: bool) -> list[_Case]:
        own = self.cells(who, [visited])
        others = [one for one in sorted(self.all[NameKind.PERSON]) if one != who]
        if truth:
            return [_Case(asked=own, gaps=[self.cells(one, [visited]) for one in others])]
        return [_Case(gaps=[own]), *(_Case(asked=self.cells(one, [visited])) for one in others if one.index)]

    def as_tall_cases(self, who: Name, other: Name, truth: bool) -> list[_Case]:
        equal = self.readings.as_tall_as == "equal"
        if truth:
            return [_Case(higher=[(who, other, False), (other, who, False)] if equal else [(who, other, False)])]
        cases = [_Case(higher=[(other, who, True)])]
        return [*cases, _Case(higher=[(who, other, True)])] if equal else cases

    def only_cases(self, sentence: Only, truth: bool) -> list[_Case]:
        who, exactly = sentence.who, self.readings.only == "exactly"
        if truth:
            most = [(who, amount.kind, amount.n) for amount in sentence.amounts]
            return [_Case(at_most=most, at_least=list(most) if exactly else [])]
        cases = [_Case(at_least=[(who, amount.kind, amount.n + 1)]) for amount in sentence.amounts]
        if exactly:
            cases += [_Case(at_most=[(who, amount.kind, amount.n - 1)]) for amount in sentence.amounts]
        return cases


def _mentions_someone(sentence: LogicSentence) -> bool:
    return isinstance(sentence, Visit) and not {Quantifier.SOMEONE, Quantifier.NOBODY}.isdisjoint(sentence.subjects)


def _only_name(term: Term) -> Name:
    if not isinstance(term, Name):
        raise UsageError(f"{term.value!r} cannot be one of several subjects, nor a subject beside a name")
    return term
