"""Generated passages of some three hundred words with questions that a span of them answers, in three languages.

Each passage tells of six people where they live, what they do, which animal they keep and since when they sing in a
choir, in sentences of changing form among others that tell nothing of them. Item by item the passages are translations
of each other, and the people of training are not those of other splits. What is asked is easy for a reader and cannot
be answered without the question, since every passage has six answers of each kind. The words stand in `questions.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import step

N_PEOPLE, N_FILLERS, N_QUESTIONS = 6, 11, 4
"""People and idle sentences of a passage, and questions asked of it."""

_SPLITS = ("train", "validation", "test")
_FIRST = "Anna Boris Clara David Elena Felix Greta Hugo Irina Jonas Karla Lukas Marta Niklas Olga Pavel Rosa Simon"
_LAST = "Adler Berg Costa Duran Engel Fuchs Gomez Haas Ivanov Jansen Keller Lang Moser Novak Ortega Petrov Reyes Sommer"


@dataclass(frozen=True, slots=True)
class _PassageWords:
    """What is said in a language: its words, in one order for all languages, forms of each fact, idle sentences, and
    questions. `{a}` stands for the answer.
    """

    cities: Sequence[str]
    jobs: Sequence[str]
    animals: Sequence[str]
    facts: Mapping[str, Sequence[str]]
    questions: Mapping[str, str]
    fillers: Sequence[str]


def _read_wordings() -> dict[str, _PassageWords]:
    """What is said in every language, from the file beside this one."""
    found = tomllib.loads(files("goldproof.builders").joinpath("questions.toml").read_text("utf-8"))
    words = ("cities", "jobs", "animals")
    return {
        language: _PassageWords(**{**entry, **{name: entry[name].split(", ") for name in words}})
        for language, entry in found.items()
    }


_WORDINGS = _read_wordings()
LANGUAGES = tuple(_WORDINGS)


@dataclass(frozen=True, slots=True)
class _Person:
    """One person of a passage: the name, and the number of each thing that is told in every language."""

    name: str
    told: Mapping[str, int]
    forms: Mapping[str, int]


def check_language(language: str) -> None:
    """Refuse a language in which there are no passages."""
    if language not in _WORDINGS:
        raise UsageError(f"generated questions are in {', '.join(LANGUAGES)}; got {language!r}")


@step(version=1, name="goldproof.questions.generate")
def generate_questions(language: str, split: str, n: int) -> Dataset:
    """So many questions of a split with their passages; row i is the same in every language.

    >>> data = generate_questions("en", "train", 4)
    >>> data.texts[0], data.answers[0][0].text in data.pairs[0]
    ('Who lives in Munich?', True)
    """
    check_language(language)
    rng = np.random.default_rng([23, _SPLITS.index(split)])
    rows: list[dict[str, Any]] = []
    while len(rows) < n:
        rows += _passage(rng, language, split, len(rows))
    return Dataset.from_rows(f"generated {language}", rows[:n], split=split, language=language)


def _passage(rng: np.random.Generator, language: str, split: str, first: int) -> list[dict[str, Any]]:
    """The questions of one passage."""
    words, people = _WORDINGS[language], _people(rng, split)
    said = [(person, kind) for person in people for kind in words.facts]
    fillers = rng.permutation(len(words.fillers))[:N_FILLERS]
    order = rng.permutation(len(said) + N_FILLERS)
    parts: list[str] = []
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for place in order.tolist():
        before = sum(len(part) + 1 for part in parts)
        if place >= len(said):
            parts.append(words.fillers[fillers[place - len(said)]])
            continue
        person, kind = said[place]
        form, answer = words.facts[kind][person.forms[kind]], _thing(words, person, kind)
        sentence = form.format(name=person.name, a=answer)
        found[person.name, kind] = (before + form.replace("{name}", person.name).index("{a}"), answer)
        if kind == "city":
            found[person.name, "name"] = (before + form.replace("{a}", answer).index("{name}"), person.name)
        parts.append(sentence)
    text, asked = " ".join(parts), rng.permutation(len(words.questions))[:N_QUESTIONS]
    rows = []
    for number, place in enumerate(asked.tolist()):
        kind, person = list(words.questions)[place], people[int(rng.integers(N_PEOPLE))]
        start, answer = found[person.name, kind]
        question = words.questions[kind].format(name=person.name, city=_thing(words, person, "city"))
        answers = [{"start": start, "text": answer}]
        rows.append({"id": f"{split}-{first + number}", "text": question, "pair": text, "answers": answers})
    return rows


def _people(rng: np.random.Generator, split: str) -> list[_Person]:
    """Six people of different names, cities, professions, animals and years; in training by other first names."""
    names, last = _FIRST.split(), _LAST.split()
    own = names[::2] if split == "train" else names[1::2]
    first, family = rng.permutation(own)[:N_PEOPLE], rng.permutation(last)[:N_PEOPLE]
    columns = {kind: rng.permutation(12)[:N_PEOPLE] for kind in ("city", "job", "animal")}
    columns["year"] = 1961 + rng.permutation(60)[:N_PEOPLE]
    forms = rng.integers(2, size=(N_PEOPLE, 4))
    return [
        _Person(
            f"{first[i]} {family[i]}",
            {kind: int(column[i]) for kind, column in columns.items()},
            {kind: int(forms[i, place]) for place, kind in enumerate(columns)},
        )
        for i in range(N_PEOPLE)
    ]


def _thing(words: _PassageWords, person: _Person, kind: str) -> str:
    """What is told of a person, in words."""
    number = person.told[kind]
    if kind == "year":
        return str(number)
    return {"city": words.cities, "job": words.jobs, "animal": words.animals}[kind][number]
