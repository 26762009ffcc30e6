"""One test over many fixed predictions: gold is exchanged between items, and the largest of all scores is compared.

Predictions stay as they are, so nothing is learned again. Where items belong to clusters, whole vectors of labels are
exchanged between clusters of one size, or labels within a cluster where most clusters hold several. The adjusted
p-values are Westfall & Young's (1993): the chance that the best of all predictions would look as good if gold meant
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_same_length, group_codes

Exchange = Literal["items", "clusters", "within clusters"]
BLOCK = 4_000_000  # labels exchanged at a time, so that memory stays bounded


@dataclass(frozen=True, slots=True)
class ExchangeTest:
    """For each prediction its score, what exchanging gives on average, and its p-value alone and over all together.

    `exchanged` says between what gold was exchanged, `draws` how often. A prediction whose score no exchange moves (one
    answer to everything) has a p-value of 1.
    """

    scores: FloatArray
    expected: FloatArray
    p_alone: FloatArray
    p_together: FloatArray
    exchanged: Exchange
    draws: int


def choose_exchange(gold: Array, clusters: Array | None) -> Exchange:
    """Between what gold may be exchanged if it means nothing.

    >>> choose_exchange(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    'within clusters'
    >>> choose_exchange(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])), choose_exchange(np.array([0, 1]), None)
    ('clusters', 'items')
    """
    codes = group_codes(clusters, len(gold))
    n_clusters = int(codes.max()) + 1
    if n_clusters == len(gold):
        return "items"
    values = np.unique(np.asarray(gold), return_inverse=True)[1].reshape(len(gold))
    distinct = np.unique(codes * np.int64(values.max() + 1) + values) // (values.max() + 1)
    several = int((np.bincount(distinct, minlength=n_clusters) > 1).sum())
    return "within clusters" if 2 * several > n_clusters else "clusters"


def exchange_orders(codes: IntArray, exchange: Exchange, draws: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Blocks of orders (draws × items): the item whose gold each item gets."""
    n = len(codes)
    step = max(1, BLOCK // n)
    slots = _slots(codes) if exchange == "clusters" else []
    by_cluster = np.argsort(codes, kind="stable")
    for start in range(0, draws, step):
        size = min(step, draws - start)
        if exchange == "items":
            yield np.argsort(rng.random((size, n)), axis=1)
        elif exchange == "within clusters":
            found = np.empty((size, n), np.int64)
            found[:, by_cluster] = np.argsort(codes + rng.random((size, n)), axis=1)
            yield found
        else:
            yield _between(slots, size, n, rng)


def _slots(codes: IntArray) -> list[IntArray]:
    """The items of the clusters of each size: clusters × size."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return [
        np.stack([order[start : start + size] for start in starts[sizes == size]])
        for size in np.unique(sizes)
        if size > 0
    ]


def _between(slots: Sequence[IntArray], draws: int, n: int, rng: np.random.Generator) -> IntArray:
    found = np.empty((draws, n), np.int64)
    for items in slots:
        taken = np.argsort(rng.random((draws, len(items))), axis=1)
        found[:, items.ravel()] = items[taken].reshape(draws, -1)
    return found


def exchange_test(
    gold: Array,
    predictions: Array,
    rng: np.random.Generator,
    clusters: Array | None = None,
    draws: int = 1_999,
) -> ExchangeTest:
    """The test of predictions (predictions × items) against gold: shares of hits for codes, correlations for numbers.

    The score of prediction j is standardised by its mean and spread over the exchanges, z_j; p_together is
    (1 + number of exchanges with max over all predictions of z ≥ z_j) / (1 + draws).

    >>> gold = np.tile([0, 1], 50)
    >>> found = exchange_test(gold, np.stack([gold, np.zeros(100, int)]), np.random.default_rng(0), draws=199)
    >>> found.p_together.tolist(), found.exchanged
    ([0.005, 1.0], 'items')
    """
    gold, predictions = np.asarray(gold), np.atleast_2d(predictions)
    check_same_length(gold=gold, predictions=predictions)
    if draws < 1:
        raise UsageError(f"at least 1 draw is needed; got {draws}")
    codes = group_codes(clusters, len(gold))
    exchange = choose_exchange(gold, clusters)
    scored = _correlations if gold.dtype.kind == "f" else _hits
    observed = scored(gold[None], predictions)[0]
    drawn = np.concatenate([scored(gold[order], predictions) for order in exchange_orders(codes, exchange, draws, rng)])
    expected, spread = drawn.mean(axis=0), drawn.std(axis=0)
    moves = spread > 1e-12
    safe = np.where(moves, spread, 1.0)
    sizes = np.where(moves, (drawn - expected) / safe, -np.inf)
    size = np.where(moves, (observed - expected) / safe, -np.inf)
    alone = (1 + (sizes >= size - 1e-9).sum(axis=0)) / (1 + draws)
    together = (1 + (sizes.max(axis=1)[:, None] >= size - 1e-9).sum(axis=0)) / (1 + draws)
    return ExchangeTest(observed, expected, alone, together, exchange, draws)


def _hits(gold: Array, predictions: Array) -> FloatArray:
    """The share of items on which each prediction equals each gold: draws × predictions."""
    return np.stack([(gold == one).mean(axis=1) for one in predictions], axis=1)


def _correlations(gold: Array, predictions: Array) -> FloatArray:
    """Pearson's correlation of each prediction with each gold; 0 where one of them does not vary."""
    a = gold - gold.mean(axis=1, keepdims=True)
    b = predictions - predictions.mean(axis=1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=1))[:, None] * np.sqrt((b**2).sum(axis=1))[None]
    found: FloatArray = np.divide(a @ b.T, scale, out=np.zeros((len(gold), len(predictions))), where=scale > 1e-12)
    return found
