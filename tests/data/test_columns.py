"""One shaper: a file of data and a file of predictions with the same columns are read alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.data.answers import Answers
from goldproof.data.arrange import arrange
from goldproof.data.checking.checks import check
from goldproof.data.columns import Columns, find_columns, guess_columns
from goldproof.data.predictions import Reading, iter_prediction_batches, read_predictions, read_with
from goldproof.data.readers import read
from goldproof.errors import DataError, UsageError

PATH = Path("a.csv")


def _guessed(found: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What both kinds of file make of the same header, in the words of data."""
    data = guess_columns(Columns(), found, PATH).parts
    predictions = find_columns({}, [*found, "prediction"], PATH, needed=())
    predictions["label"] = predictions.pop("gold", None)
    shared = ("id", "text", "pair", "label", "language", "split")
    return {k: data[k] for k in shared if k in data}, {k: v for k, v in predictions.items() if k in shared and v}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("id,premise,hypothesis,label", {"id": "id", "text": "premise", "pair": "hypothesis", "label": "label"}),
        ("GUID,Sentence1,Sentence2,Gold Label", {"id": "GUID", "text": "Sentence1", "pair": "Sentence2"}),
        ("\ufeffidx, text ,y_true,Lang", {"id": "\ufeffidx", "text": " text ", "label": "y_true", "language": "Lang"}),
        ("pairID,sentence1_de,sentence2_de,gold_label,split", {"text": "sentence1_de", "pair": "sentence2_de"}),
        ("uid,text-a,text-b,labels", {"id": "uid", "text": "text-a", "pair": "text-b", "label": "labels"}),
        ("index_id,category,text", {"id": "index_id", "text": "text", "label": "category"}),
        ("text,label,gold", {"text": "text", "label": "gold"}),
        ("text,label,category", {"text": "text", "label": "label"}),
        ("text,target,class", {"text": "text", "label": "target"}),
        ("question,target", {"text": "question", "label": "target"}),
        ("sentence,pair,quality", {"text": "sentence", "pair": "pair", "label": "quality"}),
        ("Quality,#1 String,#2 String", {"text": "#1 String", "pair": "#2 String", "label": "Quality"}),
        ("premise,true_label", {"text": "premise", "label": "true_label"}),
    ],
)
def test_both_kinds_of_file_guess_the_same(header: str, expected: dict[str, str]) -> None:
    data, predictions = _guessed(header.split(","))
    assert data == predictions
    assert data.items() >= expected.items()


def test_where_the_kinds_differ_it_is_on_purpose() -> None:
    """A document may come again in data, not among the items answered; a score is a target, or how sure a model is."""
    found = ["doc_id", "text", "score", "tags"]
    assert guess_columns(Columns(), found, PATH) == Columns(text="text", score="score")
    assert find_columns({}, found, PATH, needed=()) == {"id": "doc_id", "tags": "tags", "text": "text"}
    named = Columns(text="body")
    assert guess_columns(named, ["body", "pair"], PATH).pair is None
    assert find_columns({"text": "body"}, ["body", "pair"], PATH, needed=())["pair"] == "pair"


def test_half_of_an_unknown_pair_is_no_text() -> None:
    found = ["question", "answer", "label"]
    assert "text" not in find_columns({}, found, PATH, needed=())
    with pytest.raises(DataError) as caught:
        guess_columns(Columns(), found, PATH)
    assert str(caught.value) == (
        "a.csv: data need a column 'text'; columns found: question, answer, label; looked for: text, sentence, "
        "content, review, document, premise, sentence1, question1, text1, question; say which one it is with "
        "--column text=NAME (corrupt: --columns NAME; settings: columns.text=NAME), in Python text='NAME'"
    )


