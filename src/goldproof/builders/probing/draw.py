"""Chance without state: a number that depends on a seed and on what it is drawn for, and on nothing else.

So a sentence has the same fate whatever other sentences stand beside it, in whatever order they come.
"""

from __future__ import annotations

from hashlib import blake2b


def draw(seed: int, *purpose: str) -> int:
    """A whole number below 2**64, uniform over purposes.

    >>> draw(0, "NShift", "a sentence") == draw(0, "NShift", "a sentence")
    True
    >>> draw(0, "NShift", "a sentence") == draw(1, "NShift", "a sentence")
    False
    """
    return int.from_bytes(blake2b("\0".join((str(seed), *purpose)).encode(), digest_size=8).digest(), "big")
