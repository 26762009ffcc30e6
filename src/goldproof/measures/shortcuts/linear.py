"""Shortcuts that look at many grams at once: a linear model, a forest, and the nearest neighbour in train."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from goldproof.measures.shortcuts.items import Guess, TextItems, constant, guess_of
from goldproof.statistics.arrays import Array, FloatArray, IntArray

MOST_STEPS = 60
STRENGTHS = (0.01, 0.1, 1.0)  # C, tried on a fifth of train that is set aside
SMALLEST_ASIDE = 20
MANY_CLASSES = 30
COMMON = 0.2  # of train: grams that stand in more items say little of which item is near
BLOCK = 4_000_000
N_TREES = 30
SMALLEST_LEAF = 10
MOST_COMMON = 1_000  # grams of a forest
MOST_GROWN = 10_000  # items that a forest is grown on
MOST_TAUGHT = 5_000  # items of train from which is learned what a neighbour says
NEARNESS = (0.3, 0.6)


def linear_guess(train: TextItems, table: sparse.csr_matrix, wanted: sparse.csr_matrix, what: str) -> Guess:
    """A linear model: logistic regression for classes (naive Bayes where they are many), ridge for numbers.

    How strongly its weights are held to 0 is chosen on a fifth of train.
    """
    often = np.asarray(table.sum(axis=0)).ravel()
    kept = np.flatnonzero((often >= 2) & (often < len(train)))
    if not len(kept):
        return constant(train, wanted.shape[0], "nothing stands in two items of train, and not in all")
    table, wanted = table[:, kept], wanted[:, kept]
    rule = f"linear model on {len(kept):,} {what}"
    aside = np.random.default_rng(0).permutation(len(train)) % 5 == 4
    best = STRENGTHS[1]
    if aside.sum() >= SMALLEST_ASIDE:
        rest, kept = train.gold[~aside], train.gold[aside]
        tried = [_answers(rest, table[~aside], table[aside], strength, train.n_classes) for strength in STRENGTHS]
        best = STRENGTHS[int(np.argmax([_quality(answers, kept) for answers in tried]))]
    found = _answers(train.gold, table, wanted, best, train.n_classes)
    return Guess(found, None, rule) if train.is_numeric else guess_of(found, rule)


def _quality(answers: FloatArray, gold: Array) -> float:
    """How well answers fit: the mean log likelihood of classes, minus the squared error of numbers."""
    if answers.ndim == 1:
        return -float(((answers - gold) ** 2).mean())
    return float(np.log(np.maximum(answers[np.arange(len(gold)), gold], 1e-6)).mean())


def _answers(
    gold: Array, table: sparse.csr_matrix, wanted: sparse.csr_matrix, strength: float, n_classes: int
) -> FloatArray:
    """Numbers, or how likely each class is, with a column for each class that there is."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import ComplementNB

    if n_classes == 0:
        mean = float(gold.mean())
        ridge = Ridge(alpha=1 / strength, fit_intercept=False, solver="lsqr", tol=1e-4, max_iter=200)
        return np.asarray(ridge.fit(table, gold - mean).predict(wanted)) + mean
    present = np.unique(gold)
    found = np.zeros((wanted.shape[0], n_classes))
    if len(present) == 1:
        found[:, present[0]] = 1.0
        return found
    if len(present) > MANY_CLASSES:
        model = ComplementNB(alpha=strength)
    else:
        model = LogisticRegression(C=strength, max_iter=MOST_STEPS, tol=1e-3, solver="lbfgs")
    found[:, present] = _quietly_fitted(model, table, gold, wanted)
    return found


def _quietly_fitted(model: object, table: sparse.csr_matrix, gold: Array, wanted: sparse.csr_matrix) -> FloatArray:
    """Likelihoods of a model that may stop before its last step: a shortcut need not be the best of its kind."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table, gold)  # type: ignore[attr-defined]
    return np.asarray(model.predict_proba(wanted))  # type: ignore[attr-defined]


def forest_guess(train: TextItems, table: sparse.csr_matrix, wanted: sparse.csr_matrix) -> Guess:
    """A forest of decision trees on the commonest grams: it sees words that mean something together only."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    often = np.asarray(table.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-np.where(often < len(train), often, 0), kind="stable")[:MOST_COMMON])
    kept = kept[(often[kept] >= 2) & (often[kept] < len(train))]
    if not len(kept):
        return constant(train, wanted.shape[0], "nothing stands in two items of train, and not in all")
    rows = np.sort(np.random.default_rng(0).permutation(len(train))[:MOST_GROWN])
    kind = RandomForestRegressor if train.is_numeric else RandomForestClassifier
    forest = kind(n_estimators=N_TREES, min_samples_leaf=SMALLEST_LEAF, max_features="sqrt", random_state=0)
    forest.fit(table[rows][:, kept], train.gold[rows])
    forest.n_jobs = 1  # trees may be grown in threads, but a sum over them must always have the same order
    rule = f"forest of {N_TREES} trees on the {len(kept):,} commonest words and pairs of neighbours"
    if train.is_numeric:
        return Guess(np.asarray(forest.predict(wanted[:, kept])), None, rule)
    likely = np.zeros((wanted.shape[0], train.n_classes))
    likely[:, forest.classes_.astype(int)] = forest.predict_proba(wanted[:, kept])
    return guess_of(likely, rule)


