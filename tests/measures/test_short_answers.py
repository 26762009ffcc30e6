"""Exact match and F1 of short answers: an independent implementation's numbers, and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.measures.short_answers import AnswerMatch, match_answer, normal_answer

OF_TORCHMETRICS = [
    ("Denver Broncos", ["Denver Broncos", "the Denver Broncos"], 100.0, 100.0),
    ("The Denver Broncos!", ["Broncos"], 0.0, 66.6667),
    ("", ["Denver"], 0.0, 0.0),
    ("the", ["a"], 100.0, 100.0),
    ("1,000 people", ["1000 people", "about 1,000 people"], 100.0, 100.0),
    ("“gold”", ["gold"], 0.0, 0.0),
    ("Santa Clara, California", ["Levi's Stadium", "Levi's Stadium at Santa Clara, California."], 0.0, 66.6667),
    ("gold gold gold", ["gold", "gold medal gold"], 0.0, 66.6667),
    ("St. John's", ["St Johns", "Saint John's"], 100.0, 100.0),
    ("an apple a day", ["apple day", "the day"], 100.0, 100.0),
    ("U.S.", ["US", "United States"], 100.0, 100.0),
    ("die Stadt Köln", ["Köln", "Stadt Köln"], 0.0, 80.0),
    ("well-known", ["well known", "wellknown"], 100.0, 100.0),
    ("in 1997", ["1997", "since 1997", "1998"], 0.0, 66.6667),
    ("北京市", ["北京"], 0.0, 0.0),
]
"""Prediction, golds, exact match and F1 by `torchmetrics.functional.text.squad` 1.9.0, each asked for by itself."""


@pytest.mark.parametrize(("prediction", "golds", "exact", "f1"), OF_TORCHMETRICS)
def test_squads_scores_are_those_of_torchmetrics(prediction, golds, exact, f1):
    found = match_answer(prediction, golds)
    assert 100 * found.exact == exact
    assert 100 * found.f1 == pytest.approx(f1, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("Die „alte“ Stadt — Köln", "de", "alte stadt köln"),
        ("La «vieja» ciudad", "es", "vieja ciudad"),
        ("北京市 2008年", "zh", "北 京 市 2008 年"),
        ("những con mèo", "vi", "con mèo"),
        ("“gold”", "en", "gold"),  # MLQA's script knows Unicode's punctuation, SQuAD's does not
        ("“gold”", None, "“gold”"),
        ("हिन्दी भाषा।", "hi", "हिन्दी भाषा"),
    ],
)
def test_languages_have_their_own_articles_punctuation_and_words(text, language, normal):
    assert normal_answer(text, language) == normal


def test_what_has_no_answer():
    assert match_answer("", []) == AnswerMatch(1.0, 1.0)
    assert match_answer("Denver", []) == AnswerMatch(0.0, 0.0)


texts = st.text(alphabet="ab the,. ", max_size=12)


@given(texts, st.lists(texts, min_size=1, max_size=3), texts)
def test_more_golds_are_never_worse_and_f1_is_at_least_exact_match(prediction, golds, other):
    found, more = match_answer(prediction, golds), match_answer(prediction, [*golds, other])
    assert more.exact >= found.exact and more.f1 >= found.f1
    assert 0 <= found.exact <= found.f1 <= 1
    assert match_answer(prediction, [prediction]).exact == 1
