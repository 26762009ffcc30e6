"""Grammars: how a language words the forms, read from one TOML file per language and checked when read.

A grammar file says how visits, descriptions and comparisons are worded, with agreement where the language has it (`m`,
`f`, `plural`), how lists are joined, the counted nouns, and the names of people and places for each split. Nothing in a
file is executed; patterns hold only the fields named below.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from goldproof.builders.logic.forms import NameKind
from goldproof.builders.logic.names import NameRule, Wanted, choose_names, compound_names, fold, unlike, words_of
from goldproof.data.formats.files import looking
from goldproof.data.formats.strict_toml import load_toml
from goldproof.errors import DataError, UsageError

FOLDER = Path(__file__).parent / "grammars"
LANGUAGES = ("en", "pt", "ru", "fr", "de", "sv", "es")
SPLITS = ("train", "test")
GENDERS = ("m", "f")
N_AMOUNTS = 30
FEW = "-few"
_AGREEMENTS = (*GENDERS, "plural")
_VISITS = ("affirmed", "denied", "nobody", "relative")
_WORDS = ("name", "join", "end", "conjunction", "alternative")
_QUANTIFIERS = ("everyone", "someone", "nobody")
_EVERY = ("every place", "every person", "all people")
_ROLES = ("subject", "object", "than", "as")


@dataclass(frozen=True, slots=True)
class Agreeing:
    """A pattern for each agreement of its subject; all the same where the language does not care."""

    m: str
    f: str
    plural: str

    def of(self, agreement: str) -> str:
        """The pattern for `m`, `f` or `plural`."""
        return self.m if agreement == "m" else self.f if agreement == "f" else self.plural


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject that names no one, and how its verb agrees."""

    text: str
    agreement: str


@dataclass(frozen=True, slots=True)
class Person:
    """A name of a person: its forms, and its wording as subject, object of a visit, after "than" and "as tall as"."""

    forms: tuple[str, ...]
    subject: str
    object: str
    than: str
    equal: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of one split; places as objects of a visit, with the article that the language wants."""

    m: tuple[Person, ...]
    f: tuple[Person, ...]
    places: tuple[str, ...]

    def people(self, gender: str) -> tuple[Person, ...]:
        """The people of one gender."""
        return self.m if gender == "m" else self.f


@dataclass(frozen=True, slots=True)
class Grammar:
    """All that is needed to word a form in one language."""

    language: str
    name: str
    join: str
    end: str
    comparison_join: str
    conjunction: str
    alternative: str
    articles: tuple[str, ...]
    alternations: tuple[tuple[re.Pattern[str], str], ...]
    variants: tuple[tuple[str, str], ...]
    subjects: Mapping[str, Subject]
    every: Mapping[str, str]
    described: Mapping[str, str]
    visits: Mapping[NameKind, Mapping[str, Agreeing]]
    followed: Mapping[NameKind, Agreeing]
    leads_to: str
    taller: Agreeing
    as_tall: Agreeing
    amounts: Mapping[NameKind, tuple[str, ...]]
    roles: tuple[str, ...]
    vocabularies: Mapping[str, Vocabulary]
    compound_places: bool = False

    def person(self, *forms: str) -> Person:
        """A name of a person, given by its forms."""
        return make_person(self.roles, forms)

    @property
    def links(self) -> bool:
        """Whether it words who follows whom and which place leads to which."""
        return bool(self.followed and self.leads_to)

    def bare(self, place: str) -> str:
        """A place without its article."""
        return _without_article(place, self.articles)

    def names(self, split: str) -> set[str]:
        """Every form of every name of a split."""
        vocabulary = self.vocabularies[split]
        people = {form for one in (*vocabulary.m, *vocabulary.f) for form in one.forms}
        return people | {self.bare(place) for place in vocabulary.places}


@lru_cache(maxsize=32)
@looking()
def load_grammar(language: str, preset: str | None = None) -> Grammar:
    """The grammar of a language that ships, or of a TOML file of one's own; `preset` lays its table over the rest."""
    if language.endswith(".toml"):
        path = Path(language)
        if not path.is_file():
            raise DataError("no such grammar file", path=path)
    elif language in LANGUAGES:
        path = FOLDER / f"{language}.toml"
    else:
        raise UsageError(
            f"there is no grammar for the language {language!r}; allowed: {', '.join(LANGUAGES)}, or a file *.toml"
        )
    try:
        content = load_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"not a readable TOML file: {error}", path=path) from None
    tables = _Tables(path, _overlaid(content, _preset(content, preset)) if preset else content)
    grammar = _make_grammar(path.stem, tables)
    check_vocabulary(grammar, path)
    return grammar


def _preset(content: Mapping[str, Any], preset: str) -> dict[str, Any]:
    """The table of a preset; `NAME-few` is that of NAME without the names that it makes."""
    found = dict(content.get(preset.removesuffix(FEW), {}))
    if preset.endswith(FEW):
        found.pop("names", None)
    return found


