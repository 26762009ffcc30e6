"""`goldproof export REPORT|LOG --model NAME`: scores with their intervals, in the forms that others collect."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import options
from goldproof.errors import StoreError, UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from goldproof.data.logs.log import Log
    from goldproof.report.scores import Score
    from goldproof.report.summary import Report

TARGETS = ("model-card", "mlflow", "every-eval-ever", "eval-results", "parquet")
TASK = "text-classification"


@dataclass(frozen=True, slots=True)
class _Exported:
    """What is exported: the scores of one model, the report that they come from, and the logs, where there are any."""

    report: Report
    scores: Sequence[Score]
    logs: Sequence[Log]
    model: str


def export(  # noqa: PLR0913 - one parameter per option
    source: Annotated[Path, typer.Argument(metavar="REPORT", help="Report's folder, its summary.json, or a log.")],
    model: Annotated[str | None, typer.Option(help="Name of the model; of several, which one [a log's own].")] = None,
    to: Annotated[str, typer.Option(help="model-card, mlflow, every-eval-ever, eval-results, parquet.")] = "model-card",
    dataset: Annotated[str, typer.Option(help="Name of the dataset, where the report does not say it.")] = "",
    hub_task: Annotated[str, typer.Option(help="Task on the hub, for a model card or eval-results.")] = "",
    table: Annotated[str | None, typer.Option(help="Table of the report [the first with scores].")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="Score to export; may be repeated [all].")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Card to write to (what else is in it stays), file or folder.")
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Export scores with their intervals: a model card, MLflow, Every Eval Ever, the hub's eval results, Parquet."""
    if to not in TARGETS:
        raise UsageError(f"there is no export to {to!r}; allowed: {', '.join(TARGETS)}")
    if to == "mlflow" and (out is not None or dataset or hub_task):
        raise UsageError("--out, --dataset and --hub-task are for files; leave them out with --to mlflow")
    if to in ("every-eval-ever", "parquet") and out is None:
        raise UsageError(f"--to {to} writes files; say where with --out")
    if to in ("mlflow", "model-card"):
        _require(to)
    exported = _load(source, model, table, metric or ())
    written: Any = {
        "mlflow": lambda: _to_mlflow(exported),
        "model-card": lambda: _to_card(exported, dataset, hub_task or TASK, out),
        "every-eval-ever": lambda: _to_every_eval_ever(exported, dataset, out),
        "eval-results": lambda: _to_hub_results(exported, dataset, hub_task, out),
        "parquet": lambda: _to_parquet(exported, out),
    }[to]()
    form, text = written
    options.print_json(form) if as_json else typer.echo(text, nl=not text.endswith("\n"))
    return 0


def _require(to: str) -> None:
    if to == "mlflow":
        from goldproof.report.mlflow import EXPORTING
    else:
        from goldproof.report.model_card import EXPORTING
    require(EXPORTING)


def _load(source: Path, model: str | None, table: str | None, metrics: Sequence[str]) -> _Exported:
    from goldproof.data.logs.reading import is_log
    from goldproof.report.scores import scores_of, table_scores
    from goldproof.report.summary_json import load_summary

    is_folder = os.path.isdir(source)  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
    summary = source / "summary.json" if is_folder else source
    logs: Sequence[Log] = ()
    if not (is_folder and summary.exists()) and is_log(source):
        from goldproof.data.logs.log import LogChoice
        from goldproof.data.logs.reading import read_logs
        from goldproof.judging.score import score

        logs = read_logs(source, LogChoice())
        model = model or logs[0].model
        report = score(source).report()
    else:
        if model is None:
            raise UsageError("a report is of any number of models; name the one to export with --model")
        report = load_summary(summary)
    return _Exported(report, scores_of(table_scores(report, table, metrics), model), logs, model)


def _to_mlflow(exported: _Exported) -> tuple[dict[str, Any], str]:
    from goldproof.report.mlflow import log_run

    run = log_run(exported.report, exported.scores, exported.model)
    return {"run": run}, f"{len(exported.scores)} scores in the run {run}"


def _to_card(exported: _Exported, dataset: str, task: str, out: Path | None) -> tuple[dict[str, Any], str]:
    from goldproof.report.model_card import Card, card_text, model_index, write_card

    index = model_index(exported.scores, Card(exported.model, task, dataset))
    if out is not None:
        write_card(index, out)
    return {"model-index": index}, str(out) if out is not None else card_text(index)


def _to_every_eval_ever(exported: _Exported, dataset: str, out: Path | None) -> tuple[dict[str, Any], str]:
    from goldproof import __version__
    from goldproof.report.every_eval_ever import Evaluation, record_of, write_record

    assert out is not None  # asked for before
    about = Evaluation(exported.model, dataset, version=__version__, timestamp=int(time.time()))
    record = record_of(exported.scores, about)
    items = [item for log in exported.logs for item in _items(log)]
    paths = write_record(record, out, items)
    return {"files": [str(path) for path in paths]}, "\n".join(str(path) for path in paths)


def _items(log: Log) -> list[Any]:
    from goldproof.report.every_eval_ever import ItemScore

    bounds, texts = log.answers.bounds, (log.answers.texts or {}).get("text")
    best = 1.0 if bounds is None else bounds.high if bounds.more_is_better else bounds.low
    several = log.answers.n_runs > 1
    return [
        ItemScore(log.task, str(item), float(score), bool(score == best), texts[i] if texts else "", run * several)
        for run, scores in zip(log.answers.run_names, log.answers.runs, strict=True)
        for i, (item, score) in enumerate(zip(log.answers.ids, scores, strict=True))
        if score == score  # an item without a score has no line
    ]


def _to_hub_results(exported: _Exported, dataset: str, task: str, out: Path | None) -> tuple[dict[str, Any], str]:
    from goldproof.jobs.files import write_durably
    from goldproof.report.hub_results import hub_results

    text = hub_results(exported.scores, dataset, task)
    if out is None:
        return {"eval-results": text}, text
    try:
        write_durably(out, text.encode())
    except OSError as error:
        raise StoreError(f"the results cannot be written to {out}: {error.strerror or error}") from error
    return {"files": [str(out)]}, str(out)


def _to_parquet(exported: _Exported, out: Path | None) -> tuple[dict[str, Any], str]:
    from goldproof.data.logs.tidy import write_tidy

    assert out is not None  # asked for before
    if not exported.logs:
        raise UsageError("--to parquet writes the items' scores of a log; a report's scores are in its tables/*.csv")
    write_tidy(exported.logs, out)
    return {"files": [str(out)]}, str(out)
