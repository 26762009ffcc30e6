"""Grammars: the vocabularies that ship, wording in each language, and grammar files that are not right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from goldproof.builders.logic.forms import Amount, Form, NameKind, Only, person
from goldproof.builders.logic.grammar import FOLDER, LANGUAGES, fold, load_grammar
from goldproof.builders.logic.notation import read_form
from goldproof.builders.logic.realise import Casting, realise
from goldproof.errors import DataError

ENGLISH = (FOLDER / "en.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_vocabularies_are_large_and_disjoint_in_every_respect(language: str) -> None:
    grammar = load_grammar(language)
    words: dict[str, set[str]] = {}
    for split, vocabulary in grammar.vocabularies.items():
        assert len(vocabulary.m) + len(vocabulary.f) >= 150
        assert len(vocabulary.places) >= 150
        assert min(len(vocabulary.m), len(vocabulary.f)) >= 75
        people = {form for one in (*vocabulary.m, *vocabulary.f) for form in one.forms}
        for key, names in ((f"{split} people", people), (f"{split} places", {*map(grammar.bare, vocabulary.places)})):
            words[key] = {fold(word) for name in names for word in re.findall(r"\w+", name)}
    groups = list(words.values())
    assert sum(map(len, groups)) == len(set.union(*groups))
    assert not {fold(grammar.conjunction), fold(grammar.alternative)} & set.union(*groups)


WORDINGS = [
    # (language, gender, form, premise, hypothesis): agreement, case, article, elision, negation, conjunction
    ("en", "f", "V({x1,x2},p1) |- ~V(x1,p1)", "Anna and Eva have visited Lima.", "Anna has not visited Lima."),
    ("pt", "f", "x1 > x2 |- x2 >= x1", "Anna é mais alta que Eva.", "Eva é tão alta quanto Anna."),
    (
        "pt",
        "m",
        "only(x1,1 person) |- only(x1,22 person)",
        "Ivo visitou apenas uma pessoa.",
        "Ivo visitou apenas vinte e duas pessoas.",
    ),
    ("ru", "f", "V(x1,{x2,p1}) |- ~V(x1,x2)", None, "Анна не посетила Еву."),
    ("ru", "f", "x1 > x2 |- x1 >= x2", "Анна выше Евы.", "Анна такого же роста, как Ева."),
    (
        "ru",
        "m",
        "only(x1,21 person) |- only(x1,22 place)",
        "Иван посетил только двадцать одного человека.",
        "Иван посетил только двадцать два места.",
    ),
    ("ru", "m", "V(everyone,p1) |- V(nobody,p1)", "Все посетили Лиму.", "Никто не посетил Лиму."),
    ("fr", "f", "x1 > {x2,x3} |- ~V(x1,x2)", "Anna est plus grande qu'Eva et Zoé.", "Anna n'a pas rendu visite à Eva."),
    (
        "fr",
        "m",
        "only(x1,21 place,1 person) |- V(nobody,{p1,p2})",
        "Ivan a visité seulement vingt et un lieux et a rendu visite à seulement une personne.",
        "Personne n'a visité Lima ni Quito.",
    ),
    (
        "de",
        "m",
        "x1 = the(every place) |- ~V(x1,p1)",
        "Ivo ist die Person, die jeden Ort besucht hat.",
        "Ivo hat Lima nicht besucht.",
    ),
    (
        "de",
        "m",
        "only(x1,1 place) |- V({x1,x2},p1)",
        "Ivo hat nur einen Ort besucht.",
        "Ivo und Udo haben Lima besucht.",
    ),
    (
        "sv",
        "f",
        "x1 = the(all people) |- ~V(x1,p1)",
        "Anna är den person som har besökt alla.",
        "Anna har inte besökt Lima.",
    ),
    ("es", "f", "V({x1,x2},p1) |- ~V(x1,x2)", "Anna e Irene han visitado Lima.", "Anna no ha visitado a Irene."),
    (
        "es",
        "f",
        "only(x1,21 person) |- V(x1,{x2,x3})",
        "Anna ha visitado solo a veintiuna personas.",
        "Anna ha visitado a Irene y a Eva.",
    ),
]
NAMES: dict[tuple[str, str], list[list[str]]] = {
    ("ru", "f"): [["Анна", "Анну", "Анны"], ["Ева", "Еву", "Евы"]],
    ("ru", "m"): [["Иван", "Ивана", "Ивана"]],
    ("fr", "f"): [["Anna"], ["Eva"], ["Zoé"]],
    ("fr", "m"): [["Ivan"]],
    ("es", "f"): [["Anna"], ["Irene"], ["Eva"]],
}


@pytest.mark.parametrize(("language", "gender", "form", "premise", "hypothesis"), WORDINGS)
def test_wording(language: str, gender: str, form: str, premise: str | None, hypothesis: str) -> None:
    grammar = load_grammar(language)
    forms = NAMES.get((language, gender), [["Anna"], ["Eva"]] if gender == "f" else [["Ivo"], ["Udo"]])
    people = [grammar.person(*entry) for entry in forms]
    places = ["Лиму"] if language == "ru" else ["Lima", "Quito"]
    texts = realise(read_form(form), grammar, Casting(people, places, gender))
    assert premise in (None, texts.premise)
    assert texts.hypothesis == hypothesis


def test_every_amount_is_worded_once() -> None:
    for language in LANGUAGES:
        grammar = load_grammar(language)
        casting = Casting(grammar.vocabularies["train"].m, grammar.vocabularies["train"].places, "m")
        for kind in NameKind:
            sentences = [Only(person(1), (Amount(n, kind),)) for n in range(1, 31)]
            texts = {realise(Form((sentence,), sentence), grammar, casting).premise for sentence in sentences}
            assert len(texts) == 30


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            replaced('nobody = "has visited {objects}"\n', ""),
            "the grammar has no 'visit.person.nobody', which every grammar must give",
        ),
        (replaced('conjunction = "and"\n', ""), "the grammar has no 'conjunction', which every grammar must give"),
        (replaced('conjunction = "and"', "conjunction = 3"), "'conjunction' must be a text; got 3"),
        (
            replaced("{subject} is taller than {others}", "{subject} is taller"),
            "'taller' must hold the fields {subject}, {others} and no others; got '{subject} is taller'",
        ),
        (replaced('"only one person", ', ""), "'amounts.person' must word the numbers 1 to 30; got 29 texts"),
        (
            replaced("alternations = []", 'alternations = [["(", "x"]]'),
            "'alternations' must hold regular expressions and their replacements; got ['(', 'x']",
        ),
        (replaced("alternations = []", "alternations = [3]"), "'alternations' must hold pairs of texts; got 3"),
        (
            replaced('object = "{0}"', 'object = "{1}"'),
            "'train.men': a name lacks a form that a role needs; got 'Aaron'",
        ),
        (replaced('"Abel"', '"Aaron"'), "test.men: 'Aaron' shares the word 'aaron' with 'Aaron' (train.men)"),
        (
            replaced('"Albania"', '"Trinidad and Tobago"'),
            "train.places: the name 'Trinidad and Tobago' holds the word that joins lists",
        ),
        (replaced('"Albania"', '"Aaron"'), "train.places: 'Aaron' shares the word 'aaron' with 'Aaron' (train.men)"),
        (
            replaced('"Albania"', '"New Angola"'),
            "train.places: 'Angola' shares the word 'angola' with 'New Angola' (train.places)",
        ),
        (replaced('name = "English"', "name = "), None),
    ],
)
def test_a_grammar_file_that_is_not_right_is_refused(
    change: Callable[[str], str], message: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(change(ENGLISH), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_grammar(str(path))
    if message is None:
        assert str(caught.value).startswith(f"{path}: not a readable TOML file: ")
    else:
        assert str(caught.value) == f"{path}: {message}"


def test_a_grammar_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_grammar(str(tmp_path / "absent.toml"))
    assert str(caught.value) == f"{tmp_path / 'absent.toml'}: no such grammar file"
