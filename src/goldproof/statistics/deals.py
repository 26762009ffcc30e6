"""Deals: gold dealt to the items at random, many times; the same deals are made once.

A deal hangs on the gold, on who may exchange it and on the state of the generator, never on the runs that are judged.
A report judges many runs on the same items with the same seed, and so on the same deals: they are kept, the newest
ones up to a limit of memory, and the generator goes on from where it would have been.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from goldproof.statistics.arrays import Array

MOST_BYTES = 64 << 20
_known: dict[Hashable, tuple[Array, Any]] = {}


def deal_gold(gold: Array, blocks: Sequence[Array], n: int, rng: np.random.Generator) -> Array:
    """So many deals (deals × items); a block (groups × places) has groups of items that exchange their gold as a whole,
    in any order within the group.

    >>> dealt = deal_gold(np.array([0, 0, 1, 1]), [np.array([[0, 1], [2, 3]])], 8, np.random.default_rng(0))
    >>> sorted({tuple(deal) for deal in dealt.tolist()})
    [(0, 0, 1, 1), (1, 1, 0, 0)]
    """
    key = _identify(gold, blocks, n, rng)
    if key is not None and key in _known:
        deals, rng.bit_generator.state = _known[key]
        return deals
    deals = np.empty((n, len(gold)), gold.dtype)
    for deal in deals:
        for block in blocks:
            deal[block] = gold[_exchange(block, rng)]
    deals.setflags(write=False)
    if key is not None:
        _keep(key, deals, rng.bit_generator.state)
    return deals


def _identify(gold: Array, blocks: Sequence[Array], n: int, rng: np.random.Generator) -> Hashable | None:
    """What the deals hang on; None for a generator other than numpy's default, whose state is not a few numbers."""
    if not isinstance(rng.bit_generator, np.random.PCG64):
        return None
    parts = tuple((block.shape, block.tobytes()) for block in blocks)
    return n, gold.dtype.str, gold.tobytes(), parts, repr(rng.bit_generator.state)


def _exchange(block: Array, rng: np.random.Generator) -> Array:
    """The items of a block in the order in which they give their gold away."""
    given = block[rng.permutation(len(block))]
    return given if block.shape[1] == 1 else rng.permuted(given, axis=1)


def _keep(key: Hashable, deals: Array, state: Any) -> None:
    """Remember deals and forget the oldest, so that all together stay within the limit."""
    if deals.nbytes > MOST_BYTES:
        return
    _known[key] = deals, state
    while sum(kept.nbytes for kept, _ in _known.values()) > MOST_BYTES:
        del _known[next(iter(_known))]
