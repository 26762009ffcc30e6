"""`goldproof demo`: a small study from nothing to a report, on contradictions that are made and proved on the spot."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from goldproof.cli import options
from goldproof.cli.run import run_with_progress, show_result
from goldproof.extras import require


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the demo's settings, store and report.")] = Path(
        "goldproof-demo"
    ),
    pairs: options.SettingPairs = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> int:
    """Train three kinds of models on generated contradictions, in two minutes, with no model, data or network."""
    from goldproof.jobs import Store
    from goldproof.report.write import make_folder
    from goldproof.runners.named import closing
    from goldproof.runners.pool import PoolRunner
    from goldproof.studies.campaign import Campaign
    from goldproof.studies.logic.settings import DEMO
    from goldproof.studies.settings import Choice

    campaign = Campaign.choose("logic", Choice(file=DEMO, pairs=tuple(pairs or ())), Store(out / "store"))
    require(*campaign.lacking())
    make_folder(out)
    settings = out / DEMO.name
    shutil.copyfile(DEMO, settings)
    n_jobs, n_absent = len(campaign.everything()), len(campaign.plan().absent)
    typer.echo(f"Does it infer, or match words? {n_jobs} jobs, {n_absent} to run.", err=True)
    with closing(PoolRunner(workers)) as runner:
        finished = run_with_progress(campaign, runner, out / "report")
    code = show_result(campaign, finished, as_json)
    if finished.files and not as_json:
        run = f"goldproof run logic --config {settings} --store {out / 'store'}"
        typer.echo("Run it again and nothing is computed twice. Next:")
        typer.echo(f"  {run} --set data.languages=en,pt,ru   # or fr, de, sv, es")
        typer.echo(f"  {run} --set model=FOLDER              # an encoder of your own beside these")
    return code
