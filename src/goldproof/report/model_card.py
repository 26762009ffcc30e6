"""Scores as the `model-index` of a Hugging Face model card: metric, value, dataset, and the interval with its n.

The hub has no field for an interval, so it stands in the metric's name, which readers see, and as numbers in `args`.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.errors import DataError, StoreError, UsageError
from goldproof.extras import Need, require
from goldproof.report.scores import Score
from goldproof.statistics.estimate import Estimate

EXPORTING = Need("hub", "the export to a model card", ("huggingface_hub",))
# The hub's names of metrics; any other goes by its own.
HUB_METRICS = {
    "mcc": "matthews_correlation",
    "macro_f1": "f1",
    "span_f1": "f1",
    "pearson": "pearsonr",
    "spearman": "spearmanr",
}
ELSEWHERE = ("model", "dataset", "split")


@dataclass(frozen=True, slots=True)
class Card:
    """Whose card it is: the model's name, its task on the hub, and the dataset where the rows do not name theirs."""

    model: str
    task: str = "text-classification"
    dataset: str = ""


def model_index(scores: Sequence[Score], card: Card) -> list[dict[str, Any]]:
    """The model-index of these scores.

    >>> from goldproof.statistics.intervals import wilson
    >>> scores = [Score("accuracy", "Accuracy", {"split": "test"}, wilson(80, 100))]
    >>> model_index(scores, Card("my-model", dataset="glue/rte"))[0]["results"][0]["metrics"][0]["name"]
    'Accuracy (95 % interval 0.711 to 0.867, n = 100)'
    """
    require(EXPORTING)
    from huggingface_hub import EvalResult
    from huggingface_hub.repocard_data import eval_results_to_model_index

    results = []
    for score in scores:
        estimate = score.estimate
        dataset = score.where.get("dataset") or card.dataset
        if not dataset:
            raise UsageError("the report does not name the dataset; name it with --dataset, as in --dataset glue/rte")
        others = [value for key, value in score.where.items() if key not in ELSEWHERE]
        result = EvalResult(
            task_type=card.task,
            dataset_type=dataset,
            dataset_name=" ".join([dataset, *others]),
            dataset_config=" ".join(others) or None,
            dataset_split=score.where.get("split"),
            metric_type=HUB_METRICS.get(score.metric, score.metric),
            metric_value=estimate.value,
            metric_name=f"{score.title}{_interval(score)}",
            metric_args=_arguments(estimate),
        )
        results.append(result)
    index: list[dict[str, Any]] = eval_results_to_model_index(card.model, results)
    return index


def _interval(score: Score) -> str:
    estimate = score.estimate
    if math.isnan(estimate.low):
        return f" (n = {estimate.n}; {estimate.method})"
    return f" ({100 * estimate.level:g} % interval {estimate.low:.3f} to {estimate.high:.3f}, n = {estimate.n})"


def _arguments(estimate: Estimate) -> dict[str, Any]:
    ends = {} if math.isnan(estimate.low) else {"low": estimate.low, "high": estimate.high}
    return {**ends, "level": estimate.level, "n": estimate.n, "method": estimate.method}


def card_text(index: Sequence[dict[str, Any]]) -> str:
    """The metadata block that stands at the top of a model card."""
    require(EXPORTING)
    from huggingface_hub import CardData

    fields: dict[str, Any] = {"model-index": list(index)}
    return f"---\n{CardData(**fields).to_yaml()}\n---\n"


def write_card(index: Sequence[dict[str, Any]], path: Path) -> None:
    """Put the model-index into a model card; its other metadata and its text stay, and so it may be new."""
    require(EXPORTING)
    from huggingface_hub import metadata_load, metadata_save

    try:
        data = (metadata_load(path) if path.exists() else None) or {}
    except Exception as error:  # noqa: BLE001  broken YAML has many kinds of errors
        raise DataError(f"the card's metadata cannot be read: {' '.join(str(error).split())}", path=path) from None
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            aside = Path(folder) / path.name
            if path.exists():
                shutil.copyfile(path, aside)
            metadata_save(aside, {**data, "model-index": list(index)})
            aside.replace(path)
    except OSError as error:
        raise StoreError(f"the card cannot be written to {path}: {error.strerror or error}") from error
