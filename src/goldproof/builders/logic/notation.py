"""Forms as one line of text, and back: `V(x1,p1); V({x2,x3},p2) |- ~V(x1,p2)`.

V(x1,{p1,p2})               x1 has visited p1 and p2 (`~` for not); also everyone, someone, nobody, every place …
V(x1,every place of x2)     x1 has visited every place that x2 has visited; also every person
V(whoever,p1) -> V(whoever,p2)   whoever has visited p1 has visited p2
x1 = the(every place)       x1 is the person that has visited every place, all people, or a place, as in the(p1)
x1 > {x2,x3}, x1 >= x2      taller than; as tall as
only(x1,3 place,2 person)   x1 has visited only three places and only two people
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
from goldproof.errors import UsageError

_LETTERS = {NameKind.PERSON: "x", NameKind.PLACE: "p"}
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}
_GROUP = r"(\{[^{}]*\}|[^{},]+)"
_VISIT = re.compile(rf"(~?)V\({_GROUP},{_GROUP}\)")
_FOLLOWS = re.compile(r"V\(([a-z0-9]+),every (place|person) of (\w+)\)")
_LEADS_TO = re.compile(r"V\(whoever,(\w+)\) -> V\(whoever,(\w+)\)")
_DESCRIBED = re.compile(r"(\w+) = the\(([a-z0-9 ]+)\)")
_TALLER = re.compile(rf"(\w+) > {_GROUP}")
_AS_TALL = re.compile(r"(\w+) >= (\w+)")
_ONLY = re.compile(r"only\((\w+),([^()]*)\)")


def write_form(form: Form) -> str:
    """The form as one line.

    >>> from goldproof.builders.logic.forms import person, place
    >>> write_form(Form((Visit((person(1),), (place(1), place(2))),), Visit((person(1),), (place(2),), negated=True)))
    'V(x1,{p1,p2}) |- ~V(x1,p2)'
    """
    return "; ".join(map(write_sentence, form.premise)) + " |- " + write_sentence(form.hypothesis)


def write_sentence(sentence: LogicSentence) -> str:
    """A sentence of a form in the notation."""
    match sentence:
        case Visit(subjects, objects, negated):
            return f"{'~' if negated else ''}V({_group(subjects)},{_group(objects)})"
        case Follows(who, leader, kind):
            return f"V({_term(who)},every {kind.value} of {_term(leader)})"
        case LeadsTo(visited, also):
            return f"V(whoever,{_term(visited)}) -> V(whoever,{_term(also)})"
        case Described(who, visited):
            return f"{_term(who)} = the({_term(visited)})"
        case Taller(who, others):
            return f"{_term(who)} > {_group(others)}"
        case AsTall(who, other):
            return f"{_term(who)} >= {_term(other)}"
        case Only(who, amounts):
            counted = ",".join(f"{amount.n} {amount.kind.value}" for amount in amounts)
            return f"only({_term(who)},{counted})"


def read_form(text: str) -> Form:
    """The form that a line says.

    >>> write_form(read_form("x1 > {x2,x3}; x4 >= x1 |- x2 > x4"))
    'x1 > {x2,x3}; x4 >= x1 |- x2 > x4'
    """
    premise, arrow, hypothesis = text.partition(" |- ")
    if not arrow:
        raise UsageError(f"a form reads 'sentence; sentence |- sentence'; got {text!r}")
    return Form(tuple(map(read_sentence, premise.split("; "))), read_sentence(hypothesis))


def read_sentence(text: str) -> LogicSentence:
    """The sentence that a piece of the notation says."""
    if match := _FOLLOWS.fullmatch(text):
        return Follows(_read_term(match[1]), _read_name(match[3]), NameKind(match[2]))
    if match := _LEADS_TO.fullmatch(text):
        return LeadsTo(_read_name(match[1]), _read_name(match[2]))
    if match := _VISIT.fullmatch(text):
        return Visit(_read_group(match[2]), _read_group(match[3]), bool(match[1]))
    if match := _DESCRIBED.fullmatch(text):
        return Described(_read_name(match[1]), _read_term(match[2]))
    if match := _TALLER.fullmatch(text):
        return Taller(_read_name(match[1]), tuple(map(_read_name, match[2].strip("{}").split(","))))
    if match := _AS_TALL.fullmatch(text):
        return AsTall(_read_name(match[1]), _read_name(match[2]))
    if match := _ONLY.fullmatch(text):
        counted = [amount.split(" ") for amount in match[2].split(",")]
        return Only(_read_name(match[1]), tuple(Amount(int(n), NameKind(kind)) for n, kind in counted))
    raise UsageError(f"not a sentence of the notation: {text!r}; sentences look like V(x1,p1) or x1 > x2")


def _group(terms: Sequence[Term]) -> str:
    return _term(terms[0]) if len(terms) == 1 else "{" + ",".join(map(_term, terms)) + "}"


def _term(term: Term) -> str:
    return f"{_LETTERS[term.kind]}{term.index}" if isinstance(term, Name) else term.value


def _read_group(text: str) -> tuple[Term, ...]:
    return tuple(map(_read_term, text.strip("{}").split(",")))


def _read_term(text: str) -> Term:
    if text in {quantifier.value for quantifier in Quantifier}:
        return Quantifier(text)
    return _read_name(text)


def _read_name(text: str) -> Name:
    if not re.fullmatch(r"[xp][0-9]+", text):
        raise UsageError(f"a name is x or p and a number, as x1 or p2; got {text!r}")
    return Name(_KINDS[text[0]], int(text[1:]))
