"""Shortcuts: each finds the cue that it is about, names it, and finds nothing where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.measures.shortcuts.planting import make_items

from goldproof.measures.shortcuts.hard import find_hard
from goldproof.measures.shortcuts.items import TextItems
from goldproof.measures.shortcuts.judged import JudgedShortcuts, judge_crossed, judge_guesses, judge_shortcuts
from goldproof.measures.shortcuts.lemmas import lemmas_of
from goldproof.measures.shortcuts.rules import SHORTCUTS, applicable
from goldproof.measures.shortcuts.sentences import sentence_overlap
from goldproof.measures.shortcuts.tokens import TokenItems, try_token_shortcuts

CUES = {
    "word": "one word",
    "premise word": "first text only",
    "length": "length",
    "mark": "marks and capitals",
    "overlap": "overlap of words",
    "repetition": "repetition",
    "order": "order of the file",
}


def judged(cue: str, pairs: bool = True, strength: float = 0.8) -> JudgedShortcuts:
    train, test = make_items(400, 1, cue, strength, pairs), make_items(300, 2, cue, strength, pairs)
    return judge_shortcuts(train, test, None, np.random.default_rng(0))


@pytest.mark.parametrize("cue", CUES)
def test_a_planted_cue_is_found_by_the_shortcut_that_sees_it(cue):
    found = judged(cue)
    above = [each.name for each in found.above]
    assert CUES[cue] in above
    best = next(each for each in found.scores if each.name == CUES[cue])
    assert best.p_value == 1 / (1 + found.draws)
    assert best.score.value > 0.75


@pytest.mark.parametrize("cue", ["word", "length", "mark"])
def test_cues_of_single_texts_are_found_too(cue):
    found = judged(cue, pairs=False)
    assert CUES[cue] in [each.name for each in found.above]
    assert "overlap of words" not in found.guesses


def test_nothing_is_found_where_there_is_nothing():
    found = judged("none")
    assert found.above == ()
    assert {each.name for each in found.scores} == {each.name for each in SHORTCUTS} - {"overlap of lemmas"}
    assert list(found.untried) == ["overlap of lemmas"]
    assert found.untried["overlap of lemmas"] == (
        "overlap of lemmas was not tried: the language was not said (lemmas are known for en, de, ru)"
    )


def test_the_word_is_named_with_its_rate_and_an_example():
    found = judged("word")
    one = next(each for each in found.scores if each.name == "one word")
    assert one.rule in (f"whether {gram!r} stands in the second text" for gram in ("never", "never ."))
    word = found.words[0]
    assert "never" in word.gram
    assert (word.side, word.label, word.rate_train, word.rate.value) == (1, 1, 1.0, 1.0)
    test = make_items(300, 2, "word")
    assert test.gold[word.example] == 1
    assert "never" in test.pairs[word.example]
    with_word = [at for at, pair in enumerate(test.pairs) if "never" in pair]
    assert word.rate.n == len(with_word)


def test_the_share_of_the_way_is_from_the_floor():
    found = judged("word", strength=1.0)
    best = found.best
    assert best.score.value == best.share.value == 1.0
    majority = max(np.bincount(make_items(300, 2, "word", 1.0).gold)) / 300
    assert found.floor == majority
    for each in found.scores:
        assert each.share.value == pytest.approx((each.score.value - majority) / (1 - majority))


def test_numbers_are_judged_by_correlation():
    def numbers(seed: int) -> TextItems:
        items = make_items(300, seed, "length", 0.9, pairs=False)
        gold = np.array([float(len(text)) for text in items.texts]) / 10
        return TextItems(items.texts, None, gold, items.place, 0, "und")

    found = judge_shortcuts(numbers(1), numbers(2), None, np.random.default_rng(0))
    length = next(each for each in found.scores if each.name == "length")
    assert length.above
    assert length.score.value > 0.9
    assert length.share.value == pytest.approx(length.score.value**2)
    assert (found.floor, found.words) == (0.0, ())


def test_data_of_one_split_are_cross_validated():
    found = judge_crossed(make_items(400, 3, "word"), None, np.random.default_rng(0))
    assert found.folds == 5
    assert found.best.score.value > 0.8
    assert all(len(guess.predicted) == 400 for guess in found.guesses.values())
    nothing = judge_crossed(make_items(400, 3, "none"), None, np.random.default_rng(0))
    assert nothing.above == ()


def test_the_most_frequent_tag_of_a_word():
    rng = np.random.default_rng(0)
    words = tuple(str(word) for word in rng.choice(["the", "dog", "barks", "Rex"], 900))
    tags = {"the": 0, "dog": 1, "barks": 2, "Rex": 1}
    gold = np.array([tags[word] if rng.random() < 0.9 else 3 for word in words])
    items = TokenItems(words, gold, np.arange(900) // 6, 4)
    train, test = items.take(np.arange(600)), items.take(np.arange(600, 900))
    guesses = try_token_shortcuts(train, test)
    by_hand = np.array([np.bincount(train.gold[np.array(train.words) == word]).argmax() for word in test.words])
    assert (guesses["most frequent tag of a word"].predicted == by_hand).all()
    found = judge_guesses(test.gold, 4, guesses, test.sentence, np.random.default_rng(0))
    assert found.best.score.value == (by_hand == test.gold).mean()
    assert found.exchanged == "within clusters"
    assert "most frequent tag of a word" in [each.name for each in found.above]


def test_the_nearest_sentence_compares_negation():
    first = "It rained in Oslo. The clerk did not leave the office. Nobody came."
    items = TextItems((first,), ("The clerk left the office.",), np.array([0]), np.array([0]), 2, "en")
    found = dict(zip(sentence_overlap(items).names, sentence_overlap(items).table[0], strict=True))
    assert found["place of the nearest sentence (0 to 1)"] == 0.5
    assert found["sentences of the first text"] == 3
    assert found["whether exactly one of the two is negated"] == 1
    assert found["share of the second text's words in the nearest sentence"] == pytest.approx(3 / 4)


def test_shortcuts_of_pairs_are_not_tried_on_single_texts():
    names, untried = applicable(False, "en")
    assert names == [each.name for each in SHORTCUTS if not each.pairs_only]
    assert untried == {}


@pytest.mark.needs("english")
def test_english_has_stems():
    lemmas = lemmas_of("en")
    assert lemmas.of is not None
    assert lemmas.of("Cats running.") == ("cat", "run")


def test_a_language_without_lemmas_says_so():
    assert lemmas_of("sw").reason == (
        "overlap of lemmas was not tried: there are none for 'sw' (lemmas are known for en, de, ru)"
    )


def test_the_hard_items_are_those_without_the_cue():
    test = make_items(300, 2, "word")
    found = judge_shortcuts(make_items(400, 1, "word"), test, None, np.random.default_rng(0))
    hard = find_hard(test.gold, found, None, np.random.default_rng(0))
    assert not isinstance(hard, str)
    has_cue = np.array(["never" in pair for pair in test.pairs])
    assert not hard.hard[has_cue].any()
    assert hard.hard[(test.gold == 1) & ~has_cue].all()
    assert not hard.hard[test.gold == 0].any()
    assert "one word" in hard.shortcuts


def test_without_a_shortcut_above_the_floor_no_item_is_hard():
    test = make_items(300, 2)
    found = judge_shortcuts(make_items(400, 1), test, None, np.random.default_rng(0))
    said = find_hard(test.gold, found, None, np.random.default_rng(0))
    assert said == "no shortcut that was tried is credibly above the floor"


def test_the_same_seed_gives_the_same_scores():
    assert judged("mark").scores == judged("mark").scores


def test_a_test_item_and_one_of_train_that_share_rare_words_are_neighbours():
    train, test = make_items(300, 1), make_items(200, 2)
    first, second = list(train.texts), list(test.texts)
    free = {label: list(np.flatnonzero(train.gold == label)) for label in (0, 1)}
    for at in range(0, 200, 2):
        other = free[int(test.gold[at])].pop()
        first[other] += f" x{at}x y{at}y z{at}z"
        second[at] += f" x{at}x y{at}y z{at}z"
    taught = TextItems(tuple(first), train.pairs, train.gold, train.place, 2)
    asked = TextItems(tuple(second), test.pairs, test.gold, test.place, 2)
    found = judge_shortcuts(taught, asked, None, np.random.default_rng(0))
    nearest = next(each for each in found.scores if each.name == "nearest neighbour")
    assert nearest.above
    assert (found.guesses["nearest neighbour"].predicted[::2] == test.gold[::2]).all()
