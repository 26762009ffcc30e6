"""Step-down max-T over all pairs, in both directions: which differences are shown, all claims together.

For m models there are m(m − 1) one-sided hypotheses θ_j ≤ θ_k. As in Mogstad, Romano, Shaikh & Wilhelm (2024) those
that fall are taken out, step by step (Romano & Wolf 2005), and the rest is held against the largest of what is left;
the other direction of a pair that fell stays in, so that a wrong direction is an error too. Here are the steps only:
how statistics vary when nothing differs is given as draws, some at a time, so that memory does not grow with them.
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

    With the pairs in the order of |t|, pair l is held against max(max over l' ≥ l of |t*|, max over l' < l of −t*),
    each t* in its pair's direction; the p of a pair is never below that of one before it. `observed_among` says that
    the draws hold the statistics themselves, as all sign flips do.

    >>> rng = np.random.default_rng(0); draws = rng.normal(size=(3, 2000))
    >>> (step_down(np.array([4.0, -2.5, 0.1]), [draws]).adjusted < 0.05).tolist()
    [True, True, False]
    """
    statistics = np.asarray(statistics, float)
    order = np.argsort(-np.abs(statistics), kind="stable")
    size = np.abs(statistics)[order]
    direction = np.where(statistics[order] < 0, -1.0, 1.0)[:, None]
    least = (size * (1 - CLOSE))[:, None]
    counts, n, largest = np.zeros(len(order), np.int64), 0, []
    for chunk in chunks:
        drawn = np.asarray(chunk)[order]
        drawn *= direction.astype(drawn.dtype)
        rest = np.maximum.accumulate(np.abs(drawn[::-1]), axis=0)[::-1]
        largest.append(rest[0].copy())
        other_way = np.maximum.accumulate(np.negative(drawn, out=drawn), axis=0)
        np.maximum(rest[1:], other_way[:-1], out=rest[1:])
        counts += np.count_nonzero(rest >= least.astype(rest.dtype), axis=1)
        n += drawn.shape[1]
    shares = counts / n if observed_among else (counts + 1) / (n + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(np.minimum(shares, 1.0))
    return Steps(adjusted, np.concatenate(largest).astype(float))
