"""Logs of lm-evaluation-harness, written by lm_eval 0.4.13 with a small random model, and published ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError

FILES = Path(__file__).parent / "files" / "lm_eval"
DATE = "2026-11-16T18-36-18.496569"
CHOICE, WRITE, ROLLING = (FILES / f"samples_{task}_{DATE}.jsonl" for task in ("choice", "write", "rolling"))
RESULTS = FILES / f"results_{DATE}.json"


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("path", "metric", "chosen"),
    [
        (CHOICE, "acc", None),
        (CHOICE, "acc_norm", None),
        (WRITE, "exact_match", "strict"),
        (WRITE, "exact_match", "letters"),
    ],
)
def test_the_harness_own_numbers_are_the_means(path: Path, metric: str, chosen: str | None) -> None:
    printed = json.loads(RESULTS.read_text("utf-8"))["results"]
    (log,) = read_logs(path, LogChoice(metric=metric, filter=chosen))

    assert log.printed == printed[log.task][f"{metric},{chosen or 'none'}"]
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
    assert log.answers.n_items == 12
    assert log.notes == ()


def test_what_is_said_of_a_task() -> None:
    (log,) = read_logs(WRITE)

    assert (log.harness, log.model, log.task) == ("lm-evaluation-harness 0.4.13", "model", "write")
    assert (log.metric, log.filter, log.others) == ("exact_match", "strict", ("exact_match/letters",))
    assert dict(log.answers.where) == {"model": "model", "dataset": "write"}
    assert (log.conditions.n_shots, log.conditions.limit, log.conditions.seed) == (0, None, "0 1234 1234 1234")
    assert log.answers.texts["text"][0] == lines_of(WRITE)[0]["doc"]["q"]
    assert read_logs(CHOICE)[0].conditions.n_shots == 1


def test_items_are_known_by_their_digest_and_a_document_that_comes_again_by_which_time_it_comes(tmp_path: Path) -> None:
    (log,) = read_logs(CHOICE)
    rows = lines_of(CHOICE)
    again = rows[3]["doc_hash"]

    assert [row["doc_hash"] for row in rows].count(again) == 3
    assert [name for name in log.answers.ids if name.startswith(again)] == [again, f"{again}.2", f"{again}.3"]
    # Another order of the lines, or other numbers of the documents, changes no item's score.
    (other,) = read_logs(write_lines(tmp_path / "turned.jsonl", rows[::-1][2:]))
    scores = dict(zip(log.answers.ids, log.answers.runs[0], strict=True))
    assert {i: scores[i] for i in other.answers.ids if i != again} == {
        i: s for i, s in zip(other.answers.ids, other.answers.runs[0], strict=True) if i != again
    }


def test_a_folder_gives_each_task_and_says_which_have_no_score_for_an_item() -> None:
    logs = read_logs(FILES)

    assert [log.task for log in logs] == ["choice", "write"]
    assert all(
        log.notes
        == (f"Not read: {ROLLING}: no metric has a number for each item; the log has word_perplexity, bits_per_byte",)
        for log in logs
    )
    assert [log.task for log in read_logs(FILES, LogChoice(task="write"))] == ["write"]
    assert [log.task for log in read_logs(RESULTS, LogChoice(task="choice"))] == ["choice"]


def test_fields_of_the_documents_are_clusters_and_categories() -> None:
    (log,) = read_logs(CHOICE, LogChoice(cluster="passage", category="kind"))

    assert log.answers.clusters.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 1, 1]
    assert set(log.answers.tags) <= {("colour",), ("thing",)}
    with pytest.raises(DataError) as caught:
        read_logs(CHOICE, LogChoice(cluster="page"))
    assert str(caught.value) == f"{CHOICE}: the documents have no field 'page'"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (LogChoice(metric="f1"), "there is no metric 'f1'; the log has exact_match"),
        (LogChoice(filter="none"), "there is no filter 'none'; the log has strict, letters"),
    ],
)
def test_what_is_not_in_the_log_is_refused_with_what_is(choice: LogChoice, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_logs(WRITE, choice)
    assert str(caught.value) == f"{WRITE}: {message}"


def test_an_unknown_task_names_all_tasks_of_the_folder() -> None:
    with pytest.raises(UsageError) as caught:
        read_logs(FILES, LogChoice(task="sums"))
    assert str(caught.value) == f"{FILES}: there is no task 'sums'; the log has choice, rolling, write"


def test_a_metric_of_all_items_together_is_refused(tmp_path: Path) -> None:
    rows = [{**row, "metrics": ["acc", "bleu"], "bleu": ["a", "b"]} for row in lines_of(CHOICE)]
    path = write_lines(tmp_path / "a.jsonl", rows)

    assert read_logs(path)[0].metric == "acc"
    with pytest.raises(DataError) as caught:
        read_logs(path, LogChoice(metric="bleu"))
    assert str(caught.value) == (
        f"{path}: the metric 'bleu' is computed over all items together, so single lines have no score; metrics that "
        "can be read: acc"
    )


def test_results_without_samples_say_what_is_missing(tmp_path: Path) -> None:
    path = Path(shutil.copy(RESULTS, tmp_path))

    assert is_log(path)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: these are results of lm-evaluation-harness (choice, write, rolling) without samples, so there is no "
        "score for each item; run it with --log_samples, and give the folder that holds both"
    )


def test_scores_that_are_not_numbers_are_counted(tmp_path: Path) -> None:
    rows = lines_of(CHOICE)
    rows[0]["acc"], rows[1]["acc"], rows[2]["acc"] = float("nan"), None, "N/A"
    (log,) = read_logs(write_lines(tmp_path / "a.jsonl", rows))

    assert np.isnan(log.answers.runs[0, :3]).all()
    assert log.left_out == {"the score is not a number": 1, "no score": 2}


def test_lines_that_were_written_twice_are_taken_once_and_refused_where_they_differ(tmp_path: Path) -> None:
    rows = lines_of(CHOICE)
    path = write_lines(tmp_path / "a.jsonl", [*rows, *rows[:2]])
    (log,) = read_logs(path)
    assert log.answers.n_items == 12
    assert "2 rows repeat an item of the same run, with the same score or none, and were left out." in log.notes

    rows.append({**rows[0], "acc": 1 - rows[0]["acc"]})
    path = write_lines(tmp_path / "b.jsonl", rows)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: one item has several scores that differ (for example id {rows[0]['doc_hash']!r}: 0 and 1); say "
        "what to do: --log repeats=first takes the first of them, repeats=mean their mean"
    )
    first, mean = (read_logs(path, LogChoice(repeats=rule))[0] for rule in ("first", "mean"))
    assert first.answers.runs[0, 0] == rows[0]["acc"]
    assert mean.answers.runs[0, 0] == 0.5
    assert any(
        "for 1 item the scores differ, and the mean of the scores was taken, as asked for." in n for n in mean.notes
    )


def test_samples_that_are_fewer_than_the_results_count_are_said(tmp_path: Path) -> None:
    shutil.copy(RESULTS, tmp_path)
    path = write_lines(tmp_path / CHOICE.name, lines_of(CHOICE)[:7])
    (log,) = read_logs(path)

    assert log.left_out == {"counted in the results, not in the samples": 5}
    assert log.notes[0] == "The samples hold 7 of the 12 items that the results count."


def test_older_samples_of_a_task_are_left_out_of_a_folder(tmp_path: Path) -> None:
    shutil.copy(CHOICE, tmp_path)
    write_lines(tmp_path / "samples_choice_2025-01-01T00-00-00.000000.jsonl", lines_of(CHOICE)[:3])
    (log,) = read_logs(tmp_path)

    assert log.answers.n_items == 12
    assert log.notes[-1] == "The folder holds 1 older samples of the same tasks, which were not read."


@pytest.mark.parametrize("folder", [".", "tiny"])
def test_published_logs(published: Path, folder: str) -> None:
    paths = sorted((published / "logs" / "lm_eval" / folder).glob("samples_*.jsonl"))

    assert paths
    for path in paths:
        (log,) = read_logs(path)
        assert log.mean() == pytest.approx(log.printed, abs=1e-9)


def test_a_metric_that_a_task_lacks_is_noted_and_another_task_is_not() -> None:
    (log,) = read_logs(FILES, LogChoice(filter="letters"))
    assert log.task == "write"
    assert [note for note in log.notes if "Not read" in note] == [
        f"Not read: {CHOICE}: there is no filter 'letters'; the log has none",
        f"Not read: {ROLLING}: no metric has a number for each item; the log has word_perplexity, bits_per_byte",
    ]
    (log,) = read_logs(FILES, LogChoice(task="write"))
    assert log.notes == ()


def test_a_limit_is_one_only_where_it_left_something_out(tmp_path: Path) -> None:
    for original, limit in ((12, None), (200, 12.0)):
        results = json.loads(RESULTS.read_text("utf-8"))
        results["n-samples"]["choice"] = {"original": original, "effective": 12}
        (tmp_path / RESULTS.name).write_text(json.dumps(results), "utf-8")
        shutil.copy(CHOICE, tmp_path)
        assert read_logs(tmp_path)[0].conditions.limit == limit
