"""What follows, by an SMT solver: forms translated word for word into two-sorted first-order logic for z3.

It shares nothing with `prover.py` but the forms, so that each can check the other. It is slow; needs the extra `logic`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goldproof.builders.logic.forms import (
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
)
from goldproof.errors import GoldproofError
from goldproof.extras import Need, import_extra

CHECKING = Need("logic", "the z3 check of proofs")

# z3's own count of its steps, not seconds: what it decides must not depend on how busy the machine is.
STEPS = 1_000_000  # 17 times what any form of the templates takes
STEPS_FOR_A_SMALL_MODEL = 200_000_000


def solve(form: Form, readings: Readings) -> Relation:
    """The relation of a form, by z3: P ∧ H unsatisfiable, P ∧ ¬H unsatisfiable, or neither."""
    world = _Z3World(readings)
    premise = [world.say(sentence) for sentence in form.premise]
    if not world.is_satisfiable([*premise, world.say(form.hypothesis)]):
        return Relation.CONTRADICTED
    if not world.is_satisfiable([*premise, world.z3.Not(world.say(form.hypothesis))]):
        return Relation.ENTAILED
    return Relation.NEITHER


class _Z3World:
    """The symbols of one form: a sort for each kind, a relation of visits for each, a height for each person."""

    def __init__(self, readings: Readings) -> None:
        self.z3 = z3 = import_extra("z3", CHECKING)
        self.readings = readings
        self.context = z3.Context()
        self.sorts = {kind: z3.DeclareSort(kind.value, self.context) for kind in NameKind}
        people = self.sorts[NameKind.PERSON]
        truth = z3.BoolSort(self.context)
        self.visited = {
            kind: z3.Function(f"visited_{kind.value}", people, self.sorts[kind], truth) for kind in NameKind
        }
        self.height = z3.Function("height", people, z3.RealSort(self.context))
        self.names: dict[Name, Any] = {}
        self.counts: dict[tuple[Any, NameKind], Any] = {}
        self.followers: list[Follows] = []
        self.n_fresh = 0

    def is_satisfiable(self, formulas: Sequence[Any]) -> bool:
        """Whether formulas have a model; where z3 gives up in general, a model of few individuals is still one."""
        for closed in (False, True):
            solver = self.z3.Solver(ctx=self.context)
            solver.set("rlimit", STEPS_FOR_A_SMALL_MODEL if closed else STEPS)
            solver.add(*self.distinct_names(), *self.counted(), *formulas, *(self.few_individuals() if closed else []))
            answer = solver.check()
            if answer == self.z3.sat or (answer == self.z3.unsat and not closed):
                return bool(answer == self.z3.sat)
        raise GoldproofError("z3 could not decide a form: neither a proof nor a small model was found")

    def distinct_names(self) -> list[Any]:
        named = {kind: [one for name, one in self.names.items() if name.kind is kind] for kind in NameKind}
        return [self.z3.Distinct(*ones) for ones in named.values() if len(ones) > 1]

    def few_individuals(self) -> list[Any]:
        """There are only the named individuals and two more of each kind."""
        z3, formulas = self.z3, []
        for kind in NameKind:
            known = [one for name, one in self.names.items() if name.kind is kind]
            known += [self.fresh(kind), self.fresh(kind)]
            each = self.fresh(kind)
            formulas.append(z3.ForAll([each], z3.Or([each == one for one in known])))
        return formulas

    def name(self, name: Name) -> Any:
        if name not in self.names:
            self.names[name] = self.z3.Const(f"{name.kind.value}{name.index}", self.sorts[name.kind])
        return self.names[name]

    def fresh(self, kind: NameKind) -> Any:
        self.n_fresh += 1
        return self.z3.Const(f"some_{kind.value}{self.n_fresh}", self.sorts[kind])

    def say(self, sentence: LogicSentence) -> Any:
        z3 = self.z3
        match sentence:
            case Visit(subjects, objects, negated):
                said = z3.And([self.subject(subject, objects) for subject in subjects])
                return z3.Not(said) if negated else said
            case Follows():
                return self.follows(sentence)
            case LeadsTo(visited, also):
                one = self.fresh(NameKind.PERSON)
                first, second = (self.visited[NameKind.PLACE](one, self.name(place)) for place in (visited, also))
                return z3.ForAll([one], z3.Implies(first, second))
            case Described(who, visited):
                other = self.fresh(NameKind.PERSON)
                everything = self.has_visited(other, visited)
                only_who = z3.ForAll([other], z3.Implies(everything, other == self.name(who)))
                return z3.And(self.has_visited(self.name(who), visited), only_who)
            case Taller(who, others):
                return z3.And([self.height(self.name(who)) > self.height(self.name(other)) for other in others])
            case AsTall(who, other):
                heights = self.height(self.name(who)), self.height(self.name(other))
                return heights[0] == heights[1] if self.readings.as_tall_as == "equal" else heights[0] >= heights[1]
            case Only(who, amounts):
                counts = [(self.count(who, amount.kind), amount.n) for amount in amounts]
                return z3.And([count == n if self.readings.only == "exactly" else count <= n for count, n in counts])

    def follows(self, rule: Follows) -> Any:
        """Whatever of its kind the leader has visited, the follower has; it may leave out the follower itself."""
        z3, each = self.z3, self.fresh(rule.kind)
        self.followers.append(rule)

        def by(who: Any) -> Any:
            reached = self.visited[rule.kind](who, each)
            if rule.kind is NameKind.PERSON and not self.readings.everyone_includes_self:
                reached = z3.Or(each == who, reached)
            return z3.ForAll([each], z3.Implies(self.visited[rule.kind](self.name(rule.leader), each), reached))

        if isinstance(rule.who, Name):
            return by(self.name(rule.who))
        someone = self.fresh(NameKind.PERSON)
        return (z3.ForAll if rule.who is Quantifier.EVERYONE else z3.Exists)([someone], by(someone))

    def subject(self, subject: Term, objects: Sequence[Term]) -> Any:
        """One subject has visited all objects; nobody has visited any of them."""
        z3 = self.z3
        if isinstance(subject, Name):
            return z3.And([self.has_visited(self.name(subject), item) for item in objects])
        someone = self.fresh(NameKind.PERSON)
        visits = [self.reaches(someone, item, subject) for item in objects]
        if subject is Quantifier.NOBODY:
            return z3.Not(z3.Exists([someone], z3.Or(visits)))
        return (z3.ForAll if subject is Quantifier.EVERYONE else z3.Exists)([someone], z3.And(visits))

    def reaches(self, someone: Any, item: Term, subject: Quantifier) -> Any:
        """Whoever the subject ranges over has visited the item; "everyone" may leave out the item itself."""
        visited = self.has_visited(someone, item)
        leaves_out = subject is Quantifier.EVERYONE and not self.readings.everyone_includes_self
        if leaves_out and isinstance(item, Name) and item.kind is NameKind.PERSON:
            return self.z3.Or(someone == self.name(item), visited)
        return visited

    def has_visited(self, who: Any, item: Term) -> Any:
        z3 = self.z3
        visited = self.visited[item.kind]
        if isinstance(item, Name):
            return visited(who, self.name(item))
        each = self.fresh(item.kind)
        reached = visited(who, each)
        if item.kind is NameKind.PERSON and not self.readings.everyone_includes_self:
            reached = z3.Or(each == who, reached)
        return z3.ForAll([each], reached)

    def count(self, who: Name, kind: NameKind) -> Any:
        """How many of a kind a person has visited."""
        key = self.name(who), kind
        if key not in self.counts:
            self.counts[key] = self.z3.Int(f"count_{who.index}_{kind.value}", self.context)
        return self.counts[key]

    def counted(self) -> list[Any]:
        """What counts are: the visits to named individuals, which are distinct, and any number of unnamed ones."""
        z3, formulas = self.z3, []
        for (who, kind), count in self.counts.items():
            named = [z3.If(self.visited[kind](who, one), 1, 0) for name, one in self.names.items() if name.kind is kind]
            formulas.append(count >= z3.Sum(named) if named else count >= 0)
        for rule in self.followers:
            if not isinstance(rule.who, Name):
                continue
            leader, who = (self.counts.get((self.name(one), rule.kind)) for one in (rule.leader, rule.who))
            if leader is not None and who is not None:
                formulas.append(leader <= who)
        return formulas
