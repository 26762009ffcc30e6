"""Scores as functions of weighted sums over items, so that many bootstrap resamples are one matrix product.

A `Metric` maps each item to one row of features (its cell of the confusion table, say); the score is a function of
the sum of the rows. Sums are all that accuracy, MCC, F1, Pearson correlation and span F1 need. Spearman needs ranks
and stands apart. Labels here are integer codes 0 … k−1 (`encode_labels`). Nothing here gives an interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.added_metrics import PLUGINS, TableMetric, find_added_metric
from goldproof.statistics.arrays import Array, FloatArray, IntArray, check_same_length
from goldproof.statistics.many_labels import MOST_LABELS_IN_TABLE, CellRows, LabelSums, ManyLabels

METRICS = ("accuracy", "binary_f1", "macro_f1", "mcc", "micro_f1", "pearson", "weighted_f1")
"""The names that `metric` knows."""


@dataclass(frozen=True, slots=True)
class Items:
    """Items as patterns: item i adds `rows[index[i]]` to the sums.

    `rows` has one row for each pattern and one column for each feature (a sparse matrix, where labels are many);
    `index` holds one pattern for each item, with one more axis in front when there are several runs.
    """

    rows: Any
    index: IntArray

    def dense(self) -> Items:
        """The same with rows that are a plain array."""
        return self if isinstance(self.rows, np.ndarray) else Items(self.rows.toarray(), self.index)

    def counts(self) -> FloatArray:
        """How many items have each pattern: one number for each pattern (runs in front, if any)."""
        flat = self.index.reshape(-1, self.index.shape[-1])
        n_patterns = self.rows.shape[0]
        counts = np.stack([np.bincount(run, minlength=n_patterns) for run in flat])
        return counts.astype(float).reshape(*self.index.shape[:-1], n_patterns)

    def sums(self, weights: FloatArray | None = None) -> FloatArray:
        """The summed features; `weights` is one number for each item, or one row of them for each resample."""
        if weights is None:
            return np.asarray(self.counts() @ self.rows)
        return np.asarray(np.asarray(weights, float) @ self.rows[self.index])


@dataclass(frozen=True, slots=True)
class Metric:
    """A score: how an item becomes features (`encode`), how sums become the score, and the score's range.

    `pseudo` gives, from the summed features, a small weight for each pattern (two pseudo-items in all, spread
    evenly over the cells in play): intervals add them so that a table with empty cells still has a variance. With many
    labels (`many`) features are hits and margins, not cells.
    """

    name: str
    low: float
    high: float
    encode: Callable[[Array, Array], Items]
    score: Callable[[FloatArray], FloatArray]
    pseudo: Callable[[FloatArray], FloatArray]
    n_classes: int = 0
    many: ManyLabels | None = None

    def of_tables(self, tables: FloatArray) -> FloatArray:
        """The score of confusion tables, the last two axes."""
        if self.many is not None:
            return self.score(LabelSums.of_table(tables).flat())
        return self.score(tables.reshape(*tables.shape[:-2], -1))

    def gold_counts(self, sums: FloatArray) -> FloatArray:
        """How many items of gold each class has, from the summed features."""
        if self.many is not None:
            return LabelSums.of_flat(sums).gold
        return np.asarray(sums.reshape(*sums.shape[:-1], self.n_classes, self.n_classes).sum(-1))

    def __call__(self, gold: Array, predicted: Array, weights: FloatArray | None = None) -> Any:
        """The score of predictions (items, or runs × items) against gold, optionally weighted."""
        value = self.score(self.encode(gold, predicted).sums(weights))
        return float(value) if np.ndim(value) == 0 else value


def encode_labels(*columns: Array) -> tuple[Array, tuple[IntArray, ...]]:
    """The sorted labels of all columns together, and each column as their codes.

    >>> labels, (gold, predicted) = encode_labels(np.array(["yes", "no"]), np.array(["no", "no"]))
    >>> labels.tolist(), gold.tolist(), predicted.tolist()
    (['no', 'yes'], [1, 0], [0, 0])
    """
    arrays = [np.asarray(column) for column in columns]
    labels, codes = np.unique(np.concatenate([array.ravel() for array in arrays]), return_inverse=True)
    parts = np.split(codes.ravel().astype(np.int64), np.cumsum([array.size for array in arrays])[:-1])
    return labels, tuple(part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True))


def confusion(gold: Array, predicted: Array, n_classes: int, weights: FloatArray | None = None) -> FloatArray:
    """Confusion counts, gold class by predicted class; runs or resamples, if any, are the axes in front.

    >>> confusion(np.array([1, 1, 0]), np.array([1, 0, 0]), 2)
    array([[1., 0.],
           [1., 1.]])
    """
    codes = _cell_codes(gold, predicted, n_classes)
    if weights is not None:
        sums = Items(np.eye(n_classes * n_classes), codes).sums(weights)
        return sums.reshape(*sums.shape[:-1], n_classes, n_classes)
    flat = codes.reshape(-1, codes.shape[-1])
    counts = np.stack([np.bincount(run, minlength=n_classes * n_classes) for run in flat]).astype(float)
    return counts.reshape(*codes.shape[:-1], n_classes, n_classes)


def accuracy_of(table: FloatArray) -> FloatArray:
    """Share of items on the diagonal of a confusion table (the last two axes)."""
    return _accuracy(LabelSums.of_table(table))


def mcc_of(table: FloatArray) -> FloatArray:
    """Matthews correlation of a confusion table (the last two axes): R_K of Gorodkin (2004), MCC for two classes.

    R_K = (c·s − Σ p_k t_k) / √((s² − Σ p_k²)(s² − Σ t_k²)), with c correct, s items, p_k predicted and t_k gold of
    class k. A zero denominator (one class only in gold or in predictions) gives 0.

    >>> float(mcc_of(np.array([[3.0, 1.0], [1.0, 3.0]])))
    0.5
    """
    return _mcc(LabelSums.of_table(table))


def f1_of(table: FloatArray, average: str = "macro", unscored: int = 0) -> FloatArray:
    """F1 of a confusion table (the last two axes): 2·TP / (gold + predicted) of each class, averaged.

    `macro` is the plain mean over the classes that occur in gold or predictions (as scikit-learn's), `weighted`
    weighs them by gold, `micro` pools the counts (accuracy, where every item has one label), `binary` is the F1 of
    class 1. The last `unscored` classes have no F1 of their own: a missing answer is no
    class, it only lowers that of gold's.

    >>> float(f1_of(np.array([[3.0, 1.0], [1.0, 3.0]]), "binary"))
    0.75
    """
    return _f1(LabelSums.of_table(table), average, unscored)


def _accuracy(sums: LabelSums) -> FloatArray:
    return _divide(sums.hits.sum(-1), sums.gold.sum(-1))


def _mcc(sums: LabelSums) -> FloatArray:
    gold, predicted, total = sums.gold, sums.predicted, sums.gold.sum(-1)
    covariance = sums.hits.sum(-1) * total - (gold * predicted).sum(-1)
    spread_gold = total**2 - (gold**2).sum(-1)
    spread_predicted = total**2 - (predicted**2).sum(-1)
    scale = np.sqrt(np.maximum(spread_gold, 0) * np.maximum(spread_predicted, 0))
    # Sums of pseudo-counts leave rounding noise where the denominator is truly zero.
    return _divide(covariance, np.where(scale > 1e-12 * total**2, scale, 0.0))


def _f1(sums: LabelSums, average: str, unscored: int = 0) -> FloatArray:
    hits, gold, predicted = sums.hits, sums.gold, sums.predicted
    each = _divide(2 * hits, gold + predicted)
    if average == "binary":
        return np.asarray(each[..., 1])
    if average == "micro":
        return _divide(2 * hits.sum(-1), (gold + predicted).sum(-1))
    weight = gold if average == "weighted" else (gold + predicted > 0).astype(float)
    if unscored:
        weight = np.where(np.arange(weight.shape[-1]) < weight.shape[-1] - unscored, weight, 0.0)
    return _divide((each * weight).sum(-1), weight.sum(-1))


def _score_of_sums(name: str, sums: LabelSums, unscored: int) -> FloatArray:
    if name == "accuracy":
        return _accuracy(sums)
    return _mcc(sums) if name == "mcc" else _f1(sums, name.removesuffix("_f1"), unscored)


def pearson_of(sums: FloatArray) -> FloatArray:
    """Pearson correlation of the sums (1, x, y, x², y², xy), the last axis; NaN where x or y does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, float), -1, 0)
    spread = np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0)
    flat = (n * xx - x * x <= 1e-12 * n * xx) | (n * yy - y * y <= 1e-12 * n * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.nan, np.clip((n * xy - x * y) / np.sqrt(spread), -1.0, 1.0))


