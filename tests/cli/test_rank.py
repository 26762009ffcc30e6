"""`goldproof rank` and `compare --baseline` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldproof.cli import run_command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Predictions of four models, of which the first is clearly the best."""
    ease, paths = np.random.default_rng(0).normal(size=200), []
    for number, strength in enumerate((1.5, 0.2, 0.2, -0.6)):
        right = strength + ease + np.random.default_rng(number + 1).normal(size=200) > 0
        lines = [json.dumps({"id": i, "gold": "a", "prediction": "a" if ok else "b"}) for i, ok in enumerate(right)]
        path = tmp_path / f"m{number}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def test_rank_says_who_may_be_first(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["rank", *files, "--json", "--draws", "500"]) == 0
    form = json.loads(capsys.readouterr().out)
    assert form["question"] == "Which places on this leaderboard are real?"
    assert form["questions"][0]["may_be_first"] == ["m0"]
    assert form["questions"][0]["places"]["m0"] == [1, 1]
    assert form["models"][0]["model"] == "m0"


def test_one_file_is_no_board(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["rank", files[0]]) == 2
    assert capsys.readouterr().err == (
        "error: a ranking needs at least 2 models; got answers of one unnamed model; give a log for each, or a "
        "column 'model'\n"
    )


def test_a_weight_is_a_number(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["rank", *files, "--weight", "all items=much"]) == 2
    assert capsys.readouterr().err == "error: --weight takes TASK=NUMBER; got 'all items=much'\n"


def test_several_against_a_baseline(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    base, *others = [files[1], files[0], files[3]]
    assert run_command(["compare", "--baseline", base, *others, "--gate", "1", "--json"]) == 1
    form = json.loads(capsys.readouterr().out)
    assert [row["verdict"] for row in form["differences"]] == ["better", "worse"]
    assert form["outcome"] == "failed"


def test_compare_without_a_baseline_takes_two(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compare", *files[:3]]) == 2
    assert capsys.readouterr().err.endswith("--n 872); got 3\n")
