"""Clusters of items that belong together: the variance of a mean over them, and how much it can be trusted.

A few clusters that hold most items make the usual sandwich too small and its t quantile too short. The variance here
is CR2 and its degrees of freedom are Bell & McCaffrey's (2002), as Imbens & Kolesár (2016) recommend. Items by
themselves are clusters of one, for which both are the textbook's. No intervals here.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy import special

from goldproof.statistics.arrays import Array, FloatArray, IntArray

FEW = 10
_MOST_SIGNS = 12


def cluster_shares(codes: IntArray) -> FloatArray:
    """The share of all items that each cluster holds, from the items' cluster codes 0, 1, ….

    >>> cluster_shares(np.array([0, 0, 0, 1])).tolist()
    [0.75, 0.25]
    """
    return np.asarray(np.bincount(codes) / len(codes))


def cluster_variance(influence: FloatArray, shares: FloatArray) -> float:
    """CR2: the variance of a mean from each cluster's part e_g in it (summing to 0): Σ e_g² / (1 − w_g).

    w_g is the cluster's share of items. With equal clusters it is G/(G−1)·Σ e_g².

    >>> cluster_variance(np.array([0.25, -0.25]), np.array([0.5, 0.5]))
    0.25
    """
    if len(shares) < 2:
        return math.nan
    return float((influence**2 / (1 - shares)).sum())


def cluster_df(shares: FloatArray) -> float:
    """Bell & McCaffrey's degrees of freedom of `cluster_variance`, under an identity working covariance.

    1 / (Σ w² + (Σ a)² − Σ a²) with a = w²/(1 − w); G − 1 where all clusters are of one size.

    >>> round(cluster_df(np.full(20, 0.05)), 6), round(cluster_df(np.r_[0.6, np.full(19, 0.4 / 19)]), 1)
    (19.0, 2.6)
    """
    if len(shares) < 2:
        return math.nan
    leverage = shares**2 / (1 - shares)
    return float(1 / ((shares**2).sum() + leverage.sum() ** 2 - (leverage**2).sum()))


def effective_clusters(shares: FloatArray) -> float:
    """How many clusters of one size would tell as much: the degrees of freedom plus 1.

    >>> round(effective_clusters(np.full(20, 0.05)), 6)
    20.0
    """
    return cluster_df(shares) + 1


def cluster_warning(clusters: Array | None) -> str:
    """A sentence where the clusters tell much less than their number, or are few; else nothing.

    >>> cluster_warning(np.r_[np.zeros(60, int), np.arange(1, 20).repeat(2)])
    '20 clusters, the largest with 61 % of the items, are worth as much as 4 of equal size: few to rely on'
    """
    if clusters is None:
        return ""
    shares = cluster_shares(np.unique(clusters, return_inverse=True)[1].astype(np.int64))
    if len(shares) < 2:
        return ""
    worth = effective_clusters(shares)
    if worth >= max(FEW, len(shares) / 2):
        return ""
    rests = "few to rely on"
    if worth > 0.9 * len(shares):
        return f"{len(shares)} clusters: {rests}"
    return (
        f"{len(shares)} clusters, the largest with {100 * shares.max():.0f} % of the items, are worth as much as "
        f"{worth:.0f} of equal size: {rests}"
    )


def wild_cluster_test(parts: FloatArray, shares: FloatArray, rng: np.random.Generator, draws: int = 9_999) -> float:
    """A second opinion on a mean of 0: the wild cluster bootstrap, null imposed (Cameron, Gelbach & Miller 2008).

    `parts` d_g are what each cluster adds to the mean D = Σ d_g, `shares` w_g the clusters' shares of the items. The
    clusters' signs are drawn (all of them, up to 12 clusters), and t = D / √Σ (d_g − w_g·D)²/(1 − w_g) is compared with
    the one observed; p is the share of draws at least as far from 0.

    >>> wild_cluster_test(np.arange(1, 9) / 100, np.full(8, 0.125), np.random.default_rng(0))
    0.0078125
    """
    n = len(parts)
    if n <= _MOST_SIGNS:
        signs = np.array(list(product((1.0, -1.0), repeat=n)))
    else:
        signs = np.concatenate([np.ones((1, n)), 1.0 - 2.0 * rng.integers(0, 2, (draws, n))])
    drawn = signs * parts
    means = drawn.sum(axis=1)
    spread = np.sqrt(((drawn - shares * means[:, None]) ** 2 / (1 - shares)).sum(axis=1))
    sizes = np.abs(means) / np.maximum(spread, 1e-300)
    return float((sizes >= sizes[0] * (1 - 1e-9)).mean())


def t_tail(alpha: float, df: float) -> float:
    """The upper quantile of Student's t at a two-sided error rate; normal where the degrees of freedom are infinite.

    >>> round(t_tail(0.05, math.inf), 3), round(t_tail(0.05, 4), 3)
    (1.96, 2.776)
    """
    return float(-special.ndtri(alpha / 2) if math.isinf(df) else -special.stdtrit(df, alpha / 2))