def spearman(x: Array, y: Array, weights: FloatArray | None = None) -> Any:
    """Spearman's rank correlation of x and y (items), optionally for each weight vector (resamples × items).

    A weight is a number of repetitions: each value's rank is the mean rank of its repetitions in the resample.

    >>> round(spearman(np.array([1, 2, 3, 4]), np.array([1, 3, 2, 4])), 3)
    0.8
    """
    n = check_same_length(x=np.asarray(x), y=np.asarray(y))
    rows = np.atleast_2d(np.ones(n) if weights is None else np.asarray(weights, float))
    rank_x, rank_y = _weighted_ranks(np.asarray(x), rows), _weighted_ranks(np.asarray(y), rows)
    features = (np.ones_like(rank_x), rank_x, rank_y, rank_x**2, rank_y**2, rank_x * rank_y)
    value = pearson_of(np.stack([(rows * feature).sum(-1) for feature in features], axis=-1))
    return float(value[0]) if weights is None or np.ndim(weights) == 1 else value


def metric(name: str, n_classes: int = 2, unscored: int = 0) -> Metric:
    """The metric of that name, ours or a plugin's, for labels coded 0 … n_classes−1 (numbers, for `pearson`).

    The last `unscored` of them are no classes but ways to give no answer.

    >>> metric("mcc")(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).__round__(4)
    0.5774
    """
    added = find_added_metric(name) if name not in METRICS else None
    if name not in METRICS and added is None:
        raise UsageError(f"the metric {name!r} is not known; allowed: {', '.join([*METRICS, *PLUGINS.names()])}")
    if name == "pearson":
        return Metric(name, -1.0, 1.0, _encode_numbers, pearson_of, lambda sums: np.zeros(1))
    if n_classes < 2 or (name == "binary_f1" and n_classes != 2):
        allowed = "exactly 2" if name == "binary_f1" else "at least 2"
        raise UsageError(f"the metric {name!r} needs {allowed} classes; got {n_classes}")
    if added is not None:
        return _added_metric(added, name, n_classes)
    low, total = (-1.0 if name == "mcc" else 0.0), (0.0 if name == "accuracy" else 2.0)
    if n_classes > MOST_LABELS_IN_TABLE:
        return _many_metric(ManyLabels(name, n_classes, unscored, total), low)
    score = _TableScore(name, n_classes, unscored)
    return Metric(name, low, 1.0, _CellEncoder(n_classes), score, _CellPseudo(n_classes, total), n_classes)


