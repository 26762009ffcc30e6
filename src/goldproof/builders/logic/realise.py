"""Realising: forms in words, by a grammar and a choice of names. It knows no language of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldproof.builders.logic.forms import (
    Amount,
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
    Taller,
    Term,
    Visit,
)
from goldproof.builders.logic.grammar import Grammar, Person


@dataclass(frozen=True, slots=True)
class Casting:
    """Who plays whom: the people and places that stand for x1, x2, … and p1, p2, …, and the people's gender."""

    people: Sequence[Person]
    places: Sequence[str]
    gender: str


@dataclass(frozen=True, slots=True)
class Texts:
    """A premise and a hypothesis in words."""

    premise: str
    hypothesis: str


def realise(form: Form, grammar: Grammar, casting: Casting) -> Texts:
    """The form in words; its names must be numbered from 1 (see `canonical`)."""
    speaker = _Speaker(grammar, casting)
    sentences = [speaker.say(sentence) for sentence in form.sentences]
    compares = isinstance(form.hypothesis, Taller | AsTall)
    join = grammar.comparison_join if compares else grammar.join
    return Texts(join.join(sentences[:-1]) + grammar.end, sentences[-1] + grammar.end)


def join_list(items: Sequence[str], word: str) -> str:
    """Items as a list: commas, and the word before the last.

    >>> join_list(["Ana", "Bo", "Cy"], "and")
    'Ana, Bo and Cy'
    """
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


@dataclass(frozen=True, slots=True)
class _Speaker:
    grammar: Grammar
    casting: Casting

    def say(self, sentence: LogicSentence) -> str:
        text = self.word(sentence)
        for pattern, replacement in self.grammar.alternations:
            text = pattern.sub(replacement, text)
        return text

    def word(self, sentence: LogicSentence) -> str:
        grammar = self.grammar
        match sentence:
            case Visit():
                return self.visit(sentence)
            case Follows():
                return self.follows(sentence)
            case LeadsTo(visited, also):
                return _fill(grammar.leads_to, visited=self.object(visited), also=self.object(also))
            case Described(who, visited):
                pattern = grammar.visits[visited.kind]["relative"].m
                what = self.object(visited) if isinstance(visited, Name) else grammar.described[visited.value]
                predicate = pattern.replace("{objects}", what)
                return _fill(grammar.described["pattern"], subject=self.person(who).subject, predicate=predicate)
            case Taller(who, others):
                listed = join_list([self.person(other).than for other in others], grammar.conjunction)
                return _fill(grammar.taller.of(self.casting.gender), subject=self.person(who).subject, others=listed)
            case AsTall(who, other):
                pattern = grammar.as_tall.of(self.casting.gender)
                return _fill(pattern, subject=self.person(who).subject, others=self.person(other).equal)
            case Only(who, amounts):
                return f"{self.person(who).subject} {self.predicate('affirmed', self.casting.gender, amounts)}"

    def follows(self, rule: Follows) -> str:
        pattern = self.grammar.followed[rule.kind].of(self.casting.gender)
        followed = pattern.replace("{leader}", self.person(rule.leader).subject)
        subject, agreement = self.subject(rule.who)
        return f"{subject} {self.grammar.visits[rule.kind]['affirmed'].of(agreement).replace('{objects}', followed)}"

    def subject(self, who: Term) -> tuple[str, str]:
        """A subject in words, and how its verb agrees."""
        if isinstance(who, Name):
            return self.person(who).subject, self.casting.gender
        words = self.grammar.subjects[who.value]
        return words.text, words.agreement

    def visit(self, visit: Visit) -> str:
        form, first = "denied" if visit.negated else "affirmed", visit.subjects[0]
        if isinstance(first, Quantifier):
            text, agreement = self.subject(first)
            return (
                f"{text} {self.predicate('nobody' if first is Quantifier.NOBODY else form, agreement, visit.objects)}"
            )
        named = [self.person(one).subject for one in visit.subjects if isinstance(one, Name)]
        agreement = self.casting.gender if len(named) == 1 else "plural"
        subjects = join_list(named, self.grammar.conjunction)
        return f"{subjects} {self.predicate(form, agreement, visit.objects)}"

    def predicate(self, form: str, agreement: str, objects: Sequence[Term | Amount]) -> str:
        """The verb with its objects; a verb for each kind of object where the language has two."""
        word = self.grammar.alternative if form == "nobody" else self.grammar.conjunction
        kinds = list(dict.fromkeys(item.kind for item in objects))
        patterns = [self.grammar.visits[kind][form].of(agreement) for kind in kinds]
        if len(set(patterns)) == 1:
            return patterns[0].replace("{objects}", join_list([self.object(item) for item in objects], word))
        parts = []
        for kind, pattern in zip(kinds, patterns, strict=True):
            listed = join_list([self.object(item) for item in objects if item.kind is kind], word)
            parts.append(pattern.replace("{objects}", listed))
        return join_list(parts, word)

    def object(self, item: Term | Amount) -> str:
        if isinstance(item, Name):
            return self.person(item).object if item.kind is NameKind.PERSON else self.casting.places[item.index - 1]
        if isinstance(item, Amount):
            return self.grammar.amounts[item.kind][item.n - 1]
        return self.grammar.every[item.value]

    def person(self, name: Name) -> Person:
        return self.casting.people[name.index - 1]


def _fill(pattern: str, **fields: str) -> str:
    for field, text in fields.items():
        pattern = pattern.replace(f"{{{field}}}", text)
    return pattern
