"""Step-down max-T over all pairs: which differences are shown, and in which direction, all claims together.

As in Mogstad, Romano, Shaikh & Wilhelm (2024) pairs that are distinguished are taken out, step by step (Romano & Wolf
2005), and the next is held against the largest of what is left. There the other direction of such a pair stays in;
here the pair leaves whole, as in Holm's steps, which without it tells more pairs apart than max-T does: a direction
that is already shown cannot be claimed again the other way. Wrong directions count as errors in the simulations. Here
are the steps only: how statistics vary when nothing differs is given as draws, some at a time, so that memory does not
grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from goldproof.statistics.arrays import Array, FloatArray

CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class Steps:
    """The adjusted p of each pair, in the direction that was seen, and draws of the largest statistic of all pairs."""

    adjusted: FloatArray
    largest: FloatArray

    def critical(self, level: float) -> float:
        """What the largest statistic of all pairs exceeds in no more than 1 − `level` of the draws."""
        return float(np.quantile(self.largest, level, method="higher"))


def step_down(statistics: Array, chunks: Iterable[Array], observed_among: bool = False) -> Steps:
    """Adjust the statistics of pairs (signed) by draws of all of them (pairs × draws, in chunks).

    With the pairs in the order of |t|, the p of pair l is the share of draws whose largest |t*| from l on
    is at least |t_l|, and never below that of a pair before it. `observed_among` says that the draws hold the
    statistics themselves, as all sign flips do.

    >>> rng = np.random.default_rng(0); draws = rng.normal(size=(3, 2000))
    >>> (step_down(np.array([4.0, -2.5, 0.1]), [draws]).adjusted < 0.05).tolist()
    [True, True, False]
    """
    statistics = np.asarray(statistics, float)
    order = np.argsort(-np.abs(statistics), kind="stable")
    size = np.abs(statistics)[order]
    least = (size * (1 - CLOSE))[:, None]
    counts, n, largest = np.zeros(len(order), np.int64), 0, []
    for chunk in chunks:
        drawn = np.abs(np.asarray(chunk)[order[::-1]])
        rest = np.maximum.accumulate(drawn, axis=0)[::-1]
        largest.append(rest[0].copy())
        counts += np.count_nonzero(rest >= least.astype(rest.dtype), axis=1)
        n += rest.shape[1]
    shares = counts / n if observed_among else (counts + 1) / (n + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(np.minimum(shares, 1.0))
    return Steps(adjusted, np.concatenate(largest).astype(float))
