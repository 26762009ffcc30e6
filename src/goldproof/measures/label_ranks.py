"""Labelled rows ranked by how strongly their texts speak for another label.

A classifier's probability is that of the label given the text, in which frequent labels have a head start, and so have
labels that wrong ones gather in. Of the logarithm of a label's share 0.7 are therefore taken off,

    q(k) ∝ p(k | text) / share(k)^0.7,

and a row is ranked by the mean of two log odds against its label: of the likeliest other label, log q(k) / q(label),
and of all others, log (1 − q(label)) / q(label). The first finds labels taken for their neighbour, the second labels
that are anything. With all of the share off, errors are found best that gather in frequent labels; with none of it,
errors that hit rows at random where labels are not equally frequent. 0.7 was chosen on the worlds `TUNED_ON` of
`benchmarks/audit_designs.py` and on thinned ones of the same kind, where no ranking of cleanlab found more than it by
more than 2 points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from goldproof.statistics.arrays import FloatArray

Longs = npt.NDArray[np.int64]
HEAD_START = 0.7  # of the logarithm of a label's share


@dataclass(frozen=True, slots=True, eq=False)
class RankedLabels:
    """What out-of-sample probabilities say of each row's label.

    `scores` rank; `ranked` are the rows whose text speaks more for `instead` than for their label, the highest first.
    `contradicted` says where the likeliest label is another one, `margins` by how much it is likelier than the next
    (in logs): both with the labels' shares left in, as they tell how sure the classifier is.
    """

    scores: FloatArray
    instead: Longs
    margins: FloatArray
    contradicted: npt.NDArray[np.bool_]
    ranked: Longs


def rank_labels(labels: Longs, chances: FloatArray) -> RankedLabels:
    """Rank rows by their labels' codes and the probabilities of all labels (rows × labels).

    >>> found = rank_labels(np.array([0, 0, 0, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]]))
    >>> found.ranked.tolist(), found.contradicted.tolist(), found.scores.round(1).tolist()
    ([2, 1], [False, False, True, False], [-1.4, 0.4, 2.2, -0.8])
    """
    every = np.arange(len(labels))
    shares = np.bincount(labels, minlength=chances.shape[1]) / len(labels)
    logs = np.log(np.maximum(chances, 1e-12))
    told = logs - HEAD_START * np.log(np.maximum(shares, 0.5 / len(labels)))
    told -= special.logsumexp(told, axis=1, keepdims=True)
    own = told[every, labels]
    told[every, labels] = -np.inf
    instead = told.argmax(1)
    scores = (told[every, instead] + special.logsumexp(told, axis=1)) / 2 - own
    ordered = np.sort(logs, axis=1)
    contradicted = logs[every, labels] < ordered[:, -1]
    above = np.flatnonzero(told[every, instead] > own)
    ranked = above[np.argsort(-scores[above], kind="stable")]
    return RankedLabels(scores, instead, ordered[:, -1] - ordered[:, -2], contradicted, ranked)
