"""Parsing: the form that a pair of texts says, read by the grammar that words forms. The inverse of `realise.py`.

Names come from a lexicon: a grammar's own, or, for the published corpus, one learned from its task of single facts. A
name that may be a person or a place takes the kind of the list it stands in; where that settles nothing, it is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

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
    named,
)
from goldproof.builders.logic.grammar import Agreeing, Grammar
from goldproof.errors import DataError

_FIRST = 0xF0000  # private use beyond the basic plane: one character for each of up to 131,068 names
_NAME = "[\U000f0000-\U0010fffd]"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Every wording of a name, with the name itself; a name may stand in both tables."""

    people: Mapping[str, str]
    places: Mapping[str, str]

    @classmethod
    def of_grammar(cls, grammar: Grammar) -> Lexicon:
        """The names of all splits of a grammar, in all roles."""
        people: dict[str, str] = {}
        places: dict[str, str] = {}
        for vocabulary in grammar.vocabularies.values():
            for one in (*vocabulary.m, *vocabulary.f):
                people |= dict.fromkeys((one.subject, one.object, one.than, one.equal), one.subject)
            places |= {place: place for place in vocabulary.places}
        return cls(people, places)

    @classmethod
    def of_names(cls, people: Iterable[str], places: Iterable[str]) -> Lexicon:
        """A lexicon of names that have one form."""
        return cls({name: name for name in people}, {name: name for name in places})


@dataclass(frozen=True, slots=True)
class Parsed:
    """The form of a pair with its names, and the names whose kind the texts leave open."""

    form: Form
    people: tuple[str, ...]
    places: tuple[str, ...]
    unsettled: tuple[str, ...] = ()


@dataclass(slots=True)
class _Mentions:
    """The individuals met so far in a pair, by name and kind."""

    numbers: dict[tuple[NameKind, str], Name] = field(default_factory=dict)
    unsettled: list[str] = field(default_factory=list)

    def name(self, kind: NameKind, name: str) -> Name:
        key = kind, name
        if key not in self.numbers:
            self.numbers[key] = named(kind, 1 + sum(known is kind for known, _ in self.numbers))
        return self.numbers[key]

    def names(self, kind: NameKind) -> tuple[str, ...]:
        return tuple(name for known, name in self.numbers if known is kind)


