"""Three small tasks made on the spot, with the class of every word known: sentiment, paraphrase and similarity.

Each task hangs on one word class by design: sentiment on adjectives, less on adverbs; paraphrase on an adverb;
similarity on adjectives. So removing that class must cost much, and removing nouns nothing. Some labels are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from goldproof.builders.tagging.tagged import Tagging, make_table
from goldproof.data.dataset import Dataset
from goldproof.jobs import step
from goldproof.measures.cues import Paraphrases, Polarity

TASKS = ("generated/sentiment", "generated/paraphrase", "generated/similarity")
SIZES = {"train": 160, "test": 150}
NOISE = 0.08

_NOUNS = ["film", "book", "song", "meal", "hotel", "phone", "lecture", "museum", "train", "garden"]
_VERBS = ["seemed", "looked", "felt", "was", "became"]
_GOOD, _BAD = ["good", "lovely", "clever", "warm", "solid"], ["bad", "dull", "clumsy", "stale", "weak"]
_WELL, _ILL = ["gladly", "kindly"], ["sadly", "badly"]
_CLASSES = {
    "DET": ["the", "a"],
    "NOUN": _NOUNS,
    "VERB": _VERBS,
    "ADJ": [*_GOOD, *_BAD],
    "ADV": [*_WELL, *_ILL, "never", "always"],
    "CONJ": ["and"],
}
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words}
_WORD = re.compile(r"\w+|[^\w\s]")
POLARITY = Polarity(frozenset([*_GOOD, *_WELL]), frozenset([*_BAD, *_ILL]))
PARAPHRASES = Paraphrases.of([("film", "song"), ("good", "lovely"), ("seemed", "looked"), ("bad", "dull")])


@step(version=1, name="goldproof.corruption.generate")
def generate(task: str, split: str) -> Dataset:
    """One split of a generated task."""
    rng = np.random.default_rng([TASKS.index(task), list(SIZES).index(split)])
    make: Callable[[np.random.Generator], dict[str, Any]] = _MAKERS[task]
    return Dataset.from_rows(task, [make(rng) for _ in range(SIZES[split])], split=split, language="en")


@step(version=1, name="goldproof.corruption.tag_generated")
def tag_generated(data: Dataset) -> pa.Table:
    """The taggings of the distinct texts of a generated dataset, whose words have one class each."""
    texts = list(dict.fromkeys(text for text in [*data.texts, *data.pairs] if text is not None))
    return make_table(texts, [_tagging(text) for text in texts])


def _tagging(text: str) -> Tagging:
    found = list(_WORD.finditer(text))
    forms = tuple(match.group() for match in found)
    tags = tuple(_CLASS_OF.get(form, ".") for form in forms)
    return Tagging(tuple(m.start() for m in found), tuple(m.end() for m in found), tags, forms)


def _sentiment(rng: np.random.Generator) -> dict[str, Any]:
    good = bool(rng.random() < 0.5)
    adjective = _pick(rng, _GOOD if good else _BAD)
    adverb = _pick(rng, _WELL if good ^ bool(rng.random() < 0.25) else _ILL)
    return {"text": f"{_thing(rng)} {adverb} {adjective}.", "label": _label(rng, good, "positive", "negative")}


def _paraphrase(rng: np.random.Generator) -> dict[str, Any]:
    same = bool(rng.random() < 0.6)
    noun, verb, adjective = _pick(rng, _NOUNS), _pick(rng, _VERBS), _pick(rng, _GOOD + _BAD)
    other = f"the {_pick(rng, _NOUNS)} {'always' if same else 'never'} {_pick(rng, _VERBS)} {_pick(rng, _GOOD)}."
    text = f"the {noun} {verb} {adjective}."
    return {"text": text, "pair": other, "label": _label(rng, same, "equivalent", "not_equivalent")}


def _similarity(rng: np.random.Generator) -> dict[str, Any]:
    good = [bool(rng.random() < 0.5) for _ in range(2)]
    text, pair = (f"{_thing(rng)} {_pick(rng, _GOOD if each else _BAD)}." for each in good)
    return {"text": text, "pair": pair, "score": float(np.clip(sum(good) * 2 + rng.normal(0.5, 0.4), 0, 5))}


_MAKERS = dict(zip(TASKS, (_sentiment, _paraphrase, _similarity), strict=True))


def _thing(rng: np.random.Generator) -> str:
    return f"the {_pick(rng, _NOUNS)} and the {_pick(rng, _NOUNS)} {_pick(rng, _VERBS)}"


def _pick(rng: np.random.Generator, words: list[str]) -> str:
    return words[int(rng.integers(len(words)))]


def _label(rng: np.random.Generator, yes: bool, first: str, second: str) -> str:
    return first if yes ^ bool(rng.random() < NOISE) else second
