"""`assay demo`: a small study from nothing to a report, stopped half-way and resumed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options
from assay.cli.run import run_and_report, show_result


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the demo's store and report.")] = Path("assay-demo"),
    as_json: options.AsJson = False,
) -> int:
    """Run a small study on generated text: jobs, progress, resuming and a report, with no model, data or network."""
    from assay.jobs import Store
    from assay.runners.serial import SerialRunner
    from assay.studies.campaign import Campaign
    from assay.studies.settings import Choice

    campaign = Campaign.choose("demo", Choice(), Store(out / "store"))
    n_jobs, n_absent = len(campaign.everything()), len(campaign.plan().absent)
    typer.echo(f"How far does a small score move with the seed? {n_jobs} jobs, {n_absent} to run.", err=True)
    runner = SerialRunner()
    if n_absent == n_jobs:
        stopped = list(islice(campaign.run(runner), n_jobs // 2))
        typer.echo(f"Stopped on purpose after {len(stopped)} jobs; the same command goes on from there:", err=True)
    outcomes, paths = run_and_report(campaign, runner, out / "report")
    if not as_json:
        typer.echo((out / "report" / "report.md").read_text(encoding="utf-8"))
    code = show_result(campaign, outcomes, paths, as_json)
    if not as_json:
        typer.echo("Run it again and nothing is computed twice. Next: assay run demo --set seeds=0,1,2,3,4,5,6,7,8,9")
    return code
