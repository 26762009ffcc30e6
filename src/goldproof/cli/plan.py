"""The plan of a study: `goldproof run STUDY --dry-run` shows experiments and jobs, and what they would take.

It needs neither the model nor torch: a downloaded model that is not at hand is stood in for, and named. With
`--calibrate` small jobs are run first, one of each kind whose pace no record tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from goldproof.cli import options
from goldproof.extras import lacking, missing_error

if TYPE_CHECKING:
    from goldproof.extras import Need
    from goldproof.jobs import Job, Outcome, Plan
    from goldproof.jobs.pace import JobTime, Paces
    from goldproof.studies.campaign import Campaign
    from goldproof.studies.experiments import StudyExperiment

HOW = (
    "Times are for one job after another, estimated from this store's records: from the rows that pass through a "
    "step if it counts them, else from the step's mean."
)


def say_notes(campaign: Campaign) -> None:
    """Say on stderr what was found in the user's own files, and what was done to them, before work starts."""
    for note in campaign.notes():
        typer.echo(note.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)


@dataclass(frozen=True, slots=True)
class _StepCost:
    """The jobs of a step that would run, and what each would take where something tells."""

    name: str
    guesses: Sequence[JobTime | None]

    @property
    def seconds(self) -> float | None:
        """Of all of them; None where one is not known."""
        known = [guess.seconds for guess in self.guesses if guess is not None]
        return sum(known) if len(known) == len(self.guesses) else None

    def line(self) -> str:
        """As it is printed."""
        from goldproof.cli.progress import duration

        cost = "unknown time" if self.seconds is None else f"about {duration(self.seconds)}"
        return f"{len(self.guesses):>7}  {self.name}  ({cost})"


@dataclass(frozen=True, slots=True)
class _ExperimentCost:
    """An experiment, how many of its jobs would run, and what they would take where that is known."""

    experiment: StudyExperiment
    n_jobs: int
    seconds: float | None

    def line(self) -> str:
        """As it is printed."""
        from goldproof.cli.progress import duration

        places = self.experiment.places
        name = self.experiment.name + (f" ({', '.join(places)})" if places else "")
        if self.experiment.command:
            return f"         {name}: {self.experiment.command}"
        cost = "unknown time" if self.seconds is None else f"about {duration(self.seconds)}"
        return f"{self.n_jobs:>7}  {name}  ({cost})"

    def form(self) -> dict[str, Any]:
        """As JSON has it."""
        each = self.experiment
        form = {"name": each.name, "places": list(each.places), "jobs": self.n_jobs, "seconds": self.seconds}
        return {**form, "command": each.command or None}


@dataclass(frozen=True, slots=True)
class _Shown:
    """All that a dry run shows."""

    campaign: Campaign
    outline: str
    plan: Plan
    steps: Sequence[_StepCost]
    experiments: Sequence[_ExperimentCost]
    models: Sequence[str]

    @property
    def missing(self) -> list[Need]:
        """The optional packages that the jobs need and that are not installed."""
        return lacking(need for job in self.plan.absent for need in job.requires())


def show_plan(campaign: Campaign, as_json: bool, *, calibrate: bool = False) -> int:
    """Print what would run and, where the store knows the pace of a kind of job, how long it would take."""
    from goldproof.jobs.pace import paces_of
    from goldproof.jobs.plan import make_plan
    from goldproof.models.source import standing_in

    say_notes(campaign)
    with standing_in() as models:
        campaign = campaign.skip_missing(installed=False)
        outline = campaign.outline()
        if outline and not as_json:  # before the plan, which may take a while
            typer.echo(outline)
        plan = campaign.plan()
        every = campaign.experiments()
        of_experiment = [
            (each, {job.key for job in _everything(each.jobs())} if len(every) > 1 else None) for each in every
        ]
    paces = paces_of(campaign.store.records())
    if calibrate:
        paces = _measured(campaign, plan.absent, paces)
        plan = make_plan(plan.absent + plan.kept, campaign.store.look())
    experiments = []
    for each, keys in of_experiment:
        own = [job for job in plan.absent if keys is None or job.key in keys]  # None: it is the whole study
        experiments.append(_ExperimentCost(each, len(own), _total(own, paces)))
    shown = _Shown(campaign, outline, plan, _step_costs(plan.absent, paces), experiments, models)
    if as_json:
        options.print_json(_form(shown))
    else:
        _print(shown, calibrate)
    return 0


