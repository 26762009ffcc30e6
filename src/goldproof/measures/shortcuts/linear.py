"""Shortcuts that weigh many grams at once: a linear model over a sparse table, and the nearest neighbour in train."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from goldproof.measures.shortcuts.items import Guess, Texts, constant, guess_of
from goldproof.statistics.arrays import Array, FloatArray

MOST_STEPS = 60
STRENGTHS = (0.001, 0.01, 0.1, 1.0)  # C, tried on a fifth of train that is set aside
SMALLEST_ASIDE = 20
MANY_CLASSES = 30
COMMON = 0.2  # of train: grams that stand in more items say little of which item is near
BLOCK = 4_000_000


def linear_guess(train: Texts, table: sparse.csr_matrix, wanted: sparse.csr_matrix, what: str) -> Guess:
    """A linear model: logistic regression for classes (naive Bayes where they are many), ridge for numbers.

    How strongly its weights are held to 0 is chosen on a fifth of train.
    """
    if not table.nnz:
        return constant(train, wanted.shape[0], "nothing stands in two items of train")
    rule = f"linear model on {int((np.asarray(table.sum(axis=0)).ravel() > 0).sum()):,} {what}"
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


def nearest_guess(train: Texts, table: sparse.csr_matrix, wanted: sparse.csr_matrix) -> Guess:
    """The gold of the item of train that shares most rare grams (cosine of idf weights); ties go to the first.

    How likely its class is depends on how near it is: a cosine of 0 gives the shares of train, of 1 that class alone.
    """
    often = np.asarray(table.sum(axis=0)).ravel()
    kept = np.flatnonzero((often > 0) & (often <= max(COMMON * table.shape[0], 2)))
    rule = "gold of the item of train that shares most words"
    if not len(kept):
        return constant(train, wanted.shape[0], "no two items share a rare word")
    weights = np.log((1 + table.shape[0]) / (1 + often[kept]))
    known, asked = (_unit(part[:, kept] @ sparse.diags(weights)) for part in (table, wanted))
    nearest = np.zeros(wanted.shape[0], np.int64)
    cosine = np.zeros(wanted.shape[0])
    step = max(1, BLOCK // table.shape[0])
    across = known.T.tocsr()
    for start in range(0, wanted.shape[0], step):
        block = (asked[start : start + step] @ across).toarray()
        nearest[start : start + step] = block.argmax(axis=1)
        cosine[start : start + step] = block.max(axis=1)
    found = train.gold[nearest]
    if train.is_numeric:
        mean = float(train.gold.mean())
        return Guess(mean + cosine * (found - mean), None, rule)
    likely = (1 - cosine)[:, None] * (np.bincount(train.gold, minlength=train.n_classes) / len(train))
    likely[np.arange(len(found)), found] += cosine
    return Guess(found, likely, rule)


def _unit(table: sparse.csr_matrix) -> sparse.csr_matrix:
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return (sparse.diags(1 / np.where(length > 0, length, 1.0)) @ table).tocsr()
