"""Logs in which parts are of another kind than they should be: read without them, or refused in words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import read_logs
from goldproof.errors import DataError, UsageError

FILES = Path(__file__).parent / "files"
ODD = [None, 3, "x", [], {}, [1], True, float("nan"), -1.5, ["a"], {"a": 1}, [{}], [[]]]
CHOICES = (LogChoice(unfinished=True), LogChoice(unfinished=True, cluster="passage", category="kind", repeats="mean"))
ROUNDS = 12


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object or list within a value, with each of its keys or numbers; what is outside comes first."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    yield from ((value, key) for key, _ in inside)
    for _, each in inside:
        yield from places(each)


def changed(value: Any, rng: random.Random, times: int) -> Any:
    value = json.loads(json.dumps(value))
    for _ in range(times):
        found = list(places(value))
        if not found:
            return value
        holder, key = found[min(int(rng.expovariate(0.05)), len(found) - 1)]
        if rng.random() < 0.2 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = json.loads(json.dumps(rng.choice(ODD)))
    return value


def documents_in(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    return [json.loads(line) for line in (text.splitlines() if path.suffix == ".jsonl" else [text])]


def read_or_refuse(path: Path) -> None:
    for choice in CHOICES:
        try:
            read_logs(path, choice)
        except (DataError, UsageError) as error:
            assert str(path) in str(error)


@pytest.mark.parametrize(
    "name",
    [
        "inspect/document.json",
        "lighteval/results_2026-11-16T18-38-22.164132.json",
        "lm_eval",
        "mteb/ColourClassification.json",
        "openai_evals/log.jsonl",
        "promptfoo/results.json",
        "promptfoo/results.jsonl",
    ],
)
def test_odd_parts(tmp_path: Path, name: str) -> None:
    rng = random.Random(name)
    source = FILES / name
    files = [source] if source.is_file() else sorted(source.iterdir())
    for _ in range(ROUNDS):
        for file in files:
            times = 6 if file.suffix == ".json" else 1
            rows = [json.dumps(changed(each, rng, rng.randint(0, times))) for each in documents_in(file)]
            (tmp_path / file.name).write_text("\n".join(rows), "utf-8")
        read_or_refuse(tmp_path if source.is_dir() else tmp_path / source.name)
