"""Logs at the command line: scored, checked, exported, and what is exported is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.judging.test_logs import rights, write_lm_eval

from goldproof.cli import run_command
from goldproof.data.logs.reading import read_logs


@pytest.fixture
def log(tmp_path):
    return write_lm_eval(tmp_path / "log", "org/m", rights(0, 0.7))


def test_score_prints_every_task_and_json_has_them(log, capsys) -> None:
    assert run_command(["score", str(log), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["dataset"] for row in found["scores"]] == ["task0", "task1"]
    assert run_command(["score", str(log), "--task", "task1"]) == 0
    assert "task0" not in capsys.readouterr().out


def test_check_says_what_differs_and_with_strict_exits_with_1(log, tmp_path, capsys) -> None:
    other = write_lm_eval(tmp_path / "other", "org/n", rights(1, 0.7), shots=5)
    assert run_command(["check", str(log), str(other), "--strict"]) == 1
    out = capsys.readouterr().out
    assert "✗ org/m (A), org/n (B), task0, task1: A and B were evaluated under other conditions" in out
    assert run_command(["check", str(log), "--strict"]) == 0


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["repeats=last"], "--log takes repeats=refuse|first|mean, cluster=FIELD, category=FIELD, bounds=LOW,HIGH, "
                           "unfinished=yes|no; got repeats=last"),
        (["bounds=3"], "--log bounds=LOW,HIGH takes two numbers, the lower first; got '3'"),
        (["first"], "--log takes KEY=VALUE; got 'first'"),
    ],
)  # fmt: skip
def test_a_wrong_way_to_read_is_refused(log, capsys, pairs, message) -> None:
    assert run_command(["score", str(log), *(part for pair in pairs for part in ("--log", pair))]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_every_eval_ever_is_written_with_its_uncertainty_and_read_again(log, tmp_path, capsys) -> None:
    out = tmp_path / "eee"
    assert run_command(["export", str(log), "--to", "every-eval-ever", "--out", str(out), "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    record = json.loads((out / files[0].rpartition("/")[2]).read_text())
    first = record["evaluation_results"][0]["score_details"]
    assert set(first["uncertainty"]["confidence_interval"]) == {"lower", "upper", "confidence_level", "method"}
    assert first["uncertainty"]["num_samples"] == 60
    lines = [json.loads(line) for line in Path(files[1]).read_text(encoding="utf-8").splitlines()]
    assert record["detailed_evaluation_results"]["total_rows"] == len(lines) == 120
    before = {each.task: each.answers.runs.mean() for each in read_logs(log)}
    after = {each.task: each.answers.runs.mean() for each in read_logs(out)}
    assert after == pytest.approx(before)


def test_parquet_is_read_again_as_the_same_scores(log, tmp_path) -> None:
    out = tmp_path / "scores.parquet"
    assert run_command(["export", str(log), "--to", "parquet", "--out", str(out)]) == 0
    assert pq.read_table(out).num_rows == 120
    before = {each.task: each.answers.runs.mean() for each in read_logs(log)}
    after = {each.task: each.answers.runs.mean() for each in read_logs(out)}
    assert after == pytest.approx(before)


def test_the_hubs_results_name_dataset_task_value_and_interval(log, capsys) -> None:
    assert run_command(["export", str(log), "--to", "eval-results", "--hub-task", "qa"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["- dataset:", '    id: "task0"', '    task_id: "qa"']
    assert lines[4].startswith('  notes: "exact_match 0.')


@pytest.mark.needs("huggingface_hub")
def test_the_hubs_own_reader_understands_its_results(log, tmp_path) -> None:
    yaml = pytest.importorskip("yaml")
    from huggingface_hub import parse_eval_result_entries

    out = tmp_path / "results.yaml"
    assert run_command(["export", str(log), "--to", "eval-results", "--hub-task", "qa", "--out", str(out)]) == 0
    entries = parse_eval_result_entries(yaml.safe_load(out.read_text(encoding="utf-8")))
    means = {each.task: each.answers.runs.mean() for each in read_logs(log)}
    assert {entry.dataset_id: entry.value for entry in entries} == pytest.approx(means)
    assert {entry.task_id for entry in entries} == {"qa"}


def test_files_need_a_place_and_reports_a_model(log, tmp_path, capsys) -> None:
    assert run_command(["export", str(log), "--to", "parquet"]) == 2
    assert capsys.readouterr().err == "error: --to parquet writes files; say where with --out\n"
