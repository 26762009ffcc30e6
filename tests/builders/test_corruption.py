"""Corruption takes what it says, leaves the rest alone, and draws the same for the same text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.builders.corruption.removal import Cloze, Corruption, corrupt, make_cloze
from goldproof.builders.corruption.texts import CorruptionTally, apply_corruption, corrupt_dataset, corrupt_texts
from goldproof.builders.tagging import CLASSES, Tagging, choose_tagger, tag
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError

PAPER = {"preset": "paper"}


def without(text, classes, **options):
    corruption = Corruption(tuple(classes.split(",")), **options)
    return corrupt(text, tag([text], "en", corruption.tagger)[text], corruption).text


@pytest.mark.parametrize(
    ("classes", "text", "offsets", "paper"),
    [
        ("NOUN", "Barack Obama saw Paris.", "saw.", "saw."),  # proper nouns
        ("VERB", "She must go home.", "She home.", "She home."),  # modals
        ("ADV", "They don't sleep.", "They do sleep.", "They do sleep."),  # n't is an adverb
        ("VERB", "They don't sleep here.", "They n't here.", "Theyn't here."),
        ("PRT", "He likes John's dog.", "He likes John dog.", "He likes John dog."),  # possessives
        ("NOUN", "He likes John's dog.", "He likes 's.", "He likes's."),
        ("NOUN", "He likes John's big dog.", "He likes 's big.", "He likes's big."),
        (
            "NOUN",
            "The dogs, cats, and mice are here.",
            "The,, and are here.",
            "The, , and are here.",
        ),  # commas stay
        ("NOUN", 'He said "dogs" again.', 'He said "" again.', 'He said ``"again.'),  # quotes
        ("VERB", 'He said "dogs" again.', 'He "dogs" again.', 'He``dogs"again.'),
        ("NOUN", "Dogs", "", ""),  # nothing is left
        ("NOUN", "Dogs.", ".", "."),
        ("NUM", "It costs 3 dollars.", "It costs dollars.", "It costs dollars."),
        ("DET,ADJ", "The big dog saw a cat.", "dog saw cat.", "dog saw cat."),
        ("PRON", "(She slept.)", "(slept.)", "( slept . )"),
        ("NOUN", "two  spaces  stay", "two   stay", "two stay"),
    ],
)
def test_what_stays(nltk_data, classes, text, offsets, paper):
    assert (without(text, classes), without(text, classes, **PAPER)) == (offsets, paper)


texts_with_tokens = st.lists(
    st.tuples(
        st.text(alphabet="ab'.,()\"", min_size=1, max_size=4),
        st.sampled_from(["", " ", "  "]),
        st.sampled_from(CLASSES),
    ),
    max_size=8,
)


def build(pieces):
    text, starts, ends = "", [], []
    for word, space, _ in pieces:
        starts.append(len(text))
        text += word
        ends.append(len(text))
        text += space
    return text, Tagging(tuple(starts), tuple(ends), tuple(p[2] for p in pieces), tuple(p[0] for p in pieces))


@given(
    pieces=texts_with_tokens,
    classes=st.sets(st.sampled_from(CLASSES), min_size=1),
    kind=st.sampled_from(["remove", "keep", "random"]),
)
def test_offsets_never_alter_what_stays(pieces, classes, kind):
    text, tagging = build(pieces)
    found = corrupt(text, tagging, Corruption(tuple(classes), kind))
    expected = "".join(word for word, _, tag_ in pieces if tag_ not in classes)
    if kind == "keep":
        expected = "".join(word for word, _, tag_ in pieces if tag_ in (".", *classes))
    if kind == "random":
        assert found.n_touched == tagging.count(classes)
    else:
        assert re.sub(r"\s", "", found.text) == expected
    n_spaces = len(re.findall(r"\s", text)) - len(re.findall(r"\s", found.text))
    assert 0 <= n_spaces <= found.n_touched  # at most one space goes with each token


@given(pieces=texts_with_tokens, classes=st.sets(st.sampled_from(CLASSES), min_size=1))
def test_no_two_words_are_joined_that_stood_apart(pieces, classes):
    pieces = [("w" + word, " ", tag_) for word, _, tag_ in pieces]
    text, tagging = build(pieces)
    kept = [word for word, _, tag_ in pieces if tag_ not in classes]
    assert corrupt(text, tagging, Corruption(tuple(classes))).text.split() == kept


def test_controls(nltk_data):
    text = "The old man didn't see two dogs, or the cat."
    tagging = tag([text])[text]

    def control(kind, classes=("NOUN",), **options):
        return corrupt(text, tagging, Corruption(classes, kind, **options)).text

    assert control("keep") == "man dogs, cat."
    assert control("mask") == "The old [MASK] didn't see two [MASK], or the [MASK]."
    assert control("mask", mask="<mask>").count("<mask>") == 3
    shuffled = control("shuffle", ())
    assert shuffled != text
    assert sorted(re.findall(r"[\w']+", shuffled)) == sorted(re.findall(r"[\w']+", text))
    assert re.sub(r"[\w' ]", "", shuffled) == ",."
    drawn = [corrupt(text, tagging, Corruption(("NOUN",), "random", seed=seed)) for seed in range(40)]
    assert {result.n_touched for result in drawn} == {3}
    assert len({result.text for result in drawn}) > 20
    assert all(result.text.count(",") == result.text.count(".") == 1 for result in drawn)


def test_draws_are_the_same_everywhere(nltk_data):
    text = "The old man didn't see two dogs, or the cat."
    tagging = tag([text])[text]
    random = Corruption(("NOUN",), "random", seed=1)
    assert corrupt(text, tagging, random).text == RANDOM
    assert corrupt(text, tagging, Corruption((), "shuffle", seed=1)).text == SHUFFLED
    by_id = {corrupt(text, tagging, random, identity=f"row {i}").text for i in range(10)}
    assert len(by_id) > 5


def test_every_word_is_drawn_equally_often():
    n = 8
    text = " ".join("abcdefgh")
    tagging = Tagging(
        tuple(range(0, 2 * n, 2)), tuple(range(1, 2 * n, 2)), ("NOUN", "NOUN", *["VERB"] * 6), tuple("abcdefgh")
    )
    counts = dict.fromkeys("abcdefgh", 0)
    for seed in range(2000):
        for letter in set("abcdefgh") - set(corrupt(text, tagging, Corruption(("NOUN",), "random", seed=seed)).text):
            counts[letter] += 1
    assert sum(counts.values()) == 4000
    assert all(400 < count < 600 for count in counts.values())  # 500 expected, standard deviation 19


def test_the_cloze_questions_of_section_6_2(nltk_data):
    text = "An unclassifiably awful study in self - and audience-abuse."
    tagging = tag([text], "en", "nltk-3.5")[text]
    assert make_cloze(text, tagging, ("NOUN",), "[MASK]", "paper") == Cloze(
        "study",
        "An unclassifiably awful [MASK] in self - and audience-abuse.",
        "An unclassifiably awful [MASK] in - and.",
    )
    assert make_cloze(text, tagging, ("NUM",), "[MASK]") is None


def test_datasets_keep_rows_labels_and_empty_texts(nltk_data):
    rows = [{"text": "Dogs", "pair": "Cats sleep.", "label": "x"}, {"text": "A dog saw him.", "label": "y"}]
    data = Dataset.from_rows("toy", rows)
    taggings = tag(["Dogs", "Cats sleep.", "A dog saw him."])
    corrupted, tallies = corrupt_dataset(data, taggings, Corruption(("NOUN",)))
    assert corrupted.texts == ["", "A saw him."]
    assert corrupted.pairs == ["sleep.", None]
    assert corrupted.table["label"].to_pylist() == ["x", "y"]
    assert tallies == {"text": CorruptionTally(2, 2, 1, 6, 2), "pair": CorruptionTally(1, 1, 0, 3, 1)}


def test_several_corruptions_from_one_tagging_in_several_processes(nltk_data):
    texts = [f"Dog number {i} was here." for i in range(2100)]
    corruptions = [Corruption(("NOUN",)), Corruption(("VERB",)), Corruption((), "shuffle")]
    alone = corrupt_texts(texts, corruptions, choose_tagger("en"))
    assert corrupt_texts(texts, corruptions, choose_tagger("en"), workers=2) == alone
    assert alone[1] == apply_corruption(texts, tag(texts), corruptions[1])
    assert alone[1].texts[7] == "Dog number 7 here."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"classes": ("NOUN",), "kind": "drop"},
            "there is no corruption 'drop'; allowed: remove, random, random-pairs, keep, shuffle, mask",
        ),
        ({"classes": ("NOUN",), "preset": "old"}, "there is no preset 'old' of corruption; allowed: offsets, paper"),
        ({"classes": ("NOUN",), "kind": "shuffle"}, "shuffle moves all words and takes no classes; got NOUN"),
        ({}, "the corruption 'remove' needs at least one word class; got none"),
    ],
)
def test_impossible_corruptions(arguments, message):
    with pytest.raises(UsageError) as error:
        Corruption(**arguments)
    assert str(error.value) == message


def test_the_paper_preset_needs_its_tagger():
    with pytest.raises(UsageError) as error:
        corrupt_texts(["a"], [Corruption(("NOUN",), preset="paper")], choose_tagger("de"))
    assert str(error.value) == (
        "the preset 'paper' needs the tagger 'nltk-3.5' and English texts; got the tagger 'hanta' for the language 'de'"
    )


RANDOM = "old man n't see two dogs, the cat."
SHUFFLED = "The the or two man dogs didn't, old see cat."
