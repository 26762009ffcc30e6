"""Collapsed runs of an experiment: trainings that never learned the source language are in no finding.

A run is judged at its best checkpoint on source dev, by the one rule of `judging.collapse`. A run that learned the
source and gives one answer in a target language is no collapsed training: it stays, and the language says so.
"""

from __future__ import annotations

from dataclasses import replace

from goldproof.judging.checkpoints.experiment import DEV, Experiment
from goldproof.judging.checkpoints.rules import best_points
from goldproof.judging.collapse import collapse_notes, collapse_of, named_runs
from goldproof.statistics.arrays import IntArray
from goldproof.statistics.collapse import Collapse


def without_collapsed_runs(experiment: Experiment, level: float = 0.95) -> tuple[Experiment, Collapse | None]:
    """The experiment without the runs that collapsed on source dev, and which did; its notes name them."""
    source = experiment.sets[experiment.source, DEV]
    answers = source.at(best_points(source.scores))
    collapse = collapse_of(answers, level)
    notes = collapse_notes(answers, collapse, f"{experiment.source} dev")
    if collapse is None or not notes:
        return experiment, collapse
    kept = collapse.kept.tolist()
    sets = {name: each.only_runs(kept) for name, each in experiment.sets.items()}
    return replace(experiment, sets=sets, notes=(*experiment.notes, *notes)), collapse


def collapse_in(experiment: Experiment, language: str, points: IntArray, level: float = 0.95) -> Collapse | None:
    """The runs that give one answer to a language's test set at these checkpoints."""
    return collapse_of(experiment.test(language).at(points), level)


def target_note(experiment: Experiment, language: str, collapse: Collapse | None) -> str:
    """What is to be said of runs that give one answer in a target language; nothing where there are none."""
    if collapse is None or not collapse.n:
        return ""
    first = experiment.test(language).first
    if collapse.collapsed.all():
        runs = "the run gives" if first.n_runs == 1 else f"all {first.n_runs} runs give"
        return f"{language}: {runs} one answer to nearly all test items; the language is not counted anywhere."
    return (
        f"{language}: {collapse.n} of {first.n_runs} runs give one answer to nearly all test items "
        f"({named_runs(first, collapse.collapsed)}); its scores include them."
    )
