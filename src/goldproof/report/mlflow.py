"""Scores as a run of MLflow: each value with the ends of its interval as metrics, and the whole summary beside them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

from goldproof.errors import StoreError
from goldproof.extras import Need, import_extra
from goldproof.report.scores import Score
from goldproof.report.summary import Report
from goldproof.report.summary_json import report_json

EXPORTING = Need("mlflow", "the export to MLflow")
NOT_ALLOWED = re.compile(r"[^\w\-. /]")  # in the name of a metric


def log_run(report: Report, scores: Sequence[Score], model: str) -> str:
    """Log the scores where MLFLOW_TRACKING_URI says, and give the id of the run."""
    mlflow = import_extra("mlflow", EXPORTING)
    try:
        with mlflow.start_run(run_name=f"{model}: {report.name}") as run:
            mlflow.set_tags({"model": model, "report": report.title})
            mlflow.log_metrics(metrics_of(scores))
            mlflow.log_dict(json.loads(report_json(report)), "summary.json")
            return str(run.info.run_id)
    except mlflow.exceptions.MlflowException as error:
        raise StoreError(f"MLflow did not take the run: {error}") from None


def metrics_of(scores: Sequence[Score]) -> dict[str, float]:
    """Names and values: the metric, what its row is about, and for the ends of the interval .low and .high.

    >>> from goldproof.statistics.intervals import wilson
    >>> sorted(metrics_of([Score("accuracy", "Accuracy", {"language": "en"}, wilson(80, 100))]))
    ['accuracy/en', 'accuracy/en.high', 'accuracy/en.low']
    """
    metrics = {}
    for score in scores:
        places = [place for key, place in score.where.items() if key != "model"]
        name = NOT_ALLOWED.sub("_", "/".join([score.metric, *places]))
        ends = {name: score.estimate.value, f"{name}.low": score.estimate.low, f"{name}.high": score.estimate.high}
        metrics.update({key: value for key, value in ends.items() if math.isfinite(value)})
    return metrics
