"""A metric: the mean, over the classes in gold, of the share of their items that is right."""

import numpy as np

from goldproof.statistics import TableMetric


def balanced_accuracy(tables: np.ndarray) -> np.ndarray:
    """From tables in the last two axes: gold class × predicted class."""
    gold = tables.sum(-1)
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    recall = np.divide(right, gold, out=np.zeros_like(gold), where=gold > 0)
    return recall.sum(-1) / np.maximum((gold > 0).sum(-1), 1)


BALANCED_ACCURACY = TableMetric("Balanced accuracy", balanced_accuracy)
