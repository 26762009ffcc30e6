"""Agreement: whether development scores guide to test scores over the steps of training, whatever the languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.errors import DataError
from goldproof.judging.collapse import take_runs
from goldproof.judging.metrics import run_scores
from goldproof.judging.missing import label_union, recode
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
    """Of each set the answers of every run at its own last step; runs may end at different ones."""
    by_set: dict[tuple[tuple[str, str], ...], list[Answers]] = {}
    for answers in several:
        by_set.setdefault(tuple(answers.where.items()), []).append(answers)
    return [_last_of_each_run(sorted(group, key=lambda each: each.step or 0)) for group in by_set.values()]


def _last_of_each_run(group: Sequence[Answers]) -> Answers:
    """The answers of one set, whose steps are in order, with each run at the last step that it has."""
    last = {run: at for at, answers in enumerate(group) for run in answers.run_names}
    if len(set(last.values())) == 1:
        return group[-1]
    ends = [group[at] for at in sorted(set(last.values()))]
    differing = next((each for each in ends if set(each.ids) != set(ends[-1].ids)), None)
    if differing is not None:
        raise DataError(
            f"{ends[-1].name()}: runs end at different steps, where they answer different items: "
            f"{differing.n_items:,} at step {differing.step}, {ends[-1].n_items:,} at step {ends[-1].step}"
        )
    labels = label_union(*(each.labels for each in ends))
    parts = [
        _runs_that_end(each, at, last, ends[-1], labels)
        for at, each in enumerate(group)
        if any(each is end for end in ends)
    ]
    return replace(
        parts[-1],
        runs=np.concatenate([part.runs for part in parts]),
        run_names=tuple(name for part in parts for name in part.run_names),
        probabilities=_stacked([part.probabilities for part in parts]),
        absent=_stacked([part.absent for part in parts]),
    )


def _runs_that_end(
    answers: Answers, at: int, last: Mapping[str, int], like: Answers, labels: tuple[str, ...]
) -> Answers:
    """The runs that end here, on the items of another step in its order, coded by these labels."""
    chosen = np.array([i for i, run in enumerate(answers.run_names) if last[run] == at])
    place = {item: i for i, item in enumerate(answers.ids.tolist())}
    return recode(take_runs(answers.take(np.array([place[item] for item in like.ids.tolist()])), chosen), labels)


def _stacked(parts: Sequence[Array | None]) -> Array | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


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
