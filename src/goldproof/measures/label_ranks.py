"""Labelled rows ranked by how strongly their texts speak for another label.

A classifier's probability is that of the label given the text, in which frequent labels have a head start; wrong labels
raise it further, as they move rows from one label to another. What the text itself says is the probability over the
label's share, so a row is ranked by

    log (p(k | text) / share(k)) − log (p(label | text) / share(label)),   k ≠ label, the largest of these

With two labels that are equally frequent this is the log odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.statistics.arrays import FloatArray

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RankedLabels:
    """What out-of-sample probabilities say of each row's label.

    `scores` rank (above 0: the text speaks more for `instead`); `ranked` are the rows above 0, the highest first.
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
    ([2, 1], [False, False, True, False], [-1.1, 0.7, 2.5, -1.1])
    """
    every = np.arange(len(labels))
    shares = np.bincount(labels, minlength=chances.shape[1]) / len(labels)
    logs = np.log(np.maximum(chances, 1e-12))
    told = logs - np.log(np.maximum(shares, 0.5 / len(labels)))
    own = told[every, labels]
    told[every, labels] = -np.inf
    instead = told.argmax(1)
    scores = told[every, instead] - own
    ordered = np.sort(logs, axis=1)
    contradicted = logs[every, labels] < ordered[:, -1]
    above = np.flatnonzero(scores > 0)
    ranked = above[np.argsort(-scores[above], kind="stable")]
    return RankedLabels(scores, instead, ordered[:, -1] - ordered[:, -2], contradicted, ranked)
