"""The annotator: each rule finds its sentence and leaves the plain one alone; counts, files and errors."""

from __future__ import annotations

import json
import warnings

import pytest

from assay.cli import run_command
from assay.data.annotation.features import FEATURES, annotate_features, annotator, count_features
from assay.data.annotation.lists import word_lists
from assay.data.dataset import Dataset
from assay.errors import UsageError

ENGLISH = {
    "Negation": "The cat did not sleep.",
    "Double negation": "It is not unhappy that nobody came.",
    "Intervals/Numbers": "Seven dogs barked.",
    "Temporal": "He ate before she arrived.",
    "Conditionals": "If it rains, we stay.",
    "Conjunction": "Cats and dogs slept.",
    "Disjunction": "Cats or dogs slept.",
    "Prepositional phrases": "The cat slept on the mat.",
    "Anaphora/Coreference": "She saw him.",
    "Relative clauses": "The man who sang left.",
    "Datives": "Mary gave John a book.",
    "Quantifiers": "All dogs bark.",
    "Factivity": "They knew that dogs bark.",
    "Morphological negation": "The answer was impossible.",
    "Named entities": "Barack Obama visited Paris.",
}
RUSSIAN = {
    "Negation": "Кошка не спала.",
    "Double negation": "Он не может не знать этого.",
    "Intervals/Numbers": "Пришли семь собак.",
    "Temporal": "Он поел перед уходом.",
    "Conditionals": "Если пойдёт дождь, останемся.",
    "Conjunction": "Кошки и собаки спали.",
    "Disjunction": "Кошки или собаки спали.",
    "Prepositional phrases": "Кошка спала на ковре.",
    "Anaphora/Coreference": "Она увидела дом.",
    "Relative clauses": "Человек, который пел, ушёл.",
    "Datives": "Мария дала книгу брату.",
    "Quantifiers": "Каждый пёс лает.",
    "Factivity": "Врач знает правду.",
    "Morphological negation": "Ответ был невозможный.",
    "Named entities": "Владимир Путин посетил Париж.",
}


def features_of(language, texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the taggers' own libraries warn when they are imported
        return list(annotator(language)(texts))


@pytest.mark.parametrize(("language", "package", "sentences"), [("en", "spacy", ENGLISH), ("ru", "natasha", RUSSIAN)])
def test_each_rule_finds_its_sentence(language, package, sentences):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(package)
    assert set(sentences) == set(FEATURES)
    found = features_of(language, list(sentences.values()))
    assert [feature for feature, got in zip(sentences, found, strict=True) if feature not in got] == []
    plain = features_of(language, ["Dogs bark." if language == "en" else "Собаки лают."])
    assert plain == [frozenset()]


def test_rows_have_the_features_of_both_texts_in_order():
    pytest.importorskip("spacy")
    rows = [{"text": "Cats or dogs slept.", "pair": "No dog slept."}, {"text": "Dogs bark.", "pair": "Dogs bark."}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert annotate_features(Dataset.from_rows("toy", rows), "en") == [["Negation", "Disjunction"], []]


def test_counts_against_tags():
    rows = [{"text": "a", "tags": ["logic:Negation"]}, {"text": "b", "tags": ["logic:Negation"]}, {"text": "c"}]
    counts = {c.feature: c for c in count_features(Dataset.from_rows("toy", rows), [["Negation"], [], ["Negation"]])}
    negation = counts["Negation"]
    assert (negation.n_rows, negation.n_shown, negation.n_tagged, negation.n_both) == (3, 2, 2, 1)
    untagged = count_features(Dataset.from_rows("toy", [{"text": "a"}]), [[]])
    assert {count.n_tagged for count in untagged} == {None}


@pytest.mark.parametrize("language", ["en", "ru"])
def test_word_lists_are_lower_case_and_have_no_word_twice(language):
    import tomllib
    from importlib.resources import files

    text = files("assay.data.annotation").joinpath(f"{language}.toml").read_text("utf-8")
    for name, words in tomllib.loads(text).items():
        assert len(set(words)) == len(words), name
        assert all(word == word.lower() for word in words), name
    assert word_lists(language)["negation"].words


def test_another_language_is_an_error():
    with pytest.raises(UsageError) as caught:
        annotator("fr")
    assert str(caught.value) == "texts can be annotated in en, ru; got 'fr'"


def test_the_command(tmp_path, capfd):
    pytest.importorskip("spacy")
    path, out = tmp_path / "mine.jsonl", tmp_path / "out" / "marked.jsonl"
    rows = [{"text": "Cats or dogs slept.", "tags": ["logic:Disjunction"]}, {"text": "Dogs bark.", "tags": []}]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run_command(["annotate", str(path), "--language", "en", "--out", str(out)]) == 0
    shown = capfd.readouterr().out
    assert f"annotated: {out}" in shown
    assert [json.loads(line)["features"] for line in out.read_text("utf-8").splitlines()] == [["Disjunction"], []]
    assert run_command(["annotate", str(path), "--language", "en", "--out", "marked.txt"]) == 2
    assert capfd.readouterr().err == "error: --out must be a file that ends in .jsonl; got marked.txt\n"
    assert run_command(["annotate", str(path), "--language", "fr", "--out", str(out)]) == 2
    assert capfd.readouterr().err == "error: texts can be annotated in en, ru; got 'fr'\n"
