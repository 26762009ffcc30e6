"""`goldproof demo`: from nothing to two reports: who tells contradictions, and what may be claimed of a small model.

All data are made on the spot, and so are the models; they say nothing about any other.
"""

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
    """Train small models on generated data and say what may be claimed: two minutes, without model, data or network."""
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
    return code or _claims(out, as_json)


MINUTES = 2.0
SETTINGS = {"recipe.learning_rate": 3e-3, "recipe.epochs": 12, "recipe.evaluations": 3, "levels": 0, "layers": False}


def _claims(out: Path, as_json: bool) -> int:
    """One page on what may be claimed of a tiny transformer, made on the spot, on generated reviews."""
    from goldproof.claiming.running import request_settings, run_claims
    from goldproof.claiming.toy import write_reviews, write_reviews_model
    from goldproof.cli.claims import following_claims, show_claims
    from goldproof.jobs import Store
    from goldproof.studies.settings import Choice

    train, test = write_reviews(out)
    model = f"Tiny={write_reviews_model(out / 'model')}"
    settings = request_settings(model, train, test, {}, None, "en", "generated reviews", None)
    choice = Choice(settings={**settings, **SETTINGS})
    with following_claims() as tell:
        page = run_claims(choice, MINUTES, Store(out / "store"), out=out / "claims", progress=tell)
    if not as_json:  # whose one document is that of the study
        typer.echo("")
        show_claims(page, as_json)
        command = f"goldproof claims --model FOLDER --train {train} --test {test} --language en"
        typer.echo(f"The same for your own model and files:\n  {command}")
    return 0
