"""Baselines that understand nothing: each sees a part of the surface of text pairs, learns on train and guesses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.statistics.arrays import FloatArray

BoolArray = npt.NDArray[np.bool_]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TextPairs:
    """Premises, hypotheses, and whether each pair is a contradiction (one entry a pair)."""

    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    contradicts: BoolArray

    def __len__(self) -> int:
        return len(self.premises)

    def take(self, rows: npt.NDArray[np.intp]) -> TextPairs:
        """The pairs at these rows."""
        chosen = rows.tolist()
        premises, hypotheses = (tuple(texts[row] for row in chosen) for texts in (self.premises, self.hypotheses))
        return TextPairs(premises, hypotheses, self.contradicts[rows])


@dataclass(frozen=True, slots=True)
class BaselineGuess:
    """What a baseline says of each test pair (contradiction or not), and by what rule."""

    contradicts: BoolArray
    rule: str


ShallowBaseline = Callable[[TextPairs, TextPairs, int], BaselineGuess]


def words(text: str) -> list[str]:
    """The words of a text, without case and punctuation."""
    return _WORD.findall(text.casefold())


def _marked(pairs: TextPairs, sides: str) -> Iterator[list[str]]:
    """The words of each pair, marked by the text they are from; one pair at a time, since all would fill the memory."""
    for premise, hypothesis in zip(pairs.premises, pairs.hypotheses, strict=True):
        yield [
            f"{side}:{word}"
            for side, text in (("p", premise), ("h", hypothesis))
            if side in sides
            for word in words(text)
        ]


def _bag_of_words(sides: str) -> ShallowBaseline:
    def predict(train: TextPairs, test: TextPairs, seed: int) -> BaselineGuess:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.feature_extraction.text import CountVectorizer

        counter = CountVectorizer(analyzer=_identity, max_features=2_000, min_df=2)
        try:
            known = counter.fit_transform(_marked(train, sides))
        except ValueError:  # no word stands twice
            return BaselineGuess(np.zeros(len(test), bool), "no word to learn from")
        forest = RandomForestClassifier(n_estimators=50, min_samples_leaf=10, random_state=seed)
        forest.fit(known, train.contradicts)
        forest.n_jobs = 1  # trees may be grown in threads, but a sum over them must always have the same order
        predicted = forest.predict(counter.transform(_marked(test, sides)))
        return BaselineGuess(np.asarray(predicted, bool), f"random forest on {known.shape[1]} words")

    return predict


def _identity(document: list[str]) -> list[str]:
    return document


def _rule(features: Callable[[list[str], list[str]], Sequence[float]], names: Sequence[str]) -> ShallowBaseline:
    def predict(train: TextPairs, test: TextPairs, seed: int) -> BaselineGuess:
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=seed)
        tree.fit(_table(train, features), train.contradicts)
        used = sorted({names[index] for index in tree.tree_.feature if index >= 0})
        predicted = np.asarray(tree.predict(_table(test, features)), bool)
        return BaselineGuess(predicted, f"tree of depth 3 on {', '.join(used) or 'nothing'}")

    return predict


def _table(pairs: TextPairs, features: Callable[[list[str], list[str]], Sequence[float]]) -> FloatArray:
    texts = zip(pairs.premises, pairs.hypotheses, strict=True)
    return np.array([features(words(premise), words(hypothesis)) for premise, hypothesis in texts], float)


def _overlap(premise: list[str], hypothesis: list[str]) -> tuple[float, float]:
    known = set(premise)
    new = sum(word not in known for word in hypothesis)
    return (1 - new / max(len(hypothesis), 1), new)


def _repetition(premise: list[str], hypothesis: list[str]) -> tuple[float, float, float]:
    counts = Counter(premise)
    times = [counts[word] for word in set(hypothesis)] or [0]
    return (sum(times), min(times), max(times))


def _length(premise: list[str], hypothesis: list[str]) -> tuple[float, float, float]:
    return (len(premise), len(hypothesis), len(hypothesis) - len(premise))


def _single_word(train: TextPairs, test: TextPairs, seed: int) -> BaselineGuess:
    """The one word whose presence (in the premise, or in the hypothesis) tells most about the label."""
    with_word: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    for document, contradicts in zip(_marked(train, "ph"), train.contradicts.tolist(), strict=True):
        with_word.update(set(document))
        if contradicts:
            contradictions.update(set(document))
    n, total = len(train), int(train.contradicts.sum())

    def hits(word: str) -> int:
        """How many are right if the word means contradiction."""
        return 2 * contradictions[word] - with_word[word] + n - total

    best = max(sorted(with_word), key=lambda word: abs(2 * hits(word) - n))
    means = 2 * hits(best) >= n
    predicted = np.array([(best in set(document)) == means for document in _marked(test, "ph")])
    side = "premise" if best[0] == "p" else "hypothesis"
    return BaselineGuess(predicted, f"{best[2:]!r} in the {side} means {'contradiction' if means else 'none'}")


BASELINES: dict[str, ShallowBaseline] = {
    "bag of words": _bag_of_words("ph"),
    "hypothesis only": _bag_of_words("h"),
    "premise only": _bag_of_words("p"),
    "word overlap": _rule(_overlap, ("share of its words in the premise", "number of new words")),
    "repetition": _rule(_repetition, ("occurrences in the premise", "fewest", "most")),
    "length": _rule(_length, ("words of the premise", "words of the hypothesis", "their difference")),
    "single word": _single_word,
}
