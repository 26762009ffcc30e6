"""Items that share a text belong together: answers to them are not independent proofs of a shortcut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.statistics.arrays import Array, IntArray

LARGEST = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which items belong together (a code for each), and what they share; None where no two do.

    `note` says where a text was not looked at, because it stands in so many items that it is rather a part of the
    task than a draw from many.
    """

    codes: Array | None
    shared: str
    note: str = ""


def text_clusters(texts: Sequence[str], pairs: Sequence[str] | None) -> Clusters:
    """Items that share one of their texts; of two, the one with fewer different values is looked at.

    A side of which one text stands in more than a tenth of the items makes no clusters: there would be too few.

    >>> text_clusters(["a", "a", "b"] * 20, [str(n) for n in range(60)]).shared
    ''
    >>> text_clusters([str(n // 2) for n in range(60)], None).codes[:4]
    array([0, 0, 1, 1])
    """
    named = [("text", texts)] if pairs is None else [("first text", texts), ("second text", pairs)]
    note = ""
    for name, values in sorted(named, key=lambda side: len(set(side[1]))):
        codes = number_values(values)
        counts = np.bincount(codes)
        if len(counts) == len(values):
            break
        if counts.max() <= max(LARGEST * len(values), 2):
            return Clusters(codes, f"a {name}", note)
        note = (
            f"one {name} occurs in {100 * counts.max() / len(values):.0f} % of the items: items that share it were "
            "treated as independent, so findings are about these texts only"
        )
    return Clusters(None, "", note)


def number_values(values: Sequence[str]) -> IntArray:
    """Codes 0, 1, … of values in the order of their first appearance."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.int64)
