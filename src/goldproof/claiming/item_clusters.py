"""Which items of a test set belong together: those that share a text, and all where there is only one item."""

from __future__ import annotations

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.judging.audit.material import find_clusters
from goldproof.statistics.arrays import Array


def item_clusters(rows: Dataset) -> Array | None:
    """A code for each item; none where no two share a text.

    A text that stands in many items makes no cluster, but where all items are the same one there is no other to hold
    for.

    >>> item_clusters(Dataset.from_rows("toy", [{"text": "a"}] * 3))
    array([0, 0, 0])
    """
    if len(rows) > 1 and len(set(zip(rows.texts, rows.pairs, strict=True))) == 1:
        return np.zeros(len(rows), np.int64)
    return find_clusters(rows).codes
