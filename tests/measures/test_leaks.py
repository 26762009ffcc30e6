"""The leak certificate on corpora with a known leak, on ours, and on bad input."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.measures.leaks import (
    TextPairs,
    certify,
    certify_corpus,
    count_repeats,
    guess_names,
    pairs_of,
    recast,
    split_pairs,
    split_premises,
)
from goldproof.measures.shortcuts.rules import applicable

WORDS = ["red", "green", "blue", "big", "small", "old", "new", "tall", "dark", "light", "round", "flat", "soft", "cold"]


def make_pairs(n: int, seed: int, leak: str) -> TextPairs:
    """Random words, with one kind of leak planted."""
    rng = np.random.default_rng(seed)
    contradicts = rng.permutation(n) % 2 == 0
    premises, hypotheses = [], []
    for value in contradicts:
        premise = list(rng.choice(WORDS, 6, replace=False))
        known, new = premise[:3], [word for word in WORDS if word not in premise][:3]
        words = {
            "none": list(rng.permutation([*known[:2], *new[:1]])),
            "overlap": known if value else new,
            "length": known if value else known[:2],
            "word": [*known[:2], "not" if value else "so"],
            "repetition": known,
        }[leak]
        if leak == "repetition" and value:
            premise.append(known[0])
        elif leak == "repetition":
            premise.append(premise[5])
        premises.append(" ".join(premise))
        hypotheses.append(" ".join(words))
    return TextPairs(tuple(premises), tuple(hypotheses), contradicts)


@pytest.mark.parametrize(
    ("leak", "baseline"),
    [("overlap", "overlap of words"), ("length", "length"), ("word", "one word"), ("repetition", "repetition")],
)
def test_a_planted_leak_is_found(leak: str, baseline: str) -> None:
    certificate = certify(make_pairs(800, 1, leak), make_pairs(400, 2, leak))
    found = {leak.baseline: leak for leak in certificate.leaks}[baseline]
    assert found.leaks
    assert found.accuracy.value > 0.95
    assert found.accuracy.low > found.chance.high
    assert not certificate.is_clean


def test_no_leak_is_found_where_there_is_none() -> None:
    certificate = certify(make_pairs(800, 1, "none"), make_pairs(400, 2, "none"))
    assert not any(leak.leaks for leak in certificate.leaks)


def test_a_word_in_the_hypothesis_is_found_by_the_hypothesis_alone() -> None:
    certificate = certify(make_pairs(400, 1, "word"), make_pairs(200, 2, "word"))
    leaks = {leak.baseline: leak for leak in certificate.leaks}
    assert leaks["second text only"].leaks
    assert leaks["bag of words"].leaks
    assert not leaks["first text only"].leaks
    assert leaks["one word"].rule in (
        "whether 'not' stands in the second text",
        "whether 'so' stands in the second text",
    )


@pytest.mark.parametrize("task", ["1", "2", "3", "4", "5", "6", "7"])
def test_closed2_is_at_chance_in_english(task: str) -> None:
    certificate = certify_corpus(build_corpus(CorpusRecipe(task=task, n_train=1000, n_test=200)))
    assert certificate.is_clean
    leaks = {leak.baseline: leak for leak in certificate.leaks}
    assert [leaks[name].accuracy.value for name in ("overlap of words", "nearest sentence")] == [0.5, 0.5]


def test_the_nearest_sentence_solves_negation_in_the_older_closed_corpus() -> None:
    """Which is why a certificate says what was tried, and not that there is no rule."""
    certificate = certify_corpus(build_corpus(CorpusRecipe(task="1", preset="closed", n_train=1000, n_test=200)))
    leak = {leak.baseline: leak for leak in certificate.leaks}["nearest sentence"]
    assert leak.leaks
    assert leak.accuracy.value == 1.0
    assert not certificate.is_clean


@pytest.mark.parametrize("language", ["pt", "ru", "fr", "de", "sv", "es"])
def test_closed2_is_at_chance_in_other_languages(language: str) -> None:
    certificate = certify_corpus(build_corpus(CorpusRecipe(language=language, task="7", n_train=1200, n_test=240)))
    assert certificate.is_clean


def test_the_published_kind_of_corpus_is_not_clean() -> None:
    certificate = certify_corpus(build_corpus(CorpusRecipe(task="1", preset="clcd", n_train=400, n_test=200)))
    leaks = {leak.baseline for leak in certificate.leaks if leak.leaks}
    assert "overlap of words" in leaks
    assert certificate.as_json()["clean"] is False


def test_shared_names_and_repeated_pairs_are_named() -> None:
    train = TextPairs(("Ann saw Bob.", "Ann saw Bob.", "Then Cy left"), ("x", "x", "y"), np.array([True, False, True]))
    test = TextPairs(("Ann saw Bob.", "She met Bob"), ("x", "y"), np.array([True, False]))
    assert guess_names(train) == {"Bob", "Cy"}
    repeats = count_repeats(train, test)
    assert (repeats.train, repeats.test, repeats.across) == (1, 0, 1)


def test_any_corpus_recast_is_balanced() -> None:
    labels = ["contradiction"] * 5 + ["neutral"] * 20 + ["entailment"] * 15
    rows = [{"text": f"premise {n}", "pair": f"hypothesis {n}", "label": label} for n, label in enumerate(labels)]
    pairs = recast(pairs_of(Dataset.from_rows("toy", rows)), np.random.default_rng(0))
    assert (len(pairs), int(pairs.contradicts.sum())) == (10, 5)
    train, test = split_pairs(pairs, np.random.default_rng(0))
    assert (len(train), len(test)) == (7, 3)
    assert not set(train.premises) & set(test.premises)


def test_pairs_of_one_premise_stay_on_one_side() -> None:
    premises = tuple(f"premise {n // 3}" for n in range(60))
    pairs = TextPairs(premises, tuple(map(str, range(60))), np.arange(60) % 3 == 0)
    train, test = split_premises(pairs, np.random.default_rng(0))
    assert (len(train), len(test)) == (42, 18)
    assert not set(train.premises) & set(test.premises)
    assert sorted(map(int, (*train.hypotheses, *test.hypotheses))) == list(range(60))


def test_a_corpus_without_contradictions_or_pairs_is_refused() -> None:
    rows = [{"text": "a", "pair": "b", "label": "neutral"}, {"text": "c", "pair": None, "label": "contradiction"}]
    with pytest.raises(DataError) as caught:
        pairs_of(Dataset.from_rows("toy", rows[:1]))
    assert str(caught.value) == "toy: no pair has the label 'contradiction'; labels found: neutral"
    with pytest.raises(DataError) as caught:
        pairs_of(Dataset.from_rows("toy", rows))
    assert str(caught.value) == "toy: row 1 has no second text; a certificate needs pairs"


def test_a_split_of_one_class_is_refused() -> None:
    pairs = make_pairs(10, 0, "none")
    with pytest.raises(UsageError) as caught:
        certify(pairs, pairs.take(np.flatnonzero(pairs.contradicts)))
    assert str(caught.value) == (
        "a certificate needs both classes in each split; test has 5 contradictions and 0 others"
    )


def test_shortcuts_learn_from_the_first_pairs_alone_and_repeats_are_counted_over_all():
    train, test = make_pairs(600, 1, "word"), make_pairs(200, 2, "none")
    doubled = train.take(np.concatenate([np.arange(600), np.arange(500, 600)]))
    found = certify(doubled, test, most_train=400)
    alone = certify(train.take(np.arange(400)), test)
    assert (found.n_train, found.leaks) == (400, alone.leaks)
    assert found.repeats.train - count_repeats(train, test).train == 100


def test_forests_grown_in_threads_give_the_same_certificate():
    train, test = make_pairs(800, 1, "none"), make_pairs(400, 2, "none")
    with parallel_config(backend="threading", n_jobs=3):
        found = certify(train, test)
    assert found == certify(train, test)


def test_progress_names_each_shortcut():
    told = []
    certify(make_pairs(100, 1, "word"), make_pairs(60, 2, "word"), progress=lambda name, n: told.append((name, n)))
    names, _ = applicable(True, "und")
    assert told == [(name, i) for i, name in enumerate(names)]
