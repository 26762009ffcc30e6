"""`goldproof export SUMMARY --model NAME`: a report's scores for a Hugging Face model card, or for MLflow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from goldproof.cli import options
from goldproof.errors import UsageError
from goldproof.extras import require

TARGETS = ("model-card", "mlflow")
TASK = "text-classification"


def export(  # noqa: PLR0913 - one parameter per option
    summary: Annotated[Path, typer.Argument(help="summary.json of a report, or the report's folder.")],
    model: Annotated[str, typer.Option(help="Name of the model; of several in the report, which one.")],
    to: Annotated[str, typer.Option(help="model-card (the metadata `model-index`) or mlflow.")] = "model-card",
    dataset: Annotated[str, typer.Option(help="Name of the dataset, where the report does not say it.")] = "",
    task: Annotated[str, typer.Option(help="Task on the hub, for a model card.")] = TASK,
    table: Annotated[str | None, typer.Option(help="Table of the report [the first with scores].")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="Score to export; may be repeated [all].")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Card to write to; what else is in it stays [stdout].")
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Export the scores of a report with their intervals: metadata of a model card, or a run of MLflow."""
    from goldproof.report.scores import scores_of, table_scores
    from goldproof.report.summary_json import load_summary

    if to not in TARGETS:
        raise UsageError(f"there is no export to {to!r}; allowed: {', '.join(TARGETS)}")
    if to == "mlflow" and (out is not None or dataset or task != TASK):
        raise UsageError("--out, --dataset and --task are for a model card; leave them out with --to mlflow")
    if to == "mlflow":
        from goldproof.report.mlflow import EXPORTING
    else:
        from goldproof.report.model_card import EXPORTING
    require(EXPORTING)
    is_folder = os.path.isdir(summary)  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
    report = load_summary(summary / "summary.json" if is_folder else summary)
    scores = scores_of(table_scores(report, table, metric or ()), model)
    if to == "mlflow":
        from goldproof.report.mlflow import log_run

        run = log_run(report, scores, model)
        options.print_json({"run": run}) if as_json else typer.echo(f"{len(scores)} scores in the run {run}")
        return 0
    from goldproof.report.model_card import Card, card_text, model_index, write_card

    index = model_index(scores, Card(model, task, dataset))
    if out is not None:
        write_card(index, out)
    if as_json:
        options.print_json({"model-index": index})
    else:
        typer.echo(out if out is not None else card_text(index), nl=out is not None)
    return 0
