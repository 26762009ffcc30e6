"""Predictions from files: every form of the same predictions gives the same table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.data.predictions import iter_prediction_batches, read_predictions

ROWS: list[dict[str, Any]] = [
    {"id": "0", "gold": "a", "prediction": "b", "probabilities": [0.25, 0.75], "step": 10, "run": "0", "tags": ["x:y"]},
    {"id": "0", "gold": "a", "prediction": "a", "probabilities": [0.5, 0.5], "step": 20, "run": "0", "tags": []},
    {
        "id": "1",
        "gold": "b",
        "prediction": "b",
        "probabilities": [0, 1.0],
        "step": 10,
        "run": "0",
        "tags": ["x:y", "z"],
    },
]


def _write(path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        cells = [
            f'{r["id"]},{r["gold"]},{r["prediction"]},"{r["probabilities"]}",{r["step"]},{r["run"]},{";".join(r["tags"])}'
            for r in ROWS
        ]
        path.write_text("\n".join(["id,gold,prediction,probabilities,step,run,tags", *cells]))
    return path


@pytest.mark.parametrize("name", ["p.parquet", "p.jsonl", "p.csv"])
def test_every_format_gives_the_same(name: str, tmp_path: Path) -> None:
    path = _write(tmp_path / name)
    found = read_predictions(path)
    assert (found.task, found.labels) == ("classification", ("a", "b"))
    assert found.table.select(list(ROWS[0])).to_pylist() == ROWS
    assert pa.Table.from_batches(iter_prediction_batches(path)).equals(found.table)


def test_mapping_of_probabilities_follows_the_labels(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "gold": "no", "prediction": "yes", "probabilities": {"no": 0.25, "yes": 0.75}}\n')
    assert read_predictions(path).values("probabilities") == [[0.25, 0.75]]
    assert read_predictions(path, labels=["yes", "no"]).values("probabilities") == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("rows", "task"),
    [
        ('{"id": 1, "gold": 0.5, "prediction": 1}\n', "regression"),
        ('{"id": 1, "gold": 1, "prediction": 0}\n', "classification"),
        ('{"id": 1, "gold": ["O"], "prediction": ["B-LOC"]}\n', "tagging"),
    ],
)
def test_task_is_seen_from_the_values(rows: str, task: str, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(rows)
    assert read_predictions(path).task == task


def test_named_columns(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,truth,guess\n1,a,b\n")
    found = read_predictions(path, {"id": "item", "gold": "truth", "prediction": "guess"})
    assert found.table.to_pylist() == [{"id": "1", "gold": "a", "prediction": "b"}]


def test_published_accuracies(published: Path) -> None:
    """The accuracy of each published file is in its name, cut off after four digits."""
    paths = sorted((published / "predictions" / "xnli").glob("*/*.json"))
    assert len(paths) == 7
    for path in paths:
        found = read_predictions(path)
        right = sum(gold == guess for gold, guess in zip(found.values("gold"), found.values("prediction"), strict=True))
        assert f"{int(10_000 * right / len(found)):04d}" == path.stem.rpartition("_")[2]
        assert found.labels == ("contradiction", "entailment", "neutral")
        assert 1669 <= len(set(found.values("cluster"))) <= 1670
