"""Luck: how far runs differ (the spread), what a better checkpoint would have given (regret), what was lost again
(forgetting).

The best of many noisy scores is too good (the winner's curse). Chosen in resamples of the items and scored out of them
it errs low (`statistics.selection`); the truth lies between the two, and reports show both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.checkpoints.rules import best_points, choose_points
from goldproof.judging.checkpoints.sets import EvaluationSet
from goldproof.judging.metrics import metric_of
from goldproof.statistics.arrays import FloatArray, IntArray
from goldproof.statistics.bootstrap import bootstrap_weights
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import t_quantile
from goldproof.statistics.proportions import cochran_q, significant_difference
from goldproof.statistics.selection import RESAMPLES, best_of, without_luck


@dataclass(frozen=True, slots=True)
class Spread:
    """The runs of one set at each run's best source-dev checkpoint: the highest, the lowest, and their difference.

    `significant` is the smallest difference of two accuracies that a two-proportion z test calls significant with
    this many items, NaN for other scores. `p_value` is Cochran's Q for all runs being equally good on these very
    items, NaN where it does not apply. `another_run` is the half width of the range in which the score of one more
    run on these very items is expected (prediction interval, normal runs).
    """

    language: str
    split: str
    run_scores: FloatArray
    significant: float
    p_value: float
    another_run: float

    @property
    def highest(self) -> float:
        """The best run."""
        return float(self.run_scores.max())

    @property
    def lowest(self) -> float:
        """The worst run."""
        return float(self.run_scores.min())

    @property
    def delta(self) -> float:
        """Best run minus worst run."""
        return self.highest - self.lowest

    @property
    def is_significant(self) -> bool:
        """Whether best and worst run differ by what a test of two proportions calls significant."""
        return bool(self.delta >= self.significant)


@dataclass(frozen=True, slots=True)
class Loss:
    """What was lost against the best checkpoint: as it looks, which errs high, and corrected, which errs low.

    The interval of `corrected` is over runs and items, and holds the loss against the truly best checkpoint.
    """

    apparent: float
    corrected: Estimate


def spread_of(given: EvaluationSet, points: IntArray, level: float = 0.95) -> Spread:
    """How far the runs of a set differ at these checkpoints."""
    scores = given.score_at(points)
    several, accuracy = len(scores) > 1, given.metric in ("accuracy", "exact_match")
    proportion = float(np.clip(scores.mean(), 0.0, 1.0))
    runs = given.at(points).runs
    right = (runs == (given.first.gold if given.metric == "accuracy" else 1)) if accuracy else None
    return Spread(
        given.language,
        given.split,
        scores,
        significant_difference(given.n_items, proportion, level) if accuracy else float("nan"),
        cochran_q(right) if right is not None and several else float("nan"),
        another_run(scores, level),
    )


def another_run(scores: FloatArray, level: float = 0.95) -> float:
    """How far from the mean the score of one more run on these very items may lie; NaN with one run.

    Half of the prediction interval of normal runs: t · sd · √(1 + 1/n).

    >>> round(another_run(np.array([0.70, 0.72, 0.74])), 3)
    0.099
    """
    n = len(scores)
    return float(t_quantile(level, n - 1) * scores.std(ddof=1) * np.sqrt(1 + 1 / n)) if n > 1 else float("nan")


def regret_of(experiment: Experiment, language: str, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The best checkpoint of each run on the test set minus the one that source dev chose, mean over runs."""
    points = choose_points("source dev", experiment, language)
    assert not isinstance(points, str)
    return loss_against(experiment.test(language), points, rng, level)


def forgetting_of(experiment: Experiment, language: str, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The peak of each run on the test set minus its last checkpoint, mean over runs."""
    return loss_against(experiment.test(language), experiment.last_points(), rng, level)


def loss_against(given: EvaluationSet, points: IntArray, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The best checkpoint minus the given one, in each run; the mean over runs.

    Corrected: in each of 200 resamples of the items the best checkpoint is found, and it and the given one are scored
    on the items that the resample left out. The interval reaches from the corrected loss less the error of the
    difference (over runs and items) to the apparent one plus it, as simulations ask.
    """
    peaks = best_points(given.scores)
    weights = bootstrap_weights(given.n_items, RESAMPLES, rng, given.first.clusters)
    gains = []
    for run, point in enumerate(points.tolist()):
        candidates = given.candidates(run)
        measure = metric_of(candidates, given.metric)
        found = best_of(measure, candidates.gold, candidates.runs, weights)
        gains.append(found.corrected - found.scores[point])
    best, chosen = given.at(peaks), given.at(points)
    measure = metric_of(best.with_runs_of(chosen), given.metric)
    own = compare_runs(measure, best.gold, best.runs, chosen.runs, best.clusters, same_seeds=True, level=level)
    return Loss(own.difference.value, without_luck(float(np.mean(gains)), own.difference))
