"""Scores as the Hugging Face hub's `.eval_results` (a list in YAML): value, dataset, task; the interval as a note.

The hub has no field for an interval. The file is small and its form fixed, so that it is written here; texts are
quoted as in JSON, which YAML reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from goldproof.errors import UsageError
from goldproof.report.scores import Score


def hub_results(scores: Sequence[Score], dataset: str, task: str, date: str = "") -> str:
    """The text of an `.eval_results` file; one entry for each score.

    >>> from goldproof.statistics.intervals import wilson
    >>> print(hub_results([Score("accuracy", "Accuracy", {}, wilson(80, 100))], "glue/rte", "rte"), end="")
    - dataset:
        id: "glue/rte"
        task_id: "rte"
      value: 0.8
      notes: "Accuracy 0.800, 95 % interval 0.711 to 0.867, n = 100 (Wilson)"
    """
    if not scores:
        raise UsageError("there is no score to export")
    return "".join(_entry(score, dataset, task, date) for score in scores)


def _entry(score: Score, dataset: str, task: str, date: str) -> str:
    named = score.where.get("dataset") or dataset
    if not named:
        raise UsageError("the report does not name the dataset; name it with --dataset, as in --dataset glue/rte")
    lines = [
        "- dataset:",
        f"    id: {json.dumps(named, ensure_ascii=False)}",
        f"    task_id: {json.dumps(task or named.rpartition('/')[2], ensure_ascii=False)}",
        f"  value: {json.dumps(score.estimate.value)}",
    ]
    if date:
        lines.append(f"  date: {json.dumps(date)}")
    lines.append(f"  notes: {json.dumps(_note(score), ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _note(score: Score) -> str:
    estimate = score.estimate
    others = [value for key, value in score.where.items() if key not in ("model", "dataset")]
    name = " ".join([score.title, *others])
    if not math.isfinite(estimate.low):
        return f"{name} {estimate.value:.3f}, n = {estimate.n} ({estimate.method})"
    return (
        f"{name} {estimate.value:.3f}, {100 * estimate.level:g} % interval {estimate.low:.3f} to {estimate.high:.3f}, "
        f"n = {estimate.n} ({estimate.method})"
    )
