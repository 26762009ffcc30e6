"""Chance without state: a draw is a hash of what it is for (a seed, a purpose, an item's id), and of nothing else.

So an item has the same fate whatever other items stand beside it, in whatever order they come, on every machine. Stored
results hang on the drawn values, which is why older formulas stay as settings of `draw_bytes`: "sha256" gives the first
bytes of a digest, "shake_128" as many bytes as are wanted, and "blake2b", for all that is new, at most 64.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np
import numpy.typing as npt

Method = Literal["blake2b", "sha256", "shake_128"]


def draw_bytes(*parts: object, n_bytes: int, method: Method = "blake2b", between: str = "\0") -> bytes:
    """So many bytes that depend on every part, joined by `between`.

    >>> draw_bytes("order", 3, n_bytes=2) == draw_bytes("order", 3, n_bytes=2) != draw_bytes("order", 4, n_bytes=2)
    True
    """
    text = between.join(map(str, parts)).encode("utf-8", "surrogatepass")
    if method == "blake2b":
        return hashlib.blake2b(text, digest_size=n_bytes).digest()
    if method == "shake_128":
        return hashlib.shake_128(text).digest(n_bytes)
    return hashlib.sha256(text).digest()[:n_bytes]


def draw(*parts: object) -> int:
    """A whole number below 2**64 that depends on every part.

    >>> draw("weights", 3) == draw("weights", 3) != draw("weights", 4)
    True
    """
    return int.from_bytes(draw_bytes(*parts, n_bytes=8), "little")


def draw_fraction(*parts: object) -> float:
    """A number from 0 to 1 that depends on every part.

    >>> draw_fraction(0, "a") == draw_fraction(0, "a") != draw_fraction(1, "a")
    True
    """
    return draw(*parts) / 2**64


def mix64(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A one-to-one scrambling of 64 bits, for many numbers at once (the finaliser of splitmix64; Steele, Lea and Flood
    2014).
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
