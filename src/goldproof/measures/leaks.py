"""The leak certificate of text pairs: which rules that understand nothing tell contradictions from the rest.

Each baseline (`shallow.py`) sees a part of the surface only: a bag of words, one text, overlap, length, one word. It
learns on the training split and is scored on the test split: accuracy with Wilson's interval, beside the band in which
predictions dealt at random would stay. Names and pairs that the splits share are listed. Any NLI corpus can be
certified: labels other than contradiction are one class (Salvatore et al. 2019, section 2), balanced by `recast`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from goldproof.builders.logic.build import LogicCorpus
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.logic.pairs import CONTRADICTION
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs.names import named
from goldproof.measures.shallow import BASELINES, BaselineGuess, BoolArray, TextPairs
from goldproof.statistics import chance, intervals, metrics, multiplicity
from goldproof.statistics.estimate import Estimate

_WORD = re.compile(r"\w+")
RuleProgress = Callable[[str, int], None]


@named("measures.Leak")
@dataclass(frozen=True, slots=True)
class Leak:
    """What one baseline reached, the band of chance at the same number of items, and whether it leaves the band.

    `p_value` is adjusted for the number of baselines (Holm); the corpus leaks where it is below 0.05 and the accuracy
    is above chance.
    """

    baseline: str
    accuracy: Estimate
    chance: Estimate
    p_value: float
    leaks: bool
    rule: str


@named("measures.Repeats")
@dataclass(frozen=True, slots=True)
class Repeats:
    """Pairs that stand more than once: further copies within a split, pairs of test that are in train."""

    train: int
    test: int
    across: int


@named("measures.Certificate")
@dataclass(frozen=True, slots=True)
class Certificate:
    """What rules without understanding reach on a corpus, and what its splits share; `n_train` pairs taught them."""

    n_train: int
    n_test: int
    leaks: tuple[Leak, ...]
    repeats: Repeats
    shared_names: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Whether no baseline leaves chance, no pair stands twice and no name is shared."""
        repeated = self.repeats.train + self.repeats.test + self.repeats.across
        return not (any(leak.leaks for leak in self.leaks) or repeated or self.shared_names)

    def as_json(self) -> dict[str, Any]:
        """The certificate as plain values."""
        return {"clean": self.is_clean, **asdict(self)}


def pairs_of(data: Dataset, contradiction: str = "contradiction") -> TextPairs:
    """The pairs of a dataset; `contradiction` is its label of contradictions."""
    labels = data.table.column("label").to_pylist()
    if contradiction not in labels:
        found = ", ".join(sorted({str(label) for label in labels}))
        raise DataError(f"{data.name}: no pair has the label {contradiction!r}; labels found: {found}")
    hypotheses = data.pairs
    if any(hypothesis is None for hypothesis in hypotheses):
        raise DataError(f"{data.name}: row {hypotheses.index(None)} has no second text; a certificate needs pairs")
    texts = tuple(hypothesis for hypothesis in hypotheses if hypothesis is not None)
    return TextPairs(tuple(data.texts), texts, np.array([label == contradiction for label in labels]))


def recast(pairs: TextPairs, rng: np.random.Generator) -> TextPairs:
    """Contradiction detection with both classes equally frequent: the larger class is cut at random, order kept."""
    rows = [np.flatnonzero(pairs.contradicts == value) for value in (True, False)]
    n = min(len(rows[0]), len(rows[1]))
    kept = np.concatenate([rng.choice(each, n, replace=False) for each in rows])
    return pairs.take(np.sort(kept))


def split_pairs(pairs: TextPairs, rng: np.random.Generator, share: float = 0.3) -> tuple[TextPairs, TextPairs]:
    """A random split into train and test, for a corpus that has one split only."""
    order = rng.permutation(len(pairs))
    n_test = round(len(pairs) * share)
    return pairs.take(np.sort(order[n_test:])), pairs.take(np.sort(order[:n_test]))


def split_premises(pairs: TextPairs, rng: np.random.Generator, share: float = 0.3) -> tuple[TextPairs, TextPairs]:
    """The same with all pairs of a premise on one side.

    NLI corpora have one hypothesis of each label for a premise, so that a known premise tells what is still to come.
    """
    premises, place = np.unique(pairs.premises, return_inverse=True)
    is_test = np.zeros(len(premises), bool)
    is_test[rng.permutation(len(premises))[: round(len(premises) * share)]] = True
    return pairs.take(np.flatnonzero(~is_test[place])), pairs.take(np.flatnonzero(is_test[place]))


