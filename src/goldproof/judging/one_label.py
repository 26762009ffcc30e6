"""Categories whose gold is one label: permuting gold changes nothing there, so they are compared with other items.

Such a category's accuracy is how often the model gives the label. It says something only beside how often the model
gives that label to items of another gold, and beside 1/k of k labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.data.answers import Answers
from goldproof.statistics.arrays import Array, group_codes
from goldproof.statistics.comparison import compare_values
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.runs import values_interval


@dataclass(frozen=True, slots=True)
class OneLabel:
    """A category with one gold label: how often the model gives it there and elsewhere, the difference, and 1/k."""

    label: str
    elsewhere: Estimate | None
    difference: Estimate | None
    guessing: float


def one_label_of(answers: Answers, items: Array, level: float = 0.95) -> OneLabel | None:
    """What a category with one gold label is compared with; None where it has several."""
    codes = np.unique(answers.gold[items])
    if len(codes) != 1:
        return None
    code = int(codes[0])
    guessing = 1 / max(len(np.unique(answers.gold)), 2)
    others = np.flatnonzero(answers.gold != code)
    if not len(others):
        return OneLabel(answers.labels[code], None, None, guessing)
    given = (answers.runs == code).astype(float)
    clusters = None if answers.clusters is None else answers.clusters[others]
    elsewhere = values_interval(given[:, others], clusters, level)
    groups = group_codes(answers.clusters, answers.n_items)
    difference = compare_values(given[:, items], given[:, others], (groups[items], groups[others]), level)
    return OneLabel(answers.labels[code], elsewhere, difference, guessing)
