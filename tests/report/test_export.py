"""Scores leave a report as metadata of a model card, which the hub's own reader understands, or as an MLflow run."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import pytest
from huggingface_hub import metadata_load
from huggingface_hub.repocard_data import model_index_to_eval_results

from goldproof.errors import DataError, MissingExtraError, StoreError, UsageError
from goldproof.report.mlflow import log_run, metrics_of
from goldproof.report.model_card import Card, card_text, model_index, write_card
from goldproof.report.scores import Score, scores_of, table_scores
from goldproof.report.summary import Column, Marked, Missing, Report, Section, Table, Text
from goldproof.statistics.estimate import Estimate

pytestmark = pytest.mark.needs("huggingface_hub")

A = Estimate(0.8, 0.75, 0.84, "Wilson", 300)
B = Estimate(0.7, 0.65, 0.75, "Wilson", 300)
NONE = Estimate(0.6, math.nan, math.nan, "one run only", 40)
COLUMNS = (
    Column("model", "Model"),
    Column("dataset", "Dataset"),
    Column("split", "Split"),
    Column("language", "Language"),
    Column("n", "Items"),
    Column("mcc", "MCC"),
    Column("printed", "MCC", published=True),
)
ROWS = (
    {"model": "a", "dataset": "xnli", "split": "test", "language": "en", "n": 300, "mcc": A, "printed": B},
    {"model": "a", "dataset": "xnli", "split": "test", "language": "de", "n": 40, "mcc": Marked(NONE, best=True)},
    {"model": "b: two", "dataset": "xnli", "split": "test", "language": "en", "n": 300, "mcc": B},
    {"model": "b: two", "dataset": "xnli", "split": "test", "language": "de", "n": 0, "mcc": Missing("no items")},
)
SIZES = Table(
    "sizes",
    "Sizes",
    [Column("size", "Rows"), Column("runs", "Runs"), Column("accuracy", "Accuracy"), Column("f1", "F1")],
    [{"size": 50, "runs": 5, "accuracy": B, "f1": B}, {"size": 100, "runs": 5, "accuracy": A, "f1": A}],
)


def report(*tables):
    plain = Table("plain", "No scores", [Column("n", "Items")], [{"n": 3}])
    return Report("study", "A study", ["fine"], [Section("All", [Text("x"), plain, *tables])])


WHOLE = report(Table("main", "Scores", COLUMNS, ROWS), SIZES)


def test_the_first_table_with_scores_is_taken_and_published_numbers_are_not():
    scores = table_scores(WHOLE)
    assert [score.estimate for score in scores] == [A, NONE, B]
    assert {score.metric for score in scores} == {"mcc"}
    assert scores[1].where == {"model": "a", "dataset": "xnli", "split": "test", "language": "de"}


def test_rows_without_texts_are_told_by_the_numbers_that_differ():
    assert [s.where for s in table_scores(WHOLE, "sizes", ["f1"])] == [{"size": "Rows 50"}, {"size": "Rows 100"}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: table_scores(report()), "the report 'study' has no table with scores and intervals"),
        (
            lambda: table_scores(WHOLE, "plain"),
            "the report 'study' has no table of scores 'plain'; allowed: main, sizes",
        ),
        (
            lambda: table_scores(WHOLE, "sizes", ["mcc"]),
            "the table 'sizes' has no scores 'mcc'; allowed: accuracy, f1",
        ),
        (
            lambda: scores_of(table_scores(WHOLE), "c"),
            "the report has several models; --model must be one of a, b: two; got 'c'",
        ),
        (
            lambda: model_index(table_scores(WHOLE, "sizes"), Card("m")),
            "the report does not name the dataset; name it with --dataset, as in --dataset glue/rte",
        ),
    ],
)
def test_what_cannot_be_exported_is_said(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_the_hub_reads_the_card_as_it_was_meant(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(card_text(model_index(scores_of(table_scores(WHOLE), "a"), Card("a", "token-classification"))))
    name, (english, german) = model_index_to_eval_results(metadata_load(path)["model-index"])
    assert name == "a"
    assert (english.task_type, english.dataset_type, english.dataset_config) == ("token-classification", "xnli", "en")
    assert (english.dataset_name, english.dataset_split) == ("xnli en", "test")
    assert (english.metric_type, english.metric_value) == ("matthews_correlation", 0.8)
    assert english.metric_name == "MCC (95 % interval 0.750 to 0.840, n = 300)"
    assert english.metric_args == {"low": 0.75, "high": 0.84, "level": 0.95, "n": 300, "method": "Wilson"}
    assert german.metric_name == "MCC (n = 40; one run only)"
    assert german.metric_args == {"level": 0.95, "n": 40, "method": "one run only"}


def test_a_card_keeps_what_else_it_says(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("---\nlicense: mit\nmodel-index: old\n---\n# Mine\n\nText --- here.\n", encoding="utf-8")
    index = model_index(table_scores(WHOLE, "sizes"), Card("m", dataset="reviews: 'all' #1"))
    write_card(index, path)
    assert metadata_load(path) == {"license": "mit", "model-index": index}
    assert path.read_text(encoding="utf-8").endswith("---\n# Mine\n\nText --- here.\n")
    assert [child.name for child in tmp_path.iterdir()] == ["README.md"]
    write_card(index, tmp_path / "new.md")
    assert metadata_load(tmp_path / "new.md") == {"model-index": index}


def test_a_card_that_cannot_be_read_or_written_is_left_alone(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("---\n- a list\n---\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        write_card([], path)
    assert str(caught.value) == f"{path}: the card's metadata cannot be read: repo card metadata block should be a dict"
    assert path.read_text(encoding="utf-8") == "---\n- a list\n---\n"
    with pytest.raises(StoreError) as failed:
        write_card([], tmp_path / "no" / "README.md")
    assert str(failed.value) == f"the card cannot be written to {tmp_path}/no/README.md: No such file or directory"


class FakeRun:
    """Stands for MLflow: keeps what it is given."""

    def __init__(self):
        self.info = SimpleNamespace(run_id="42")
        self.kept = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def fake_mlflow(run, refuse=False):
    refused = type("MlflowException", (Exception,), {})

    def start_run(run_name):
        if refuse:
            raise refused("no server")
        run.kept["name"] = run_name
        return run

    return SimpleNamespace(
        start_run=start_run,
        set_tags=lambda tags: run.kept.update(tags=tags),
        log_metrics=lambda metrics: run.kept.update(metrics=metrics),
        log_dict=lambda form, path: run.kept.update({path: form}),
        exceptions=SimpleNamespace(MlflowException=refused),
    )


def test_a_run_of_mlflow_holds_scores_intervals_and_the_summary(monkeypatch):
    run = FakeRun()
    monkeypatch.setitem(sys.modules, "mlflow", fake_mlflow(run))
    assert log_run(WHOLE, scores_of(table_scores(WHOLE), "a"), "a") == "42"
    assert run.kept["name"] == "a: study"
    assert run.kept["tags"] == {"model": "a", "report": "A study"}
    assert run.kept["metrics"] == {
        "mcc/xnli/test/en": 0.8,
        "mcc/xnli/test/en.low": 0.75,
        "mcc/xnli/test/en.high": 0.84,
        "mcc/xnli/test/de": 0.6,
    }
    assert run.kept["summary.json"]["title"] == "A study"


def test_names_that_mlflow_refuses_are_mended():
    assert list(metrics_of([Score("f1", "F1", {"tag": "a:b→c (é)"}, NONE)])) == ["f1/a_b_c _é_"]


def test_mlflow_that_is_absent_or_refuses_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError) as caught:
        log_run(WHOLE, [], "a")
    assert str(caught.value) == "the export to MLflow needs an optional package: pip install 'goldproof[mlflow]'"
    monkeypatch.setitem(sys.modules, "mlflow", fake_mlflow(FakeRun(), refuse=True))
    with pytest.raises(StoreError) as failed:
        log_run(WHOLE, [], "a")
    assert str(failed.value) == "MLflow did not take the run: no server"
