"""Files come out with the same rows, order and other columns, whatever their format; bad ones are named."""

from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.builders.corruption.files import FileReport, corrupt_file
from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.corruption.texts import CorruptionTally
from goldproof.builders.tagging import choose_tagger
from goldproof.errors import GoldproofError

NOUNS = Corruption(("NOUN",))
ROWS = [
    {"id": 7, "sentence1": "A dog saw him.", "sentence2": 'He said "cats", twice.', "extra": {"a": [1, None]}},
    {"id": 8, "sentence1": "Dogs", "sentence2": None, "extra": 0.5},
    {"id": 9, "sentence1": "He sat down.", "sentence2": "She, too.", "extra": "é\u2028"},
]


def run(path, out, **options):
    return corrupt_file(path, out, options.pop("corruption", NOUNS), choose_tagger("en"), **options)


def test_json_lines(nltk_data, tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", encoding="utf-8")
    report = run(path, out)
    assert report == FileReport(3, ("sentence1", "sentence2"), CorruptionTally(5, 3, 1, 22, 3))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]
    changed = [row | {"sentence1": a} for row, a in zip(ROWS, ("A saw him.", "", "He sat down."), strict=True)]
    changed[0]["sentence2"] = 'He said "", twice.'
    assert rows == changed
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


def test_csv_tsv_and_gzip(nltk_data, tmp_path):
    (tmp_path / "a.csv").write_text('label,text\n1,"A dog, saw him."\n0,"He said ""no"" to\ndogs."\n', encoding="utf-8")
    run(tmp_path / "a.csv", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == 'label,text\n1,"A, saw him."\n0,"He said ""no"" to."\n'
    with gzip.open(tmp_path / "a.tsv.gz", "wt", encoding="utf-8") as stream:
        stream.write('A "dog saw him\t1\nHe sat\t0\n')
    report = run(tmp_path / "a.tsv.gz", tmp_path / "b.tsv.gz", header=("words", "label"), columns=("words",))
    with gzip.open(tmp_path / "b.tsv.gz", "rt", encoding="utf-8") as stream:
        assert stream.read() == 'A "saw him\t1\nHe sat\t0\n'
    assert (report.n_rows, report.columns) == (2, ("words",))
    run(tmp_path / "a.tsv.gz", tmp_path / "b.tsv", header=("words", "label"), columns=("words",))
    assert (tmp_path / "b.tsv").read_text(encoding="utf-8") == 'A "saw him\t1\nHe sat\t0\n'


def test_parquet_keeps_types_and_nulls(nltk_data, tmp_path):
    table = pa.table(
        {
            "text": pa.array(["A dog saw him.", None], pa.large_string()),
            "score": pa.array([1.5, None], pa.float32()),
            "list": pa.array([[1], []], pa.list_(pa.field("element", pa.int8()))),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    run(tmp_path / "a.parquet", tmp_path / "b.parquet")
    expected = table.set_column(0, table.schema.field(0), pa.array(["A saw him.", None], pa.large_string()))
    assert pq.read_table(tmp_path / "b.parquet").equals(expected)


def test_random_draws_do_not_depend_on_the_format_or_the_place(nltk_data, tmp_path):
    texts = [f"The {word} dog saw a cat and a mouse." for word in ("big", "old", "red")]
    (tmp_path / "a.csv").write_text("text\n" + "\n".join(texts) + "\n", encoding="utf-8")
    lines = [json.dumps({"text": text}) for text in reversed(texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name in ("csv", "jsonl"):
        run(tmp_path / f"a.{name}", tmp_path / f"b.{name}", corruption=Corruption(("NOUN",), "random", seed=3))
    cells = (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [json.loads(line)["text"] for line in (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()]
    assert cells == rows[::-1]


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        (
            "a.csv",
            "text,label\na,1\n",
            {"columns": ("premise",)},
            "IN: there is no column 'premise'; columns found: text, label",
        ),
        ("a.jsonl", '{"text": "a"}\n{"text": 3}\n', {}, "IN, line 2: 'text' must be a text; got 3"),
        ("a.jsonl", '{"text": "a"}\n{"text"\n', {}, "IN, line 2: not JSON: Expecting ':' delimiter at character 8"),
        (
            "a.xlsx",
            "x",
            {},
            "IN: no known format has the extension '.xlsx'; allowed: .csv, .jsonl, .ndjson, .parquet, .tsv, .txt "
            "(also with .gz); save the sheet as CSV",
        ),
        ("a.csv", "text\na\n", {"out": "b.jsonl"}, "the output must have the format of the input (.csv); got OUT"),
        ("a.csv", "text\na\n", {"out": "a.csv"}, "the output must not be the input file; got OUT for both"),
        ("a.csv", "text\na\n", {"out": "no/b.csv"}, "OUT: cannot be written: No such file or directory"),
        ("a.csv", "", {}, "IN: the file is empty"),
        ("a.tsv", "text\tlabel\na\n", {}, "IN, line 2: 2 columns separated by TAB are needed (text, label); got 1"),
    ],
)
def test_bad_files(nltk_data, tmp_path, name, content, options, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    out = tmp_path / options.pop("out", f"b{path.suffix}")
    with pytest.raises(GoldproofError) as error:
        run(path, out, **options)
    assert str(error.value) == message.replace("IN", str(path)).replace("OUT", str(out))
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_parquet_column_of_numbers_is_refused(nltk_data, tmp_path):
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(GoldproofError) as error:
        run(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert str(error.value) == f"{tmp_path / 'a.parquet'}: 'text' must be a column of texts; got int64"


@pytest.mark.parametrize("name", ["b.jsonl", "b.jsonl.gz"])
def test_a_link_that_lies_in_wait_is_not_followed(nltk_data, tmp_path, name):
    path, out = tmp_path / "a.jsonl", tmp_path / name
    path.write_text(json.dumps({"text": "A dog saw him."}) + "\n", encoding="utf-8")
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / f".{name}.partial").symlink_to(tmp_path / "precious")
    run(path, out)
    assert (tmp_path / "precious").read_text() == "years of work"
    with (gzip.open if name.endswith("gz") else open)(out, "rt", encoding="utf-8") as stream:
        assert json.loads(stream.read()) == {"text": "A saw him."}
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f".{name}.partial", "a.jsonl", name, "precious"])


def test_a_file_that_is_written_aside_has_the_rights_of_any_new_file(nltk_data, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "A dog saw him."}) + "\n", encoding="utf-8")
    run(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").stat().st_mode == (tmp_path / "a.jsonl").stat().st_mode
