"""Draws of the probing tasks: a number for a seed and a purpose, from `goldproof.draws`, read from its other end.

The published files hang on this reading, in which the first byte counts most.
"""

from __future__ import annotations

from goldproof.draws import draw_bytes


def draw(seed: int, *purpose: str) -> int:
    """A whole number below 2**64, uniform over purposes.

    >>> draw(0, "NShift", "a sentence") == draw(0, "NShift", "a sentence")
    True
    >>> draw(0, "NShift", "a sentence") == draw(1, "NShift", "a sentence")
    False
    """
    return int.from_bytes(draw_bytes(seed, *purpose, n_bytes=8), "big")
