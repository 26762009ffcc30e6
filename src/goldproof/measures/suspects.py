"""Label suspects: rows whose label a classifier that has not seen them contradicts, with how often it is right.

Confident learning (Northcutt, Jiang & Chuang 2021) in our own form. It says nothing about what the right label is
beyond what words tell, and says so where words tell too little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.data.dataset import Dataset
from goldproof.statistics.estimate import Estimate

SuspectProgress = Callable[[str, int, int], None]  # what is at hand, how much of it is done, of how much


@dataclass(frozen=True, slots=True)
class Suspect:
    """A row whose label is contradicted: its place (from 0), id, label and what the classifier says instead.

    `score` ranks: the log of how much likelier `instead` is than the label, each against its class's own confidence.
    """

    row: int
    id: str
    label: str
    instead: str
    score: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The first `n` suspects, and which share of them is estimated to be wrong."""

    n: int
    precision: Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """The ranked suspects, the precision at each cut, and the share of wrong labels.

    `reason` is empty where this could be told. Otherwise it says why not (a classifier hardly better than the most
    frequent label, too few rows, one class, numbers instead of labels): the estimates are then NaN and `cuts` empty;
    `suspects` still ranks where there was a classifier. `scores` has every row's rank score (NaN without a label).
    """

    suspects: tuple[Suspect, ...]
    cuts: tuple[Cut, ...]
    share_wrong: Estimate
    accuracy: Estimate
    majority: float
    scores: npt.NDArray[np.float64]
    reason: str

    @property
    def told(self) -> bool:
        """Whether the share of wrong labels could be told."""
        return not self.reason


def find_suspects(
    data: Dataset,
    *,
    probabilities: npt.NDArray[np.float64] | None = None,
    groups: npt.NDArray[np.int64] | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: SuspectProgress | None = None,
) -> Suspects:
    """Rank the rows whose label is probably wrong.

    `probabilities` (rows × sorted labels, out of sample) replace the classifier of words and characters. Rows of one
    group (copies, one premise) are never on both sides of a fold.
    """
    raise NotImplementedError
