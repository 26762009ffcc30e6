"""Plain tables of scores, long and wide, and a published board of 93 models as one of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError
from goldproof.judging.compare import compare
from goldproof.judging.score import score


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


LONG = [
    {"id": "1", "model": "a", "score": 1.0, "run": 1, "category": "x", "cluster": "p"},
    {"id": "2", "model": "a", "score": 0.5, "run": 1, "category": "y", "cluster": "p"},
    {"id": "1", "model": "a", "score": 0.0, "run": 2, "category": "x", "cluster": "p"},
    {"id": "1", "model": "b", "score": None, "run": 1, "category": "x", "cluster": "p"},
    {"id": "2", "model": "b", "score": 0.25, "run": 1, "category": "y", "cluster": "p"},
]


def written(folder: Path, form: str) -> Path:
    path = folder / f"long.{form}"
    if form == "jsonl":
        return write(path, "".join(json.dumps(row) + "\n" for row in LONG))
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(LONG), path)
        return path
    sign = "," if form == "csv" else "\t"
    rows = [sign.join("" if value is None else str(value) for value in row.values()) for row in LONG]
    return write(path, "\n".join([sign.join(LONG[0]), *rows]) + "\n")


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_a_long_table_has_a_log_for_each_model(tmp_path: Path, form: str) -> None:
    a, b = read_logs(written(tmp_path, form))

    assert (a.harness, a.model, a.metric, dict(a.answers.where)) == ("table", "a", "score", {"model": "a"})
    assert np.array_equal(a.answers.runs, [[1, 0.5], [0, np.nan]], equal_nan=True)
    assert (a.answers.run_names, a.answers.tags, a.left_out) == (("1", "2"), (("x",), ("y",)), {"no row in the log": 1})
    assert a.answers.clusters.tolist() == [0, 0]
    assert (b.model, b.left_out) == ("b", {"no score": 1})


def test_runs_are_trainings_and_repeats_are_one_system_asked_again(tmp_path: Path) -> None:
    rows = "1,1,0\n2,1,1\n1,2,1\n2,2,1\n"
    for name, kind in (("run", "seed"), ("seed", "seed"), ("repeat", "repeat"), ("epoch", "repeat")):
        (log,) = read_logs(write(tmp_path / f"{name}.csv", f"id,{name},score\n{rows}"))
        assert (log.answers.run_kind, log.answers.runs.tolist()) == (kind, [[0, 1], [1, 1]])
    both = write(tmp_path / "both.csv", "id,run,repeat,score\n1,1,1,0\n1,1,2,1\n2,1,1,1\n")
    with pytest.raises(DataError, match=r"one item has several scores that differ \(for example id '1' of run '1'"):
        read_logs(both)
    (log,) = read_logs(both, LogChoice(repeats="mean"))
    assert log.answers.runs.tolist() == [[0.5, 1]]


def test_columns_that_were_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "question,mark,note\n1,0.5,x\n2,1,y\n")
    named = {"id": "question", "score": "mark"}
    assert not is_log(path)
    assert is_log(path, named)
    (log,) = read_logs(path, LogChoice(columns=named))
    assert (log.metric, log.answers.ids.tolist(), log.mean()) == ("mark", ["1", "2"], 0.75)
    with pytest.raises(UsageError) as caught:
        is_log(path, {"id": "no", "score": "mark"})
    assert str(caught.value) == f"{path}: there is no column 'no'; the table has question, mark, note"
    assert not is_log(path, {"id": "question", "gold": "mark"})  # what is named is a table of labels


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_wide_table_has_a_log_for_each_column(tmp_path: Path, form: str) -> None:
    rows = [
        {"id": "q1", "big": 1, "small": 0},
        {"id": "q2", "big": 0.5, "small": None},
        {"id": "q3", "big": 1, "small": 1},
    ]
    if form == "jsonl":
        path = write(tmp_path / "wide.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    else:
        path = write(tmp_path / "wide.csv", "id,big,small\nq1,1,0\nq2,0.5,\nq3,true,1\n")
    big, small = read_logs(path)

    assert (big.model, big.answers.runs.tolist()) == ("big", [[1.0, 0.5, 1.0]])
    assert np.array_equal(small.answers.runs, [[0, np.nan, 1]], equal_nan=True)
    assert small.left_out == {"no score": 1}
    assert is_log(path)


def test_a_column_of_another_name_is_the_score_when_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,exact,f1,note\n1,1,0.5,a\n2,0,0.25,b\n")
    (log,) = read_logs(write(tmp_path / "b.csv", "id,score,f1\n1,1,0.5\n2,0,0.25\n"), LogChoice(metric="f1"))

    assert (log.metric, log.mean()) == ("f1", 0.375)
    assert not is_log(path)
    with pytest.raises(UsageError) as caught:
        read_logs(tmp_path / "b.csv", LogChoice(metric="acc"))
    assert str(caught.value) == f"{tmp_path / 'b.csv'}: there is no column 'acc'; the table has id, score, f1"


def test_tables_with_gold_and_predictions_are_judged_by_their_labels(tmp_path: Path) -> None:
    for header in ("id,gold,prediction,score", "id,text,label", "id,gold,prediction,logit"):
        assert not is_log(write(tmp_path / "a.csv", f"{header}\n" + ",".join("1" for _ in header.split(",")) + "\n"))


@pytest.mark.parametrize(
    ("text", "choice", "message"),
    [
        ("id,score\n1,0.5\n2,good\n", LogChoice(), ", line 3: 'score' must be a number; got 'good'"),
        ("id,score\n,0.5\n2,1\n", LogChoice(), ": 'id' is empty in 1 row"),
        ("id,score\n1,0\n1,1\n2,1\n", LogChoice(), (
                ": one item has several scores that differ (for example id '1': 0 and 1); say what to do: --log "
                "repeats=first takes the first of them, repeats=mean their mean"
            )),
        ("id,model,score\n1,a,0\n1,a,1\n2,b,1\n2,b,0.5\n", LogChoice(), (
                ": 2 items have several scores that differ (for example id '1' of model 'a': 0 and 1); say what to "
                "do: --log repeats=first takes the first of them, repeats=mean their mean"
            )),
        ("id,task,score\n1,a,0\n1,b,0\n", LogChoice(), (
                ": the id '1' occurs in the tasks 'a' and 'b'; choose one task, or call the column 'dataset' to "
                "judge them separately"
            )),
    ],
)  # fmt: skip
def test_bad_tables(tmp_path: Path, text: str, choice: LogChoice, message: str) -> None:
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(DataError) as caught:
        read_logs(path, choice)
    assert str(caught.value) == f"{path}{message}"


def test_tasks_are_categories_and_one_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,task,score\n1,a,0\n2,b,1\n3,b,1\n")

    assert read_logs(path)[0].answers.tags == (("a",), ("b",), ("b",))
    (log,) = read_logs(path, LogChoice(task="b"))
    assert (log.task, log.answers.ids.tolist()) == ("b", ["2", "3"])
    with pytest.raises(UsageError) as caught:
        read_logs(path, LogChoice(task="c"))
    assert str(caught.value) == f"{path}: there is no task 'c'; the log has a, b"
    one, two = read_logs(write(tmp_path / "b.csv", "id,dataset,score\n1,a,0\n1,b,1\n"))
    assert (one.task, two.task) == ("a", "b")


def test_scores_that_are_not_numbers_are_counted_and_never_taken_for_zero(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", '{"id": 1, "score": NaN}\n{"id": 2, "score": 1}\n{"id": 3}\n{"id": 4, "score": "?"}\n'
    )
    (log,) = read_logs(path)

    assert log.mean() == 1.0
    assert log.left_out == {"the score is not a number": 1, "no score": 2}


def test_fractions_after_many_whole_numbers_are_kept(tmp_path: Path) -> None:
    rows = [{"id": number, "score": 1} for number in range(80)] + [{"id": 80, "score": 0.5}]
    (log,) = read_logs(write(tmp_path / "a.jsonl", "\n".join(json.dumps(row) for row in rows)))
    assert log.answers.runs[0, 80] == 0.5

    rows = [{"id": number, "score": True} for number in range(80)] + [{"id": "b", "score": 0.5}]
    (log,) = read_logs(write(tmp_path / "b.jsonl", "\n".join(json.dumps(row) for row in rows)))
    assert (log.answers.ids[-1], log.answers.runs[0, 80], log.answers.runs[0, 0]) == ("b", 0.5, 1.0)


class TestLiveBench:
    """93 models and 1,136 questions, with 590 rows too many, of which 59 have another score."""

    def test_scores_that_conflict_are_refused_unless_a_rule_is_given(self, published: Path) -> None:
        path = published / "boards" / "livebench.parquet"
        with pytest.raises(DataError) as caught:
            read_logs(path)
        assert f"{path}: 59 items have several scores that differ (for example id '" in str(caught.value)

        logs = read_logs(path, LogChoice(repeats="first"))
        assert len(logs) == 93
        assert sum(log.answers.n_items for log in logs) == 93_624 - 590
        assert sum(log.answers.n_items == 1_136 for log in logs) == 41
        assert {name for log in logs for tags in log.answers.tags for name in tags} >= {"reasoning", "web_of_lies_v2"}

    def test_means_and_a_paired_difference_by_hand(self, published: Path) -> None:
        path = published / "boards" / "livebench.parquet"
        rows = pq.read_table(path).to_pylist()
        by_model: dict[str, dict[str, list[float]]] = {}
        for row in rows:
            by_model.setdefault(row["model"], {}).setdefault(row["question_id"], []).append(row["score"])
        logs = {log.model: log for log in read_logs(path, LogChoice(repeats="mean"))}

        for model, scores in by_model.items():
            assert logs[model].mean() == pytest.approx(np.mean([np.mean(s) for s in scores.values()]), abs=1e-9)
        one, two = [model for model in by_model if len(by_model[model]) == 1_136][:2]
        difference = np.mean([np.mean(by_model[one][q]) - np.mean(by_model[two][q]) for q in by_model[one]])
        ours = [dict(zip(logs[m].answers.ids, logs[m].answers.runs[0], strict=True)) for m in (one, two)]
        assert np.mean([ours[0][q] - ours[1][q] for q in ours[0]]) == pytest.approx(difference, abs=1e-9)

        found = compare(logs[one].answers, logs[two].answers).overall
        test = stats.ttest_rel(*([np.mean(by_model[model][q]) for q in by_model[one]] for model in (two, one)))
        interval = test.confidence_interval(0.95)
        assert found.difference.value == pytest.approx(-difference, abs=1e-9)
        assert found.p_value == pytest.approx(test.pvalue, rel=1e-6)
        assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high), rel=1e-6)

    def test_categories_by_hand(self, published: Path) -> None:
        path = published / "boards" / "livebench.parquet"
        table = (
            pq.read_table(path).to_pandas().groupby(["model", "question_id", "category"], as_index=False).score.mean()
        )
        (log,) = (log for log in read_logs(path, LogChoice(repeats="mean")) if log.model == "gpt-4o-2024-08-06")
        by_tag = {tag.tag: tag.estimate for tag in score(log.answers).tags}
        by_hand = table[table.model == log.model].groupby("category").score
        for name, mean in by_hand.mean().items():
            assert by_tag[name].value == pytest.approx(mean, abs=1e-9)
            assert by_tag[name].n == by_hand.count()[name]
