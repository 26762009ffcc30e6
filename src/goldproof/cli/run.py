"""`goldproof run STUDY`: run what is absent from the store, then write the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.cli.answer import show_answer
from goldproof.cli.plan import say_notes, show_plan
from goldproof.errors import ExitCode, UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from goldproof.jobs import Runner
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
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help=("With --dry-run: first run small jobs to measure the steps without a record.")
        ),
    ] = False,
    skip_missing: options.SkipMissing = False,
    budget: Annotated[
        float | None, typer.Option(help="The most that an endpoint's answers may cost, at endpoint.price.")
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Run a study and write its report; results already in the store are not computed again."""
    from goldproof.report.write import make_folder
    from goldproof.runners.named import closing, make_runner, runner_needs

    named = [*(pairs or []), *([f"data.name={name}"] if name else [])]
    named += [f"endpoint.budget={budget}"] if budget is not None else []
    campaign = options.choose_campaign(study, preset, config, named, store)
    if dry_run:
        return show_plan(campaign, as_json, calibrate=calibrate)
    if calibrate:
        raise UsageError("--calibrate goes with --dry-run: it measures what a plan would take")
    if skip_missing:
        campaign = campaign.skip_missing()
        say_left_out(campaign)
    require(*campaign.lacking(), *runner_needs(runner))
    say_notes(campaign)
    folder = options.report_folder(out, study)
    make_folder(folder)  # now, not after hours of work
    with closing(make_runner(runner, workers, address)) as place:
        finished = run_with_progress(campaign, place, folder)
    return show_result(campaign, finished, as_json)


def say_left_out(campaign: Campaign) -> None:
    """Say on stderr which experiments are left out, and why."""
    for each in campaign.left_out:
        typer.echo(f"not at hand, left out: {each}".encode("utf-8", "backslashreplace").decode("utf-8"), err=True)


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
        typer.echo("No report: a job failed. Finished work is kept; fix the cause and run the same command again.")
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
