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
    assert "✗ org/m (A), org/n (B), task0, task1: A and B were evaluated under different conditions" in out
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


INSPECT = Path(__file__).parents[1] / "data" / "logs" / "files" / "inspect"


def test_runs_clusters_and_categories_come_back_from_every_eval_ever_and_parquet(tmp_path, capsys) -> None:
    table = tmp_path / "scores.csv"
    rows = [f"q{i},m,{again},{i // 2},{'ab'[i % 2]},{(i * again) % 3 / 2}" for again in (1, 2, 3) for i in range(12)]
    for kind in ("repeat", "run"):
        table.write_text(f"id,model,{kind},cluster,category,score\n" + "\n".join(rows) + "\n")
        (before,) = read_logs(table)
        eee, parquet = tmp_path / f"eee-{kind}", tmp_path / f"{kind}.parquet"
        assert run_command(["export", str(table), "--to", "every-eval-ever", "--dataset", "t", "--out", str(eee)]) == 0
        assert run_command(["export", str(table), "--to", "parquet", "--out", str(parquet)]) == 0
        for path in (eee, parquet):
            (after,) = read_logs(path)
            one, other = before.answers, after.answers
            assert (one.runs == other.runs).all()
            assert (one.ids == other.ids).all()
            assert (one.clusters == other.clusters).all()
            assert (one.tags, one.run_names, one.run_kind) == (other.tags, other.run_names, other.run_kind)
        record = json.loads(next(path for path in eee.glob("*.json")).read_text())
        lines = [json.loads(line) for line in next(eee.glob("*.jsonl")).read_text().splitlines()]
        results = [result["evaluation_result_id"] for result in record["evaluation_results"]]
        assert results == ["t.score"]
        assert {line["evaluation_result_id"] for line in lines} == set(results)


def test_what_is_exported_of_a_log_is_chosen_and_bears_the_harness_names(tmp_path, capsys) -> None:
    argv = ["export", str(INSPECT / "judged.eval"), "--filter", "judge.style", "--log", "bounds=0,10"]
    assert run_command([*argv, "--to", "every-eval-ever", "--out", str(tmp_path)]) == 0
    record = json.loads(next(tmp_path.glob("*.json")).read_text())
    assert record["eval_library"]["name"] == "Inspect"
    config = record["evaluation_results"][0]["metric_config"]
    assert (config["metric_id"], config["metric_name"]) == ("mean", "mean (judge.style)")
    assert (config["min_score"], config["max_score"]) == (0.0, 10.0)
    assert run_command([*argv, "--to", "eval-results"]) == 0
    assert '  notes: "mean (judge.style) ' in capsys.readouterr().out


def test_logs_of_several_models_need_the_name_of_one(tmp_path, capsys) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("id,model,score\n1,a,1\n2,a,0\n1,b,1\n2,b,1\n")
    argv = ["export", str(table), "--to", "every-eval-ever", "--dataset", "t", "--out", str(tmp_path / "out")]
    assert run_command(argv) == 2
    assert capsys.readouterr().err == "error: the logs hold several models; --model must be one of a, b\n"
    assert run_command([*argv, "--model", "b"]) == 0
    (log,) = read_logs(tmp_path / "out")
    assert (log.model, log.answers.runs.tolist()) == ("b", [[1.0, 1.0]])


def test_draws_are_no_items(tmp_path, capsys) -> None:
    mteb = str(INSPECT.parent / "mteb" / "published")
    out = tmp_path / "eee"
    assert run_command(["export", mteb, "--to", "every-eval-ever", "--out", str(out)]) == 0
    assert [path.suffix for path in out.iterdir()] == [".json"]
    assert run_command(["export", mteb, "--to", "parquet", "--out", str(tmp_path / "a.parquet")]) == 2
    assert capsys.readouterr().err == (
        "error: results of MTEB have a score for each draw of training examples, not for each item\n"
    )


def test_what_a_report_does_not_take(tmp_path, log, capsys) -> None:
    report = tmp_path / "report"
    assert run_command(["score", str(log), "--out", str(report)]) == 0
    capsys.readouterr()
    assert run_command(["export", str(report), "--model", "m", "--filter", "x"]) == 2
    assert capsys.readouterr().err == f"error: --task, --filter and --log are for logs, and {report} is a report\n"
    assert run_command(["export", str(log), "--metric", "a", "--metric", "b"]) == 2
    assert "from a log, only one metric is exported" in capsys.readouterr().err


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
