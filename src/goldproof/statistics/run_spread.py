"""What other runs would add to the variance of each model's score, where a board holds a few runs of each.

Two or three runs say next to nothing about one model's spread, and a board of many models needs tails far out. So each
model's variance over runs is drawn towards that of all models, as far as their spread allows (Smyth 2004, moderated
variances, as for genes with three arrays each). Runs of different models are taken to be independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.board import Board, PairReader


@dataclass(frozen=True, slots=True)
class ModeratedSpread:
    """A variance for each model and the degrees of freedom that each is worth."""

    variance: FloatArray
    df: float


def with_runs(board: Board, runs: Sequence[Array]) -> Board:
    """The board with what other runs would add; `runs` holds runs × items of each model, in the order of `scores`.

    V_j = max(s̃²_j/S_j − e_j, 0): s̃² is the moderated variance of the scores of single runs, and e_j the part of it that
    items and runs share, which the items' variance has already. A model of one run is taken to vary as the others do.
    """
    counts = np.array([len(each) for each in runs])
    if counts.max() < 2:
        return board
    reader = PairReader(board)
    own, shared = np.full(len(runs), math.nan), np.zeros(len(runs))
    for model, each in enumerate(runs):
        if len(each) > 1:
            own[model], shared[model] = _of_model(reader, np.asarray(each, float))
    spread = moderate(own, np.maximum(counts - 1, 0).astype(float))
    measured = spread.variance / counts
    return replace(board, run_variance=np.maximum(measured - shared, 0.0), run_measured=measured, run_df=spread.df)


def moderate(variances: Array, df: Array) -> ModeratedSpread:
    """Variances drawn towards what they have in common; NaN, or no degrees of freedom, takes the common one.

    With log s²_j spread beyond what d_j degrees of freedom give, the prior's d_0 solves ψ′(d_0/2) =
    Var − mean ψ′(d_j/2)
    and s̃² = (d_0·s̄² + d·s²)/(d_0 + d), with the mean s̄² as the common one, so that the models' mean stays as it is:
    the prior's own centre, from logarithms, is too low where two or three runs tell it badly. Without any such excess
    all are one variance.

    >>> moderate(np.array([1.0, 1.1, 0.9, 1.0]), np.full(4, 2.0)).variance.round(2).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    known = np.isfinite(variances) & (df > 0)
    s2, d = np.asarray(variances, float)[known], np.asarray(df, float)[known]
    pooled_df = float(d.sum())
    mean = float((s2 * d).sum() / pooled_df)
    if mean <= 0 or len(s2) < 2:
        return ModeratedSpread(np.where(known, np.nan_to_num(variances), max(mean, 0.0)), max(pooled_df / len(s2), 1.0))
    logs = np.log(np.maximum(s2, 1e-4 * mean)) - special.digamma(d / 2) + np.log(d / 2)
    excess = float(logs.var(ddof=1) - special.polygamma(1, d / 2).mean())
    if excess <= 0:
        return ModeratedSpread(np.full(len(known), mean), pooled_df)
    prior = 2 * _trigamma_inverse(excess)
    found = np.full(len(known), mean)
    found[known] = (prior * mean + d * s2) / (prior + d)
    return ModeratedSpread(found, min(prior + float(d.mean()), pooled_df))


def _of_model(reader: PairReader, runs: Array) -> tuple[float, float]:
    """The variance of the scores of one model's runs, and what items and runs share in that of their mean."""
    order = np.lexsort(
        (np.arange(runs.shape[1]) if reader.board.clusters is None else reader.board.clusters, reader.board.tasks)
    )
    runs = runs[:, order]
    present = ~np.isnan(runs)
    filled = np.where(present, runs, 0.0)
    scores = reader.influence_of(filled, present).by_task.sum(axis=1)
    rest = reader.influence_of((filled - filled.mean(axis=0)) * present, present).influence
    n = len(runs)
    interaction = float((reader.gathered(rest) ** 2).sum()) / (n - 1) / n
    return float(scores.var(ddof=1)), interaction


def _trigamma_inverse(value: float) -> float:
    """The x at which the trigamma function is `value`, by Newton's steps (Smyth 2004)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, x))
        x += step
        if abs(step) < 1e-9 * x:
            break
    return x
