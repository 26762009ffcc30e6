"""The random control of pairs: the same word types from both texts, as many as the class took, as near as can be."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.builders.corruption.pairs import TextPair, choose_types, corrupt_pair
from goldproof.builders.corruption.removal import Corruption, corrupt
from goldproof.builders.corruption.texts import ControlGap, control_gap, corrupt_dataset
from goldproof.builders.tagging import Tagging
from goldproof.data.dataset import Dataset

NOUNS = ("cat", "dog", "mouse")


def tagging_of(text):
    found = list(re.finditer(r"\w+", text))
    forms = tuple(match.group() for match in found)
    tags = tuple("NOUN" if form.casefold() in NOUNS else "VERB" for form in forms)
    return Tagging(tuple(m.start() for m in found), tuple(m.end() for m in found), tags, forms)


def removed(before, after):
    """The words that are gone, in lower case, each as often as it went."""
    left = after.casefold().split()
    return sorted(word for word in before.casefold().split() if word not in left or left.remove(word))


words = st.lists(st.sampled_from([*NOUNS, "The", "the", "saw", "a", "big", "old", "ran"]), min_size=1, max_size=9)


@given(first=words, second=words, seed=st.integers(0, 3))
def test_a_type_goes_from_both_texts_or_from_none(first, second, seed):
    texts = (" ".join(first), " ".join(second))
    taggings = (tagging_of(texts[0]), tagging_of(texts[1]))
    control = Corruption(("NOUN",), "random-pairs", seed=seed)
    after = corrupt_pair(TextPair(texts, taggings), control)
    gone = [removed(before, each.text) for before, each in zip(texts, after, strict=True)]
    for word in set(gone[0]) | set(gone[1]):
        assert not any(word in each.text.casefold().split() for each in after)  # wherever it stood
    assert after == corrupt_pair(TextPair(texts, taggings), control)
    for each, words_gone in zip(after, gone, strict=True):
        assert each.n_touched == len(words_gone)


@given(
    counts=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)).filter(any), min_size=1, max_size=7),
    wanted=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    seed=st.integers(0, 5),
)
def test_the_numbers_are_nearly_always_the_nearest_there_are(counts, wanted, seed):
    table, goal = np.array(counts), np.minimum(np.array(wanted), np.array(counts).sum(0))
    order = np.random.default_rng(seed).permutation(len(table)).tolist()
    chosen = choose_types(table, goal, order)
    apart = int(np.abs(goal - table[chosen].sum(0)).sum())
    every = (np.abs(goal - table[np.array(mask, bool)].sum(0)).sum() for mask in product((0, 1), repeat=len(table)))
    assert apart <= min(every) + 1  # two exchanges at a time find the best but for one word


def test_what_both_have_in_common_is_drawn_once_for_both():
    """Words drawn for each text alone leave one text with what the other lost; types do not."""
    text = "the old cat saw a big dog"
    together = Corruption(("NOUN",), "random-pairs")
    same = corrupt_pair(TextPair((text, text), (tagging_of(text),) * 2), together)
    assert same[0].text == same[1].text
    assert same[0].n_touched == 2
    other = f"now {text}"
    alone = [corrupt(each, tagging_of(each), Corruption(("NOUN",), "random")).text for each in (text, other)]
    assert removed(text, alone[0]) != removed(other, alone[1])
    both = corrupt_pair(TextPair((text, other), (tagging_of(text), tagging_of(other))), together)
    assert removed(text, both[0].text) == removed(other, both[1].text)


def test_every_type_is_drawn_equally_often():
    text = "the old cat saw a big dog"
    counts = dict.fromkeys(text.split(), 0)
    for seed in range(2000):
        first, _ = corrupt_pair(
            TextPair((text, text), (tagging_of(text),) * 2), Corruption(("NOUN",), "random-pairs", seed=seed)
        )
        for word in removed(text, first.text):
            counts[word] += 1
    assert np.array(list(counts.values())) / 2000 == pytest.approx(2 / 7, abs=0.04)


def test_datasets_are_corrupted_pair_by_pair_and_the_gap_is_counted():
    rows = [
        {"text": "the cat saw a dog", "pair": "a dog ran", "label": "x"},
        {"text": "cat cat ran", "pair": "ran ran ran", "label": "y"},  # two nouns; no type stands twice in it but these
        {"text": "a mouse", "pair": None, "label": "x"},
    ]
    data = Dataset.from_rows("mixed", rows)
    texts = [text for row in rows for text in (row["text"], row["pair"]) if text is not None]
    taggings = {text: tagging_of(text) for text in texts}
    control = Corruption(("NOUN",), "random-pairs")
    found, tallies = corrupt_dataset(data, taggings, control)
    assert found.table.column("label") == data.table.column("label")
    assert found.pairs[2] is None
    assert tallies["text"].n_texts == 3
    assert tallies["pair"].n_texts == 2
    assert tallies["text"].n_touched == 2 + 2 + 1
    assert control_gap(data, taggings, control) == ControlGap(n_texts=5, n_class=6, n_apart=0, n_texts_apart=0)
    few = Dataset.from_rows("few", [{"text": "cat saw", "pair": "saw saw saw"}])
    control = Corruption(("VERB",), "random-pairs")
    gap = control_gap(few, {text: tagging_of(text) for text in ("cat saw", "saw saw saw")}, control)
    assert gap == ControlGap(n_texts=2, n_class=4, n_apart=0, n_texts_apart=0)
    uneven = Dataset.from_rows("uneven", [{"text": "cat saw", "pair": "cat cat"}])
    gap = control_gap(
        uneven, {text: tagging_of(text) for text in ("cat saw", "cat cat")}, Corruption(("VERB",), "random-pairs")
    )
    assert gap == ControlGap(n_texts=2, n_class=1, n_apart=0, n_texts_apart=0)
