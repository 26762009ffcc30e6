"""The annotator: each rule finds its sentence and leaves the plain one alone; counts, files and errors."""

from __future__ import annotations

import json
import warnings

import pytest

from goldproof.builders.annotation.features import FEATURES, annotate_features, annotator, count_features
from goldproof.builders.annotation.lists import word_lists
from goldproof.builders.annotation.tagged import UNTOLD, features_of_tagging
from goldproof.builders.tagging.tagged import Tagging
from goldproof.cli import run_command
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError

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

FRENCH = {
    "Double negation": "Elle n'est pas malheureuse.",
    "Negation": "Il ne dort pas.",
    "Intervals/Numbers": "Il mange trois pommes.",
    "Temporal": "Il dort pendant le film.",
    "Conditionals": "Je dors si je peux.",
    "Conjunction": "Les chats et les chiens dorment.",
    "Disjunction": "Les chats ou les chiens dorment.",
    "Prepositional phrases": "Le chat dort dans la maison.",
    "Anaphora/Coreference": "Le chat lave sa patte.",
    "Relative clauses": "Le chat qui dort rêve.",
    "Datives": "Je lui donne une pomme.",
    "Quantifiers": "Chaque chat dort.",
    "Factivity": "Je sais que les chats dorment.",
    "Morphological negation": "Le chat est invisible.",
    "Named entities": "Le chat aime Marie.",
}
GERMAN = {
    "Double negation": "Das ist nicht unmöglich.",
    "Negation": "Die Katze schläft nicht.",
    "Intervals/Numbers": "Die Katze frisst drei Äpfel.",
    "Temporal": "Die Katze schlief gestern.",
    "Conditionals": "Falls du willst, schlafe.",
    "Conjunction": "Katzen und Hunde schlafen.",
    "Disjunction": "Katzen oder Hunde schlafen.",
    "Prepositional phrases": "Die Katze schläft in der Sonne.",
    "Anaphora/Coreference": "Die Katze wäscht sich.",
    "Relative clauses": "Die Katze, die schläft, träumt.",
    "Datives": "Ich gebe dem Kind Brot.",
    "Quantifiers": "Jede Katze schläft.",
    "Factivity": "Ich weiß, dass Katzen schlafen.",
    "Morphological negation": "Die Katze ist unsichtbar.",
}
PLAIN = {"en": "Dogs bark.", "ru": "Собаки лают.", "fr": "Les chiens aboient.", "de": "Hunde bellen."}


def features_of(language, texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the taggers' own libraries warn when they are imported
        return list(annotator(language)(texts))


@pytest.mark.parametrize(
    ("language", "package", "sentences"),
    [
        ("en", "spacy", ENGLISH),
        ("ru", "natasha", RUSSIAN),
        ("fr", "brill_postaggers", FRENCH),
        ("de", "HanTa", GERMAN),
    ],
)
def test_each_rule_finds_its_sentence(language, package, sentences):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(package)
    assert {*sentences, *UNTOLD.get(language, ())} == set(FEATURES)
    found = features_of(language, list(sentences.values()))
    assert [feature for feature, got in zip(sentences, found, strict=True) if feature not in got] == []
    assert features_of(language, [PLAIN[language]]) == [frozenset()]


def test_english_anaphora_of_several_words():
    """Phrases stand for more than one word, none of which need be a pronoun in the list."""
    pytest.importorskip("spacy")
    texts = ["The teams fought each other.", "Cats and dogs hate one another.", "The former won.", "Each team won."]
    found = ["Anaphora/Coreference" in each for each in features_of("en", texts)]
    assert found == [True, True, True, False]


@pytest.mark.parametrize(
    ("language", "words", "classes", "feature", "other"),
    [
        ("fr", "l' homme que je vois", "DET NOUN PRON PRON VERB", "Relative clauses", "je dis que non"),
        ("de", "Haus , in dem er wohnt", "NOUN . ADP PRON PRON VERB", "Relative clauses", "in dem Haus"),
        ("de", "er gibt dem Kind Brot", "PRON VERB DET NOUN NOUN", "Datives", "mit dem Kind"),
        ("fr", "il vit à Paris", "PRON VERB ADP NOUN", "Named entities", "Paris est là"),
        ("fr", "il n' est pas sans ami", "PRON ADV VERB ADV ADP NOUN", "Double negation", "il n' est pas là"),
    ],
)
def test_rules_over_classes_see_the_words_around(language, words, classes, feature, other):
    def features(text, kinds):
        forms = tuple(text.split())
        places = tuple(range(len(forms)))
        return features_of_tagging(language, Tagging(places, places, kinds, forms))

    guesses = {"in": "ADP", "mit": "ADP", "dem": "DET", "Haus": "NOUN", "Kind": "NOUN", "Paris": "NOUN", "dis": "VERB"}
    assert feature in features(words, tuple(classes.split()))
    assert feature not in features(other, tuple(guesses.get(word, "X") for word in other.split()))


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


@pytest.mark.parametrize("language", ["en", "ru", "fr", "de"])
def test_word_lists_are_lower_case_and_have_no_word_twice(language):
    import tomllib
    from importlib.resources import files

    text = files("goldproof.builders.annotation").joinpath(f"{language}.toml").read_text("utf-8")
    for name, words in tomllib.loads(text).items():
        assert len(set(words)) == len(words), name
        assert all(word == word.lower() for word in words), name
    assert word_lists(language)["negation"].words


def test_another_language_is_an_error():
    with pytest.raises(UsageError) as caught:
        annotator("sv")
    assert str(caught.value) == "texts can be annotated in en, ru, fr, de; got 'sv'"


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
    other = tmp_path / "other.jsonl"
    other.write_text(path.read_text("utf-8").replace('"text"', '"Satz"'), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = ["annotate", str(other), "--language", "en", "--out", str(out), "--column", "text=Satz"]
        assert run_command(named) == 0
    assert [json.loads(line)["features"] for line in out.read_text("utf-8").splitlines()] == [["Disjunction"], []]
    capfd.readouterr()
    assert run_command([*named[:-1], "txt=Satz"]) == 2
    known = "text, pair, label, score, id, split, language"
    assert capfd.readouterr().err == f"error: data have no column 'txt'; allowed: {known}\n"
    assert run_command(["annotate", str(path), "--language", "en", "--out", "marked.txt"]) == 2
    assert capfd.readouterr().err == "error: --out must be a file name ending in .jsonl; got marked.txt\n"
    assert run_command(["annotate", str(path), "--language", "sv", "--out", str(out)]) == 2
    assert capfd.readouterr().err == "error: texts can be annotated in en, ru, fr, de; got 'sv'\n"
