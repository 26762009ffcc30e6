"""Scores as a record of Every Eval Ever (schema 0.3.0), with its `uncertainty` filled: interval, its method, items.

One record holds the scores of one model. Where the items' own scores are at hand, they go into a file beside it.
"""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldproof.errors import StoreError, UsageError
from goldproof.jobs.files import write_durably
from goldproof.report.scores import Score
from goldproof.statistics.estimate import Estimate

SCHEMA = "0.3.0"
_TO_MINUS_ONE = ("mcc", "pearson", "spearman")
_UNBOUNDED = ("mark",)


@dataclass(frozen=True, slots=True)
class MetricScale:
    """The lowest and the highest score that there can be, and whether less is better."""

    low: float = 0.0
    high: float = 1.0
    less_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a record says beside its scores: whose they are, who measured, with what, and when (seconds since 1970).

    `library` is what asked the model, `judge` what made the intervals, where that is another. `scales` has the scale of
    a metric by its name, where that is not the one that the name stands for.
    """

    model: str
    dataset: str = ""
    organization: str = "unknown"
    relationship: str = "other"
    library: str = "goldproof"
    version: str = "unknown"
    timestamp: int = 0
    judge: str = ""
    scales: Mapping[str, MetricScale] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one item of an evaluation by a metric, and what was asked, where that is known.

    `where` is what the score is about, as in the scores of the record. Which training (`run`) or which answer of one
    system (`repeat`) it is, `cluster` and `category` are kept as metadata, as the format has no field of its own.
    """

    where: Mapping[str, str]
    metric: str
    item: str
    score: float
    is_correct: bool
    text: str = ""
    run: str = ""
    repeat: str = ""
    cluster: str = ""
    category: str = ""


def record_of(scores: Sequence[Score], about: Evaluation) -> dict[str, Any]:
    """The record of these scores.

    >>> from goldproof.statistics.intervals import wilson
    >>> record = record_of([Score("accuracy", "Accuracy", {}, wilson(80, 100))], Evaluation("org/m", "glue/rte"))
    >>> record["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"]
    100
    """
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{_first_dataset(scores, about)}/{about.model.replace('/', '_')}/{about.timestamp}",
        "retrieved_timestamp": str(about.timestamp),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": about.organization,
            "evaluator_relationship": about.relationship,
        },
        "eval_library": _library(about),
        "model_info": {
            "name": about.model.rstrip("/").rpartition("/")[2],
            "id": about.model,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_result(score, about) for score in scores],
    }


def write_record(
    record: dict[str, Any], folder: Path, items: Iterable[ItemScore] = (), name: str | None = None
) -> list[Path]:
    """Write a record, and the items' scores beside it; both are named by what they hold, so that writing twice is once.

    The path in the record is the one that the collection asks for: data/SOURCE/DEVELOPER/MODEL/….
    """
    stem = name or _stem(record)
    lines = [json.dumps(_sample(each, record), ensure_ascii=False, allow_nan=False) for each in items]
    paths = []
    try:
        if lines:
            text = "\n".join(lines) + "\n"
            paths.append(folder / f"{stem}_samples.jsonl")
            write_durably(paths[0], text.encode())
            record = {**record, "detailed_evaluation_results": _details(record, stem, text, len(lines))}
        paths.insert(0, folder / f"{stem}.json")
        write_durably(paths[0], (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise StoreError(f"the record cannot be written to {folder}: {error.strerror or error}") from error
    return paths


def _first_dataset(scores: Sequence[Score], about: Evaluation) -> str:
    if not scores:
        raise UsageError("there is no score to export")
    return _dataset(scores[0], about).replace("/", "_")


def _library(about: Evaluation) -> dict[str, Any]:
    named: dict[str, Any] = {"name": about.library, "version": about.version}
    return {**named, "additional_details": {"intervals": about.judge}} if about.judge else named


def _dataset(score: Score, about: Evaluation) -> str:
    found = score.where.get("dataset") or about.dataset
    if not found:
        raise UsageError("the report does not name the dataset; name it with --dataset, as in --dataset glue/rte")
    return found


def _evaluation_name(where: Mapping[str, str], dataset: str) -> str:
    """What a score is about, in one word: the dataset, then language and split, where there are any."""
    return ".".join([dataset, *(value for key, value in where.items() if key not in ("model", "dataset"))])


def _result(score: Score, about: Evaluation) -> dict[str, Any]:
    dataset = _dataset(score, about)
    name = _evaluation_name(score.where, dataset)
    return {
        "evaluation_result_id": f"{name}.{score.metric}",
        "evaluation_name": name,
        "source_data": {"dataset_name": dataset, "source_type": "other"},
        "metric_config": _metric(score, about),
        "score_details": {"score": score.estimate.value, "uncertainty": _uncertainty(score.estimate)},
    }


def _metric(score: Score, about: Evaluation) -> dict[str, Any]:
    scale = about.scales.get(score.metric)
    config: dict[str, Any] = {
        "metric_id": score.metric,
        "metric_name": score.title,
        "lower_is_better": scale is not None and scale.less_is_better,
    }
    if scale is None and score.metric in _UNBOUNDED:
        return config
    scale = scale or MetricScale(-1.0 if score.metric in _TO_MINUS_ONE else 0.0)
    return {**config, "score_type": "continuous", "min_score": scale.low, "max_score": scale.high}


def _uncertainty(estimate: Estimate) -> dict[str, Any]:
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return {"num_samples": estimate.n}
    return {
        "confidence_interval": {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": estimate.level,
            "method": estimate.method,
        },
        "num_samples": estimate.n,
    }


def _sample(each: ItemScore, record: dict[str, Any]) -> dict[str, Any]:
    kept = {"run": each.run, "repeat": each.repeat, "cluster": each.cluster, "category": each.category}
    name = _evaluation_name(each.where, each.where["dataset"])
    return {
        "schema_version": SCHEMA,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": name,
        "evaluation_result_id": f"{name}.{each.metric}",
        "sample_id": each.item,
        "interaction_type": "single_turn",
        "input": {"raw": each.text, "reference": []},
        "output": {"raw": []},
        "answer_attribution": [],
        "evaluation": {"score": each.score, "is_correct": each.is_correct},
        "metadata": {key: value for key, value in kept.items() if value},
    }


def _details(record: dict[str, Any], stem: str, text: str, n_rows: int) -> dict[str, Any]:
    model = record["model_info"]["id"].rstrip("/")
    developer, _, name = model.rpartition("/")
    whose = f"{developer.replace('/', '_') or 'unknown'}/{name or 'unknown'}"
    source = record["evaluation_id"].partition("/")[0]
    return {
        "format": "jsonl",
        "file_path": f"data/{source}/{whose}/{stem}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode()).hexdigest(),
        "total_rows": n_rows,
    }


def _stem(record: dict[str, Any]) -> str:
    """A name of the form of a random UUID, which the collection asks for, made from what the record holds."""
    digest = bytearray(hashlib.sha256(json.dumps(record, sort_keys=True).encode()).digest()[:16])
    return str(uuid.UUID(bytes=bytes(digest), version=4))
