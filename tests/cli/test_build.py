"""`goldproof build logic`: the files it writes, what it prints, and bad options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldproof.cli import build_logic
from goldproof.cli.build import app
from goldproof.cli.build_logic import read_limits
from goldproof.errors import UsageError


def build(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["logic", *arguments], catch_exceptions=False)
    return result.output


def test_files_certificate_and_output(tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    options = ["--language", "es", "--task", "5", "--train", "200", "--test", "40", "--seed", "3", "--out", str(out)]
    text = build(*options)
    assert text.splitlines()[0] == "200 training and 40 test pairs, every label proved"
    assert text.count("not shown") == 15
    names = ["train.jsonl", "test.jsonl", "provenance.json", "certificate.json"]
    assert text.splitlines()[-4:] == [str(out / name) for name in names]
    assert json.loads((out / "certificate.json").read_text())["clean"] is True
    rows = [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]
    assert {row["task"] for row in rows} == {"comparison"}
    before = [(out / name).read_bytes() for name in names]
    shown = json.loads(build(*options, "--json"))
    assert [Path(path).name for path in shown["files"]] == names
    assert before == [(out / name).read_bytes() for name in names]


def test_an_empty_split_has_no_certificate(tmp_path: Path) -> None:
    build("--task", "negation", "--train", "10", "--test", "0", "--format", "csv", "--out", str(tmp_path), "--n", "4-5")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["provenance.json", "test.csv", "train.csv"]


@pytest.mark.parametrize("text", ["a", "5-2", "-3", "2-x"])
def test_limits_that_are_not_numbers_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_limits(text)
    assert str(caught.value) == f"--n must be a number, or two joined by a hyphen such as 2-12; got {text!r}"


def test_an_unknown_format_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        build("--task", "1", "--format", "xml", "--out", str(tmp_path / "x"))
    assert str(caught.value) == "there is no format 'xml'; allowed: jsonl, csv, parquet"
    assert not (tmp_path / "x").exists()


def test_a_large_corpus_says_from_how_many_pairs_its_certificate_learned(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(build_logic, "MOST_CERTIFIED", 200)
    text = build("--task", "5", "--train", "600", "--test", "40", "--out", str(tmp_path))
    assert text.splitlines()[1] == "  shortcuts learned from the first 200 pairs"
    assert json.loads((tmp_path / "certificate.json").read_text())["n_train"] == 200