@dataclass(frozen=True, slots=True)
class _Tables:
    """The content of a grammar file; what is missing or of the wrong type is reported with its key."""

    path: Path
    content: Mapping[str, Any]

    def get(self, key: str) -> Any:
        value: Any = self.content
        for part in key.split("."):
            if not isinstance(value, Mapping) or part not in value:
                raise DataError(f"the grammar has no {key!r}, which every grammar must give", path=self.path)
            value = value[part]
        return value

    def text(self, key: str, *fields: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise DataError(f"{key!r} must be a text; got {value!r}", path=self.path)
        found = set(re.findall(r"\{(\w*)\}", value))
        if fields and found != set(fields):
            wanted = ", ".join(f"{{{field}}}" for field in fields)
            raise DataError(f"{key!r} must hold the fields {wanted} and no others; got {value!r}", path=self.path)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise DataError(f"{key!r} must be a list of texts; got {value!r}", path=self.path)
        return tuple(value)

    def number(self, key: str) -> float:
        value = self.get(key)
        if not isinstance(value, int | float) or value <= 0:
            raise DataError(f"{key!r} must be a number above 0; got {value!r}", path=self.path)
        return value

    def pair(self, key: str, value: Any) -> tuple[str, str]:
        if not (isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) for text in value)):
            raise DataError(f"{key!r} must hold pairs of texts; got {value!r}", path=self.path)
        return value[0], value[1]

    def agreeing(self, key: str, *fields: str) -> Agreeing:
        if isinstance(self.get(key), str):
            text = self.text(key, *fields)
            return Agreeing(text, text, text)
        return Agreeing(*(self.text(f"{key}.{agreement}", *fields) for agreement in _AGREEMENTS))


def _overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _overlaid(old, value) if isinstance(value, Mapping) and isinstance(old, Mapping) else value
    return merged


def _make_grammar(language: str, tables: _Tables) -> Grammar:
    words = {word: tables.text(word) for word in _WORDS}
    subjects = {
        key: Subject(tables.text(f"subjects.{key}.text"), tables.text(f"subjects.{key}.agreement"))
        for key in _QUANTIFIERS
    }
    visits = {
        kind: {form: tables.agreeing(f"visit.{kind.value}.{form}", "objects") for form in _VISITS} for kind in NameKind
    }
    amounts = {kind: _amounts(tables, f"amounts.{kind.value}") for kind in NameKind}
    return Grammar(
        language=language,
        comparison_join=tables.text("comparison_join") if "comparison_join" in tables.content else words["join"],
        articles=tables.texts("articles"),
        alternations=tuple(_alternation(tables, pair) for pair in tables.get("alternations")),
        variants=tuple(tables.pair("variants", pair) for pair in tables.content.get("variants", ())),
        subjects=subjects,
        every={key: tables.text(f"every.{key}") for key in _EVERY},
        described={
            "pattern": tables.text("described.pattern", "subject", "predicate"),
            **{key: tables.text(f"described.{key}") for key in ("every place", "all people")},
        },
        visits=visits,
        followed=_followed(tables),
        leads_to=tables.text("leads_to", "visited", "also") if "leads_to" in tables.content else "",
        taller=tables.agreeing("taller", "subject", "others"),
        as_tall=tables.agreeing("as_tall", "subject", "others"),
        amounts=amounts,
        roles=_roles(tables),
        vocabularies=_vocabularies(tables),
        compound_places="names" in tables.content,
        **words,
    )


def _followed(tables: _Tables) -> dict[NameKind, Agreeing]:
    """What a follower has visited, in agreement with the leader; empty in a grammar that says nothing about it."""
    if "followed" not in tables.content:
        return {}
    return {kind: tables.agreeing(f"followed.{kind.value}", "leader") for kind in NameKind}


def _amounts(tables: _Tables, key: str) -> tuple[str, ...]:
    amounts = tables.texts(key)
    if len(amounts) != N_AMOUNTS:
        raise DataError(f"{key!r} must word the numbers 1 to {N_AMOUNTS}; got {len(amounts)} texts", path=tables.path)
    return amounts


def _alternation(tables: _Tables, pair: Any) -> tuple[re.Pattern[str], str]:
    try:
        pattern, replacement = tables.pair("alternations", pair)
        return re.compile(pattern), replacement
    except re.error:
        raise DataError(
            f"'alternations' must hold regular expressions and their replacements; got {pair!r}", path=tables.path
        ) from None


def _vocabularies(tables: _Tables) -> dict[str, Vocabulary]:
    vocabularies = {split: _vocabulary(tables, split) for split in SPLITS}
    if tables.content.get("bare_places", False):
        articles = tables.texts("articles")
        vocabularies = {
            split: replace(one, places=tuple(_without_article(place, articles) for place in one.places))
            for split, one in vocabularies.items()
        }
    return _longer(vocabularies, tables) if "names" in tables.content else vocabularies


