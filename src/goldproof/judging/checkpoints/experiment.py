"""Experiment: the evaluation sets of one experiment in zero-shot transfer, from the answers of its checkpoints.

The answers are checked here: one model, the same runs and items at every checkpoint, one development set a language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.errors import DataError, UsageError
from goldproof.judging.checkpoints.agreement import DEVELOPMENT
from goldproof.judging.checkpoints.sets import EvaluationSet, make_set
from goldproof.judging.metrics import choose_metric
from goldproof.statistics.arrays import IntArray

DEV, TEST = "dev", "test"
TASKS = ("classification", "tagging", "spans")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The evaluation sets of one experiment: the source language, the target languages, runs and steps.

    `notes` say what is not there.
    """

    source: str
    targets: tuple[str, ...]
    sets: Mapping[tuple[str, str], EvaluationSet]
    notes: tuple[str, ...] = ()

    @property
    def run_names(self) -> tuple[str, ...]:
        """What the runs are called."""
        return self.sets[self.source, DEV].first.run_names

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.run_names)

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of the checkpoints."""
        return tuple(each.step or 0 for each in self.sets[self.source, DEV].checkpoints)

    @property
    def metric(self) -> str:
        """The metric by which all of them are scored."""
        return self.sets[self.source, DEV].metric

    def dev(self, language: str) -> EvaluationSet | None:
        """The development set of a language, where it has one."""
        return self.sets.get((language, DEV))

    def test(self, language: str) -> EvaluationSet:
        """The test set of a language."""
        return self.sets[language, TEST]

    def last_points(self) -> IntArray:
        """The last checkpoint of each run."""
        return np.asarray(np.isfinite(self.sets[self.source, DEV].scores).sum(axis=1) - 1)


def make_experiment(source: str, several: Sequence[EvaluationSet]) -> Experiment:
    """The experiment, checked: the source has a development set, runs and checkpoints are the same everywhere."""
    sets = {(each.language, each.split): each for each in several}
    languages = list(dict.fromkeys(each.language for each in several))
    if source not in languages:
        raise UsageError(f"there is no source language {source!r} among the predictions; there are: {_list(languages)}")
    if (source, DEV) not in sets:
        raise DataError(
            f"the source language {source!r} has no development set to choose checkpoints by; its sets: "
            f"{_list([split for language, split in sets if language == source])}"
        )
    wanted = sets[source, DEV].scores.shape
    for each in several:
        if each.scores.shape != wanted:
            got = each.scores.shape
            raise DataError(
                f"{each.language} {each.split}: {got[0]} runs × {got[1]} checkpoints, but {wanted[0]} × {wanted[1]} "
                "elsewhere; every set needs the same runs and checkpoints"
            )
    targets = tuple(name for name in languages if name != source and (name, TEST) in sets)
    if not targets:
        raise DataError(
            f"there is no test set in a language other than the source {source!r}, so nothing was transferred"
        )
    return Experiment(source, targets, sets, tuple(_notes(source, languages, sets)))


def _notes(source: str, languages: Sequence[str], sets: Mapping[tuple[str, str], EvaluationSet]) -> list[str]:
    notes = []
    targets = [name for name in languages if name != source]
    if without_test := [name for name in targets if (name, TEST) not in sets]:
        notes.append(f"No test set, so left out: {_list(without_test)}.")
    if without_dev := [name for name in targets if (name, DEV) not in sets and (name, TEST) in sets]:
        notes.append(
            f"No development set in {_list(without_dev)}: the oracle (choosing by target dev) is not available there."
        )
    if sets[source, DEV].first.n_runs == 1:
        notes.append("One run only: nothing is claimed about another run, and intervals over runs are absent.")
    return notes


def experiment_of(several: Sequence[Answers], source: str, metric: str | None = None) -> Experiment:
    """The experiment that answers with a language, a split and a step belong to; other splits are left out."""
    if not several:
        raise DataError("transfer needs development and test sets; there are no answers with the split dev or test")
    check_task(several[0].task)
    for each in several:
        if each.step is None or not {"language", "split"} <= set(each.where):
            raise DataError(f"transfer needs a language, a split and a step; got {dict(each.where)}, step {each.step}")
    for name in ("model", "dataset"):
        check_one(name, (each.where[name] for each in several if name in each.where))
    _check_splits(several)
    chosen = [_with_split(each) for each in several if split_of(each.where["split"]) in (DEV, TEST)]
    if several[0].task == "classification":
        _check_labels(chosen, source)
    name = choose_metric(several[0].task, metric)
    steps = sorted({each.step or 0 for each in chosen})
    runs = list(dict.fromkeys(run for each in chosen for run in each.run_names))
    languages = dict.fromkeys([source, *(each.where["language"] for each in chosen)])
    sets = []
    for language in languages:
        for split in (DEV, TEST):
            own = [each for each in chosen if each.where["language"] == language and each.where["split"] == split]
            if own:
                sets.append(make_set(_in_order(own, steps, runs), name))
    return make_experiment(source, sets)


def split_of(name: str) -> str:
    """The split that a name stands for: dev for each of its names, others as they are."""
    return DEV if name in DEVELOPMENT else name


def check_task(task: str) -> None:
    """Refuse what has no labels."""
    if task not in TASKS:
        raise UsageError("transfer is judged for classification and tagging; these predictions are numbers")


def check_one(name: str, values: Iterable[str]) -> None:
    """Refuse several models or datasets."""
    different = list(dict.fromkeys(values))
    if len(different) > 1:
        raise DataError(f"transfer is judged for one {name} at a time; got {', '.join(different[:5])}")


def _with_split(answers: Answers) -> Answers:
    return replace(answers, where={**answers.where, "split": split_of(answers.where["split"])})


def _in_order(own: Sequence[Answers], steps: Sequence[int], runs: Sequence[str]) -> list[Answers]:
    """The answers of one set at each step, runs in one order; none of a run that has ended.

    A run that leaves a step out, or other items or gold at another step, is an error.
    """
    by_step = {each.step or 0: each for each in own}
    first = by_step[min(by_step)]
    where = f"{first.where['language']} {first.where['split']}"
    for run in runs:
        there = [step in by_step and run in by_step[step].run_names for step in steps]
        if not there[0] or (np.diff(np.array(there, int)) > 0).any():
            raise DataError(
                f"{where}: run {run!r} has no predictions at step {steps[there.index(False)]}; a run may end early, "
                "but must not skip a step"
            )
    found = []
    for step in steps:
        each = by_step.get(step, first.only_runs(()))
        _check_items(first, each, where)
        order = [each.run_names.index(run) for run in runs if run in each.run_names]
        found.append(replace(each.only_runs(order), step=step))
    return found


def _check_items(first: Answers, each: Answers, where: str) -> None:
    if n_missing := int(each.missing().sum()):
        raise DataError(f"{where}: {n_missing:,} answers are missing at step {each.step}; every run needs all of them")
    if each.ids is not first.ids and not np.array_equal(each.ids, first.ids):
        raise DataError(
            f"{where}: the items at step {each.step} are not those at step {first.step}; every checkpoint needs the "
            "same items in the same order"
        )
    if each.gold is not first.gold:
        for item, one, other in zip(first.ids, first.gold, each.gold, strict=True):
            if one != other:
                raise DataError(
                    f"{where}: the gold of item {item!r} differs between runs or steps; it must be the same"
                )


def _check_splits(several: Sequence[Answers]) -> None:
    """No language has development sets by two names: which of them chooses would be left to the order of rows."""
    for language in dict.fromkeys(each.where["language"] for each in several):
        splits = {each.where["split"] for each in several if each.where["language"] == language}
        names = sorted(name for name in splits if split_of(name) == DEV)
        if len(names) > 1:
            raise DataError(
                f"{language}: a language may have one development set; got {len(names)}, as the splits "
                f"{', '.join(map(repr, names))}"
            )


def _check_labels(several: Sequence[Answers], source: str) -> None:
    """Every language's gold labels are among the source's."""
    of: dict[str, set[str]] = {}
    for each in several:
        of.setdefault(each.where["language"], set()).update(each.labels[code] for code in np.unique(each.gold))
    for language, labels in of.items():
        strange = sorted(labels - of.get(source, labels))
        if strange:
            raise DataError(
                f"the labels differ between languages: {language!r} has {strange[0]!r}, which the source {source!r} "
                f"does not have; its labels: {', '.join(sorted(of[source]))}"
            )


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
