"""Windows of passages: every character is in one, answers come back from their tokens, the best span is the best."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.data.dataset import AnswerSpan
from goldproof.errors import DataError
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.windows import MOST_TOKENS, Windows, check_answers, cut_windows, read_answers, window_labels

pytestmark = pytest.mark.needs("models")


@pytest.fixture(scope="module")
def tokenizer():
    from goldproof.models.tiny import SPECIAL, word_tokenizer

    vocabulary = {word: i for i, word in enumerate([*SPECIAL, "what", "?", *(f"w{i}" for i in range(60))])}
    return word_tokenizer(vocabulary, 600)


def example(n_words, first, last, question="what ?"):
    words = [f"w{i % 60}" for i in range(n_words)]
    passage = "  ".join(words)
    start = sum(len(word) + 2 for word in words[:first])
    text = "  ".join(words[first : last + 1])
    return Examples(("a",), (question,), (passage,), answers=((AnswerSpan(start, text),),))


@pytest.mark.parametrize("n_words", [3, 20, 57, 200])
def test_every_word_is_in_a_window_and_neighbours_overlap_by_a_quarter(tokenizer, n_words):
    item = example(n_words, 0, 0)
    cut = cut_windows(tokenizer, item, 24, True)
    seen = [{tuple(place) for place in places.tolist() if place[0] >= 0} for places in cut.windows.places]
    assert len(set().union(*seen)) == n_words
    assert all(len(ids) <= 24 for ids in cut.ids)
    assert all(len(a & b) == 6 for a, b in pairwise(seen))
    assert cut.windows.n_items == 1
    for ids, places in zip(cut.ids, cut.windows.places, strict=True):
        for token, (start, end) in zip(ids, places, strict=True):
            if start >= 0:
                assert tokenizer.convert_ids_to_tokens(int(token)) == item.pairs[0][start:end]


def test_without_a_limit_there_is_one_window_and_long_questions_are_cut(tokenizer):
    item = example(50, 3, 4)
    assert len(cut_windows(tokenizer, item, None, True).ids) == 1
    long = example(50, 3, 4, question="what " * 40 + "?")
    cut = cut_windows(tokenizer, long, 24, True)
    assert cut.n_truncated == 1
    assert len({tuple(p) for places in cut.windows.places for p in places.tolist() if p[0] >= 0}) == 50
    assert cut_windows(tokenizer, item, 24, True).n_truncated == 0


@given(first=st.integers(0, 99), length=st.integers(0, 6), limit=st.sampled_from([24, 32, 64, 400]))
def test_an_answer_is_read_back_from_the_tokens_that_it_was_put_on(first, length, limit):
    from goldproof.models.tiny import SPECIAL, word_tokenizer

    known = {word: i for i, word in enumerate([*SPECIAL, "what", "?", *(f"w{i}" for i in range(60))])}
    item = example(100, first, min(first + length, 99))
    for cut in (cut_windows(word_tokenizer(known, 600), item, limit, True), fake_windows(item, limit)):
        labels = window_labels(cut.windows, item.answers)
        found = labels.sum(axis=1) > 0
        assert found.any() or length + 1 > limit // 4  # what is no longer than the overlap is whole in some window
        logits = [np.zeros((len(ids), 2), np.float32) for ids in cut.ids]
        for window in np.flatnonzero(found):
            logits[window][labels[window, 0], 0] = logits[window][labels[window, 1], 1] = 5.0
        if found.any():
            (answer,) = read_answers(logits, cut.windows, may_be_absent=False)
            assert item.pairs[0][int(answer[0]) : int(answer[1])] == item.answers[0][0].text


def fake_windows(item, limit):
    from goldproof.models.fake_network import load_network

    return load_network(Fake(), "question", 2).tokenize(item, limit)


def test_the_best_span_is_that_of_all_spans_and_its_probability_is_among_all_places():
    rng = np.random.default_rng(0)
    for _ in range(30):
        owners = np.array([0, 0, 1], np.int32)
        places = []
        for offset in (0, 40, 0):
            place = np.full((50, 2), -1, np.int32)
            place[4:48, 0] = 10 * (np.arange(44) + offset)
            place[4:48, 1] = place[4:48, 0] + 7
            places.append(place)
        logits = [rng.normal(size=(56, 2)).astype(np.float32) for _ in range(3)]  # padded beyond their tokens
        found = read_answers(logits, Windows(owners, tuple(places), 2), may_be_absent=False)
        for item, own in ((0, (0, 1)), (1, (2,))):
            spans = {
                (float(logits[w][a, 0] + logits[w][b, 1]), int(places[w][a, 0]), int(places[w][b, 1]))
                for w in own
                for a in range(4, 48)
                for b in range(a, min(a + MOST_TOKENS, 48))
            }
            best = max(spans)
            assert tuple(found[item, :2]) == best[1:]
            readable = np.concatenate([logits[w][[0, *range(4, 48)]] for w in own]).astype(float)
            log_probability = best[0] - np.log(np.exp(readable).sum(axis=0)).sum()
            assert found[item, 2] == pytest.approx(log_probability, abs=1e-4)


def test_no_answer_is_given_only_where_some_question_of_training_had_none():
    place = np.array([[-1, -1], [0, 3], [4, 7]], np.int32)
    logits = [np.array([[4, 4], [1, 1], [0, 0]], np.float32)]
    windows = Windows(np.zeros(1, np.int32), (place,), 1)
    assert tuple(read_answers(logits, windows, may_be_absent=False)[0, :2]) == (0, 3)
    assert tuple(read_answers(logits, windows, may_be_absent=True)[0, :2]) == (-1, -1)
    empty = Windows(np.zeros(1, np.int32), (np.full((3, 2), -1, np.int32),), 1)
    assert tuple(read_answers(logits, empty, may_be_absent=False)[0, :2]) == (-1, -1)


def test_an_answer_that_does_not_stand_there_is_named():
    item = Examples(("q1",), ("What?",), ("In Denver.",), answers=((AnswerSpan(2, "Denver"),),))
    with pytest.raises(DataError) as error:
        check_answers(item, "train")
    assert str(error.value) == (
        "item 'q1' of the train data: the answer 'Denver' is not at character 2 of its passage; found ' Denve' there"
    )