def test_a_category_beside_an_answer_is_not_taken_for_gold() -> None:
    with pytest.raises(DataError) as caught:
        find_columns({}, ["id", "answer", "category", "prediction"], PATH)
    assert str(caught.value) == (
        "a.csv: predictions need a column 'gold'; columns found: id, answer, category, prediction; looked for: gold, "
        "true_label, gold_label, y_true, label, labels, target, class, category, quality, token_labels, ner_tags; say "
        "which one it is with --column gold=NAME, in Python columns={'gold': 'NAME'} ('answer' may be gold, "
        "prediction or whether the answer is right, so neither it nor 'category' is guessed: --column gold=answer or "
        "--column gold=category)"
    )
    assert find_columns({"prediction": "answer"}, ["id", "answer", "category"], PATH)["gold"] == "category"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": "x", "id": "y"}, "a.csv: there is no column 'y'; columns found: x"),
        (
            {"text": "x", "id": "x"},
            "the column 'x' is given both as 'text' and as 'id'; a column can have only one role",
        ),
    ],
)
def test_named_columns_are_checked_alike(given: dict[str, str], message: str) -> None:
    for call in (
        lambda: guess_columns(Columns.by_part(given), ["x"], PATH),
        lambda: find_columns(given, ["x"], PATH),
    ):
        with pytest.raises((DataError, UsageError)) as caught:
            call()
        assert str(caught.value) == message


def _files(tmp_path: Path, rows: list[dict[str, Any]]) -> list[Any]:
    """The same rows as JSON Lines, CSV, Parquet and a data frame."""
    frame = pd.DataFrame(rows)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame.to_csv(tmp_path / "a.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "a.parquet")
    return [tmp_path / "a.jsonl", tmp_path / "a.csv", tmp_path / "a.parquet"]


def _labels(path: Path) -> tuple[list[str], list[str]]:
    return list(read(path).table.column("label").to_pylist()), read_predictions(path).values("gold")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, 0, 1], ["1", "0", "1"]), (["a", "b", "a"], ["a", "b", "a"]), ([1.0, 0.0, 1.0], ["1", "0", "1"])],
)
def test_labels_are_read_alike_in_every_format(tmp_path: Path, labels: list[Any], expected: list[str]) -> None:
    rows = [{"id": i, "text": f"t{i}", "label": label, "prediction": 1} for i, label in enumerate(labels)]
    for path in _files(tmp_path, rows):
        assert _labels(path) == (expected, expected), path.name


def test_booleans_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "text": "t", "label": true, "prediction": false}\n')
    assert _labels(path) == (["true"], ["true"])


def test_one_class_is_not_two_by_its_point(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text,label,prediction\n1,a,1.0,1\n2,b,1,1.0\n3,c,unsure,0.0\n")
    assert _labels(path) == (["1", "1", "unsure"], ["1", "1", "unsure"])
    assert read_predictions(path).values("prediction") == ["1", "1", "0"]
    assert read(path, labels={"1.0": "yes", "1": "yes", "unsure": "no"}).labels == ("no", "yes")
    kept = read_predictions(path, labels=["0", "1", "1.0", "unsure"])
    assert kept.values("gold") == ["1.0", "1", "unsure"]


def test_whole_numbers_with_a_hole_are_classes_in_data_too(tmp_path: Path) -> None:
    """A frame of train and test, whose labels are hidden, has numbers with a point."""
    frame = pd.DataFrame({"text": ["a", "b"], "label": [1, None], "split": ["train", "test"]})
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").table.column("label").to_pylist() == ["1", None]
    assert dict(check(frame).splits[0].labels) == {"1": 1}


def test_a_class_that_is_a_fraction_is_refused_after_whole_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i},1,1.0" for i in range(40_000)] + ["x,1,0.5"]
    path.write_text("id,gold,prediction\n" + "\n".join(rows) + "\n")
    with pytest.raises(DataError) as caught:
        read_predictions(path)
    message = "'prediction' must be a whole number, as in earlier rows; got '0.5'"
    assert str(caught.value) == f"{path}, line 40002: {message}"