@dataclass(frozen=True)
class Parser:
    """Reads pairs worded by a grammar with the names of a lexicon."""

    grammar: Grammar
    lexicon: Lexicon

    def parse(self, premise: str, hypothesis: str) -> Parsed:
        """The form of a pair, names numbered by first mention; raises where a text is not of the grammar."""
        mentions = _Mentions()
        sentences = [*self._sentences(premise, mentions), *self._sentences(hypothesis, mentions)]
        form = Form(tuple(sentences[:-1]), sentences[-1])
        return Parsed(form, mentions.names(NameKind.PERSON), mentions.names(NameKind.PLACE), tuple(mentions.unsettled))

    def _sentences(self, text: str, mentions: _Mentions) -> list[LogicSentence]:
        encoded, position = self._encode(text), 0
        sentences: list[LogicSentence] = []
        while position < len(encoded):
            matches = ((kind, pattern.match(encoded, position)) for kind, pattern in self._rules)
            found = next(((kind, match) for kind, match in matches if match), None)
            if found is None:
                raise DataError(f"not a sentence of the grammar {self.grammar.language!r}: {text!r}")
            sentences.append(self._read(*found, mentions))
            position = found[1].end()
        return sentences

    def _encode(self, text: str) -> str:
        """The text with one character for each name, and one way of joining sentences."""
        for variant, usual in self.grammar.variants:
            text = text.replace(variant, usual)
        text = re.sub(r"\s+", " ", text).replace(" ,", ",").strip().removesuffix(self.grammar.end)
        return self._names.sub(lambda match: self._letters[match[0]], text)

    @cached_property
    def _letters(self) -> dict[str, str]:
        wordings = sorted({*self.lexicon.people, *self.lexicon.places})
        return {wording.strip(): chr(_FIRST + number) for number, wording in enumerate(wordings)}

    @cached_property
    def _wordings(self) -> dict[str, str]:
        return {letter: wording for wording, letter in self._letters.items()}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Any name, the longest that fits; grouped by first letters, since an alternative of thousands is slow."""
        by_start: dict[str, list[str]] = {}
        for name in sorted(self._letters, key=len, reverse=True):
            by_start.setdefault(name[:2], []).append(re.escape(name[2:]))
        groups = "|".join(f"{re.escape(start)}(?:{'|'.join(rests)})" for start, rests in by_start.items())
        return re.compile(rf"(?<!\w)(?:{groups})(?!\w)")

    @cached_property
    def _objects(self) -> re.Pattern[str]:
        """One object: a name, a quantified noun or a counted one."""
        phrases = [*self._every, *self._amounts]
        return re.compile("|".join([_NAME, *map(re.escape, sorted(phrases, key=len, reverse=True))]))

    @cached_property
    def _every(self) -> dict[str, Quantifier]:
        described = {wording: Quantifier(key) for key, wording in self.grammar.described.items() if key != "pattern"}
        return described | {wording: Quantifier(key) for key, wording in self.grammar.every.items()}

    @cached_property
    def _amounts(self) -> dict[str, Amount]:
        return {
            wording: Amount(n, kind)
            for kind, wordings in self.grammar.amounts.items()
            for n, wording in enumerate(wordings, start=1)
        }

    @cached_property
    def _rules(self) -> list[tuple[str, re.Pattern[str]]]:
        """What kind of sentence each pattern is; patterns end where a sentence ends."""
        grammar, listed = self.grammar, _listed(_NAME, self.grammar.conjunction)
        joiner = f"(?:{re.escape(grammar.alternative)}|{re.escape(grammar.conjunction)})"
        objects = _listed(f"(?:{self._objects.pattern})", joiner)
        rules = [
            ("described", _filled(grammar.described["pattern"], subject=_NAME, predicate=relative))
            for relative in self._predicates("relative", f"(?P<objects>{self._objects.pattern})")
        ]
        if grammar.links:
            places = {field: f"(?P<{field}>{_NAME})" for field in ("visited", "also")}
            rules.append(("leads to", _filled(grammar.leads_to, **places)))
            rules += self._following()
        for kind, agreeing in (("taller", grammar.taller), ("as tall", grammar.as_tall)):
            rules += [(kind, _filled(text, subject=_NAME, others=f"(?P<others>{listed})")) for text in _texts(agreeing)]
        texts = {key: re.escape(subject.text) for key, subject in grammar.subjects.items()}
        named = f"{listed}|{texts['everyone']}|{texts['someone']}"
        for form, subject in (("affirmed", named), ("denied", named), ("nobody", texts["nobody"])):
            predicates = self._predicates(form, f"(?P<objects>{objects})")
            rules += [(form, f"(?P<subject>{subject}) {predicate}") for predicate in predicates]
        ends = "|".join(
            sorted({re.escape(join.replace(" ,", ",")) for join in (grammar.join, grammar.comparison_join)})
        )
        return [(kind, re.compile(f"{pattern}(?:{ends}|$)")) for kind, pattern in rules]

    def _following(self) -> list[tuple[str, str]]:
        """Who has visited every place, or person, that another has visited."""
        grammar, rules = self.grammar, []
        texts = [re.escape(grammar.subjects[key].text) for key in ("everyone", "someone")]
        for kind in NameKind:
            for affirmed in _texts(grammar.visits[kind]["affirmed"]):
                for followed in _texts(grammar.followed[kind]):
                    what = _filled(followed, leader=f"(?P<leader>{_NAME})")
                    predicate = re.escape(affirmed).replace(re.escape("{objects}"), what)
                    rules.append((f"follows {kind.value}", f"(?P<subject>{'|'.join([_NAME, *texts])}) {predicate}"))
        return rules

    def _predicates(self, form: str, objects: str) -> list[str]:
        """The verbs of a form with their objects, and the two verbs of a language that has one for each kind."""
        texts = list(dict.fromkeys(text for kind in NameKind for text in _texts(self.grammar.visits[kind][form])))
        predicates = [_filled(text, objects=objects) for text in texts]
        if form != "affirmed":
            return predicates
        firsts = [_texts(self.grammar.visits[kind][form])[0] for kind in NameKind]
        if firsts[0] != firsts[1]:
            second = objects.replace("(?P<objects>", "(?P<more>")
            for one, other in (firsts, firsts[::-1]):
                both = _filled(one, objects=objects), _filled(other, objects=second)
                predicates.insert(0, f" {re.escape(self.grammar.conjunction)} ".join(both))
        return predicates

    def _read(self, kind: str, match: re.Match[str], mentions: _Mentions) -> LogicSentence:
        if kind == "leads to":
            places = [self._place(match[field]) for field in ("visited", "also")]
            return LeadsTo(*(mentions.name(NameKind.PLACE, name) for name in places))
        subjects = self._subjects(match["subject"], mentions)
        first = subjects[0]
        if kind.startswith("follows"):
            leader = mentions.name(NameKind.PERSON, self._person(match["leader"]))
            return Follows(first, leader, NameKind(kind.removeprefix("follows ")))
        if kind in ("taller", "as tall") and isinstance(first, Name):
            others = tuple(
                mentions.name(NameKind.PERSON, self._person(letter)) for letter in _letters_in(match["others"])
            )
            return Taller(first, others) if kind == "taller" else AsTall(first, others[0])
        groups = match.groupdict()
        objects = self._read_objects(groups["objects"] + (groups.get("more") or ""), mentions)
        if kind == "described" and isinstance(first, Name) and not isinstance(objects[0], Amount):
            return Described(first, objects[0])
        amounts = tuple(item for item in objects if isinstance(item, Amount))
        if amounts and isinstance(first, Name):
            return Only(first, amounts)
        return Visit(subjects, tuple(item for item in objects if not isinstance(item, Amount)), kind == "denied")

    def _subjects(self, text: str, mentions: _Mentions) -> tuple[Term, ...]:
        for key, subject in self.grammar.subjects.items():
            if text == subject.text:
                return (Quantifier(key),)
        return tuple(mentions.name(NameKind.PERSON, self._person(letter)) for letter in _letters_in(text))

    def _read_objects(self, text: str, mentions: _Mentions) -> list[Term | Amount]:
        found = self._objects.findall(text)
        kind = self._kind_of(found, mentions)
        objects: list[Term | Amount] = []
        for item in found:
            if item in self._wordings:
                name = self._person(item) if kind is NameKind.PERSON else self._place(item)
                objects.append(mentions.name(kind, name))
            else:
                objects.append(self._every.get(item) or self._amounts[item])
        return objects

    def _kind_of(self, found: list[str], mentions: _Mentions) -> NameKind:
        """The kind of a list of names: that of its members which have one kind only."""
        wordings = [self._wordings[item] for item in found if item in self._wordings]
        people = sum(wording not in self.lexicon.places for wording in wordings)
        places = sum(wording not in self.lexicon.people for wording in wordings)
        if wordings and people == places:
            mentions.unsettled += wordings
        return NameKind.PERSON if people > places else NameKind.PLACE

    def _person(self, letter: str) -> str:
        return self.lexicon.people.get(self._wordings[letter], self._wordings[letter])

    def _place(self, letter: str) -> str:
        return self.lexicon.places.get(self._wordings[letter], self._wordings[letter])


def _letters_in(text: str) -> list[str]:
    return re.findall(_NAME, text)


def _texts(agreeing: Agreeing) -> list[str]:
    return list(dict.fromkeys((agreeing.m, agreeing.f, agreeing.plural)))


def _listed(item: str, word: str) -> str:
    return f"(?:{item}(?:, {item})* {word} {item}|{item})"


def _filled(pattern: str, **fields: str) -> str:
    """A grammar's pattern as a regular expression; the subject becomes a group of that name."""
    text = re.escape(pattern)
    for field_name, expression in fields.items():
        group = f"(?P<subject>{expression})" if field_name == "subject" else expression
        text = text.replace(re.escape(f"{{{field_name}}}"), group)
    return text


