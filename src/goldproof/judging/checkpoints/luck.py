"""Luck: how far runs differ (the spread), what a better checkpoint would have given (regret), what was lost again
(forgetting).

The best of many noisy scores is too good (the winner's curse): its checkpoint is therefore chosen on one half of the
test items and scored on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.checkpoints.rules import best_points, choose_points
from goldproof.judging.checkpoints.sets import EvaluationSet
from goldproof.statistics.arrays import FloatArray, IntArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, t_quantile
from goldproof.statistics.proportions import cochran_q, significant_difference

N_SPLITS = 20


@dataclass(frozen=True, slots=True)
class Spread:
    """The runs of one set at each run's best source-dev checkpoint: the highest, the lowest, and their difference.

    `significant` is the smallest difference of two accuracies that a two-proportion z test calls significant with
    this many items, NaN for other scores. `p_value` is Cochran's Q for all runs being equally good on these very
    items, NaN where it does not apply. `another_run` is the half width of the range in which the score of one more
    run is expected (prediction interval, normal runs, items fixed).
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
    """What was lost against the best checkpoint: as it looks, and corrected for having picked the best by its luck."""

    apparent: Estimate
    corrected: Estimate


def spread_of(given: EvaluationSet, points: IntArray, level: float = 0.95) -> Spread:
    """How far the runs of a set differ at these checkpoints."""
    scores = given.score_at(points)
    several, accuracy = len(scores) > 1, given.metric == "accuracy"
    proportion = float(np.clip(scores.mean(), 0.0, 1.0))
    right = given.at(points).runs == given.first.gold if accuracy else None
    width = (
        t_quantile(level, len(scores) - 1) * scores.std(ddof=1) * np.sqrt(1 + 1 / len(scores)) if several else np.nan
    )
    return Spread(
        given.language,
        given.split,
        scores,
        significant_difference(given.n_items, proportion, level) if accuracy else float("nan"),
        cochran_q(right) if right is not None and several else float("nan"),
        float(width),
    )


def regret_of(experiment: Experiment, language: str, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The best checkpoint of each run on the test set minus the one that source dev chose, mean over runs."""
    points = choose_points("source dev", experiment, language)
    assert not isinstance(points, str)
    return loss_against(experiment.test(language), points, rng, level)


def forgetting_of(experiment: Experiment, language: str, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The peak of each run on the test set minus its last checkpoint, mean over runs."""
    return loss_against(experiment.test(language), experiment.last_points(), rng, level)


def loss_against(given: EvaluationSet, points: IntArray, rng: np.random.Generator, level: float = 0.95) -> Loss:
    """The best checkpoint minus the given one, in each run; the mean over runs with a t interval over runs.

    Corrected: for each of 20 random halvings of the items the best checkpoint is found on one half and both it and
    the given one are scored on the other, then the other way round. So many items choose less well than all of
    them would, so the corrected loss errs, if at all, on the low side; it can be negative.
    """
    apparent = np.nanmax(given.scores, axis=1) - given.score_at(points)
    gains = []
    for _ in range(N_SPLITS):
        halves = given.halves(rng)
        for chooses, scored in (halves, halves[::-1]):
            gains.append(scored.score_at(best_points(chooses.scores)) - scored.score_at(points))
    corrected = mean_interval(np.mean(gains, axis=0), level)
    return Loss(
        _over_runs(apparent, level), replace(corrected, method=f"{corrected.method} over runs, cross-fitted halves")
    )


def _over_runs(values: FloatArray, level: float) -> Estimate:
    found = mean_interval(values, level)
    return replace(found, method=f"{found.method} over runs")
