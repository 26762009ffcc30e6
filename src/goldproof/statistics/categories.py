"""The mean of a score over categories of items, with its interval over runs and items.

The mean over categories is no function of one confusion table, so its influence is the mean of the categories'
influences; the variance is then split as in `runs.py`. Categories may overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.statistics.arrays import Array, group_codes
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import transformed_bounds
from goldproof.statistics.metrics import Metric
from goldproof.statistics.runs import RunSummary, summarise_runs


def categories_interval(
    metric: Metric,
    gold: Array,
    runs: Array,
    members: Sequence[Array],
    clusters: Array | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean over categories (each a list of item positions) and runs (runs × items), over new runs and new items.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 200)
    >>> runs = np.where(rng.random((5, 200)) < 0.8, gold, 1 - gold)
    >>> halves = [np.arange(100), np.arange(100, 200)]
    >>> estimate = categories_interval(metric("mcc"), gold, runs, halves)
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    runs = np.atleast_2d(np.asarray(runs))
    codes = group_codes(clusters, runs.shape[1])
    groups = int(codes.max()) + 1
    parts = []
    for items in members:
        part = summarise_runs(metric, metric.encode(gold[items], runs[:, items]), codes[items])
        padding = groups - part.influence.shape[1]
        padded = np.pad(part.influence, ((0, 0), (0, padding)))
        parts.append(replace(part, influence=padded, shares=np.pad(part.shares, (0, padding))))
    scores, centres, influence, shares = (
        np.mean([getattr(part, name) for part in parts], axis=0)
        for name in ("scores", "centres", "influence", "shares")
    )
    value = float(scores.mean())
    variance = RunSummary(scores, centres, influence, shares, runs.shape[1]).variance()
    over = f"{len(runs)} runs × items" if len(runs) > 1 else "items only, one run"
    method = f"mean over {len(members)} categories, {over}, variance components, {groups} clusters"
    if variance.total == 0:
        return Estimate(value, math.nan, math.nan, "no interval: nothing varies", runs.shape[1], level)
    low, high = transformed_bounds(float(centres.mean()), variance.half_width(level), 1.0, (metric.low, metric.high))
    return Estimate(value, min(low, value), max(high, value), method, runs.shape[1], level)
