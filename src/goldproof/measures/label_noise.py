"""The share of wrong labels, read off where a classifier is sure: errors of its own fade there, wrong labels do not.

A label that is wrong is contradicted however sure the classifier is, while the classifier's own errors become rare as
its margin grows. With m the log of how much likelier the predicted label is than the next one, K labels and a share π
wrong,

    P(label ≠ prediction | m) = (1 − π) e(m) + π (1 − e(m) / (K − 1)),   e(m) = 1 / (1 + exp(a + b m)), b ≥ 0

(a logistic curve that ends at π instead of 0, as in the psychometric function with lapses; Wichmann & Hill 2001). π is
estimated by its mean under the profile likelihood, whose interval is given: where the likelihood is flat, its maximum
may be 0 with wrong labels all over the data, as errors at every margin may be the classifier's own. It holds for errors
that hit rows whatever their margin; errors that gather where the classifier is unsure look like its own, so π is then
too low.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.estimate import Estimate

Longs = npt.NDArray[np.int64]
MOST_WRONG = 0.5
_GRID = np.linspace(0, MOST_WRONG, 101)
_BINS = 60
_STEEPEST = 5.0  # log of the curve's slope
METHOD = "profile likelihood of the curve's end, its mean"


@dataclass(frozen=True, slots=True, eq=False)
class NoiseFit:
    """The share of wrong labels and the chance of the classifier's own error at each row's margin.

    `low` and `high` are those at the ends of its interval, each with the curve that fits there best.
    """

    share: Estimate
    own: LabelOdds
    low: LabelOdds
    high: LabelOdds


@dataclass(frozen=True, slots=True, eq=False)
class LabelOdds:
    """One share of wrong labels, and the chance of the classifier's own error at each row's margin under it."""

    share: float
    own_errors: FloatArray
    n_labels: int

    def chance_wrong(self, contradicted: npt.NDArray[np.bool_]) -> FloatArray:
        """The chance that a row's label is wrong, given whether the classifier contradicts it and how sure it is.

        By Bayes' rule: π (1 − e/(K − 1)) over the chance of a contradiction, and π e/(K − 1) over that of none.
        """
        share, own = self.share, self.own_errors
        wrong_too = own / (self.n_labels - 1)  # a wrong label that the classifier's own error repeats
        against = share * (1 - wrong_too)
        with_it = share * wrong_too
        right = (1 - share) * np.where(contradicted, own, 1 - own)
        joint = np.where(contradicted, against, with_it)
        return np.asarray(joint / np.maximum(joint + right, 1e-300))


def fit_share(margins: FloatArray, contradicted: npt.NDArray[np.bool_], n_labels: int, level: float) -> NoiseFit:
    """Fit the share of wrong labels to margins (at least 0) and contradictions of rows that were not learned from."""
    counts = _bin(margins, contradicted)
    profile = np.empty(len(_GRID))
    shapes = np.empty((len(_GRID), 2))
    start = np.array([0.0, 0.0])
    for number, share in enumerate(_GRID):
        found = optimize.minimize(_loss, start, (share, counts, n_labels), jac=False, method="Nelder-Mead")
        profile[number], shapes[number] = found.fun, found.x
        start = found.x
    best = int(profile.argmin())
    inside = np.flatnonzero(profile <= profile[best] + stats.chi2.ppf(level, 1) / 2)

    def odds(at: int) -> LabelOdds:
        own = special.expit(-(shapes[at, 0] + np.exp(min(shapes[at, 1], _STEEPEST)) * margins))
        return LabelOdds(float(_GRID[at]), np.asarray(own), n_labels)

    weights = np.exp(profile[best] - profile)
    mean = float((weights * _GRID).sum() / weights.sum())
    fitted, low, high = odds(int(abs(_GRID - mean).argmin())), odds(int(inside[0])), odds(int(inside[-1]))
    share = Estimate(mean, min(mean, low.share), max(mean, high.share), METHOD, len(margins), level)
    return NoiseFit(share, fitted, low, high)


@dataclass(frozen=True, slots=True, eq=False)
class _Binned:
    margin: FloatArray
    n: FloatArray
    contradicted: FloatArray


def _bin(margins: FloatArray, contradicted: npt.NDArray[np.bool_]) -> _Binned:
    """Rows of nearly one margin together: the likelihood hardly changes, and a fit takes milliseconds."""
    order = np.argsort(margins, kind="stable")
    parts = np.array_split(order, min(_BINS, len(order)))
    return _Binned(
        np.array([margins[part].mean() for part in parts]),
        np.array([float(len(part)) for part in parts]),
        np.array([float(contradicted[part].sum()) for part in parts]),
    )


def _loss(shape: FloatArray, share: float, counts: _Binned, n_labels: int) -> float:
    own = special.expit(-(shape[0] + np.exp(min(shape[1], _STEEPEST)) * counts.margin))
    chance = (1 - share) * own + share * (1 - own / (n_labels - 1))
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
    fits = counts.contradicted * np.log(chance) + (counts.n - counts.contradicted) * np.log1p(-chance)
    return float(-fits.sum())


def plant_uniform(labels: Longs, n_labels: int, n: int, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """The labels with n rows at random changed to another label at random, and those rows."""
    rows = np.sort(rng.choice(len(labels), n, replace=False))
    changed = labels.copy()
    changed[rows] = (labels[rows] + rng.integers(1, n_labels, n)) % n_labels
    return changed, rows


def plant_by_features(
    labels: Longs, probabilities: FloatArray, n: int, rng: np.random.Generator
) -> tuple[Longs, Longs]:
    """The labels with n rows changed to the label that a classifier holds for likeliest beside theirs.

    A row's chance to be changed is that label's share of the two: mistakes as made where labels are hard to tell apart.
    """
    every = np.arange(len(labels))
    others = probabilities.copy()
    others[every, labels] = -1
    second = others.argmax(1)
    chance = others[every, second] / (others[every, second] + probabilities[every, labels])
    rows = np.sort(rng.choice(len(labels), n, replace=False, p=chance / chance.sum()))
    changed = labels.copy()
    changed[rows] = second[rows]
    return changed, rows
