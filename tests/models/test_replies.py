"""How labels are read off what a model said: scoring rules against their formulas, and texts by the stated rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.errors import UsageError
from goldproof.models.replies import Replies, read_replies, rule_scores
from goldproof.models.text_labels import CUT, EMPTY, NAMELESS, NEGATED, REFUSED, SEVERAL, THINKING, UNREAD, read_label

RNG = np.random.default_rng(0)
LIKELIHOODS, FREE = -10 * RNG.random((40, 3)), -10 * RNG.random((3, 3))
SAID = Replies(("a", "b", "c"), ("no", "maybe", "certainly"), LIKELIHOODS, FREE)


def test_rules_are_their_formulas() -> None:
    shares = np.exp(LIKELIHOODS)
    assert np.allclose(rule_scores(SAID, "raw"), LIKELIHOODS)
    assert np.allclose(rule_scores(SAID, "length"), LIKELIHOODS / [2, 5, 9])
    assert np.allclose(np.exp(rule_scores(SAID, "calibrated")), shares / np.exp(FREE).mean(axis=0))
    relative = shares / shares.sum(axis=1, keepdims=True)
    assert np.allclose(np.exp(rule_scores(SAID, "centred")), relative / relative.mean(axis=0))


def test_probabilities_belong_to_the_rule() -> None:
    for rule in ("raw", "length", "calibrated", "centred"):
        read = read_replies(SAID, rule)
        assert read.probabilities is not None
        assert np.allclose(read.probabilities.sum(axis=1), 1)
        assert (read.probabilities.argmax(axis=1) == read.codes).all()
        assert not read.absent.any()


def test_what_a_prompt_prefers_anyway_counts_for_nothing_when_calibrated() -> None:
    more = np.array([3.0, 0.0, -2.0])
    biased = Replies(SAID.labels, SAID.words, LIKELIHOODS + more, FREE + more)
    for rule in ("calibrated",):
        assert (read_replies(biased, rule).codes == read_replies(SAID, rule).codes).all()
    assert (read_replies(biased, "raw").codes != read_replies(SAID, "raw").codes).any()


def test_a_rule_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="no scoring rule 'best'; allowed: raw, length, calibrated, centred"):
        read_replies(SAID, "best")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("positive", 1),
        ("  Positive.", 1),
        ("\n\nThe sentiment is **negative**!", 0),
        ("positive, positive, positive", 1),
        ("positive\nnegative", 1),  # only the first line counts
        ("not positive", 2),  # the longer word is looked for first
        ("positive or negative", SEVERAL),
        ("", EMPTY),
        (" \n\t\n", EMPTY),
        ("I cannot answer this question.", REFUSED),
        ("Sorry, but no.", REFUSED),
        ("As an AI language model I have no opinion", REFUSED),
        ("Es tut mir leid, das weiß ich nicht.", REFUSED),
        ("К сожалению, не знаю.", REFUSED),
        ("I'm sorry to say that it is negative.", 0),  # it names a label
        ("positively", NAMELESS),
        ("great film", NAMELESS),
    ],
)
def test_texts_are_read_by_the_stated_rule(text: str, found: int | str) -> None:
    assert read_label(text, ["negative", "positive", "not positive"]) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<think>hmm negative</think>\npositive", 1),
        ("<think>\nIs it negative?\n</think>\n\nIt is positive.", 1),
        ("hmm negative</think>positive", 1),
        ("<THINKING>negative</THINKING>positive", 1),
        ("positive<think>or negative?", 1),
        ("<think>hmm negative", THINKING),
        ("<think>a</think><think>negative", THINKING),
        ("<think>negative</think>", EMPTY),
        ("not positive", NEGATED),
        ("I don't think it is positive.", NEGATED),
        ("It isn’t “positive”", NEGATED),
        ("I cannot say whether it is positive", NEGATED),
        ("neither positive nor negative", NEGATED),
        ("not negative but positive", 1),
        ("No, it is positive", 1),
        ("positive, not negative", 1),
        ("positive? No.", 1),
        ("a notable film: positive", 1),
    ],
)
def test_thoughts_and_what_is_negated_name_no_label(text: str, found: int | str) -> None:
    assert read_label(text, ["negative", "positive"], "en") == found


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Das ist nicht positiv", "de", NEGATED),
        ("ce n'est pas positiv", "fr", NEGATED),
        ("no es positiv", "es", NEGATED),
        ("no geral positiv", "pt", 0),  # "no" is "in the" there
        ("não é positiv", "pt-BR", NEGATED),
        ("это не positiv", "ru", NEGATED),
        ("det är inte positiv", "sv", NEGATED),
        ("det är inte positiv", "", NEGATED),  # of a language that is not known, any list
        ("det är inte positiv", "de", 0),
    ],
)
def test_negations_are_those_of_the_prompts_language(text: str, language: str, found: int | str) -> None:
    assert read_label(text, ["positiv", "negativ"], language) == found


def test_a_negation_that_is_a_label_negates_nothing() -> None:
    assert read_label("There is no, no contradiction", ["yes", "no"], "en") == 1
    assert read_label("no no", ["yes", "no"], "en") == 1


def test_what_was_cut_off_is_counted_as_such() -> None:
    assert read_label("Let me think about this", ["bad", "good"], is_cut=True) == CUT
    assert read_label("", ["bad", "good"], is_cut=True) == CUT
    assert read_label("It is good", ["bad", "good"], is_cut=True) == 1
    assert read_label("No idea.\nLet me", ["bad", "good"], is_cut=True) == NAMELESS  # the line that counts has ended
    none = np.zeros((0, 2))
    said = Replies(("a", "b"), ("bad", "good"), none, none, ("hm", "hm", "good?</think>bad"), unfinished=(1,))
    assert [UNREAD[code - 1] if code else "" for code in read_replies(said, "raw").absent] == [NAMELESS, CUT, ""]
    handed = Replies(("a", "b"), ("bad", "good"), none, none, ("good?", "good?</think>bad"), "Q: x <think>\n")
    assert [UNREAD[code - 1] if code else "" for code in read_replies(handed, "raw").absent] == [THINKING, ""]


def test_words_may_hold_signs_and_other_scripts() -> None:
    assert read_label("Тема: наука/техника.", ["спорт", "наука/техника"]) == 1
    assert read_label("C++ it is", ["C", "C++"]) == 1
    assert read_label("答えは はい です", ["はい", "いいえ"]) == 0


def test_every_text_has_a_label_or_a_reason() -> None:
    said = Replies(
        ("a", "b"), ("yes", "no"), np.zeros((0, 2)), np.zeros((0, 2)), ("yes", "", "no yes", "sorry", "hm", "No!")
    )
    read = read_replies(said, "raw")
    assert read.codes.tolist() == [0, -1, -1, -1, -1, 1]
    assert read.absent.tolist() == [0, 1, 4, 2, 3, 0]
    assert read.probabilities is None


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    found = read_label(text, ["yes", "no", "not sure"])
    assert found in (0, 1, 2, *UNREAD)
