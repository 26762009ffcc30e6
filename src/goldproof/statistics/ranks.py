"""Spearman's correlation over runs and items: its influence values, and the interval of the mean of several runs.

Ranks hang on all items at once, so the score is no function of sums (see `metrics.py`); its influence is that of three
moments of the ranks (Hájek's projection), and the variance is split as in `runs.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from goldproof.statistics.arrays import Array, FloatArray, check_same_length, group_codes
from goldproof.statistics.clusters import cluster_shares
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import spearman_interval, transformed_bounds
from goldproof.statistics.metrics import spearman
from goldproof.statistics.runs import RunSummary


def spearman_influence(x: Array, y: Array) -> FloatArray:
    """What each item adds to Spearman's ρ of x and y on first order; its mean is 0.

    ρ = m_xy / √(m_xx·m_yy) with m the moments of centred mid-ranks F − ½ and G − ½; item i adds to m_xy its own product
    and what it adds to the ranks of the others.

    >>> rng = np.random.default_rng(0); x = rng.normal(size=400); y = x + rng.normal(size=400)
    >>> influence = spearman_influence(x, y)
    >>> abs(float(influence.mean())) < 1e-12, round(float(influence.std() / 20), 2)
    (True, 0.03)
    """
    check_same_length(x=np.asarray(x), y=np.asarray(y))
    f, g = (_mid_ranks(np.asarray(values, float)) - 0.5 for values in (x, y))
    m_xy, m_xx, m_yy = float(f @ g) / len(f), float(f @ f) / len(f), float(g @ g) / len(g)
    if m_xx * m_yy == 0:
        return np.zeros(len(f))
    cross = f * g + _reached(x, g) + _reached(y, f)
    own_x, own_y = f * f + 2 * _reached(x, f), g * g + 2 * _reached(y, g)
    rho = m_xy / math.sqrt(m_xx * m_yy)
    found = cross / math.sqrt(m_xx * m_yy) - rho / 2 * (own_x / m_xx + own_y / m_yy)
    return np.asarray(found - found.mean())


def spearman_runs_interval(gold: Array, runs: Array, clusters: Array | None = None, level: float = 0.95) -> Estimate:
    """Spearman's ρ of runs (runs × items) with gold, over new runs and new items; on Fisher's z scale.

    One run without clusters has Bonett & Wright's interval.

    >>> rng = np.random.default_rng(0); gold = rng.normal(size=200)
    >>> estimate = spearman_runs_interval(gold, gold + rng.normal(size=(3, 200)))
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    runs = np.atleast_2d(np.asarray(runs, float))
    if len(runs) == 1 and clusters is None:
        alone = spearman_interval(gold, runs[0], level)
        return replace(alone, method=f"{alone.method}; items only, one run")
    n = runs.shape[1]
    codes = group_codes(clusters, n)
    groups = int(codes.max()) + 1
    scores = np.array([spearman(gold, run) for run in runs])
    value = float(scores.mean())
    reason = "a column does not vary" if math.isnan(value) else "fewer than 4 items" if n < 4 else ""
    if reason or groups < 2:
        return Estimate(
            value, math.nan, math.nan, f"no interval: {reason or 'all items belong to one cluster'}", n, level
        )
    each = [spearman_influence(gold, run) / n for run in runs]
    influence = np.stack([np.bincount(codes, weights=of_run).astype(float) for of_run in each])
    least = sum(float(of_run @ of_run) for of_run in each) / len(runs) ** 2
    variance = RunSummary(scores, scores, influence, cluster_shares(codes), n, least).variance()
    low, high = transformed_bounds(value, variance.half_width(level), 1.0, (-1.0, 1.0))
    over = f"{len(runs)} runs × items, variance components" if len(runs) > 1 else "items only, one run"
    method = f"{over}, ranks{'' if clusters is None else f', {groups} clusters'}"
    return Estimate(value, min(low, value), max(high, value), method, n, level)


def _mid_ranks(values: FloatArray) -> FloatArray:
    """The share of values below each, with half of those that are equal."""
    ordered = np.sort(values)
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / 2 / len(values))


def _reached(values: Array, weights: FloatArray) -> FloatArray:
    """For each item the mean weight of all items, those with a larger value counted whole and equal ones half."""
    order = np.argsort(values, kind="stable")
    ordered = np.asarray(values)[order]
    sums = np.r_[0.0, np.cumsum(weights[order])]
    first, last = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((sums[-1] - (sums[first] + sums[last]) / 2) / len(ordered))
