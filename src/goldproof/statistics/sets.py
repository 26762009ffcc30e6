"""The mean difference over several sets (languages, say) that the same runs answered, over new runs and new items.

A run answers all sets, and an item may be in several of them (a translation): both are errors that the sets share, and
that a mean over sets does not average out. The sets themselves are taken as they are. One set is in `comparison.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.clusters import effective_clusters
from goldproof.statistics.comparison import (
    ROUNDING,
    Comparison,
    compare_summaries,
    difference_of,
    no_comparison,
    no_spread,
)
from goldproof.statistics.intervals import why_no_interval
from goldproof.statistics.metrics import Metric
from goldproof.statistics.runs import RunSummary, summarise_runs


@dataclass(frozen=True, slots=True)
class PairedSet:
    """A set that A and B answered: gold, the runs of both (runs × items; run k of each belong together), and a code
    for each item that it has in every set.
    """

    metric: Metric
    gold: Array
    runs_a: Array
    runs_b: Array
    codes: IntArray


def shared_codes(keys: Sequence[Array], clusters: Sequence[Array | None]) -> list[IntArray]:
    """One code for all items of several sets that have a key in common, or a cluster, or are linked by others that do.

    >>> one, other = shared_codes([np.array(["a", "b"]), np.array(["b", "c"])], [None, np.array([7, 7])])
    >>> one.tolist(), other.tolist()
    ([0, 1], [1, 1])
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if not keys:
        return []
    names: dict[tuple[object, ...], int] = {}
    nodes, links = [], []
    for place, (of_set, together) in enumerate(zip(keys, clusters, strict=True)):
        own = [names.setdefault(("item", key), len(names)) for key in np.asarray(of_set).tolist()]
        nodes.append(own)
        if together is not None:
            groups = [names.setdefault(("cluster", place, key), len(names)) for key in np.asarray(together).tolist()]
            links += list(zip(own, groups, strict=True))
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(names), len(names)))
    parts = connected_components(graph, directed=False)[1]
    of_items = np.unique(parts[[node for own in nodes for node in own]])
    return [np.searchsorted(of_items, parts[own]).astype(np.int64) for own in nodes]


def compare_over_sets(sets: Sequence[PairedSet], level: float = 0.95) -> Comparison:
    """A − B, the mean over sets, with an interval over runs and items; the sets count alike.

    >>> from goldproof.statistics.metrics import metric
    >>> rng = np.random.default_rng(0); gold = rng.integers(0, 2, 300)
    >>> a, b = (np.where(rng.random((4, 300)) < p, gold, 1 - gold) for p in (0.9, 0.7))
    >>> one = PairedSet(metric("accuracy"), gold, a, b, np.arange(300))
    >>> found = compare_over_sets([one, one]).difference
    >>> round(found.value, 2), found.low < 0.2 < found.high
    (0.21, True)
    """
    if not sets or len({len(side) for each in sets for side in (each.runs_a, each.runs_b)}) != 1:
        counts = [(len(each.runs_a), len(each.runs_b)) for each in sets]
        raise UsageError(f"a mean over sets needs at least one, all with the same runs; got runs {counts}")
    gaps, reasons = zip(*(_gap(each) for each in sets), strict=True)
    n, limit = sum(gap.n_items for gap in gaps), max(each.metric.high - each.metric.low for each in sets)
    value = float(np.mean([gap.scores.mean() for gap in gaps]))
    pooled = _pool(gaps, [each.codes for each in sets])
    reason = next(filter(None, reasons), "all items belong to one cluster" if len(pooled.shares) < 2 else "")
    if reason:
        return no_comparison(reason, value, n, level)
    found = compare_summaries([pooled], value, (n, limit), level, None if len(pooled.scores) > 1 else 0.0)
    if found.standard_error < ROUNDING:
        kind = f"{len(pooled.shares)} items or clusters"
        return replace(no_spread(value, limit, (n, effective_clusters(pooled.shares)), kind, level), scope=found.scope)
    return replace(found, difference=replace(found.difference, method=_method(pooled, len(sets))))


def _method(pooled: RunSummary, n_sets: int) -> str:
    runs = len(pooled.scores)
    over = f"{runs} runs × {len(pooled.shares)} items or clusters, variance components"
    alone = f"t over {len(pooled.shares)} items or clusters, one run"
    return f"{over if runs > 1 else alone}; mean of {n_sets} {'set' if n_sets == 1 else 'sets'}"


def _gap(each: PairedSet) -> tuple[RunSummary, str]:
    """What A's runs score beyond B's, and why that has no interval, if it has none."""
    local = np.unique(each.codes, return_inverse=True)[1].astype(np.int64)
    sides = [each.metric.encode(each.gold, runs) for runs in (each.runs_a, each.runs_b)]
    gap = difference_of(*(summarise_runs(each.metric, side, local) for side in sides))
    sizes = len(each.codes), len(each.codes)
    return gap, why_no_interval(each.metric, float(gap.scores.mean()), sizes, sides[0].sums()[0])


def _pool(gaps: Sequence[RunSummary], codes: Sequence[IntArray]) -> RunSummary:
    """The mean over sets: each run's scores, and each cluster's influence and share, wherever it occurs."""
    names = [np.unique(of_set) for of_set in codes]
    every = np.unique(np.concatenate(names))
    influence: FloatArray = np.zeros((len(gaps[0].scores), len(every)))
    shares: FloatArray = np.zeros(len(every))
    for gap, own in zip(gaps, names, strict=True):
        place = np.searchsorted(every, own)
        influence[:, place] += gap.influence / len(gaps)
        shares[place] += gap.shares / len(gaps)
    scores, centres = (np.mean([getattr(gap, part) for gap in gaps], axis=0) for part in ("scores", "centres"))
    return RunSummary(scores, centres, influence, shares, sum(gap.n_items for gap in gaps))