def certify(
    train: TextPairs,
    test: TextPairs,
    seed: int = 0,
    names: Sequence[Iterable[str]] | None = None,
    most_train: int | None = None,
    progress: RuleProgress | None = None,
) -> Certificate:
    """The certificate of a corpus; `names` are those of train and test where they are known, else they are guessed.

    Baselines learn from the first `most_train` pairs; repeats are counted over all. `progress` is told the name of each
    baseline and how many are done.
    """
    for split, pairs in (("train", train), ("test", test)):
        if len(pairs) < 2 or pairs.contradicts.all() or not pairs.contradicts.any():
            raise UsageError(f"a certificate needs both classes in each split; {split} has {_count(pairs)}")
    learned = train if most_train is None else train.take(np.arange(min(most_train, len(train))))
    guesses: dict[str, BaselineGuess] = {}
    for name, baseline in BASELINES.items():
        if progress is not None:
            progress(name, len(guesses))
        guesses[name] = baseline(learned, test, seed)
    bands = [_chance(test.contradicts, guess.contradicts) for guess in guesses.values()]
    adjusted = multiplicity.holm(np.array([band.p_value for band in bands]))
    leaks = tuple(
        _leak(name, guess.rule, band, float(p_value))
        for (name, guess), band, p_value in zip(guesses.items(), bands, adjusted, strict=True)
    )
    first, second = names or (guess_names(train), guess_names(test))
    shared = {name.casefold() for name in first} & {name.casefold() for name in second}
    return Certificate(len(learned), len(test), leaks, count_repeats(train, test), tuple(sorted(shared)))


def certify_corpus(
    corpus: LogicCorpus, seed: int = 0, most_train: int | None = None, progress: RuleProgress | None = None
) -> Certificate:
    """The certificate of a corpus that `builders.logic.build` made; its names are known, its order is random."""
    train, test = (
        TextPairs(
            tuple(pair.premise for pair in pairs),
            tuple(pair.hypothesis for pair in pairs),
            np.array([pair.label == CONTRADICTION for pair in pairs]),
        )
        for pairs in (corpus.train, corpus.test)
    )
    grammar = load_grammar(corpus.recipe.language)
    splits = ("train", "train" if corpus.recipe.shared_names else "test")
    return certify(train, test, seed, tuple(grammar.names(split) for split in splits), most_train, progress)


def count_repeats(train: TextPairs, test: TextPairs) -> Repeats:
    """How many pairs are copies of one in the same split, and how many of test stand in train."""
    first, second = (list(zip(pairs.premises, pairs.hypotheses, strict=True)) for pairs in (train, test))
    known = set(first)
    return Repeats(len(first) - len(known), len(second) - len(set(second)), sum(pair in known for pair in second))


def guess_names(pairs: TextPairs) -> set[str]:
    """Words that are always capitalised and stand within a sentence too: proper names, in most languages."""
    lower: set[str] = set()
    inner: set[str] = set()
    for text in (*pairs.premises, *pairs.hypotheses):
        for match in _WORD.finditer(text):
            if match[0][0].islower():
                lower.add(match[0].casefold())
            elif match[0][0].isupper() and text[: match.start()].rstrip(" \"'«„“(")[-1:] not in ("", ".", "!", "?"):
                inner.add(match[0])
    return {name for name in inner if name.casefold() not in lower}


def _count(pairs: TextPairs) -> str:
    n = int(pairs.contradicts.sum())
    return f"{n} contradictions and {len(pairs) - n} others"


def _chance(gold: BoolArray, predicted: BoolArray) -> chance.ChanceBand:
    table = metrics.confusion(gold.astype(int), predicted.astype(int), 2)
    return chance.chance_band(metrics.metric("accuracy"), table)


def _leak(name: str, rule: str, band: chance.ChanceBand, p_value: float) -> Leak:
    n = band.band.n
    accuracy = intervals.wilson(round(band.observed * n), n)
    return Leak(name, accuracy, band.band, p_value, p_value < 0.05 and band.observed > band.band.value, rule)
