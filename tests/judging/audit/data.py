"""Rows for audits: made-up sentences with a cue or without, as the files of a user."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from tests.measures.shortcuts.planting import LABELS, make_items

Rows = list[dict[str, Any]]


def rows(n: int, seed: int, cue: str = "", strength: float = 0.8) -> Rows:
    items = make_items(n, seed, cue, strength)
    assert items.pairs is not None
    return [
        {"id": f"{seed}-{at}", "premise": first, "hypothesis": second, "label": LABELS[int(gold)]}
        for at, (first, second, gold) in enumerate(zip(items.texts, items.pairs, items.gold, strict=True))
    ]


def write_csv(path: Path, given: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(given[0]))
        writer.writeheader()
        writer.writerows(given)
    return path