def among(measure: Metric, labels: IntArray) -> Metric:
    """The same metric for these of its many labels alone, coded anew in their order: those of no item change no score.

    >>> few = among(metric("macro_f1", 3000), np.array([7, 2999]))
    >>> few(np.array([0, 1, 1]), np.array([0, 0, 1])) == metric("macro_f1")(np.array([0, 1, 1]), np.array([0, 0, 1]))
    True
    """
    if measure.many is None:
        raise UsageError(f"only a metric of more than {MOST_LABELS_IN_TABLE} labels can be taken among some of them")
    unscored = int((np.asarray(labels) >= measure.n_classes - measure.many.unscored).sum())
    many = replace(measure.many, n_labels=max(2, len(labels)), unscored=unscored)
    return _many_metric(many, measure.low)


def _many_metric(many: ManyLabels, low: float) -> Metric:
    encode, score = _ManyEncoder(many.n_labels), _ManyScore(many)
    return Metric(many.name, low, 1.0, encode, score, _no_pseudo, many.n_labels, many)


def _added_metric(added: TableMetric, name: str, n_classes: int) -> Metric:
    if n_classes > MOST_LABELS_IN_TABLE:
        raise UsageError(
            f"the metric {name!r} of a plugin takes the whole confusion table, of at most {MOST_LABELS_IN_TABLE} "
            f"labels; got {n_classes}"
        )
    score, encode, pseudo = _AddedScore(added, n_classes), _CellEncoder(n_classes), _CellPseudo(n_classes, 2.0)
    return Metric(name, added.low, added.high, encode, score, pseudo, n_classes)


def _no_pseudo(sums: FloatArray) -> FloatArray:
    return np.zeros(1)  # with many labels they are no patterns; see `linearise`


def span_f1_metric(counts: FloatArray) -> Metric:
    """Span F1 as a metric over sentences, from `spans.span_counts` (sentences × (hits, gold, predicted)).

    Its `gold` argument is the sentence numbers 0 … n−1; `predicted` is ignored. F1 = 2·hits / (gold + predicted).
    """
    rows = np.vstack([np.asarray(counts, float), [[1, 1, 1], [0, 1, 0], [0, 0, 1]]])
    weights = np.zeros(len(rows))
    weights[-3:] = (0.5, 0.5, 0.5)

    def encode(gold: Array, predicted: Array) -> Items:
        return Items(rows, np.asarray(gold, np.int64))

    return Metric("span_f1", 0.0, 1.0, encode, _span_score, lambda sums: weights)


def _span_score(sums: FloatArray) -> FloatArray:
    return _divide(2 * sums[..., 0], sums[..., 1] + sums[..., 2])


