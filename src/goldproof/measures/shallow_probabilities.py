"""Probabilities of labels from words and characters alone, each row's from rows that were not learned with it.

TF-IDF of words and of runs of characters, each side of a pair apart, what the two sides share, and logistic regression.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from goldproof.statistics.arrays import FloatArray

Longs = npt.NDArray[np.int64]
_WORD = re.compile(r"\w+")
_MOST_CHARACTERS = 20_000  # of a text whose words are counted; of characters, the first tenth
_MOST_FEATURES = 1 << 17
_MOST_LEARNED = 20_000  # rows of a fold
_MOST_COMPACT = 3_000  # rows of which all products are made
_STRENGTH = 5.0  # scikit-learn's C


def text_features(texts: Sequence[str], pairs: Sequence[str | None] | None) -> sparse.csr_matrix:
    """A row for each item: words and pairs of words, runs of 2 to 5 characters, and for pairs what the sides share."""
    sides = [list(texts)] if pairs is None else [list(texts), [pair or "" for pair in pairs]]
    blocks = [block for side in sides for block in _side_features(side)]
    if pairs is not None:
        blocks.append(sparse.csr_matrix(np.array(list(map(_shared, *sides)))))
    return sparse.hstack(blocks, format="csr") if blocks else sparse.csr_matrix((len(texts), 1))


def _side_features(texts: Sequence[str]) -> list[sparse.csr_matrix]:
    once = {"sublinear_tf": True, "min_df": 2, "max_features": _MOST_FEATURES, "dtype": np.float64}
    words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=_WORD.pattern, **once)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **once)
    blocks = []
    for vectorizer, most in ((words, _MOST_CHARACTERS), (characters, _MOST_CHARACTERS // 10)):
        try:
            blocks.append(vectorizer.fit_transform([text[:most] for text in texts]))
        except ValueError:  # no word, or no run of characters, stands in two rows
            continue
    return blocks


def _shared(text: str, pair: str) -> tuple[float, float, float]:
    first, second = set(_WORD.findall(text.lower())), set(_WORD.findall(pair.lower()))
    n_shared = len(first & second)
    return n_shared / max(len(second), 1), n_shared / max(len(first), 1), len(second) / max(len(first) + len(second), 1)


def compact(features: sparse.csr_matrix) -> sparse.csr_matrix | FloatArray:
    """The same rows in as few dimensions as there are rows, where these are few: all their products stay as they are.

    With L·Lᵀ the Cholesky factor of all products of rows, a penalised linear model on L is the one on the features,
    turned; it has thousands of weights instead of hundreds of thousands.

    >>> table = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0]]))
    >>> rows = compact(table)
    >>> rows.shape, bool(np.allclose(rows @ rows.T, (table @ table.T).toarray()))
    ((2, 2), True)
    """
    n = features.shape[0]
    if n > _MOST_COMPACT or n >= features.shape[1]:
        return features
    often = np.diff(features.tocsc().indptr) > n // 20
    common, rare = features[:, often].toarray(), features[:, ~often]
    products = common @ common.T + (rare @ rare.T).toarray()
    products[np.diag_indices(n)] += 1e-9  # equal rows
    return np.asarray(linalg.cholesky(products, lower=True, overwrite_a=True))


def cross_validated(
    features: sparse.csr_matrix | FloatArray, labels: Longs, n_labels: int, folds: Longs, rng: np.random.Generator
) -> FloatArray:
    """Probabilities (rows × labels) from the rows of the other folds; the most frequent labels where those have one."""
    found = np.zeros((len(labels), n_labels))
    for fold in range(int(folds.max()) + 1):
        learned, asked = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if len(learned) > _MOST_LEARNED:
            learned = np.sort(rng.choice(learned, _MOST_LEARNED, replace=False))
        present = np.unique(labels[learned])
        if len(present) < 2:
            found[np.ix_(asked, present)] = 1.0
            continue
        model = LogisticRegression(C=_STRENGTH, max_iter=200, tol=1e-3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # nearly settled weights rank as well
            model.fit(features[learned], labels[learned])
        found[np.ix_(asked, model.classes_)] = model.predict_proba(features[asked])
    found += 1e-6  # a label that a fold has not seen is unlikely, not impossible
    return np.asarray(found / found.sum(1, keepdims=True))


def deal_folds(groups: Longs, n_folds: int, rng: np.random.Generator) -> Longs:
    """A fold for each row at random, the rows of a group together."""
    _, places = np.unique(groups, return_inverse=True)
    return np.asarray((rng.permutation(int(places.max()) + 1) % n_folds)[places])


def averaged(
    features: sparse.csr_matrix | FloatArray,
    labels: Longs,
    n_labels: int,
    groups: Longs,
    deals: Sequence[np.random.Generator],
) -> FloatArray:
    """The mean of the probabilities over several deals of folds."""
    each = [cross_validated(features, labels, n_labels, deal_folds(groups, 5, rng), rng) for rng in deals]
    return np.asarray(np.mean(each, axis=0))


Fit = Callable[[Longs], FloatArray]  # labels to probabilities out of sample
