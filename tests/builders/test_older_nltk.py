"""The older rules: each case was derived by hand from the rule it names and agrees with NLTK 3.5."""

from __future__ import annotations

import pytest

from goldproof.builders.corruption.older_nltk import detokenize, older_word_tokenizer

pytestmark = pytest.mark.needs("english")

SPLITS = [
    ("'hello there'", ["'hello", "there", "'"]),  # newer: the first apostrophe is split off
    ("rock 'n roll", ["rock", "'", "n", "roll"]),  # one letter after the apostrophe
    ("a—b – c", ["a—b", "–", "c"]),  # newer: dashes are split off
    ('say "no" now', ["say", "``", "no", "''", "now"]),
    ("I can't, won't.", ["I", "ca", "n't", ",", "wo", "n't", "."]),
    ("Cannot wanna gonna", ["Can", "not", "wan", "na", "gon", "na"]),
    ("more'n", ["more", "'", "n"]),  # newer: a contraction of two tokens
    ("John's dogs' toys", ["John", "'s", "dogs", "'", "toys"]),
    ("it''s", ["it", "''", "s"]),
    ("wait... what*ever", ["wait", "...", "what", "*", "ever"]),
]

JOINS = [
    ("a , , b", "a, , b"),  # the second comma keeps its space
    ("a , b , c", "a, b, c"),
    ("costs 3 , 5", "costs 3 , 5"),  # before a digit a comma keeps its spaces
    ("he said `` no '' and left", 'he said``no"and left'),
    ("`` no '' she said", '\\" no"she said'),
    ("( `` no '' )", '(" no")'),
    ("he does n't go", "he doesn't go"),
    ("he does n't", "he does n't"),  # nothing follows
    ("the 's tail", "the's tail"),
    ("dogs ' toys", "dogs' toys"),
    ("I can not go", "I cannot go"),
    ("I wan na go", "I wannago"),
    ("yes 't is", "yes'tis"),
    ("a -- b", "a--b"),
    ("so ( they say ) .", "so (they say)."),
    ("what ? !", "what?!"),
    ("$ 5 and 5 % more", "$ 5 and 5% more"),
    ("for $ 5", "for $5"),
    ("A & B", "A & B"),
    ("and ... so", "and...so"),
    ("no . more .", "no . more."),  # only the last full stop moves
    ("", ""),
]


@pytest.mark.parametrize(("text", "tokens"), SPLITS)
def test_split(text, tokens):
    assert older_word_tokenizer().tokenize(text) == tokens


@pytest.mark.parametrize(("tokens", "text"), JOINS)
def test_join(tokens, text):
    assert detokenize(tokens.split()) == text
