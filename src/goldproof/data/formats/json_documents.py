"""JSON documents of predictions: a list of objects, or a published block of metadata with a list of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from goldproof.data.formats.json_list import load_document
from goldproof.data.formats.raw import RawBatch
from goldproof.data.in_memory import TableRows, open_table
from goldproof.errors import DataError

XNLI_LABELS = {"Yes": "entailment", "No": "contradiction", "Maybe": "neutral"}
_KEYS = ("text1", "text2", "true_label", "predicted_label")


@dataclass(frozen=True, slots=True)
class PredictionDocument:
    """The rows of a document, as if they had stood in a table."""

    path: Path
    rows: Mapping[str, list[str]]

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.rows)

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """All rows in one batch."""
        arrays = [pa.array(self.rows[name], pa.string()) for name in wanted]
        yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), 0, self.path)


def read_json_document(path: Path) -> PredictionDocument | TableRows:
    """The rows of a document: those of a list of objects, or of a published document of predictions.

    In a published one ids are row numbers, and rows with the same first text form a cluster.
    """
    document = load_document(path)
    if isinstance(document, list) and document and all(isinstance(row, dict) for row in document):
        return replace(open_table(document), name=str(path))
    items = document.get("predictions") if isinstance(document, dict) else None
    if not isinstance(items, list) or not items:
        message = (
            'a JSON document of predictions is a list of objects, or has a list "predictions"; for one object per line '
            "use .jsonl"
        )
        raise DataError(message, path=path)
    for number, item in enumerate(items):
        missing = [key for key in _KEYS if not isinstance(item, dict) or not isinstance(item.get(key), str)]
        if missing:
            raise DataError(f"prediction {number}: the text {missing[0]!r} is missing", path=path)
    metadata = document.get("user_defined_metadata_configs")
    return PredictionDocument(path, _as_columns(items, metadata if isinstance(metadata, dict) else {}, path))


def _as_columns(items: list[dict[str, str]], metadata: dict[str, Any], path: Path) -> dict[str, list[str]]:
    texts = [item["text1"] for item in items]
    first_rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        first_rows.setdefault(text, row)
    columns = {
        "id": [str(row) for row in range(len(items))],
        "gold": [_label(item, "true_label", row, path) for row, item in enumerate(items)],
        "prediction": [_label(item, "predicted_label", row, path) for row, item in enumerate(items)],
        "text": texts,
        "pair": [item["text2"] for item in items],
        "cluster": [str(first_rows[text]) for text in texts],
    }
    for ours, theirs in (("model", "system_name"), ("dataset", "dataset_name"), ("language", "language")):
        if theirs in metadata:
            columns[ours] = [str(metadata[theirs])] * len(items)
    return columns


def _label(item: Mapping[str, str], key: str, row: int, path: Path) -> str:
    if item[key] not in XNLI_LABELS:
        allowed = ", ".join(XNLI_LABELS)
        raise DataError(f"prediction {row}: the {key} {item[key]!r} is not known; allowed: {allowed}", path=path)
    return XNLI_LABELS[item[key]]
