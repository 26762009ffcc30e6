"""English by NLTK: Treebank tokens, averaged perceptron, Penn tags mapped to the universal classes.

The tagger and its features are NLTK's; only the choice of the best tag, which takes most of the time, is done with an
array of all weights. The sums are taken in the same order, so the tags are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from goldproof.builders.tagging.tagged import Tagging, align
from goldproof.errors import ModelError
from goldproof.extras import Need, require

_NEEDS = ("averaged_perceptron_tagger_eng", "punkt_tab", "universal_tagset")
_QUOTES = {"``": ('"', "''"), "''": ('"', "``")}


class TreebankTagger:
    """NLTK's tokens and tags; with `older` the tokens are those of NLTK up to 3.5."""

    def __init__(self, older: bool = False) -> None:
        require(Need("english", "the tagger 'nltk'"))
        self._split = _sentence_splitter()
        self._tokenize = _word_tokenizer(older)
        self._tagger, self._universal = _perceptron(), _universal_map()

    def tag(self, texts: Sequence[str]) -> list[Tagging]:
        """One tagging for each text; a text of several sentences is tagged as one."""
        return [self._tag(text) for text in texts]

    def _tag(self, text: str) -> Tagging:
        forms = [form for sentence in self._split(text) for form in self._tokenize(sentence)]
        tags = tuple(self._universal.get(tag, "X") for _, tag in self._tagger.tag(forms))
        spans = align(text, forms, _QUOTES)
        starts, ends = zip(*spans, strict=True) if spans else ((), ())
        return Tagging(starts, ends, tags, tuple(forms))


def _sentence_splitter() -> Callable[[str], list[str]]:
    from nltk.tokenize import PunktTokenizer

    return _with_data(lambda: PunktTokenizer("english").tokenize)  # type: ignore[no-any-return]


def _word_tokenizer(older: bool) -> Callable[[str], list[str]]:
    from nltk.tokenize import NLTKWordTokenizer

    from goldproof.builders.corruption.older_nltk import older_word_tokenizer

    tokenizer = older_word_tokenizer() if older else NLTKWordTokenizer()
    return tokenizer.tokenize  # type: ignore[no-any-return]


@functools.cache
def _perceptron() -> Any:
    from nltk.tag.perceptron import PerceptronTagger

    tagger = _with_data(PerceptronTagger)
    tagger.model.predict = _Weights(tagger.model.weights, tagger.model.classes).predict
    return tagger


@functools.cache
def _universal_map() -> Mapping[str, str]:
    from nltk.tag.mapping import tagset_mapping

    return dict(_with_data(lambda: tagset_mapping("en-ptb", "universal")))


class _Weights:
    """The weights of a perceptron as an array: one row for each feature, one column for each tag."""

    def __init__(self, weights: Mapping[str, Mapping[str, float]], tags: Iterable[str]) -> None:
        self._tags = sorted(tags, reverse=True)  # of equals the last by the alphabet wins
        self._rows = {feature: row for row, feature in enumerate(weights)}
        self._array = np.zeros((len(weights), len(self._tags)))
        columns = {tag: column for column, tag in enumerate(self._tags)}
        for row, votes in enumerate(weights.values()):
            for tag, weight in votes.items():
                self._array[row, columns[tag]] = weight

    def predict(self, features: Mapping[str, int], _confidence: bool = False) -> tuple[str, None]:
        """The tag with the greatest sum of weights over the features, each of which counts once."""
        rows = [self._rows[feature] for feature in features if feature in self._rows]
        return self._tags[int(self._array[rows].sum(axis=0).argmax())], None


def _with_data(load: Callable[[], Any]) -> Any:
    try:
        return load()
    except LookupError:
        line = "python -m nltk.downloader " + " ".join(_NEEDS)
        raise ModelError(
            f"the tagger 'nltk' needs NLTK data that is not on this machine; get it with: {line} (or set NLTK_DATA "
            "to a folder that holds it)"
        ) from None