def _longer(vocabularies: Mapping[str, Vocabulary], tables: _Tables) -> dict[str, Vocabulary]:
    """The same with more names, made by rule, as many and as long as `names` asks for; half of the people each gender.

    Places of one split may share words, as "South Africa" and "South Korea" do.
    """
    own = {split: _own_names(one) for split, one in vocabularies.items()}
    taken = set().union(*(words_of(name) for kinds in own.values() for names in kinds.values() for name in names))
    found: dict[str, dict[str, tuple[str, ...]]] = {split: {} for split in SPLITS}
    for kind in ("men", "women", "places"):
        for split in SPLITS:
            own_kind = own[split][kind]
            apart = taken if kind != "places" else taken.difference(*map(words_of, own_kind))
            pool = dict.fromkeys([*own_kind, *unlike(_pool(tables, kind, split), apart)])
            found[split][kind] = choose_names(pool, _wanted(tables, kind, split), f"names.{split}.{kind}")
            taken.update(*map(words_of, found[split][kind]))
    if "compounds" in tables.get("names.test"):
        found["test"]["places"] += _compounds(tables, found["test"]["places"], taken)
    roles, longer = _roles(tables), {}
    for split, kinds in found.items():
        men, women = (tuple(make_person(roles, [name]) for name in kinds[kind]) for kind in ("men", "women"))
        longer[split] = Vocabulary(men, women, kinds["places"])
    return longer


def _compounds(tables: _Tables, places: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """Places of two words and more to test on: a made one with words before it or after it, or both."""
    towns = {part: tables.texts(f"names.towns.{part}") for part in ("starts", "ends", "before", "after")}
    cores = NameRule(towns["starts"], ("",), towns["ends"]).made()
    n, length, n_cores = (tables.number(f"names.test.{key}") for key in ("compounds", "compound_length", "cores"))
    made = compound_names(cores[: int(n_cores)], towns["before"], towns["after"])
    pool = unlike(made, set(taken).difference(*map(words_of, places)))
    return choose_names(pool, Wanted(int(n), length), "names.test.compounds")


def _own_names(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    men, women = (tuple(one.subject for one in people) for people in (vocabulary.m, vocabulary.f))
    return {"men": men, "women": women, "places": vocabulary.places}


def _pool(tables: _Tables, kind: str, split: str) -> Sequence[str]:
    """The names to choose from beside the grammar's own: countries to train on are given, all others are made."""
    if (kind, split) == ("places", "train"):
        return tables.texts("names.countries")
    key = "towns" if kind == "places" else kind
    return NameRule(*(tables.texts(f"names.{key}.{part}") for part in ("starts", "middles", "ends"))).made()


def _wanted(tables: _Tables, kind: str, split: str) -> Wanted:
    people, person_length, places, place_length = (
        tables.number(f"names.{split}.{key}") for key in ("people", "person_length", "places", "place_length")
    )
    return Wanted(int(places), place_length) if kind == "places" else Wanted(int(people) // 2, person_length)


def _without_article(place: str, articles: Sequence[str]) -> str:
    return next((place.removeprefix(article) for article in articles if place.startswith(article)), place)


def _roles(tables: _Tables) -> tuple[str, ...]:
    return tuple(tables.text(f"person.{role}") for role in _ROLES)


def _vocabulary(tables: _Tables, split: str) -> Vocabulary:
    roles = _roles(tables)
    men, women = (
        tuple(_person(tables, f"{split}.{key}", entry, roles) for entry in tables.get(f"{split}.{key}"))
        for key in ("men", "women")
    )
    return Vocabulary(men, women, tables.texts(f"{split}.places"))


def _person(tables: _Tables, key: str, entry: Any, roles: Sequence[str]) -> Person:
    try:
        return make_person(roles, [entry] if isinstance(entry, str) else entry)
    except (IndexError, TypeError):
        raise DataError(f"{key!r}: a name lacks a form that a role needs; got {entry!r}", path=tables.path) from None


def make_person(roles: Sequence[str], forms: Sequence[str]) -> Person:
    """A name of a person: roles say which form they take, as {0} or {1}."""
    return Person(tuple(forms), *(role.format(*forms) for role in roles))


def check_vocabulary(grammar: Grammar, path: Path) -> None:
    """Raise where a word of a name, in any form, stands in another: across splits, as person and place, inside it.

    Also where a name holds the word that joins lists, which would make lists ambiguous.
    """
    joiners = {fold(grammar.conjunction), fold(grammar.alternative)}
    seen: dict[str, tuple[str, str]] = {}
    for where, name in _all_names(grammar):
        words = words_of(name)
        if words & joiners:
            raise DataError(f"{where}: the name {name!r} holds the word that joins lists", path=path)
        for word in sorted(words & seen.keys()):
            other, elsewhere = seen[word]
            if not (grammar.compound_places and where == elsewhere and where.endswith(".places")):
                raise DataError(f"{where}: {name!r} shares the word {word!r} with {other!r} ({elsewhere})", path=path)
        seen.update(dict.fromkeys(words, (name, where)))


def _all_names(grammar: Grammar) -> Iterator[tuple[str, str]]:
    for split, vocabulary in grammar.vocabularies.items():
        for key, people in (("men", vocabulary.m), ("women", vocabulary.f)):
            for one in people:
                yield f"{split}.{key}", " ".join(one.forms)
        for place in vocabulary.places:
            yield f"{split}.places", grammar.bare(place)
