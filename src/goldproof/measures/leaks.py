"""The leak certificate of text pairs: which shortcuts that were tried tell contradictions from the rest.

The shortcuts are those of `goldproof audit` (`measures/shortcuts`): each sees a part of the surface only, learns on the
training split and is scored on the test split, accuracy with its interval beside the band in which predictions dealt at
random would stay, and one test over all of them. What was not tried is not certified. Names and pairs that the splits
share are listed. Any NLI corpus can be certified: labels other than contradiction are one class (Salvatore et al. 2019,
section 2), balanced by `recast`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

import numpy as np

from goldproof.builders.logic.build import LogicCorpus, grammar_preset
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.logic.pairs import CONTRADICTION
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs.names import named
from goldproof.measures.shallow import TextPairs
from goldproof.measures.shortcuts.clusters import text_clusters
from goldproof.measures.shortcuts.items import Guess, TextItems
from goldproof.measures.shortcuts.judged import judge_shortcuts
from goldproof.measures.shortcuts.rules import Told
from goldproof.statistics import chance, metrics
from goldproof.statistics.arrays import IntArray
from goldproof.statistics.estimate import Estimate

_WORD = re.compile(r"\w+")
_KNOWN = ("contradiction", "contradicts", "contradictory", "contradict")
RuleProgress = Callable[[str, int], None]


@named("measures.Leak")
@dataclass(frozen=True, slots=True)
class Leak:
    """What one shortcut reached, the band of chance at the same number of items, and whether it is above the floor.

    `p_value` holds over all shortcuts together (Westfall & Young); the corpus leaks where it is below 0.05 and the
    interval of the accuracy lies above the most frequent label. `baseline` is the shortcut's name.
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
    """What the shortcuts that were tried reach on a corpus, and what its splits share; `n_train` pairs taught them."""

    n_train: int
    n_test: int
    leaks: tuple[Leak, ...]
    repeats: Repeats
    shared_names: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Whether no shortcut that was tried is above the floor, no pair stands twice and no name is shared."""
        repeated = self.repeats.train + self.repeats.test + self.repeats.across
        return not (any(leak.leaks for leak in self.leaks) or repeated or self.shared_names)

    def as_json(self) -> dict[str, Any]:
        """The certificate as plain values."""
        return {"clean": self.is_clean, **asdict(self)}


def known_contradiction(classes: Iterable[str]) -> str | None:
    """The label that is known to mean a contradiction: by its name, or DialogNLI's "negative"; None where none is.

    >>> known_contradiction(["positive", "neutral", "negative"]), known_contradiction(["negative", "positive"])
    ('negative', None)
    """
    found = list(classes)
    for name in found:
        if name.lower() in _KNOWN or (name.lower() == "negative" and {"positive", "neutral"} <= set(found)):
            return name
    return None


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

    Shortcuts learn from the first `most_train` pairs; repeats are counted over all. `progress` is told the name of each
    shortcut and how many are done.
    """
    for split, pairs in (("train", train), ("test", test)):
        if len(pairs) < 2 or pairs.contradicts.all() or not pairs.contradicts.any():
            raise UsageError(f"a certificate needs both classes in each split; {split} has {_count(pairs)}")
    learned = train if most_train is None else train.take(np.arange(min(most_train, len(train))))
    taught, asked = _items(learned), _items(test)
    clusters = text_clusters(test.premises, test.hypotheses)
    judged = judge_shortcuts(taught, asked, clusters.codes, np.random.default_rng(seed), _counted(progress))
    leaks = tuple(
        Leak(each.name, each.score, _chance(asked.gold, judged.guesses[each.name]), each.p_value, each.above, each.rule)
        for each in judged.scores
    )
    first, second = names or (guess_names(train), guess_names(test))
    shared = {name.casefold() for name in first} & {name.casefold() for name in second}
    return Certificate(len(learned), len(test), leaks, count_repeats(train, test), tuple(sorted(shared)))


def _items(pairs: TextPairs) -> TextItems:
    """The pairs as shortcuts see them, without a language: lemmas would depend on what is installed."""
    gold = pairs.contradicts.astype(np.int64)
    return TextItems(pairs.premises, pairs.hypotheses, gold, np.arange(len(pairs)), 2)


def _counted(progress: RuleProgress | None) -> Told | None:
    """A function that is told names and passes on how many came before."""
    if progress is None:
        return None
    done = count()
    return lambda name: progress(name, next(done))


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
    grammar = load_grammar(corpus.recipe.language, grammar_preset(corpus.recipe.preset))
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


def _chance(gold: IntArray, guess: Guess) -> Estimate:
    table = metrics.confusion(gold, guess.predicted, 2)
    return chance.chance_band(metrics.metric("accuracy"), table).band
