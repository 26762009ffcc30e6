"""Choosing rows so that classes are balanced, and tree depth says nothing about length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from goldproof.builders.probing.sampling import LabelledSentence

# Shares of the depths 5, 6, 7, 8, 9 in the published Russian task (Table 11 of the RuSentEval paper).
DEPTH_SHARES = {"5": 0.136, "6": 0.226, "7": 0.329, "8": 0.207, "9": 0.103}


def balance(classes: Mapping[str, Sequence[LabelledSentence]], most: int) -> dict[str, list[LabelledSentence]]:
    """As many rows of each class as the smallest has, and at most `most`."""
    n = min(most, *(len(rows) for rows in classes.values()))
    return {label: list(rows[:n]) for label, rows in classes.items()}


def decorrelate(
    cells: Mapping[tuple[str, int], Sequence[LabelledSentence]], shares: Mapping[str, float], most: int
) -> dict[str, list[LabelledSentence]]:
    """Rows whose depth and length are independent: every depth gets the same mix of lengths.

    Of length l the sample holds q(l) = min over depths d of n(d, l) / share(d), and depth d has share(d) q(l) of them,
    the largest sample of that form; lengths that one depth lacks are not used. Counts are rounded down.
    """
    lengths = sorted({length for _, length in cells})
    room = {
        length: min(len(cells.get((depth, length), ())) / share for depth, share in shares.items())
        for length in lengths
    }
    scale = min(1.0, most / total) if (total := sum(room.values())) else 0.0
    chosen: dict[str, list[LabelledSentence]] = {depth: [] for depth in shares}
    for depth, share in shares.items():
        for length in lengths:
            n = int(share * room[length] * scale + 1e-9)
            chosen[depth] += cells.get((depth, length), ())[:n]
        chosen[depth].sort(key=lambda row: (row.rank, row.key))
    return chosen


def correlate(counts: Mapping[tuple[str, int], int]) -> float | None:
    """Pearson's correlation of a label that is a number with a length, from counts of both; None where one is constant.

    >>> correlate({("5", 10): 3, ("6", 20): 3})
    1.0
    """
    weights = np.array(list(counts.values()), dtype=float)
    if not weights.size:
        return None
    values = np.array([[int(label), length] for label, length in counts], dtype=float)
    covariance = np.cov(values, rowvar=False, aweights=weights, ddof=0)
    spread = covariance[0, 0] * covariance[1, 1]
    return round(float(covariance[0, 1] / np.sqrt(spread)), 12) if spread > 0 else None
