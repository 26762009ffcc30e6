"""How labels are read off what a model said: scoring rules against their formulas, and texts by the stated rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.errors import UsageError
from goldproof.models.replies import EMPTY, NAMELESS, REFUSED, SEVERAL, Replies, read_label, read_replies, rule_scores

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
    assert found in (0, 1, 2, EMPTY, REFUSED, NAMELESS, SEVERAL)
