"""What the report is made from: the experiment and a few facts, out of the store or out of a file of kept answers.

A kept set has a run for each checkpoint of each training ("3, step 40"), and one for each way of averaging them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.jobs import Results
from goldproof.judging.checkpoints.experiment import Experiment, make_experiment
from goldproof.judging.checkpoints.sets import EvaluationSet, make_set
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.transfer.parts import find_sets
from goldproof.studies.transfer.plan import jobs
from goldproof.studies.transfer.scores import experiment_of_runs
from goldproof.studies.transfer.settings import Config

AVERAGED, AVERAGED_WEIGHTS = "mean log-probabilities", "mean weights"


@dataclass(frozen=True, slots=True)
class TransferValues:
    """The experiment, the steps at which runs stopped early, what is said of the data, and the keys of the jobs.

    `truncated` counts the items that were cut to the longest input, by set, "train" among them; None where answers were
    kept before they were counted.
    """

    experiment: Experiment
    stopped: tuple[int, ...]
    notes: tuple[str, ...]
    keys: tuple[str, ...]
    truncated: Mapping[str, int] | None


def gather(config: Config, results: Results) -> TransferValues:
    """The values of settled settings with one model."""
    planned = jobs(config)
    runs = [results[job] for job in planned]
    return TransferValues(
        experiment_of_runs(config, runs),
        tuple(run.stopped_at for run in runs if run.stopped_at is not None),
        find_sets(config).notes,
        tuple(job.key for job in planned),
        runs[0].truncated,
    )


def keep_gathered(gathered: TransferValues) -> KeptAnswers:
    """What was gathered as answers and facts."""
    experiment = gathered.experiment
    facts = {
        "source": experiment.source,
        "metric": experiment.metric,
        "runs": list(experiment.run_names),
        "steps": list(experiment.steps),
        "confidence": {_name(each): _plain(each.confidence) for each in experiment.sets.values()},
        "stopped": list(gathered.stopped),
        "notes": list(gathered.notes),
        "keys": list(gathered.keys),
        "truncated": None if gathered.truncated is None else dict(gathered.truncated),
    }
    return KeptAnswers({_name(each): _flat(each) for each in experiment.sets.values()}, facts)


def _name(each: EvaluationSet) -> str:
    return f"{each.language}/{each.split}"


def _plain(confidence: Any) -> list[list[float | None]] | None:
    """Numbers as JSON has them; None where a run has ended."""
    if confidence is None:
        return None
    return [[float(value) if np.isfinite(value) else None for value in row] for row in confidence]


def _flat(each: EvaluationSet) -> Answers:
    """One set with every checkpoint of every run as a run of its own."""
    named = [
        (f"{name}, step {answers.step}", run)
        for answers in each.checkpoints
        for name, run in zip(answers.run_names, answers.runs, strict=True)
    ]
    for what, averaged in ((AVERAGED, each.averaged), (AVERAGED_WEIGHTS, each.averaged_weights)):
        if averaged is not None:
            named += [(f"{name}, {what}", run) for name, run in zip(averaged.run_names, averaged.runs, strict=True)]
    names, runs = zip(*named, strict=True)
    return replace(each.first, step=None, runs=np.stack(runs), run_names=names)


def gathered_from(kept: KeptAnswers) -> TransferValues:
    """What was kept, as it was gathered."""
    facts = kept.facts
    sets = [_whole(each, facts, facts["confidence"][name]) for name, each in kept.answers.items()]
    experiment = make_experiment(facts["source"], sets)
    stopped, notes, keys = (tuple(facts[name]) for name in ("stopped", "notes", "keys"))
    return TransferValues(experiment, stopped, notes, keys, facts.get("truncated"))


def _whole(
    flat: Answers, facts: Mapping[str, Any], confidence: Sequence[Sequence[float | None]] | None
) -> EvaluationSet:
    """The set over training again."""
    checkpoints = [found for step in facts["steps"] if (found := _chosen(flat, facts, f"step {step}", step))]
    sure = None
    if confidence is not None:
        sure = np.array([[-np.inf if value is None else value for value in row] for row in confidence])
    return make_set(
        checkpoints,
        facts["metric"],
        confidence=sure,
        averaged=_chosen(flat, facts, AVERAGED),
        averaged_weights=_chosen(flat, facts, AVERAGED_WEIGHTS),
    )


def _chosen(flat: Answers, facts: Mapping[str, Any], what: str, step: int | None = None) -> Answers | None:
    """The answers of all runs at a step, or averaged; None where there are none."""
    places = {name: place for place, name in enumerate(flat.run_names)}
    there = [run for run in facts["runs"] if f"{run}, {what}" in places]
    if not there:
        return None
    chosen = flat.only_runs([places[f"{run}, {what}"] for run in there])
    return replace(chosen, run_names=tuple(there), step=step)
