"""Stateless randomness: every draw is a hash of what it is for, never the next number of a generator.

A key is mixed from a seed, a step and an item's id; a mask from the key, the dropout site and the position. So a draw
is the same whatever else runs beside it, however items are padded or split, and wherever training was taken up again.
This module holds the parts that need numpy alone; `goldproof.training.stateless_dropout` does the same in torch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldproof.draws import draw, draw_bytes, mix64

Hashes = npt.NDArray[np.int32]
GOLDEN = 0x1E3779B9  # any odd constant with well-spread bits below 2**31; spreads coordinates before they are mixed
SHIFTS = (15, 12, 15)
FACTORS = (0x2C1B3C6D, 0x297A2D39)  # a 32-bit mixer found by search for low bias (C. Wellons, hash-prospector)


def hash32(*parts: object) -> int:
    """A signed 32-bit number that depends on every part.

    >>> hash32("dropout", 3) == hash32("dropout", 3) != hash32("dropout", 4)
    True
    """
    return int.from_bytes(draw_bytes(*parts, n_bytes=4), "little", signed=True)


def item_hashes(ids: Sequence[str]) -> Hashes:
    """One number for each item id, the same on every machine."""
    return np.array([hash32("item", item) for item in ids], np.int32)


def mix(value: npt.NDArray[np.int32]) -> Hashes:
    """A bijection of 32-bit numbers in which every bit of the input moves about half of the output's."""
    x = value.view(np.uint32).copy()
    with np.errstate(over="ignore"):
        for shift, factor in zip(SHIFTS, (*FACTORS, 1), strict=True):
            x ^= x >> np.uint32(shift)
            x *= np.uint32(factor)
    return x.view(np.int32)


def item_digests(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    """64 bits for each item id, the same on every machine."""
    return np.array([draw(item) for item in ids], np.uint64)


def order_of_epoch(seed: int, epoch: int, digests: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The order in which an epoch visits the items: by a hash of seed, epoch and id, so the file's order plays no part.

    >>> a, b = (order_of_epoch(1, 0, item_digests(ids)) for ids in ("xyz", "zxy"))
    >>> ["xyz"[i] for i in a] == ["zxy"[i] for i in b]
    True
    """
    mixed = mix64(digests ^ np.uint64(draw("order", seed, epoch)))
    return np.argsort(mixed, kind="stable").astype(np.int64)


def order_table(seed: int, ids: Sequence[str], batch: int, n_steps: int) -> npt.NDArray[np.int64]:
    """The items of every step, shape (steps, batch); -1 fills the last batch of an epoch where it is short."""
    batch = min(batch, len(ids))
    digests = item_digests(ids)
    per_epoch = -(-len(ids) // batch)
    rows = []
    for epoch in range(-(-n_steps // per_epoch)):
        order = np.full(per_epoch * batch, -1, np.int64)
        order[: len(ids)] = order_of_epoch(seed, epoch, digests)
        rows.append(order.reshape(per_epoch, batch))
    return np.concatenate(rows)[:n_steps]


def threshold(p: float) -> int:
    """The dropout probability in 65536ths; masks are drawn from 16 bits."""
    return round(p * 65536)
