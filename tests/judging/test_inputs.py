"""Whatever holds the predictions: a file, a frame, rows or arrays give the same judgement; what is wrong is said."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.judging.files import BEFOREHAND, write_jsonl

import goldproof
from goldproof.cli import run_command
from goldproof.errors import DataError, GoldproofError, UsageError

LABELS = ("no", "yes")


def rows(n: int = 120, n_runs: int = 1, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    made = []
    for run in range(n_runs):
        right = rng.random(n) < 0.8
        for i in range(n):
            code = gold[i] if right[i] else 1 - gold[i]
            row = {"id": str(i), "gold": LABELS[gold[i]], "prediction": LABELS[code], "text": f"text {i}"}
            made.append(row | ({"run": str(run)} if n_runs > 1 else {}))
    return made


def write(path: Path, made: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, made[0])
            writer.writeheader()
            writer.writerows(made)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(made), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(made), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path


FORMS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
    "batch": lambda made: pa.RecordBatch.from_pylist(made),
    "rows": list,
    "columns": lambda made: {name: [row[name] for row in made] for name in made[0]},
    "categories": lambda made: pd.DataFrame(made).astype({"gold": "category", "prediction": "category"}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_runs", [1, 3])
def test_a_table_is_scored_as_its_file_is(tmp_path, form, n_runs):
    made = rows(n_runs=n_runs)
    expected = goldproof.score(write(tmp_path / "p.jsonl", made))
    found = goldproof.score(FORMS[form](made))
    assert found.to_arrow().equals(expected.to_arrow())
    assert list(found.notes) == list(expected.notes)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_every_file_of_the_same_rows_gives_the_same(tmp_path, suffix):
    made = rows(n_runs=2)
    expected = goldproof.score(write(tmp_path / "p.jsonl", made))
    assert goldproof.score(write(tmp_path / f"p{suffix}", made)).to_arrow().equals(expected.to_arrow())


@pytest.mark.parametrize("make", [list, np.array, tuple, pd.Series, lambda values: np.array(values, object)])
def test_two_arrays_are_scored_as_a_file_is_and_say_what_the_ids_are(tmp_path, make):
    made = rows()
    expected = goldproof.score(write(tmp_path / "p.jsonl", made))
    found = goldproof.score((make([row["gold"] for row in made]), make([row["prediction"] for row in made])))
    assert found.to_arrow().equals(expected.to_arrow())
    note = "There is no column 'id', so items are identified by row number; --column id=NAME names one."
    assert list(found.notes) == [note, *expected.notes]


def test_frames_are_compared_as_files_are(tmp_path):
    a, b = rows(seed=1), rows(seed=1)
    for row in b[:20]:
        row["prediction"] = row["gold"]
    files = goldproof.compare(write(tmp_path / "a.jsonl", a), write(tmp_path / "b.jsonl", b))
    frames = goldproof.compare(pd.DataFrame(a), pl.DataFrame(b))
    assert frames.to_arrow().equals(files.to_arrow())
    assert frames.names == ("A", "B")


def test_what_a_trainer_predicted_is_scored(tmp_path):
    output = pytest.importorskip("transformers.trainer_utils").PredictionOutput
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 200)
    logits = rng.normal(size=(200, 3)).astype(np.float32) + 2 * np.eye(3, dtype=np.float32)[gold]
    found = goldproof.score(output(logits, gold, {}))
    assert found.sets[0].estimates["accuracy"].value == pytest.approx((logits.argmax(1) == gold).mean())
    assert found.sets[0].calibration is not None
    assert found.notes[0] == "The predictions are taken as logits; probabilities are their softmax."
    numbers = goldproof.score(output(gold + rng.normal(size=200), gold.astype(float) + 0.5, {}))
    assert numbers.metric == "pearson"
    with pytest.raises(DataError) as caught:
        goldproof.score(output(logits, None, {}))
    assert str(caught.value) == "the PredictionOutput: it has no label_ids, so there is no gold to compare with"
    with pytest.raises(DataError) as caught:
        goldproof.score(output(np.zeros((4, 5, 3)), np.zeros((4, 5)), {}))
    assert str(caught.value) == (
        "the PredictionOutput: only one label for each item can be read from it; for tagging give rows with lists of "
        "tags as gold and prediction"
    )


def test_common_names_of_columns_are_guessed():
    made = rows()
    expected = goldproof.score(made)
    for gold, prediction, identity in [
        ("y_true", "y_pred", "doc_id"),
        ("target", "preds", "index"),
        ("Label", "Prediction", "ID"),
        ("labels", "pred", "idx"),
    ]:
        renamed = [{gold: r["gold"], prediction: r["prediction"], identity: r["id"]} for r in made]
        assert goldproof.score(renamed).to_arrow().equals(expected.to_arrow()), (gold, prediction)


def test_fields_inside_fields_are_reached(tmp_path):
    made = rows()
    expected = goldproof.score(made)
    nested = [{"doc": {"label": r["gold"], "id": r["id"]}, "resps": [[r["prediction"]]]} for r in made]
    columns = {"gold": "doc.label", "id": "doc.id", "prediction": "resps.0.0"}
    for source in (nested, write(tmp_path / "n.jsonl", nested), write(tmp_path / "n.parquet", nested)):
        assert goldproof.score(source, columns=columns).to_arrow().equals(expected.to_arrow())
    code = run_command(
        ["score", str(tmp_path / "n.jsonl"), *(f"--column={ours}={theirs}" for ours, theirs in columns.items())]
    )
    assert code == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"gold": "doc.lable", "prediction": "p", "id": "i"},
            "{path}: the first rows have no field 'doc.lable', which was named as 'gold'",
        ),
        ({"gold": "dog.label"}, "{path}: there is no column 'dog.label'; columns found: doc, p, i"),
    ],
)
def test_a_field_that_is_not_there_is_named(tmp_path, columns, message):
    path = write(tmp_path / "n.jsonl", [{"doc": {"label": "a"}, "p": "a", "i": "1"}])
    with pytest.raises(DataError) as caught:
        goldproof.score(path, columns=columns)
    assert str(caught.value) == message.format(path=path)


BAD: list[tuple[Any, str]] = [
    (
        pd.DataFrame({"a": ["x"], "b": ["y"]}),
        "the data frame: predictions need the columns 'gold' and 'prediction'; columns found: a, b; looked for: "
        "gold, true_label, gold_label, y_true, label, labels, target, class, category, quality, token_labels, ner_tags "
        "as 'gold'; prediction, predicted_label, predicted, pred, y_pred, preds, predictions as 'prediction'; say "
        "which they are with --column gold=NAME --column prediction=NAME, in Python "
        "columns={'gold': 'NAME', 'prediction': 'NAME'}",
    ),
    (
        [{"answer": "x", "y_pred": "x"}],
        "the list of rows: predictions need a column 'gold'; columns found: answer, y_pred; looked for: gold, "
        "true_label, gold_label, y_true, label, labels, target, class, category, quality, token_labels, ner_tags; say "
        "which one it is with --column gold=NAME, in Python columns={'gold': 'NAME'} ('answer' may be gold, "
        "prediction or whether the answer is right, so it is not guessed: --column gold=answer)",
    ),
    (
        pd.DataFrame([["a", "b", "a"]], columns=["gold", "prediction", "gold"]),
        "the data frame: two columns are named 'gold'; rename one of them",
    ),
    (
        pa.table([["a"], ["a"], ["b"]], names=["gold", "prediction", "prediction"]),
        "the Arrow table: two columns are named 'prediction'; rename one of them",
    ),
    ((["a", "b"], ["a"]), "(y_true, y_pred): y_true and y_pred must have the same length; got 2 and 1"),
    (
        (np.zeros(3, int), np.zeros((3, 2))),
        "(y_true, y_pred): y_pred must have one answer for each item; got an array of 3 × 2 (of scores for each class, "
        "take the class with the highest)",
    ),
    (
        {"gold": ["a", "b"], "prediction": ["a"]},
        "the dict of columns: the columns must have the same length; got gold 2, prediction 1",
    ),
    (pd.DataFrame({"gold": [], "prediction": []}), "the data frame: there are no rows"),
    (
        17,
        "predictions are a path or several, a pandas or polars DataFrame, an Arrow table, a list of dicts, a dict of "
        "columns, (y_true, y_pred), or a PredictionOutput of transformers; got int",
    ),
    (
        ["a.jsonl", 3, None],
        "predictions are a path or several, a pandas or polars DataFrame, an Arrow table, a list of dicts, a dict of "
        "columns, (y_true, y_pred), or a PredictionOutput of transformers; got a list of 3 (str, int, NoneType)",
    ),
    (
        [{"id": 1, "gold": None, "prediction": "a"}, {"id": 2, "gold": "a", "prediction": "a"}],
        "the list of rows: row 0: 'gold' is missing or null; every row needs it",
    ),
    (
        [{"gold": "a", "prediction": "a", "run": "1"}, {"gold": "a", "prediction": "a", "run": "2"}],
        "the list of rows: predictions from several places ('run') need a column 'id' that says which items are the "
        "same; columns found: gold, prediction, run; name one with --column id=NAME, or say with --by-row that their "
        "rows are in the same order",
    ),
]


@pytest.mark.parametrize(("source", "message"), BAD, ids=range(len(BAD)))
def test_bad_tables(source, message):
    with pytest.raises(GoldproofError) as caught:
        goldproof.score(source)
    assert str(caught.value) == message


def test_values_of_two_kinds_in_one_column_are_refused():
    for source in (pd.DataFrame({"gold": ["a", 1], "prediction": ["a", "b"]}), [{"gold": "a"}, {"gold": 1}]):
        with pytest.raises(DataError, match="the column 'gold' cannot be read: its values are not of one kind"):
            goldproof.score(source)


def test_one_column_has_one_part(tmp_path, capsys):
    path = write(tmp_path / "p.jsonl", [{"id": 1, "x": "a"}])
    assert run_command(["score", str(path), "--column", "gold=x", "--column", "prediction=x"]) == 2
    assert capsys.readouterr().err == (
        "error: the column 'x' is given both as 'gold' and as 'prediction'; a column can have only one role\n"
    )


class TestByRow:
    def test_files_without_ids_need_it(self, tmp_path, capsys):
        bare = [{"gold": row["gold"], "prediction": row["prediction"], "text": row["text"]} for row in rows()]
        a, b = write(tmp_path / "a.jsonl", bare), write(tmp_path / "b.jsonl", bare)
        assert run_command(["compare", str(a), str(b)]) == 2
        assert capsys.readouterr().err == (
            f"error: {a}: predictions need a column 'id'; columns found: gold, prediction, text; looked for: id, "
            "idx, guid, index_id, pairid, uid, doc_id, index, item; say which one it is with --column id=NAME, in "
            "Python columns={'id': 'NAME'}; or match the rows of both by row number with --by-row\n"
        )
        assert run_command(["compare", str(a), str(b), "--by-row"]) == 0

    def test_it_gives_what_ids_give(self):
        a, b = rows(seed=1), rows(seed=1)
        for row in b[:20]:
            row["prediction"] = row["gold"]
        expected = goldproof.compare(a, b)
        bare = [[{k: v for k, v in row.items() if k != "id"} for row in side] for side in (a, b)]
        found = goldproof.compare(*bare, settings=goldproof.Settings(by_row=True))
        assert found.to_arrow().equals(expected.to_arrow())

    def test_texts_must_be_the_same(self):
        a, b = rows(), rows()
        b[3], b[4] = b[4], b[3]
        with pytest.raises(DataError) as caught:
            goldproof.compare(a, b, settings=goldproof.Settings(by_row=True))
        assert str(caught.value) == (
            "matching by row needs the same texts, and 2 of 120 differ in 'text', first in row 4; give both files in "
            "one order, or ids"
        )

    def test_as_many_rows_are_needed(self):
        with pytest.raises(DataError) as caught:
            goldproof.compare(rows(120), rows(100), settings=goldproof.Settings(by_row=True))
        assert str(caught.value) == (
            "matching by row needs the same number of rows in A and B (all): A has 120, B has 100"
        )

    def test_runs_are_matched_by_row_and_their_texts_compared(self):
        made = [{k: v for k, v in row.items() if k != "id"} for row in rows(n_runs=3)]
        found = goldproof.score(made, settings=goldproof.Settings(by_row=True))
        assert found.to_arrow().equals(goldproof.score(rows(n_runs=3)).to_arrow())
        assert found.notes[0] == "Items are identified by row number, as requested."
        made[130]["text"] = "another"
        with pytest.raises(DataError) as caught:
            goldproof.score(made, settings=goldproof.Settings(by_row=True))
        assert str(caught.value) == (
            "matching by row needs the same texts in every run, but 'text' differs in row 11; give the rows of all "
            "runs in one order, or ids"
        )


class TestMissing:
    """A null prediction is wrong, left out or refused; it is always counted and never costs the file."""

    def holes(self, n_runs: int = 1) -> list[dict[str, Any]]:
        made = rows(n_runs=n_runs)
        for i in (3, 7, 50):
            made[i]["prediction"] = None
        return made

    @pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", ".json"])
    def test_it_is_wrong_by_default_and_said(self, tmp_path, suffix):
        made = self.holes()
        found = goldproof.score(write(tmp_path / f"p{suffix}", made))
        right = np.mean([row["gold"] == row["prediction"] for row in made])
        assert found.sets[0].estimates["accuracy"].value == pytest.approx(right)
        assert found.sets[0].n_items == 120
        assert found.notes[0] == "3 of 120 predictions are missing and count as wrong (--missing leave-out instead)."

    def test_it_has_no_f1_of_its_own(self):
        made = self.holes()
        gold, predicted = ([row[k] for row in made] for k in ("gold", "prediction"))
        each = []
        for label in LABELS:
            hits = sum(g == p == label for g, p in zip(gold, predicted, strict=True))
            each.append(2 * hits / (gold.count(label) + predicted.count(label)))
        assert goldproof.score(made).sets[0].estimates["macro_f1"].value == pytest.approx(np.mean(each))

    def test_matthews_correlation_counts_it_as_an_answer_that_is_never_gold(self):
        metrics = pytest.importorskip("sklearn.metrics")
        made = self.holes()
        gold = [row["gold"] for row in made]
        expected = metrics.matthews_corrcoef(gold, [row["prediction"] or "none" for row in made])
        assert goldproof.score(made).sets[0].estimates["mcc"].value == pytest.approx(expected)

    def test_it_is_left_out_of_every_run(self):
        found = goldproof.score(self.holes(3), settings=goldproof.Settings(missing="leave-out"))
        assert found.sets[0].n_items == 117
        assert list(found.notes[:2]) == [
            "3 of 360 predictions are missing (run 0 3) and are left out, in every run (--missing wrong instead).",
            "117 of 120 items are left, those that every run answered.",
        ]
        kept = [row for row in rows(n_runs=3) if int(row["id"]) not in (3, 7, 50)]
        assert found.to_arrow().equals(goldproof.score(kept).to_arrow())

    def test_it_is_refused_with_its_line(self, tmp_path):
        path = write(tmp_path / "p.jsonl", self.holes())
        with pytest.raises(DataError) as caught:
            goldproof.score(path, settings=goldproof.Settings(missing="refuse"))
        assert str(caught.value) == (
            f"{path}, line 4: 'prediction' is missing or null; --missing takes wrong, leave-out to allow that"
        )

    def test_compared_items_are_left_out_of_both_sides(self):
        a, b = self.holes(), rows()
        b[9]["prediction"] = None
        found = goldproof.compare(a, b, settings=goldproof.Settings(missing="leave-out"))
        assert found.overall.difference.n == 116
        assert list(found.notes) == [
            "A: 3 of 120 predictions are missing and are left out, in every run (--missing wrong instead).",
            "B: 1 of 120 predictions is missing and is left out, in every run (--missing wrong instead).",
            "116 of 120 items are left, those that every run answered.",
            BEFOREHAND,
        ]
        wrong = goldproof.compare(a, b)
        assert wrong.overall.difference.n == 120
        assert wrong.overall.a.value == pytest.approx(np.mean([row["gold"] == row["prediction"] for row in a]))

    def test_numbers_are_refused_by_default_and_never_wrong(self, tmp_path):
        made = [{"id": i, "gold": i / 7, "prediction": i / 9 + (i % 3)} for i in range(60)]
        made[5]["prediction"] = None
        path = write(tmp_path / "p.jsonl", made)
        with pytest.raises(DataError) as caught:
            goldproof.score(path)
        assert (
            str(caught.value)
            == f"{path}, line 6: 'prediction' is missing or null; --missing takes leave-out to allow that"
        )
        with pytest.raises(UsageError) as wrong:
            goldproof.score(path, settings=goldproof.Settings(missing="wrong"))
        assert str(wrong.value) == (
            "a missing number cannot count as wrong, because no number is the worst; allowed: leave-out, refuse"
        )
        assert goldproof.score(path, settings=goldproof.Settings(missing="leave-out")).sets[0].n_items == 59

    def test_tags_that_are_missing_find_no_span(self):
        made = [{"id": i, "gold": ["B-X", "O"], "prediction": ["B-X", "O"]} for i in range(30)]
        made[4]["prediction"] = None
        assert goldproof.score(made).sets[0].estimates["span_f1"].value == pytest.approx(2 * 29 / (30 + 29))

    def test_whole_numbers_that_a_frame_wrote_with_a_point_are_classes(self, tmp_path):
        frame = pd.DataFrame({"gold": [0, 1, 1, 0] * 20, "prediction": [0, 1, None, 0] * 20})
        assert frame["prediction"].dtype == float
        frame.to_csv(tmp_path / "p.csv", index=False)
        for source in (frame, tmp_path / "p.csv"):
            found = goldproof.score(source)
            assert (found.metric, found.sets[0].estimates["accuracy"].value) == ("accuracy", 0.75)

    def test_an_unknown_way_is_refused(self, tmp_path, capsys):
        path = write(tmp_path / "p.jsonl", rows())
        assert run_command(["score", str(path), "--missing", "zero"]) == 2
        assert capsys.readouterr().err == "error: missing answers can be wrong, leave-out, refuse; got 'zero'\n"

    def test_all_missing_is_said_and_nothing_is_left_out_of(self):
        made = [row | {"prediction": None} for row in rows(20)]
        assert goldproof.score(made).sets[0].estimates["accuracy"].value == 0.0
        with pytest.raises(DataError) as caught:
            goldproof.score(made, settings=goldproof.Settings(missing="leave-out"))
        assert str(caught.value) == "no item is left: each of the 20 lacks a prediction in some run"

    def test_streamed_files_count_them_too(self, tmp_path):
        from goldproof.judging import streaming

        path = write(tmp_path / "p.jsonl", self.holes())
        found = streaming.score_stream(path, None, goldproof.Settings())
        expected = goldproof.score(path)
        for name in ("accuracy", "mcc", "macro_f1"):
            assert found.sets[0].estimates[name].value == pytest.approx(expected.sets[0].estimates[name].value)
        assert found.notes[0] == "3 of 120 predictions are missing and count as wrong."
        with pytest.raises(UsageError) as caught:
            streaming.score_stream(path, None, goldproof.Settings(missing="leave-out"))
        assert str(caught.value) == (
            "--missing leave-out needs single items, and these 120 rows are streamed; allowed: wrong, refuse"
        )


class TestCheck:
    """`check` takes what `score` takes."""

    def test_frames_by_split_give_what_files_give(self, tmp_path):
        train = [{"text": f"a sentence of number {i}", "label": LABELS[i % 2]} for i in range(40)]
        test = [*train[:5], *({"text": f"another sentence {i}", "label": "yes"} for i in range(20))]
        files = [write(tmp_path / "train.jsonl", train), write(tmp_path / "test.jsonl", test)]
        expected = goldproof.check(files)
        for splits in (
            {"train": pd.DataFrame(train), "test": pl.DataFrame(test)},
            {"train": train, "test": files[1]},
        ):
            found = goldproof.check(splits)
            kinds = [(f.kind, f.count, f.total) for f in found.findings]
            assert kinds == [(f.kind, f.count, f.total) for f in expected.findings]
            assert ("shared-item", 5, 25) in kinds

    def test_one_path_and_one_frame_may_be_given(self, tmp_path):
        made = [{"text": f"a sentence of number {i // 2}", "label": LABELS[i % 2]} for i in range(40)]
        path = write(tmp_path / "data.jsonl", made)
        kinds = [finding.kind for finding in goldproof.check(path).findings]
        assert "conflict" in kinds
        assert [finding.kind for finding in goldproof.check(pd.DataFrame(made)).findings] == kinds

    def test_a_frame_without_a_text_is_refused(self):
        with pytest.raises(DataError, match="the data frame: data need a column 'text'; columns found: a;"):
            goldproof.check(pd.DataFrame({"a": [1]}))
        with pytest.raises(UsageError, match=r"^data to check are a path or several, .*; got int$"):
            goldproof.check(17)


class TestSilence:
    """What was read without a word and is now refused or said."""

    def rows(self, probabilities):
        return [
            {"id": i, "gold": gold, "prediction": gold, "probabilities": cell}
            for i, (gold, cell) in enumerate(zip(("yes", "no"), probabilities, strict=True))
        ]

    def test_probabilities_of_other_labels(self, tmp_path):
        rows = self.rows([{"LABEL_0": 0.3, "LABEL_1": 0.7}, {"LABEL_0": 0.8, "LABEL_1": 0.2}])
        path = write_jsonl(tmp_path / "p.jsonl", rows)
        with pytest.raises(DataError) as error:
            goldproof.score(path)
        assert str(error.value) == (
            f"{path}, line 1: 'probabilities' has the labels LABEL_0, LABEL_1; prediction is 'yes'"
        )

    def test_probabilities_against_the_prediction(self, tmp_path):
        path = write_jsonl(tmp_path / "p.jsonl", self.rows([[0.9, 0.1], [0.8, 0.2]]))
        assert goldproof.score(path).notes[0] == (
            "In 1 of 2 rows (50.0 %) the prediction is not the label with the largest probability: perhaps the "
            "columns do not belong together, or the labels are in another order."
        )
        fitting = write_jsonl(tmp_path / "q.jsonl", self.rows([[0.1, 0.9], [0.8, 0.2]]))
        assert not any("largest probability" in note for note in goldproof.score(fitting).notes)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('{"id": 1, "gold": "a", "gold": "b", "prediction": "a"}', "the key 'gold' occurs twice in one object"),
            ('{"id": 1, "gold": 1e400, "prediction": 2.5}', "the number 1e400 is too large"),
            ('{"id": 1, "gold": NaN, "prediction": 2.5}', "NaN is not a JSON number"),
        ],
    )
    def test_json_that_python_would_let_pass(self, tmp_path, line, said):
        path = tmp_path / "p.jsonl"
        path.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(DataError) as error:
            goldproof.score(path)
        assert str(error.value) == f"{path}, line 1: not JSON: {said}"
        listed = tmp_path / "p.json"
        listed.write_text(f"[{line}]", encoding="utf-8")
        with pytest.raises(DataError) as error:
            goldproof.score(listed)
        assert str(error.value) == f"{listed}: not JSON: {said}"
