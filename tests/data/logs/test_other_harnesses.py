"""Results of MTEB, lighteval, OpenAI evals and promptfoo, each written by the harness itself with a model by rule."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError

FILES = Path(__file__).parent / "files"
DATE = "2026-11-16T18-38-22.164132"


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), "utf-8")
    return path


# MTEB 1.12 and 2.26


@pytest.mark.parametrize(
    ("name", "metric", "precision"),
    [
        ("mteb/published/Banking77Classification.json", "accuracy", 1e-9),
        ("mteb/published/Banking77Classification.json", "f1", 1e-9),
        ("mteb/ColourClassification.json", "accuracy", 1e-6),  # 2.x rounds to six digits
        ("mteb/ColourClassification.json", "ap", 1e-6),
    ],
)
def test_mteb_s_own_numbers_are_the_means_of_its_draws(name: str, metric: str, precision: float) -> None:
    (log,) = read_logs(FILES / name, LogChoice(metric=metric))

    assert log.mean() == pytest.approx(log.printed, abs=precision)
    assert log.answers.ids.tolist() == [f"draw {number}" for number in range(1, 11)]
    assert log.notes == (
        "Its items are draws of training examples, the same for every model: an interval says how much the score "
        "depends on the draw, and nothing about other test items.",
    )


def test_what_is_said_of_results_of_mteb() -> None:
    (log,) = read_logs(FILES / "mteb" / "ColourClassification.json")

    assert (log.harness, log.model, log.task) == ("MTEB 2.26.24", "local/letters", "ColourClassification")
    assert (log.metric, log.filter, log.others[:2]) == ("accuracy", "test", ("f1/test", "f1_weighted/test"))
    assert log.answers.where["language"] == "eng-Latn"
    assert log.conditions.dataset_revision == "1a2b3c"


def test_subsets_of_mteb_are_logs_and_a_task_with_one_number_is_refused(tmp_path: Path) -> None:
    document = json.loads((FILES / "mteb" / "ColourClassification.json").read_text("utf-8"))
    (entry,) = document["scores"]["test"]
    document["scores"]["test"] = [{**entry, "hf_subset": name, "languages": [name]} for name in ("en", "de")]
    path = write(tmp_path / "a.json", document)
    assert [log.task for log in read_logs(path)] == ["ColourClassification en", "ColourClassification de"]
    assert [log.task for log in read_logs(path, LogChoice(task="ColourClassification de"))] == [
        "ColourClassification de"
    ]

    document["scores"]["test"] = [{"hf_subset": "default", "main_score": 0.5, "ndcg_at_10": 0.5}]
    path = write(tmp_path / "b.json", document)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: the results of ColourClassification have one number for all items (main_score 0.5) and "
        "none per draw or item; MTEB keeps draws for classification tasks, and predictions with "
        "prediction_folder"
    )

    path = write(tmp_path / "c.json", {"mteb_version": "1.0", "mteb_dataset_name": "a", "test": {"accuracy": 1}})
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert (
        str(caught.value)
        == f"{path}: results of MTEB before version 1.11, or without 'scores'; load and save them with a newer mteb"
    )


# lighteval 0.13


@pytest.fixture
def lighteval(tmp_path: Path) -> Path:
    """The folder as lighteval writes it."""
    details = tmp_path / "details" / "tiny" / DATE
    results = tmp_path / "results" / "tiny"
    details.mkdir(parents=True)
    results.mkdir(parents=True)
    shutil.copy(FILES / "lighteval" / "choose.parquet", details / f"details_choose|0_{DATE}.parquet")
    shutil.copy(FILES / "lighteval" / f"results_{DATE}.json", results)
    return tmp_path


def test_details_of_lighteval(lighteval: Path) -> None:
    (log,) = read_logs(lighteval, LogChoice(cluster="passage"))

    assert (log.harness, log.model, log.task, log.metric) == ("lighteval", "tiny", "choose", "acc")
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
    assert (log.conditions.n_shots, log.answers.n_items) == (0, 12)
    docs = pq.read_table(FILES / "lighteval" / "choose.parquet").column("doc").to_pylist()
    passages = [doc["specific"]["passage"] for doc in docs]
    assert [passages.index(name) for name in passages] == [
        log.answers.clusters.tolist().index(c) for c in log.answers.clusters
    ]
    # One question stands three times in the data.
    again = [name for name in log.answers.ids if "." in name]
    assert sorted(name.split(".")[1] for name in again) == ["2", "3"]
    assert len({name.split(".")[0] for name in log.answers.ids}) == 10


def test_details_of_lighteval_alone_and_in_the_layout_before(lighteval: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copy(FILES / "lighteval" / "choose.parquet", tmp_path / "a.parquet"))
    (whole,) = read_logs(lighteval / "details")
    (log,) = read_logs(alone)
    assert log.task == "choose"
    assert np.array_equal(log.answers.runs, whole.answers.runs)
    assert log.notes == ("There are no results with the details: model and means are unknown.",)

    table = pq.read_table(alone)
    queries = [doc["query"] for doc in table.column("doc").to_pylist()]
    older = {
        "example": queries,
        "full_prompt": queries,
        "gold": ["a"] * 12,
        "metrics": table.column("metric").to_pylist(),
    }
    pq.write_table(pa.table(older), alone)
    (log,) = read_logs(alone)
    assert np.array_equal(log.answers.runs, whole.answers.runs)
    assert len(log.conditions.prompts) == 12


def test_results_of_lighteval_without_details(tmp_path: Path) -> None:
    path = Path(shutil.copy(FILES / "lighteval" / f"results_{DATE}.json", tmp_path))
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert (
        str(caught.value)
        == f"{path}: these are results of lighteval (choose|0, write|1, all) without the score of each item; run it with --save-details, and give the folder 'details' or the one that holds both"
    )


def test_a_metric_of_all_items_in_details_of_lighteval(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"doc": [{"query": "a"}], "metric": [{"bleu": ["a"]}]}), path)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == f"{path}: no metric has a number for each item; the details have bleu"


# OpenAI evals 3.0


def test_a_log_of_openai_evals() -> None:
    (log,) = read_logs(FILES / "openai_evals" / "log.jsonl")

    assert (log.harness, log.model, log.task) == ("OpenAI evals", "adder", "sums.test.v0")
    assert (log.metric, log.filter) == ("accuracy", "match")
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
    assert sorted(log.answers.ids) == [f"sums.test.{number}" for number in range(6)]
    assert log.conditions.seed == "20220722"


def test_events_of_openai_evals(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (FILES / "openai_evals" / "log.jsonl").read_text("utf-8").splitlines()]
    event = rows[-1]
    spec, events = rows[0], [row for row in rows if row.get("type") == "match"]
    more = [{**event, "type": "match", "data": {"correct": True}, "sample_id": events[0]["sample_id"]}]
    more += [{**event, "type": "error", "data": {"type": "Timeout"}, "sample_id": "sums.test.9"}]
    more += [
        {**event, "type": "metrics", "data": {"f1": number / 6}, "sample_id": e["sample_id"]}
        for number, e in enumerate(events)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in [spec, *events, *more]), "utf-8")

    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: the evaluation has no final report: it is still running, or it died; 14 events with scores "
        "are written; --log unfinished=yes reads those"
    )
    (log,) = read_logs(path, LogChoice(unfinished=True))
    assert log.answers.runs.shape == (2, 7)
    assert log.left_out == {"error": 1, "no row in the log": 6}
    assert log.others == ("f1/metrics",)
    (log,) = read_logs(path, LogChoice(unfinished=True, metric="f1"))
    assert log.mean() == pytest.approx(15 / 36)
    with pytest.raises(UsageError) as caught_use:
        read_logs(path, LogChoice(unfinished=True, task="other"))
    assert str(caught_use.value) == f"{path}: there is no task 'other'; the log has sums.test.v0"


# promptfoo


@pytest.mark.parametrize("metric", ["passed", "score", "exact", "loose"])
def test_results_of_promptfoo(metric: str) -> None:
    logs = read_logs(FILES / "promptfoo" / "results.json", LogChoice(metric=metric))

    assert [log.model for log in logs] == ["adder (prompt 1)", "adder (prompt 2)"]
    for log in logs:
        assert log.mean() == pytest.approx(log.printed, abs=1e-9)
        assert log.answers.run_names == ("1", "2")
        assert log.left_out["error"] == 2


def test_repeats_of_promptfoo_are_runs_of_one_item() -> None:
    logs = read_logs(FILES / "promptfoo" / "results.json", LogChoice(category="kind"))
    lines = read_logs(FILES / "promptfoo" / "results.jsonl")

    assert [log.answers.runs.shape for log in logs] == [(2, 3), (2, 3)]
    assert logs[0].answers.tags == (("low",), ("high",), ("high",))
    assert logs[0].answers.ids.tolist() == logs[1].answers.ids.tolist()
    assert (logs[0].task, logs[0].others) == ("sums", ("score", "exact", "loose"))
    assert all(np.array_equal(a.answers.runs, b.answers.runs, equal_nan=True) for a, b in zip(logs, lines, strict=True))
    assert logs[0].conditions.prompts != logs[1].conditions.prompts

    path = FILES / "promptfoo" / "results.json"
    assert [log.model for log in read_logs(path, LogChoice(filter="prompt 2"))] == ["adder (prompt 2)"]
    with pytest.raises(UsageError) as caught:
        read_logs(path, LogChoice(filter="prompt 3"))
    assert str(caught.value) == f"{path}: there is no prompt 'prompt 3'; the log has prompt 1, prompt 2"


# Every Eval Ever, by its published schema


def every_eval_ever(folder: Path, rows: list[dict], **more: object) -> Path:
    result = {
        "evaluation_result_id": "a.b",
        "evaluation_name": "bench",
        "metric_config": {"metric_id": "mark", "lower_is_better": False, "min_score": 1.0, "max_score": 5.0},
        "score_details": {"score": 3.0},
    }
    document = {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "eval_library": {"name": "inspect_ai", "version": "0.3"},
        "model_info": {"id": "org/model"},
        "evaluation_results": [result],
        "detailed_evaluation_results": {"file_path": "data/x/f3_samples.jsonl", "total_rows": 3},
        **more,
    }
    (folder / "f3_samples.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return write(folder / "f3.json", document)


def sample(name: str, score: float | None, **more: object) -> dict:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "model_id": "org/model",
        "evaluation_name": "bench",
        "evaluation_result_id": "a.b",
        "sample_id": name,
        "input": {"raw": f"Q {name}", "formatted": f"Q: {name}"},
        "evaluation": {"score": score},
        "metadata": {"subject": name[0]},
        **more,
    }


def test_every_eval_ever(tmp_path: Path) -> None:
    path = every_eval_ever(tmp_path, [sample("a1", 2.0), sample("a2", 4.0), sample("b1", None, error="timeout")])
    (log,) = read_logs(path, LogChoice(category="subject"))

    assert (log.harness, log.model, log.task, log.metric) == ("Every Eval Ever 0.3.0", "org/model", "bench", "mark")
    assert (log.answers.bounds.low, log.answers.bounds.high) == (1.0, 5.0)
    assert (log.mean(), log.printed, log.left_out) == (3.0, 3.0, {"error": 1})
    assert log.answers.tags == (("a",), ("a",), ("b",))
    assert log.notes == ("The evaluation was run with inspect_ai 0.3.",)
    assert read_logs(tmp_path / "f3_samples.jsonl")[0].mean() == 3.0
    assert len(read_logs(tmp_path)) == 1


def test_every_eval_ever_that_does_not_agree_with_itself(tmp_path: Path) -> None:
    path = every_eval_ever(tmp_path, [sample("a1", 2.0), sample("a1", 5.0)])
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path.with_name('f3_samples.jsonl')}: one item has several scores that differ (for example id "
        "'a1': 2 and 5); say what to do: --log repeats=first takes the first of them, repeats=mean their mean"
    )
    (log,) = read_logs(path, LogChoice(repeats="first"))
    assert log.notes[-2:] == (
        "The document announces 3 samples; there are 2.",
        "The log's own mark is 3, but the mean of the scores read here is 2: the log's number is not their mean, or "
        "comes from other items.",
    )

    (tmp_path / "f3_samples.jsonl").unlink()
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: a document of Every Eval Ever (bench), which has one number for all items; its file of "
        "samples, f3_samples.jsonl, is not in the same folder"
    )


def test_a_published_document_of_every_eval_ever(published: Path) -> None:
    """Its one sample is an example of the schema: its mean is not the number that the document shows, which is said."""
    (log,) = read_logs(published / "logs" / "eee")

    assert (log.printed, log.mean(), log.answers.n_items) == (0.75, 1.0, 1)
    assert log.notes[-1].startswith("The log's own accuracy is 0.75, but the mean of the scores read here is 1")


# transformers


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "predict_results.txt",
            "index\tprediction\n0\tentailment\n",
            "predictions of a transformers script, without the right answers: a table with the columns id, gold and "
            "prediction is needed; give PredictionOutput of Trainer.predict to goldproof.score, or join the labels",
        ),
        (
            "all_results.json",
            '{"epoch": 3.0, "eval_accuracy": 0.9, "eval_loss": 0.1, "eval_runtime": 3.1}',
            "numbers from a transformers Trainer for all items together (a loss, times, metrics): there is no score "
            "for each item; give PredictionOutput of Trainer.predict to goldproof.score, or a table with the columns "
            "id, gold and prediction",
        ),
        (
            "trainer_state.json",
            '{"epoch": 3.0, "global_step": 10, "log_history": []}',
            "numbers from a transformers Trainer for all items together (a loss, times, metrics): there is no score "
            "for each item; give PredictionOutput of Trainer.predict to goldproof.score, or a table with the columns "
            "id, gold and prediction",
        ),
    ],
)
def test_what_transformers_scripts_write_lacks(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")

    assert is_log(path)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == f"{path}: {message}"


def test_one_task_with_several_numbers_of_examples_is_several(lighteval: Path) -> None:
    details = next(lighteval.rglob("details_*.parquet"))
    shutil.copy(details, details.with_name(details.name.replace("choose|0", "choose|2")))
    logs = read_logs(lighteval)
    assert [(log.task, log.answers.where["dataset"], log.conditions.n_shots) for log in logs] == [
        ("choose|0", "choose|0", 0),
        ("choose|2", "choose|2", 2),
    ]


def test_a_mean_over_answers_is_told_from_the_mean_over_items(tmp_path: Path) -> None:
    """The counts of promptfoo are of answers: an item of which one answer failed weighs less there."""
    document = json.loads((FILES / "promptfoo" / "results.json").read_text("utf-8"))
    results = [each for each in document["results"]["results"] if each["promptIdx"] == 0]
    lost = next(each for each in results if each["failureReason"] != 2 and each["success"])
    lost["failureReason"] = 2
    document["results"]["results"] = results
    counts = document["results"]["prompts"][0]["metrics"]
    counts["testPassCount"] -= 1
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document), "utf-8")
    (log,) = read_logs(path)
    assert log.mean_over_answers() == pytest.approx(log.printed, abs=1e-9)
    assert log.mean() != pytest.approx(log.printed, abs=1e-3)
    assert log.notes[-1] == (
        f"The log's own passed, {log.printed:.6g}, is the mean over all answers; here each item counts the same, "
        f"however many of its answers have a score: {log.mean():.6g}."
    )
