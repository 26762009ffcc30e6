"""Label suspects: rows whose label a classifier that has not seen them contradicts, with how often it is right.

Confident learning (Northcutt, Jiang & Chuang 2021) in our own form: rows are ranked by how strongly their texts speak
for another label (`label_ranks.py`), the share of wrong labels comes from `label_noise.py`, and the precision at each
cut from errors that are planted. It says nothing about what the right label is beyond what words tell, and says so
where words tell too little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError
from goldproof.measures.label_noise import METHOD, NoiseFit, fit_share, plant_by_features, plant_uniform
from goldproof.measures.label_ranks import RankedLabels, rank_labels
from goldproof.measures.shallow_probabilities import Fit, averaged, compact, text_features
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson

SuspectProgress = Callable[[str, int, int], None]  # what is at hand, how much of it is done, of how much
Longs = npt.NDArray[np.int64]
Names = npt.NDArray[np.str_]
PLANTED = 0.05  # of the labels are changed to see how many are found
MOST_LISTED = 10_000
LEAST_ROWS = 100
LEAST_OF_LABEL = 5  # rows, for the median label
LEAST_SKILL = 0.2  # of the way from the most frequent label to all right
_DEALS = 2
_CUTS = (10, 20, 50)
_STEPS = 4


@dataclass(frozen=True, slots=True)
class Suspect:
    """A row whose text speaks for another label: its place (from 0), id, label and what the text speaks for instead.

    `score` ranks: by how much more the text speaks for `instead` than for the label (`label_ranks.py`). `chance` is
    that of the label being wrong if errors hit rows at random, NaN where this cannot be told.
    """

    row: int
    id: str
    label: str
    instead: str
    score: float
    chance: float


@dataclass(frozen=True, slots=True)
class SuspectCut:
    """The first `n` suspects, and which share of them is estimated to be wrong.

    `precision` takes wrong labels to hit rows at random, `gathered` to gather where labels are hard to tell: each is
    the share of wrong labels times how many of the errors of that kind, planted in the data, rank as high as the first
    `n`. `gathered` is None where nothing could be planted.
    """

    n: int
    precision: Estimate
    gathered: Estimate | None = None


@dataclass(frozen=True, slots=True)
class PlantedErrors:
    """How errors of one kind that were planted in the data are found.

    `found` is the share of them among as many suspects as there are wrong labels then, the planted and the estimated.
    *uniform*: any row, any other label. *by features*: rows whose words fit another label nearly as well.
    """

    kind: str
    n: int
    found: Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """The ranked suspects (at most 10,000), the precision at each cut, and the share of wrong labels.

    `reason` is empty where this could be told. Otherwise it says why not (a classifier hardly better than the most
    frequent label, too few rows, one class, numbers instead of labels): the estimates are then NaN and `cuts` empty;
    `suspects` still ranks where there was a classifier. `scores` has every row's rank score (NaN without a label).
    `share_wrong` takes errors to hit rows at random; if they gather where labels are hard to tell, the share may be as
    large as `most_wrong`, which is the share of rows that the classifier contradicts over the share of planted errors
    of that kind that it contradicts.
    """

    suspects: tuple[Suspect, ...]
    n_suspects: int
    cuts: tuple[SuspectCut, ...]
    share_wrong: Estimate
    most_wrong: float
    planted: tuple[PlantedErrors, ...]
    accuracy: Estimate
    majority: float
    scores: npt.NDArray[np.float64]
    reason: str

    @property
    def told(self) -> bool:
        """Whether the share of wrong labels could be told."""
        return not self.reason


def find_suspects(
    data: Dataset,
    *,
    probabilities: npt.NDArray[np.float64] | None = None,
    groups: npt.NDArray[np.int64] | None = None,
    seed: int = 0,
    level: float = 0.95,
    progress: SuspectProgress | None = None,
) -> Suspects:
    """Rank the rows whose label is probably wrong.

    `probabilities` (rows × sorted labels, out of sample) replace the classifier of words and characters; errors cannot
    be planted then. Rows of one group (copies, one premise) are never on both sides of a fold.
    """
    column = data.table.column("label")
    rows = np.flatnonzero(np.asarray(pc.is_valid(column)))
    names, labels = np.unique(np.array(column.take(rows).to_pylist(), dtype=str), return_inverse=True)
    reason = _reason_of_labels(data, labels, len(names))
    if reason:
        return _untold(len(data), reason)
    tell = progress or (lambda what, n_done, total: None)
    given = None if probabilities is None else _checked(probabilities, rows, len(names), data.name)
    fit = None if given is not None else _classifier(data, rows, groups, len(names), seed)
    tell("fitting on the labels as they are", 1, _STEPS)
    chances = given if given is not None else _need(fit)(labels)
    judged = rank_labels(labels, chances)
    majority = float(np.bincount(labels).max() / len(labels))
    accuracy = wilson(int((~judged.contradicted).sum()), len(labels), level)
    reason = reason_of_accuracy(accuracy, majority)
    noise = fit_share(judged.margins, judged.contradicted, len(names), level)
    tell("finding planted errors", 2, _STEPS)
    planted, most_wrong, reached = _plant(labels, judged, chances, fit, np.random.default_rng([seed, 2]), noise.share)
    tell("ranking", _STEPS, _STEPS)
    scores = np.full(len(data), np.nan)
    scores[rows] = judged.scores
    wrong = noise.own.chance_wrong(judged.contradicted) if not reason else np.full(len(rows), np.nan)
    return Suspects(
        suspects=_list(data, rows, names[labels], names[judged.instead], judged, wrong),
        n_suspects=len(judged.ranked),
        cuts=() if reason else find_cuts(noise, judged, reached, level),
        share_wrong=_unknown(reason, len(rows), level) if reason else noise.share,
        most_wrong=float("nan") if reason else most_wrong,
        planted=planted,
        accuracy=accuracy,
        majority=majority,
        scores=scores,
        reason=reason,
    )


def _list(
    data: Dataset, rows: Longs, labels: Names, instead: Names, judged: RankedLabels, wrong: FloatArray
) -> tuple[Suspect, ...]:
    ids = data.table.column("id")
    return tuple(
        Suspect(
            int(rows[at]),
            str(ids[int(rows[at])].as_py()),
            str(labels[at]),
            str(instead[at]),
            float(judged.scores[at]),
            float(wrong[at]),
        )
        for at in judged.ranked[:MOST_LISTED]
    )


def _classifier(data: Dataset, rows: Longs, groups: Longs | None, n_labels: int, seed: int) -> Fit:
    table = data.table.take(rows)
    pairs = table.column("pair")
    features = compact(
        text_features(table.column("text").to_pylist(), None if pairs.null_count == len(pairs) else pairs.to_pylist())
    )
    of = np.arange(len(rows)) if groups is None else np.asarray(groups)[rows]

    def fit(labels: Longs) -> FloatArray:
        deals = [np.random.default_rng([seed, 1, number]) for number in range(_DEALS)]
        return averaged(features, labels, n_labels, of, deals)

    return fit


@dataclass(frozen=True, slots=True, eq=False)
class PlantedScores:
    """How the planted errors rank, each kind by its scores; none of a kind that could not be planted."""

    uniform: FloatArray
    by_features: FloatArray


NOTHING_PLANTED = PlantedScores(np.empty(0), np.empty(0))


def _plant(
    labels: Longs, judged: RankedLabels, chances: FloatArray, fit: Fit | None, rng: np.random.Generator, share: Estimate
) -> tuple[tuple[PlantedErrors, ...], float, PlantedScores]:
    """Plant errors of both kinds, see how many are found, and how large a share of the second kind could hide."""
    if fit is None:
        return (), float("nan"), NOTHING_PLANTED
    n, n_labels, level = max(round(PLANTED * len(labels)), 1), chances.shape[1], share.level
    n_wrong = n + round(share.value * len(labels))
    found, scores, most_wrong = [], [], 1.0
    for kind in ("uniform", "by features"):
        uniform = kind == "uniform"
        changed, rows = (
            plant_uniform(labels, n_labels, n, rng) if uniform else plant_by_features(labels, chances, n, rng)
        )
        again = rank_labels(changed, fit(changed))
        top = np.argsort(-again.scores, kind="stable")[:n_wrong]
        found.append(PlantedErrors(kind, n, wilson(int(np.isin(top, rows).sum()), n, level)))
        scores.append(again.scores[rows])
        if not uniform:
            seen = wilson(int(again.contradicted[rows].sum()), n, level)
            contradicted = wilson(int(judged.contradicted.sum()), len(labels), level)
            most_wrong = min(1.0, contradicted.high / max(seen.low, 1e-9))
    return tuple(found), most_wrong, PlantedScores(*scores)


def find_cuts(noise: NoiseFit, judged: RankedLabels, planted: PlantedScores, level: float) -> tuple[SuspectCut, ...]:
    """The share of wrong labels among the first 10, 20, 50, 100, … suspects and among all of them."""
    order = judged.ranked
    sizes = [size * 10**power for power in range(6) for size in _CUTS]
    wanted = sorted({size for size in sizes if size < len(order)} | ({len(order)} if len(order) else set()))
    if not len(planted.uniform):
        return tuple(SuspectCut(n, _mean_chance(noise, judged, n, level)) for n in wanted)
    n_rows = len(judged.scores)
    return tuple(
        SuspectCut(
            n,
            _reached(noise.share, planted.uniform, float(judged.scores[order[n - 1]]), n_rows / n, "at random"),
            _reached(
                noise.share,
                planted.by_features,
                float(judged.scores[order[n - 1]]),
                n_rows / n,
                "where labels are hard to tell",
            ),
        )
        for n in wanted
    )


def _reached(share: Estimate, scores: FloatArray, least: float, rows_for_each: float, kind: str) -> Estimate:
    """The precision at a cut: as many wrong labels as there are, times the share of planted ones that rank as high.

    Both factors are uncertain; their distances to each bound are added as squares (of the product's).
    """
    found = wilson(int((scores >= least).sum()), len(scores), share.level)
    value = share.value * found.value
    low = value - np.hypot((share.value - share.low) * found.value, share.value * (found.value - found.low))
    high = value + np.hypot((share.high - share.value) * found.value, share.value * (found.high - found.value))
    method = f"share of wrong labels times how many errors planted {kind} are found"

    def precision(n_wrong: float) -> float:
        return min(max(float(n_wrong) * rows_for_each, 0.0), 1.0)

    return Estimate(precision(value), precision(low), precision(high), method, len(scores), share.level)


def _mean_chance(noise: NoiseFit, judged: RankedLabels, n: int, level: float) -> Estimate:
    """The mean chance of a wrong label among the first n, with the interval that the share's interval gives."""
    value, low, high = (
        float(odds.chance_wrong(judged.contradicted)[judged.ranked[:n]].mean())
        for odds in (noise.own, noise.low, noise.high)
    )
    return Estimate(value, min(value, low), max(value, high), METHOD, n, level)


def _reason_of_labels(data: Dataset, labels: Longs, n_labels: int) -> str:
    scores = data.table.column("score")
    if not len(labels):
        numbers = scores.null_count < len(scores)
        return "the rows have numbers, no labels" if numbers else "no row has a label"
    if n_labels == 1:
        return "all rows have one label"
    if len(labels) < LEAST_ROWS:
        return f"{len(labels)} rows have a label; at least {LEAST_ROWS} are needed"
    if np.median(np.bincount(labels)) < LEAST_OF_LABEL:
        return f"{n_labels:,} different labels in {len(labels):,} rows are too many; are they numbers?"
    return ""


def reason_of_accuracy(accuracy: Estimate, majority: float) -> str:
    """Why a classifier of this accuracy cannot tell how many labels are wrong; empty where it can."""
    if accuracy.low - majority >= LEAST_SKILL * (1 - majority):
        return ""
    return (
        f"the classifier has {100 * accuracy.value:.0f} % [{100 * accuracy.low:.0f}, {100 * accuracy.high:.0f}] of the "
        f"labels right, hardly more than the most frequent label ({100 * majority:.0f} %)"
    )


def _checked(probabilities: FloatArray, rows: Longs, n_labels: int, where: str) -> FloatArray:
    found = np.asarray(probabilities, np.float64)
    if found.ndim != 2 or found.shape[1] != n_labels or found.shape[0] <= int(rows.max()):
        raise DataError(f"{where}: probabilities must be rows × {n_labels} labels; got an array of {found.shape}")
    found = found[rows]
    if not np.isfinite(found).all() or (found < 0).any() or (abs(found.sum(1) - 1) > 1e-3).any():
        raise DataError(f"{where}: probabilities of a row must be at least 0 and sum to 1")
    return found


def _need(fit: Fit | None) -> Fit:
    assert fit is not None
    return fit


def _unknown(reason: str, n: int, level: float = 0.95) -> Estimate:
    return Estimate(float("nan"), float("nan"), float("nan"), f"cannot be told: {reason}", n, level)


def _untold(n: int, reason: str) -> Suspects:
    unknown = _unknown(reason, n)
    return Suspects((), 0, (), unknown, float("nan"), (), unknown, float("nan"), np.full(n, np.nan), reason)
