"""Prediction files made for the tests: rows with known answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

BEFOREHAND = (
    "Decide beforehand how many more to add: adding until a verdict appears makes a false one likely. If you look "
    "several times, give the number of looks with --looks every time."
)


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def noisy_rows(n: int, accuracy: float, seed: int, **more: Any) -> list[dict[str, Any]]:
    """N items of two labels, answered right with this probability; gold depends on the item alone."""
    gold = np.random.default_rng(99).integers(0, 2, n)
    right = np.random.default_rng(seed).random(n) < accuracy
    names = np.array(["no", "yes"])
    return [
        {"id": str(i), "gold": str(names[g]), "prediction": str(names[g if r else 1 - g]), **more}
        for i, (g, r) in enumerate(zip(gold, right, strict=True))
    ]


def several_runs(n: int, accuracy: float, seeds: range, **more: Any) -> list[dict[str, Any]]:
    return [row for seed in seeds for row in noisy_rows(n, accuracy, seed, run=str(seed), **more)]
