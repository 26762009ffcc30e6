"""Metrics that installed packages add: a `TableMetric` is a score of the confusion table, with what an interval needs.

    [project.entry-points."goldproof.metrics"]
    balanced_accuracy = "my_package.metrics:BALANCED_ACCURACY"

Intervals, comparisons and chance bands are then made as for MCC and F1: by the delta method on Fisher's z scale of the
score's range, which is right where the score is a smooth function of the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goldproof.plugins import Group, describe
from goldproof.statistics.arrays import FloatArray

OWN = (
    "accuracy",
    "binary_f1",
    "macro_f1",
    "mark",
    "mcc",
    "micro_f1",
    "pearson",
    "score",
    "span_f1",
    "spearman",
    "weighted_f1",
)
_TABLES = np.array(
    [
        [[5, 0, 0], [0, 4, 0], [0, 0, 3]],
        [[4, 1, 2], [2, 3, 1], [1, 0, 5]],
        [[4, 1, 0], [2, 3, 0], [1, 2, 0]],
        [[9, 0, 0], [7, 0, 0], [1, 0, 0]],
        [[6, 2, 0], [1, 8, 0], [0, 0, 0]],
        [[0, 3, 1], [2, 0, 4], [5, 1, 0]],
    ],
    float,
)


@dataclass(frozen=True, slots=True)
class TableMetric:
    """A score of a confusion table (gold class × predicted class), of which more is better.

    `score` takes tables in the last two axes, however many axes are in front, and gives one number for each. It
    depends on shares alone (twice the counts, the same score), is a smooth function of them (no minimum or maximum
    over classes), lies from `low` to `high`, is a number for every table, and takes no notice of a class that occurs
    neither in gold nor in predictions. `title` is its name in reports; with `is_share` it is shown in percent, and
    differences in points.
    """

    title: str
    score: Callable[[FloatArray], FloatArray]
    low: float = 0.0
    high: float = 1.0
    is_share: bool = True

    def of(self, tables: FloatArray) -> FloatArray:
        """The score of each table; a division by zero on the way is the metric's to deal with."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.score(tables), float)


def find_added_metric(name: str) -> TableMetric | None:
    """The metric of a plugin, or None where none has this name."""
    tried = None if name in OWN else PLUGINS.load(name)
    if tried is None:
        return None
    found: TableMetric = tried.thing
    return found


def _problem(metric: object) -> str:
    """What is wrong with a plugin's metric, or nothing: it is tried on a few small tables."""
    if not isinstance(metric, TableMetric):
        return f"a goldproof.statistics.TableMetric is needed; got {type(metric).__name__}"
    if not (isinstance(metric.title, str) and metric.title):
        return f"its title must be a text; got {metric.title!r}"
    if not (math.isfinite(metric.low) and math.isfinite(metric.high) and metric.low < metric.high):
        return f"its low must be a number below its high; got {metric.low} and {metric.high}"
    try:
        return _wrong_scores(metric)
    except Exception as error:  # noqa: BLE001 - a plugin's code may raise anything
        return f"its score failed on confusion tables in an array of shape {_TABLES.shape} ({describe(error)})"


def _wrong_scores(metric: TableMetric) -> str:
    scores = metric.of(_TABLES)
    if scores.shape != _TABLES.shape[:1] or metric.of(_TABLES[None]).shape != (1, *scores.shape):
        return f"its score must give one number for each table: {len(_TABLES)} tables gave an array of {scores.shape}"
    outside = ~((metric.low - 1e-9 <= scores) & (scores <= metric.high + 1e-9))
    if outside.any():
        worst = int(np.argmax(outside))
        table = _TABLES[worst].astype(int).tolist()
        return f"its score of {table} must lie from {metric.low:g} to {metric.high:g}; got {scores[worst]:g}"
    if not np.allclose(metric.of(_TABLES / _TABLES.sum((-2, -1), keepdims=True)), scores):
        return "its score must depend on the shares of the cells alone; twice the counts gave another score"
    padded = np.pad(_TABLES, ((0, 0), (0, 1), (0, 1)))
    if not np.allclose(metric.of(padded), scores):
        return "its score must ignore a class that does not occur; it changed when one such class was added"
    if scores[0] < scores.max():
        return "higher must be better: a table without errors must have the highest score (give 1 − error, not error)"
    return ""


PLUGINS = Group("metrics", OWN, _problem)
