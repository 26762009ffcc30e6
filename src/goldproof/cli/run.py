"""`goldproof run STUDY`: run what is absent from the store, then write the report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import options
from goldproof.cli.answer import show_answer
from goldproof.errors import ExitCode
from goldproof.extras import lacking, missing_error, require

if TYPE_CHECKING:
    from goldproof.jobs import Job, Runner
    from goldproof.report.summary import Report
    from goldproof.studies.campaign import Campaign
    from goldproof.studies.running import Finished


def run(  # noqa: PLR0913 - one parameter per option
    study: options.StudyName,
    preset: options.Preset = "default",
    config: options.ConfigFile = None,
    pairs: options.SettingPairs = None,
    name: options.DataName = None,
    store: options.StoreFolder = None,
    out: options.Out = None,
    runner: options.RunnerName = "serial",
    workers: options.Workers = None,
    address: options.Address = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the jobs and their cost; run nothing.")] = False,
    as_json: options.AsJson = False,
) -> int:
    """Run a study: what is in the store is kept, the rest runs, the report is written."""
    from goldproof.report.write import make_folder
    from goldproof.runners.named import closing, make_runner, runner_needs

    named = [*(pairs or []), *([f"data.name={name}"] if name else [])]
    campaign = options.choose_campaign(study, preset, config, named, store)
    if dry_run:
        return _show_plan(campaign, as_json)
    require(*campaign.lacking(), *runner_needs(runner))
    say_notes(campaign)
    folder = options.report_folder(out, study)
    make_folder(folder)  # now, not after hours of work
    with closing(make_runner(runner, workers, address)) as place:
        finished = run_with_progress(campaign, place, folder)
    return show_result(campaign, finished, as_json)


def say_notes(campaign: Campaign) -> None:
    """Say on stderr what was found in the user's own files, and what was done to them, before work starts."""
    for note in campaign.notes():
        typer.echo(note.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)


def run_with_progress(campaign: Campaign, runner: Runner, out: Path) -> Finished:
    """Run a campaign with progress on stderr and write its report, unless a job failed."""
    from rich.console import Console

    from goldproof.cli.progress import following
    from goldproof.studies.running import carry_out

    with following(len(campaign.everything()), Console(stderr=True)) as tell:
        return carry_out(campaign, runner, out, tell)


def show_result(campaign: Campaign, finished: Finished, as_json: bool) -> int:
    """Print what became of the jobs and where the report is; the exit code says when a job failed."""
    from goldproof.cli.progress import summary_line

    failed = finished.failed
    if as_json:
        counts = Counter(outcome.status for outcome in finished.outcomes)
        errors = {outcome.key: outcome.error for outcome in failed}
        files = [str(path) for path in finished.files]
        options.print_json({"study": campaign.study, "jobs": dict(counts), "failed": errors, "files": files})
        return int(ExitCode.WORK_FAILED if failed else ExitCode.DONE)
    typer.echo(summary_line(finished.outcomes))
    if failed:
        typer.echo("No report: a job failed. What is finished is kept; mend the cause and run the same command again.")
        return int(ExitCode.WORK_FAILED)
    if finished.report is not None:
        show_report(finished.report, finished.files)
    return 0


def show_report(report: Report, paths: Sequence[Path]) -> None:
    """Print the answer and the findings of a report, and where its page was written."""
    from goldproof.report.cells import claim_line

    if report.answer is not None:
        show_answer(report.title, report.answer)
    for claim in report.verdict:
        line = f"- {claim_line(claim)}"
        typer.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"))  # a folder's name may be no Unicode
    for path in paths:
        if path.name == "report.html":
            typer.echo(f"report: {path}")


def _show_plan(campaign: Campaign, as_json: bool) -> int:
    """Print what would run and, where the store knows a step's pace, how long it would take."""
    from goldproof.cli.progress import duration

    say_notes(campaign)
    outline = campaign.outline()
    if outline and not as_json:  # before the plan, which needs the model and the data at hand
        typer.echo(outline)
    plan = campaign.plan()
    pace = _mean_seconds(campaign)
    of_step: dict[str, list[Job[Any]]] = {}
    for job in plan.absent:
        of_step.setdefault(job.step.name, []).append(job)
    rows: list[dict[str, Any]] = [
        {"step": name, "jobs": len(jobs), "seconds": _seconds(jobs, pace)} for name, jobs in of_step.items()
    ]
    missing = lacking(need for job in plan.absent for need in job.requires())
    if as_json:
        jobs = [{"key": job.key, "step": job.step.name, "job": job.describe()} for job in plan.absent]
        options.print_json(
            {
                "study": campaign.study,
                "outline": outline,
                "kept": len(plan.kept),
                "steps": rows,
                "missing_extras": [need.extra for need in missing],
                "jobs": jobs,
            }
        )
        return 0
    for row in rows:
        cost = "unknown time" if row["seconds"] is None else f"about {duration(row['seconds'])}"
        typer.echo(f"{row['jobs']:>7}  {row['step']}  ({cost})")
    if any(row["seconds"] is not None for row in rows):
        typer.echo("Times are means of the same steps and models in this store, whatever their data were.")
    n = len(plan.absent)
    typer.echo(f"{n} {'job' if n == 1 else 'jobs'} would run, {len(plan.kept)} are in the store {campaign.store.where}")
    if missing:
        typer.echo(f"They cannot run here yet: {missing_error(missing)}")
    return 0


def _mean_seconds(campaign: Campaign) -> dict[tuple[str, str], float]:
    """The mean time of each step with each model over the store's records."""
    total: Counter[tuple[str, str]] = Counter()
    n: Counter[tuple[str, str]] = Counter()
    for record in campaign.store.records():
        work = _work(record["step"], record["arguments"])
        total[work] += record["circumstances"]["seconds"]
        n[work] += 1
    return {work: total[work] / n[work] for work in n}


def _work(step: str, arguments: Any) -> tuple[str, str]:
    """What sets the pace of a job: its step and, where it has one, its model."""
    model = arguments.get("model") if isinstance(arguments, dict) else None
    return step, json.dumps(model, sort_keys=True)


def _seconds(jobs: list[Job[Any]], pace: dict[tuple[str, str], float]) -> float | None:
    """The time that these jobs would take; None where the store does not know the pace of one."""
    known = [pace.get(_work(job.step.name, job.form)) for job in jobs]
    return None if None in known else sum(seconds for seconds in known if seconds is not None)