def _form(shown: _Shown) -> dict[str, Any]:
    absent = shown.campaign.left_out
    return {
        "study": shown.campaign.study,
        "outline": shown.outline,
        "kept": len(shown.plan.kept),
        "experiments": [each.form() for each in shown.experiments],
        "left_out": [{"name": e.name, "places": list(e.places), "reason": e.reason} for e in absent],
        "models_not_at_hand": list(shown.models),
        "steps": [{"step": cost.name, "jobs": len(cost.guesses), "seconds": cost.seconds} for cost in shown.steps],
        "missing_extras": [need.extra for need in shown.missing],
        "jobs": [{"key": job.key, "step": job.step.name, "job": job.describe()} for job in shown.plan.absent],
    }


def _print(shown: _Shown, calibrated: bool) -> None:
    lines = [cost.line() for cost in shown.steps]
    if len(shown.experiments) > 1:
        lines.append("Experiments (jobs that several need are counted in each):")
        lines += [each.line() for each in shown.experiments]
    lines += [f"not at hand: {each}" for each in shown.campaign.left_out]
    if shown.campaign.left_out:
        lines.append("--skip-missing runs the rest, which is what is counted here.")
    lines += [f"not at hand: the model {name}; `hf download {name}`, or --set model=FOLDER" for name in shown.models]
    if any(cost.seconds is not None for cost in shown.steps):
        lines.append(HOW)
    if not calibrated and any(cost.seconds is None for cost in shown.steps):
        lines.append("--calibrate measures the steps without a record.")
    n, where = len(shown.plan.absent), shown.campaign.store.where
    lines.append(f"{n} {'job' if n == 1 else 'jobs'} would run, {len(shown.plan.kept)} are in the store {where}")
    if missing := shown.missing:
        lines.append(f"They cannot run here yet: {missing_error(missing)}")
    for line in lines:
        typer.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"))


def _keys(experiment: StudyExperiment) -> frozenset[str]:
    """The keys of an experiment's jobs and of all that they need."""
    return frozenset(job.key for job in _everything(experiment.jobs()))


def _everything(jobs: Sequence[Job[Any]]) -> Sequence[Job[Any]]:
    from goldproof.jobs.plan import all_jobs

    return all_jobs(jobs)


def _step_costs(jobs: Sequence[Job[Any]], paces: Paces) -> list[_StepCost]:
    of_step: dict[str, list[JobTime | None]] = {}
    for job in jobs:
        of_step.setdefault(job.step.name, []).append(paces.guess(job))
    return [_StepCost(name, guesses) for name, guesses in of_step.items()]


def _total(jobs: Sequence[Job[Any]], paces: Paces) -> float | None:
    guesses = [paces.guess(job) for job in jobs]
    known = [guess.seconds for guess in guesses if guess is not None]
    return sum(known) if len(known) == len(guesses) else None


def _measured(campaign: Campaign, jobs: Sequence[Job[Any]], paces: Paces) -> Paces:
    """The paces after small jobs of each kind that no record tells; what they compute is kept."""
    from rich.console import Console

    from goldproof.cli.progress import following
    from goldproof.jobs.pace import paces_of, sample_jobs
    from goldproof.models.source import is_stood_in

    samples = [
        rising
        for rising in sample_jobs(jobs, paces)
        if not any(is_stood_in(each.form) or lacking(each.requires()) for each in _everything(rising))
    ]
    if not samples:
        return paces
    campaign.store.open()
    with following(sum(map(len, samples)), Console(stderr=True)) as tell:
        for rising in samples:
            _run_rising(campaign, rising, tell)
    return paces_of(campaign.store.records())


def _run_rising(campaign: Campaign, rising: Sequence[Job[Any]], tell: Callable[[Outcome], None]) -> None:
    """Run samples of one kind, the smallest first, until one takes long enough to tell its pace."""
    from goldproof.jobs import run_jobs
    from goldproof.jobs.pace import LONG_ENOUGH
    from goldproof.runners.serial import SerialRunner

    for place, job in enumerate(rising):
        for outcome in run_jobs([job], campaign.store, SerialRunner()):
            if outcome.key == job.key:
                tell(outcome)
                if outcome.status == "failed" or (place and outcome.seconds >= LONG_ENOUGH):
                    return
