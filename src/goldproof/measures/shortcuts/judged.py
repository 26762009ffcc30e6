"""How far shortcuts get on test: each score with its interval beside the floor, and one test over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.measures.shortcuts.items import Guess, TextItems
from goldproof.measures.shortcuts.names import GiveAway, give_aways
from goldproof.measures.shortcuts.rules import Told, TriedShortcuts, try_shortcuts
from goldproof.statistics.arrays import Array, IntArray, group_codes
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.exchange import Exchange, exchange_test
from goldproof.statistics.intervals import score_interval
from goldproof.statistics.metrics import metric

ALPHA = 0.05
DRAWS = 1_999
FOLDS = 5


@dataclass(frozen=True, slots=True)
class ShortcutScore:
    """What one shortcut reaches: accuracy (of numbers: correlation), and its share of the way from floor to perfect.

    `p_value` is the chance that the best of all shortcuts would look as good if gold meant nothing (Westfall & Young).
    """

    name: str
    score: Estimate
    share: Estimate
    p_value: float
    above: bool
    rule: str


@dataclass(frozen=True, slots=True, eq=False)
class JudgedShortcuts:
    """All shortcuts on one test set: scores, the floor (the most frequent label), how gold was exchanged, what words
    give labels away, what was not tried and why, and the answers themselves.
    """

    scores: tuple[ShortcutScore, ...]
    floor: float
    n_classes: int
    exchanged: Exchange
    draws: int
    words: tuple[GiveAway, ...]
    untried: Mapping[str, str]
    guesses: Mapping[str, Guess]
    folds: int = 0

    @property
    def best(self) -> ShortcutScore:
        """The shortcut with the highest score; the first of equals."""
        return max(self.scores, key=lambda each: (each.score.value, -each.p_value))

    @property
    def above(self) -> tuple[ShortcutScore, ...]:
        """Those credibly above the floor, the best first."""
        return tuple(sorted((each for each in self.scores if each.above), key=lambda each: -each.score.value))


def judge_shortcuts(
    train: TextItems, test: TextItems, clusters: Array | None, rng: np.random.Generator, told: Told | None = None
) -> JudgedShortcuts:
    """Learn shortcuts on train and judge them on test."""
    tried = try_shortcuts(train, test, told)
    words = give_aways(train, test, tried.grams)
    return judge_guesses(test.gold, test.n_classes, tried.guesses, clusters, rng, words, tried.untried)


def judge_crossed(
    data: TextItems, clusters: Array | None, rng: np.random.Generator, told: Told | None = None
) -> JudgedShortcuts:
    """The same for data of one split: each fifth is answered by shortcuts learned on the rest, clusters whole.

    The words that give labels away are those of the first fifth.
    """
    codes = group_codes(clusters, len(data))
    fold_of = rng.permutation(int(codes.max()) + 1)[codes] % FOLDS
    parts: list[tuple[IntArray, TriedShortcuts]] = []
    words: list[GiveAway] = []
    for fold in range(FOLDS):
        rows = np.flatnonzero(fold_of == fold)
        train, test = data.take(np.flatnonzero(fold_of != fold)), data.take(rows)
        parts.append((rows, try_shortcuts(train, test, told)))
        if fold == 0:
            words = give_aways(train, test, parts[0][1].grams)
    first = parts[0][1]
    guesses = {name: _joined([(rows, tried.guesses[name]) for rows, tried in parts]) for name in first.guesses}
    found = judge_guesses(data.gold, data.n_classes, guesses, clusters, rng, words, first.untried)
    return JudgedShortcuts(
        **{name: getattr(found, name) for name in JudgedShortcuts.__slots__ if name != "folds"}, folds=FOLDS
    )


def _joined(parts: Sequence[tuple[IntArray, Guess]]) -> Guess:
    """The answers of all folds in the order of the items; the rule is that of the first."""
    order = np.argsort(np.concatenate([rows for rows, _ in parts]), kind="stable")
    predicted = np.concatenate([guess.predicted for _, guess in parts])[order]
    likely = [guess.likely for _, guess in parts if guess.likely is not None]
    return Guess(predicted, np.concatenate(likely)[order] if likely else None, parts[0][1].rule)


def judge_guesses(
    gold: Array,
    n_classes: int,
    guesses: Mapping[str, Guess],
    clusters: Array | None,
    rng: np.random.Generator,
    words: Sequence[GiveAway] = (),
    untried: Mapping[str, str] | None = None,
) -> JudgedShortcuts:
    """Scores, intervals and the one test, from answers that are there."""
    predictions = np.stack([guess.predicted for guess in guesses.values()])
    test = exchange_test(gold, predictions, rng, clusters, DRAWS)
    floor = float(np.bincount(gold).max() / len(gold)) if n_classes else 0.0
    scores = []
    for place, (name, guess) in enumerate(guesses.items()):
        score = _score(gold, guess.predicted, n_classes, clusters)
        p_value = float(test.p_together[place])
        above = p_value < ALPHA and score.low > floor
        scores.append(ShortcutScore(name, score, way(score, floor, n_classes), p_value, above, guess.rule))
    known = dict(untried or {})
    return JudgedShortcuts(
        tuple(scores), floor, n_classes, test.exchanged, test.draws, tuple(words), known, dict(guesses)
    )


def _score(gold: Array, predicted: Array, n_classes: int, clusters: Array | None) -> Estimate:
    if n_classes:
        return score_interval(metric("accuracy", n_classes), gold, predicted, clusters)
    if np.ptp(predicted) < 1e-12 or np.ptp(gold) < 1e-12:
        return Estimate(0.0, math.nan, math.nan, "no interval: one answer to everything", len(gold))
    return score_interval(metric("pearson"), gold, predicted, clusters)


def way(score: Estimate, floor: float, n_classes: int) -> Estimate:
    """The share of the way from floor to perfect: (accuracy − floor) / (1 − floor), of numbers the variance explained.

    >>> found = way(Estimate(0.8, 0.75, 0.85, "Wilson", 100), 0.5, 2)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.6, 0.5, 0.7)
    """
    if n_classes:
        scale = max(1 - floor, 1e-12)
        value, low, high = ((each - floor) / scale for each in (score.value, score.low, score.high))
    else:
        value, low, high = (each * abs(each) for each in (score.value, score.low, score.high))
    return Estimate(value, low, high, score.method, score.n, score.level)
