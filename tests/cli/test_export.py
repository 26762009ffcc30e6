"""`goldproof export`: from predictions to a model card, by the command line alone."""

from __future__ import annotations

import json

import pytest
from huggingface_hub import metadata_load
from tests.judging.files import several_runs, write_jsonl

from goldproof.cli import run_command

pytestmark = pytest.mark.needs("huggingface_hub")


@pytest.fixture
def folder(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "mine.jsonl", several_runs(200, 0.8, range(3)))
    assert run_command(["score", "mine.jsonl", "--metric", "mcc", "--out", "report"]) == 0
    capfd.readouterr()
    return tmp_path


def test_a_card_is_printed_or_written(folder, capfd):
    asked = ["export", "report", "--model", "mine", "--dataset", "glue/rte", "--metric", "mcc"]
    assert run_command(asked) == 0
    printed = capfd.readouterr().out
    assert run_command([*asked, "--out", "README.md"]) == 0
    assert capfd.readouterr().out == "README.md\n"
    assert (folder / "README.md").read_text(encoding="utf-8") == printed
    assert run_command([*asked, "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == metadata_load(folder / "README.md")
    (metric,) = metadata_load(folder / "README.md")["model-index"][0]["results"][0]["metrics"]
    summary = json.loads((folder / "report" / "summary.json").read_text(encoding="utf-8"))
    estimate = summary["sections"][0]["items"][0]["rows"][0]["mcc"]["estimate"]
    assert (metric["value"], metric["args"]["low"]) == (estimate["value"], estimate["low"])


def test_wrong_use_is_said(folder, capfd):
    assert run_command(["export", "report", "--model", "mine", "--to", "excel"]) == 2
    assert capfd.readouterr().err == (
        "error: there is no export to 'excel'; allowed: model-card, mlflow, every-eval-ever, eval-results, parquet\n"
    )
    assert run_command(["export", "mine.jsonl", "--model", "mine"]) == 2
    assert capfd.readouterr().err == "error: mine.jsonl, line 2: not JSON: Extra data\n"
    assert run_command(["export", "report", "--model", "mine", "--to", "mlflow", "--out", "card.md"]) == 2
    assert capfd.readouterr().err == (
        "error: --out, --dataset and --hub-task are for files; leave them out with --to mlflow\n"
    )
