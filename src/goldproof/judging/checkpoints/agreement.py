"""Agreement: whether development scores guide to test scores over the steps of training, whatever the languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.metrics import run_scores
from goldproof.statistics.agreement import agreement_null, directional_agreement, lag_one_autocorrelation
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate

DEVELOPMENT = ("dev", "development", "val", "valid", "validation")
THRESHOLD = 0.005


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often development moves as test does, for one test set, with the range that chance alone would give."""

    where: Mapping[str, str]
    development: Mapping[str, str]
    estimate: Estimate
    null: Estimate
    n_steps: int
    n_runs: int


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Scores of one set: runs × steps."""

    where: Mapping[str, str]
    steps: Array
    scores: Array


def last_steps(several: Sequence[Answers]) -> list[Answers]:
    """Of each set the answers of its last step."""
    latest: dict[tuple[tuple[str, str], ...], Answers] = {}
    for answers in several:
        where = tuple(answers.where.items())
        if where not in latest or (answers.step or 0) >= (latest[where].step or 0):
            latest[where] = answers
    return list(latest.values())


def trajectories(several: Sequence[Answers], metric: str) -> list[Trajectory]:
    """The scores of each set that has several steps; steps at which a run is missing are left out."""
    by_set: dict[tuple[tuple[str, str], ...], list[Answers]] = {}
    for answers in several:
        by_set.setdefault(tuple(answers.where.items()), []).append(answers)
    found = []
    for where, group in by_set.items():
        runs = set.intersection(*(set(answers.run_names) for answers in group))
        if len(group) < 3 or not runs:
            continue
        group = sorted(group, key=lambda answers: answers.step or 0)
        scores = [
            [s for s, run in zip(run_scores(answers, metric), answers.run_names, strict=True) if run in runs]
            for answers in group
        ]
        found.append(Trajectory(dict(where), np.array([answers.step or 0 for answers in group]), np.array(scores).T))
    return found


def agreement_of(paths: Sequence[Trajectory], level: float) -> list[Agreement]:
    """Directional agreement of every test set with every development set of the same model, runs and steps."""
    development = [path for path in paths if path.where.get("split") in DEVELOPMENT]
    return [
        _agree(dev, path, level)
        for path in paths
        if path.where.get("split") not in DEVELOPMENT
        for dev in development
        if dev.where.get("model") == path.where.get("model") and dev.scores.shape == path.scores.shape
    ]


def _agree(development: Trajectory, target: Trajectory, level: float) -> Agreement:
    n_runs, n_steps = target.scores.shape
    estimate = directional_agreement(development.scores, target.scores, threshold=THRESHOLD, level=level)
    autocorrelation = float(np.nanmean([lag_one_autocorrelation(run) for run in target.scores]))
    rho = float(np.clip(np.nan_to_num(autocorrelation), 0.0, 0.98))
    null = agreement_null(n_steps, rho, np.random.default_rng(0), n_runs=n_runs, level=level)
    return Agreement(target.where, development.where, estimate, null, n_steps, n_runs)