def learn_lexicon(pairs: Iterable[tuple[str, str]], grammar: Grammar) -> Lexicon:
    """The names of a corpus from pairs of any task: who visits or is compared is a person, what is visited a place.

    Where only a person can be meant (counted people, whom a described person visited), it is one. What is only denied
    of someone is a place unless it visits somewhere. Names that stand alone are learned first, so that lists split.
    """
    learner = _Learner(grammar)
    known = [*pairs]
    for only_lists in (False, True):
        for premise, hypothesis in known:
            learner.read(premise, hypothesis, only_lists)
    return Lexicon.of_names(learner.people, learner.places | (learner.denied - learner.people))


@dataclass
class _Learner:
    """The names met so far; `denied` are those of which only is known that someone did not visit them."""

    grammar: Grammar
    people: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        visits = self.grammar.visits[NameKind.PLACE]
        self.verbs = [f" {text.replace('{objects}', '')}" for text in _texts(visits["affirmed"])]
        self.denials = [f" {text.replace('{objects}', '')}" for text in _texts(visits["denied"])]
        self.said = self.grammar.described["pattern"].partition("{subject}")[2].partition("{predicate}")[0]
        self.phrases = [subject.text for subject in self.grammar.subjects.values()]
        self.phrases += [*self.grammar.every.values(), *self.grammar.described.values()]
        self.counted = {kind: [text.split()[-1] for text in texts] for kind, texts in self.grammar.amounts.items()}

    def read(self, premise: str, hypothesis: str, only_lists: bool) -> None:
        compared = self.compared(premise) + self.compared(hypothesis)
        if compared:
            self.add(self.people, compared, only_lists)
            return
        self.visits(premise, self.places, only_lists)
        for denial in self.denials:
            who, found, what = hypothesis.partition(denial)
            if found:
                self.add(self.people, [who], only_lists)
                self.add(self.denied, [what], only_lists)
                return
        kinds = [kind for kind, words in self.counted.items() if set(words) & set(premise.split())]
        self.visits(hypothesis, self.people if kinds == [NameKind.PERSON] else self.places, only_lists, kinds)

    def compared(self, text: str) -> list[str]:
        """The names of comparisons, lists whole."""
        texts = [*_texts(self.grammar.taller), *_texts(self.grammar.as_tall)]
        verbs = [text.replace("{subject}", "").replace("{others}", "") for text in texts]
        if not any(verb in text for verb in verbs):
            return []
        return [part for fact in text.split(self.grammar.comparison_join) for part in re.split("|".join(verbs), fact)]

    def visits(self, text: str, kind: set[str], only_lists: bool, kinds: list[NameKind] | None = None) -> None:
        """The names of facts; where one is described, whom the other sentence says was visited is a person."""
        described = self.said in text
        if described:
            kind = self.people
            text = self.grammar.join.join(part.partition(self.said)[0] for part in text.split(self.grammar.join))
        parts = re.split("|".join(sorted(map(re.escape, self.verbs), key=len, reverse=True)), text)
        if len(parts) == 1 and described:
            self.add(self.people, text.split(self.grammar.join), only_lists)
            return
        names = [parts[0]]
        for inner in parts[1:-1] if len(parts) > 2 or described else []:
            names += inner.rpartition(self.grammar.join)[::2]
        subjects, objects = [*names[::2]], [*names[1::2], *parts[1:][-1:]]
        if described:
            subjects += objects
            subjects = [name for each in subjects for name in each.split(self.grammar.join)]
            objects = []
        if kinds is not None and len(kinds) == 2:
            items = self.split(objects[0]) if objects else []
            kind = (
                self.people
                if sum(i in self.people for i in items) > sum(i in self.places for i in items)
                else self.places
            )
        if len(parts) > 2 and not described:  # single facts: each name is whole
            self.people.update(name.strip() for name in subjects)
            kind.update(name.strip() for name in objects)
            return
        self.add(self.people, subjects, only_lists)
        self.add(kind, objects, only_lists)

    def add(self, kind: set[str], names: Iterable[str], only_lists: bool) -> None:
        for name in names:
            name = name.strip()
            if not name or name in self.phrases or any(phrase in name for phrase in self.grammar.every.values()):
                continue
            if any(name.startswith(text.partition(" ")[0] + " ") for text in self.grammar.amounts[NameKind.PLACE]):
                continue
            parts = self.split(name)
            if len(parts) > 1 and not only_lists:
                continue
            kind.update(parts)

    def split(self, text: str) -> list[str]:
        """The names of a list; a name that is known stays whole though it holds the word that joins lists."""
        *first, last = text.strip().split(", ")
        known = self.people | self.places | self.denied
        if last in known:
            return [*first, last]
        before, _, after = last.rpartition(f" {self.grammar.conjunction} ")
        return [*first, *([before, after] if before else [last])]