def nearest_guess(train: TextItems, near: Neighbourhood | None, n: int) -> Guess:
    """The gold of the nearest item of train; how likely its class is grows with the cosine to it."""
    if near is None:
        return constant(train, n, "no two items share a rare word")
    found, cosine = train.gold[near.there.row], near.there.cosine
    rule = "the gold of the item of train that shares most rare words"
    if train.is_numeric:
        mean = float(train.gold.mean())
        return Guess(mean + cosine * (found - mean), None, rule)
    likely = (1 - cosine)[:, None] * (np.bincount(train.gold, minlength=train.n_classes) / len(train))
    likely[np.arange(len(found)), found] += cosine
    return Guess(found, likely, rule)


def neighbour_guess(train: TextItems, near: Neighbourhood | None, n: int) -> Guess:
    """What the gold of the nearest item of train says: the same label, or another, as train has it.

    It is learned on train, each item with the nearest other: the pairs of one premise may have different labels. Near
    and far neighbours (cosines in three classes) are learned apart.
    """
    if near is None:
        return constant(train, n, "no two items share a rare word")
    rule = "what the gold of the item of train that shares most rare words says of other items of train"
    if train.is_numeric:
        return _number_of_nearest(train, near, rule)
    base = np.bincount(train.gold, minlength=train.n_classes) / len(train)
    counts = np.zeros((len(NEARNESS) + 1, train.n_classes, train.n_classes))
    place = (np.digitize(near.own.cosine, NEARNESS), train.gold[near.own.row], train.gold[near.taught])
    np.add.at(counts, place, 1.0)
    shares = (counts + base) / (counts.sum(axis=2, keepdims=True) + 1)
    return guess_of(shares[np.digitize(near.there.cosine, NEARNESS), train.gold[near.there.row]], rule)


def find_neighbours(train: TextItems, table: sparse.csr_matrix, wanted: sparse.csr_matrix) -> Neighbourhood | None:
    """The nearest item of train (cosine of idf weights of rare grams) for each item; ties go to the first."""
    often = np.asarray(table.sum(axis=0)).ravel()
    kept = np.flatnonzero((often > 0) & (often <= max(COMMON * table.shape[0], 2)))
    if not len(kept):
        return None
    weights = np.log((1 + table.shape[0]) / (1 + often[kept]))
    known, asked = (_unit(part[:, kept] @ sparse.diags(weights)) for part in (table, wanted))
    taught = np.sort(np.random.default_rng(0).permutation(len(train))[:MOST_TAUGHT])
    return Neighbourhood(taught, _nearest(known[taught], known, taught), _nearest(asked, known, None))


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The nearest item of train for each item, and the cosine to it."""

    row: IntArray
    cosine: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The neighbours of test items, and those of some items of train, `taught`, among the others."""

    taught: IntArray
    own: Neighbours
    there: Neighbours


def _number_of_nearest(train: TextItems, near: Neighbourhood, rule: str) -> Guess:
    """For numbers: by how much of the neighbour's distance from the mean an item follows it, times the cosine."""
    mean = float(train.gold.mean())
    follows, gold = near.own.cosine * (train.gold[near.own.row] - mean), train.gold[near.taught] - mean
    slope = float((follows * gold).sum() / max((follows**2).sum(), 1e-12))
    return Guess(mean + slope * near.there.cosine * (train.gold[near.there.row] - mean), None, rule)


def _nearest(asked: sparse.csr_matrix, known: sparse.csr_matrix, own: IntArray | None) -> Neighbours:
    """The nearest of the known rows for each asked one; `own` are the asked rows' places among them, left out."""
    row, cosine = np.zeros(asked.shape[0], np.int64), np.zeros(asked.shape[0])
    step = max(1, BLOCK // known.shape[0])
    across = known.T.tocsr()
    for start in range(0, asked.shape[0], step):
        block = (asked[start : start + step] @ across).toarray()
        if own is not None:
            block[np.arange(len(block)), own[start : start + step]] = -1.0
        row[start : start + step] = block.argmax(axis=1)
        cosine[start : start + step] = block.max(axis=1)
    return Neighbours(row, cosine)


def _unit(table: sparse.csr_matrix) -> sparse.csr_matrix:
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return (sparse.diags(1 / np.where(length > 0, length, 1.0)) @ table).tocsr()
