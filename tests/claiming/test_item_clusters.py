"""Which items of a test set are one cluster, and what its scores then are."""

from __future__ import annotations

import numpy as np

from goldproof.claiming.item_clusters import item_clusters
from goldproof.data.dataset import Dataset
from goldproof.statistics.metrics import metric
from goldproof.statistics.runs import runs_interval


def test_items_that_are_all_the_same_have_no_interval():
    rows = Dataset.from_rows("same", [{"text": "The film was great.", "label": str(n % 2)} for n in range(30)])
    gold = np.arange(30) % 2
    for name in ("accuracy", "mcc"):
        found = runs_interval(metric(name), gold, np.tile(gold, (5, 1)), item_clusters(rows))
        assert (round(found.value, 9), found.method) == (1, "no interval: all items belong to one cluster")
        assert np.isnan(found.low)


def test_other_items_are_clusters_as_before():
    rows = Dataset.from_rows("twice", [{"text": str(n // 2)} for n in range(60)])
    assert item_clusters(rows).tolist() == [n // 2 for n in range(60)]
    assert item_clusters(Dataset.from_rows("other", [{"text": str(n)} for n in range(9)])) is None
