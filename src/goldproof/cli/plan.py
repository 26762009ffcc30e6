"""The plan of a study: `goldproof run STUDY --dry-run` shows experiments and jobs, and what they would take.

It needs neither the model nor torch: a downloaded model that is not at hand is stood in for, and named. With
`--calibrate` small jobs are run first, one of each kind whose pace no record tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from goldproof.cli import options
from goldproof.extras import lacking, missing_error

if TYPE_CHECKING:
    from goldproof.jobs import Job
    from goldproof.jobs.pace import JobTime, Paces
    from goldproof.studies.campaign import Campaign

HOW = (
    "Times are of one job after the other, by the records of this store: by the rows that pass a step where it counts "
    "them, else its mean."
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


def show_plan(campaign: Campaign, as_json: bool, *, calibrate: bool = False) -> int:
    """Print what would run and, where the store knows a step's pace, how long it would take."""
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
        of_experiment = [(each, {job.key for job in _everything(each.jobs())}) for each in campaign.experiments()]
    paces = paces_of(campaign.store.records())
    if calibrate:
        paces = _measured(campaign, plan.absent, paces)
        plan = make_plan(plan.absent + plan.kept, campaign.store.look())
    costs = _step_costs(plan.absent, paces)
    experiments = [
        {
            "name": each.name,
            "places": list(each.places),
            "jobs": sum(job.key in keys for job in plan.absent),
            "seconds": _total([job for job in plan.absent if job.key in keys], paces),
            "command": each.command or None,
        }
        for each, keys in of_experiment
    ]
    missing = lacking(need for job in plan.absent for need in job.requires())
    if as_json:
        options.print_json(
            {
                "study": campaign.study,
                "outline": outline,
                "kept": len(plan.kept),
                "experiments": experiments,
                "left_out": [{"name": e.name, "places": e.places, "reason": e.reason} for e in campaign.left_out],
                "models_not_at_hand": models,
                "steps": [{"step": cost.name, "jobs": len(cost.guesses), "seconds": cost.seconds} for cost in costs],
                "missing_extras": [need.extra for need in missing],
                "jobs": [{"key": job.key, "step": job.step.name, "job": job.describe()} for job in plan.absent],
            }
        )
        return 0
    for cost in costs:
        typer.echo(cost.line())
    if len(experiments) > 1:
        _show_experiments(experiments)
    _show_absent(campaign, models)
    if any(cost.seconds is not None for cost in costs):
        typer.echo(HOW)
    if any(cost.seconds is None for cost in costs) and not calibrate:
        typer.echo("--calibrate measures what no record tells.")
    n = len(plan.absent)
    typer.echo(f"{n} {'job' if n == 1 else 'jobs'} would run, {len(plan.kept)} are in the store {campaign.store.where}")
    if missing:
        typer.echo(f"They cannot run here yet: {missing_error(missing)}")
    return 0


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


def _show_experiments(experiments: Sequence[dict[str, Any]]) -> None:
    from goldproof.cli.progress import duration

    typer.echo("Experiments (jobs that several need are counted in each):")
    for each in experiments:
        where = f" ({', '.join(each['places'])})" if each["places"] else ""
        if each["command"]:
            typer.echo(f"         {each['name']}{where}: {each['command']}")
            continue
        cost = "unknown time" if each["seconds"] is None else f"about {duration(each['seconds'])}"
        typer.echo(f"{each['jobs']:>7}  {each['name']}{where}  ({cost})")


def _show_absent(campaign: Campaign, models: Sequence[str]) -> None:
    """Name what is not at hand, and what runs the rest."""
    for each in campaign.left_out:
        typer.echo(f"not at hand: {each}")
    if campaign.left_out:
        typer.echo("--skip-missing runs the rest, which is what is counted here.")
    for name in models:
        typer.echo(f"not at hand: the model {name}; `hf download {name}`, or --set model=FOLDER")


def _measured(campaign: Campaign, jobs: Sequence[Job[Any]], paces: Paces) -> Paces:
    """The paces after one small job of each kind that no record tells; what they compute is kept."""
    from rich.console import Console

    from goldproof.cli.progress import following
    from goldproof.jobs import run_jobs
    from goldproof.jobs.pace import paces_of, sample_jobs
    from goldproof.models.source import is_stood_in
    from goldproof.runners.serial import SerialRunner

    samples = [
        job
        for job in sample_jobs(jobs, paces)
        if not any(is_stood_in(each.form) or lacking(each.requires()) for each in _everything([job]))
    ]
    if not samples:
        return paces
    campaign.store.open()
    with following(len(_everything(samples)), Console(stderr=True)) as tell:
        for outcome in run_jobs(samples, campaign.store, SerialRunner()):
            tell(outcome)
    return paces_of(campaign.store.records())
