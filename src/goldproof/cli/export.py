"""`goldproof export REPORT|LOG --model NAME`: scores with their intervals, in the forms that others collect."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import options
from goldproof.cli.judge import LogFilter, LogReading, LogTask
from goldproof.errors import StoreError, UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from goldproof.data.logs.log import Log, LogChoice
    from goldproof.report.every_eval_ever import ItemScore, MetricScale
    from goldproof.report.scores import Score
    from goldproof.report.summary import Report

TARGETS = ("model-card", "mlflow", "every-eval-ever", "eval-results", "parquet")
TASK, TASK_OF_LOGS = "text-classification", "text-generation"


@dataclass(frozen=True, slots=True)
class _Exported:
    """What is exported: the scores of one model, the report that they come from, and the logs, where there are any."""

    report: Report
    scores: Sequence[Score]
    logs: Sequence[Log]
    model: str


def export(  # noqa: PLR0913 - one parameter per option
    source: Annotated[Path, typer.Argument(metavar="REPORT", help="Report's folder, its summary.json, or a log.")],
    model: Annotated[str | None, typer.Option(help="Name of the model, or which of several [the log's own].")] = None,
    to: Annotated[str, typer.Option(help="model-card, mlflow, every-eval-ever, eval-results, parquet.")] = "model-card",
    dataset: Annotated[str, typer.Option(help="Name of the dataset, if the report does not give it.")] = "",
    hub_task: Annotated[str, typer.Option(help="Task on the hub, for a model card or eval-results.")] = "",
    table: Annotated[str | None, typer.Option(help="Table of the report [the first with scores].")] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Score to export; may be repeated [all]. For a log, one of its metrics.")
    ] = None,
    task: LogTask = None,
    filter_: LogFilter = None,
    log: LogReading = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Card to write to, file or folder (the rest of the card stays).")
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Export scores with intervals: to a model card, MLflow, Every Eval Ever, the hub's eval results or Parquet."""
    if to not in TARGETS:
        raise UsageError(f"there is no export to {to!r}; allowed: {', '.join(TARGETS)}")
    if to == "mlflow" and (out is not None or dataset or hub_task):
        raise UsageError("--out, --dataset and --hub-task are for files; leave them out with --to mlflow")
    if to in ("every-eval-ever", "parquet") and out is None:
        raise UsageError(f"--to {to} writes files; say where with --out")
    if to in ("mlflow", "model-card"):
        _require(to)
    choice = options.log_choice(task, filter_, log)
    exported = _load(source, model, table, metric or (), choice)
    written: Any = {
        "mlflow": lambda: _to_mlflow(exported),
        "model-card": lambda: _to_card(exported, dataset, hub_task or (TASK_OF_LOGS if exported.logs else TASK), out),
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


def _load(source: Path, model: str | None, table: str | None, metrics: Sequence[str], choice: LogChoice) -> _Exported:
    from goldproof.data.logs.log import LogChoice
    from goldproof.data.logs.reading import is_log
    from goldproof.report.scores import scores_of, table_scores
    from goldproof.report.summary_json import load_summary

    is_folder = os.path.isdir(source)  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at
    summary = source / "summary.json" if is_folder else source
    if not (is_folder and summary.exists()) and is_log(source):
        if table is not None or len(metrics) > 1:
            raise UsageError("--table and several --metric are for reports; from a log, only one metric is exported")
        return _load_logs(source, model, metrics[0] if metrics else None, choice)
    if choice != LogChoice():
        raise UsageError(f"--task, --filter and --log are for logs, and {source} is a report")
    if model is None:
        raise UsageError("a report may hold several models; name the one to export with --model")
    report = load_summary(summary)
    return _Exported(report, scores_of(table_scores(report, table, metrics), model), (), model)


def _load_logs(source: Path, model: str | None, metric: str | None, choice: LogChoice) -> _Exported:
    """The scores of one model's logs, called as its harness calls them."""
    from goldproof.judging.logs import read_and_score
    from goldproof.judging.score import Settings
    from goldproof.report.scores import scores_of, table_scores

    found = read_and_score([source], Settings(metric=metric, logs=choice))
    names = list(dict.fromkeys(log.model for log in found.logs))
    if len(names) > 1 and model not in names:
        listed = ", ".join(name or "(no name)" for name in names)
        got = "" if model is None else f"; got {model!r}"
        raise UsageError(f"the logs hold several models; --model must be one of {listed}{got}")
    logs = [log for log in found.logs if len(names) == 1 or log.model == model]
    report = found.scores.report()
    kept = [found.scores.metric]
    scores = scores_of(table_scores(report, None, kept), logs[0].model)
    by_place = {_place(log.answers.where): log for log in logs}
    named = [_as_harness(each, by_place[_place(each.where)]) for each in scores]
    return _Exported(report, named, logs, model or logs[0].model or "unknown")


def _place(where: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, value) for key, value in where.items() if value))


def _as_harness(score: Score, log: Log) -> Score:
    """A score under the name that the harness gives its metric; a chance of attempts has its own."""
    from goldproof.judging.metrics import is_attempts

    if is_attempts(score.metric):
        return score
    title = f"{log.metric} ({log.filter})" if log.filter and log.filter != "none" else log.metric
    return replace(score, metric=log.metric, title=title)


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
    if exported.logs:
        library, version = _harness(exported.logs[0])
        about = replace(
            about,
            library=library,
            version=version,
            judge=f"goldproof {__version__}",
            scales={log.metric: _scale(log) for log in exported.logs},
        )
    record = record_of(exported.scores, about)
    of_items = {score.metric for score in exported.scores} == {log.metric for log in exported.logs}
    items = [item for log in exported.logs for item in _items(log, dataset)] if of_items else []
    paths = write_record(record, out, items)
    return {"files": [str(path) for path in paths]}, "\n".join(str(path) for path in paths)


def _harness(log: Log) -> tuple[str, str]:
    """The name of a harness and its version, where the log says them; a table does not."""
    name, _, version = log.harness.rpartition(" ")
    if name and version[:1].isdecimal():
        return name, version
    return ("unknown", "unknown") if log.harness == "table" else (log.harness, "unknown")


def _scale(log: Log) -> MetricScale:
    from goldproof.report.every_eval_ever import MetricScale

    bounds = log.answers.bounds
    assert bounds is not None  # answers with a score have them
    return MetricScale(bounds.low, bounds.high, not bounds.more_is_better)


def _items(log: Log, dataset: str) -> list[ItemScore]:
    """The score of each item and run; none where an item is a draw, and so a mean over items."""
    from goldproof.report.every_eval_ever import ItemScore

    answers, scale = log.answers, _scale(log)
    if answers.bounds is not None and answers.bounds.of_means:
        return []
    best = scale.low if scale.less_is_better else scale.high
    where = {"dataset": dataset, **answers.where}
    texts = (answers.texts or {}).get("text")
    return [
        ItemScore(
            where,
            log.metric,
            str(item),
            float(scores[i]),
            bool(scores[i] == best),
            text=texts[i] if texts else "",
            run="" if answers.run_kind == "repeat" or answers.n_runs == 1 else run,
            repeat=run if answers.run_kind == "repeat" and answers.n_runs > 1 else "",
            cluster="" if answers.clusters is None else str(answers.clusters[i]),
            category="" if answers.tags is None or len(answers.tags[i]) != 1 else answers.tags[i][0],
        )
        for run, scores in zip(answers.run_names, answers.runs, strict=True)
        for i, item in enumerate(answers.ids)
        if scores[i] == scores[i]  # an item without a score has no line
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