@pytest.mark.parametrize("reader", [lambda path: read(path, tags="tags"), read_predictions])
def test_tags_are_read_alike(reader: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"id": i, "text": "t", "label": "a", "prediction": "a"} for i in range(2)]
    for cells, expected in [
        ((3, 4), [["3"], ["4"]]),
        (("x; y", None), [["x", "y"], []]),
        ((["x ", ""], ["z"]), [["x"], ["z"]]),
        ((["x"], ["y", "z"]), [["x"], ["y", "z"]]),
        (([1, 2], [0.5]), [["1", "2"], ["0.5"]]),
    ]:
        lines = [json.dumps(row | {"tags": tags}) for row, tags in zip(rows, cells, strict=True)]
        path.write_text("\n".join(lines))
        assert reader(path).table.column("tags").to_pylist() == expected
    path.write_text(json.dumps(rows[0] | {"tags": {"a": 1}}))
    with pytest.raises(DataError) as caught:
        reader(path)
    assert str(caught.value) == (
        f"{path}, line 1: 'tags' must be tags: text or a number, several joined by ';' or in a list; got a mapping: "
        "[('a', 1.0)]"
    )


def test_fields_inside_fields_are_reached_in_data_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc": {"body": "A cat", "gold": "yes"}}\n')
    (row,) = read(path, text="doc.body", label="doc.gold")
    assert (row["text"], row["label"]) == ("A cat", "yes")
    with pytest.raises(DataError) as caught:
        read(path, text="doc.body", label="doc.label")
    assert str(caught.value) == f"{path}: the first rows have no field 'doc.label', which was named as 'label'"


def test_a_cell_has_no_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,doc,text,prediction\n1,a,b,c\n")
    for call in (lambda: read(path, label="doc.label"), lambda: read_predictions(path, {"gold": "doc.label"})):
        with pytest.raises(DataError) as caught:
            call()
        message = f"{path}: there is no column 'doc.label'; columns found: id, doc, text, prediction"
        assert str(caught.value) == message


def _answers(source: Any, **how: Any) -> Answers:
    (answers,), _ = arrange(read_with(source, Reading(**how)))
    return answers


def test_texts_of_predictions_are_kept_under_their_common_names() -> None:
    rows = [{"id": i, "gold": "a", "prediction": "a", "premise": f"p{i}", "hypothesis": f"h{i}"} for i in range(2)]
    assert _answers(rows).texts == {"text": ["p0", "p1"], "pair": ["h0", "h1"]}
    rows[0]["hypothesis"] = None
    assert _answers(rows).texts == {"text": ["p0", "p1"], "pair": ["", "h1"]}


def test_a_guess_of_a_text_does_not_cost_the_predictions(tmp_path: Path) -> None:
    """A column of such a name that holds no text is passed over, unless it was named."""
    rows = [{"id": 1, "gold": "a", "prediction": "a", "document": {"title": "x"}, "step": 3}]
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(rows[0]))
    for source in (rows, path):
        assert _answers(source).texts == {}
    with pytest.raises(DataError) as caught:
        read_predictions(path, {"text": "document"})
    message = '\'document\' must be a text, a number or a list of these; got {"title": "x"}'
    assert str(caught.value) == f"{path}, line 1: {message}"


def test_texts_that_nobody_reads_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,gold,prediction,sentence1,sentence2\n1,a,b,c,d\n")
    (batch,) = iter_prediction_batches(path, without=("text", "pair"))
    assert batch.schema.names == ["id", "gold", "prediction"]


def test_a_header_with_blanks_takes_named_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("nr, body ,stars\n1,A sentence with\ta tab,5\n2,Another sentence,1\n")
    (split,) = check([path], columns=Columns(text="body", label="stars")).splits
    assert dict(split.labels) == {"5": 1, "1": 1}


def test_a_part_that_there_is_none_of_is_refused_alike() -> None:
    with pytest.raises(UsageError) as caught:
        Columns.by_part({"truth": "gold"})
    message = "data have no column 'truth'; allowed: text, pair, label, score, id, split, language"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "kind", [pa.large_list(pa.string_view()), pa.list_(pa.large_string()), pa.list_(pa.string(), 1)]
)
def test_tags_of_other_layouts_of_lists_are_read(kind):
    """Frames of polars hold large lists of string views."""
    table = pa.table({"id": ["1", "2"], "gold": ["a", "b"], "prediction": ["a", "a"], "tags": [["x"], ["y"]]})
    table = table.set_column(3, "tags", pa.array([["x"], ["y"]], kind))
    assert read_predictions(table).table.column("tags").to_pylist() == [["x"], ["y"]]