@dataclass(frozen=True, slots=True)
class _CellEncoder:
    n_classes: int

    def __call__(self, gold: Array, predicted: Array) -> Items:
        return _encode_cells(gold, predicted, self.n_classes)


@dataclass(frozen=True, slots=True)
class _TableScore:
    name: str
    n_classes: int
    unscored: int = 0

    def __call__(self, sums: FloatArray) -> FloatArray:
        table = sums.reshape(*sums.shape[:-1], self.n_classes, self.n_classes)
        return _score_of_sums(self.name, LabelSums.of_table(table), self.unscored)


@dataclass(frozen=True, slots=True)
class _ManyScore:
    many: ManyLabels

    def __call__(self, sums: FloatArray) -> FloatArray:
        return _score_of_sums(self.many.name, LabelSums.of_flat(sums), self.many.unscored)


@dataclass(frozen=True, slots=True)
class _ManyEncoder:
    n_classes: int

    def __call__(self, gold: Array, predicted: Array) -> Items:
        codes = _cell_codes(gold, predicted, self.n_classes)
        cells, index = np.unique(codes, return_inverse=True)
        rows = CellRows(cells // self.n_classes, cells % self.n_classes, self.n_classes)
        return Items(rows.matrix(), index.reshape(codes.shape))


@dataclass(frozen=True, slots=True)
class _AddedScore:
    metric: TableMetric
    n_classes: int

    def __call__(self, sums: FloatArray) -> FloatArray:
        return self.metric.of(sums.reshape(*sums.shape[:-1], self.n_classes, self.n_classes))


@dataclass(frozen=True, slots=True)
class _CellPseudo:
    n_classes: int
    total: float

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Pseudo-items spread over the cells of the classes that occur at all."""
        table = sums.reshape(self.n_classes, self.n_classes)
        present = (table.sum(0) + table.sum(1)) > 0
        cells = np.outer(present, present).astype(float).ravel()
        return np.asarray(self.total * cells / max(cells.sum(), 1.0))


def _encode_cells(gold: Array, predicted: Array, n_classes: int) -> Items:
    return Items(np.eye(n_classes * n_classes), _cell_codes(gold, predicted, n_classes))


def _cell_codes(gold: Array, predicted: Array, n_classes: int) -> IntArray:
    """The cell of the confusion table that each item is in."""
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    check_same_length(gold=gold, predicted=predicted)
    for name, codes in (("gold", gold), ("predicted", predicted)):
        if codes.dtype.kind not in "iub" or codes.min() < 0 or codes.max() >= n_classes:
            raise UsageError(
                f"{name} must hold whole numbers from 0 to {n_classes - 1} (use encode_labels); "
                f"got {codes.dtype} from {codes.min()} to {codes.max()}"
            )
    return np.asarray(gold.astype(np.int64) * n_classes + predicted)


def _encode_numbers(gold: Array, predicted: Array) -> Items:
    gold, predicted = np.asarray(gold, float), np.asarray(predicted, float)
    n = check_same_length(gold=gold, predicted=predicted)
    x, y = np.broadcast_arrays(_standardised(gold), _standardised(predicted))
    rows = np.stack([np.ones(y.size), x.ravel(), y.ravel(), x.ravel() ** 2, y.ravel() ** 2, (x * y).ravel()], axis=1)
    return Items(rows, np.arange(y.size, dtype=np.int64).reshape(*y.shape[:-1], n))


def _standardised(values: FloatArray) -> FloatArray:
    """Each run with mean 0 and variance 1, or all 0 where it does not vary.

    A correlation does not change by this, while sums of squares of large numbers, or of a run that hardly varies, would
    lose the digits that matter.
    """
    centred = values - values.mean(-1, keepdims=True)
    spread = centred.std(-1, keepdims=True)
    varies = spread > 1e-12 * np.abs(values).max(-1, keepdims=True)
    return np.where(varies, centred / np.where(varies, spread, 1.0), 0.0)


def _weighted_ranks(values: Array, weights: FloatArray) -> FloatArray:
    """Mid-ranks (resamples × items) of values when item i is repeated weights[r, i] times."""
    _, codes = np.unique(values, return_inverse=True)
    codes = codes.ravel()
    tied = np.zeros((len(weights), codes.max() + 1))
    np.add.at(tied.T, codes, weights.T)
    upto = np.cumsum(tied, axis=1)
    return np.asarray((upto - tied + (tied + 1) / 2)[:, codes])


def _divide(numerator: Array, denominator: Array) -> FloatArray:
    """The quotient, and 0 where the denominator is 0."""
    safe = np.where(denominator != 0, denominator, 1.0)
    return np.where(denominator != 0, numerator / safe, 0.0)
