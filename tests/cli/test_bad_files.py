"""Files that once ended in a traceback, given to the commands: each gives one clear error, or is read."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.builders.corruption.files import corrupt_file
from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.tagging.registry import TaggerName
from goldproof.data.columns import AS_LABELS
from goldproof.data.predictions import read_predictions
from goldproof.errors import DamagedValueError, DataError, StoreError
from goldproof.jobs import Store
from goldproof.studies.campaign import lost_studies, noted_campaigns

DEEP = "nested more than 100 levels deep (goldproof.data.formats.limits.MOST_NESTING sets the limit)"
DIGITS = "9" * 5000
# Two strings, the first of which is not UTF-8.
NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"\xff\xfeab")]
)


def _rows(**more: Any) -> str:
    return "".join(json.dumps({"id": i, "gold": "a", "prediction": "ab"[i % 2], **more}) + "\n" for i in range(4))


@pytest.mark.parametrize(
    ("tags", "expected"),
    [(3, ["3"]), (2.5, ["2.5"]), (True, ["true"]), ([1, 2], ["1", "2"]), ("x; y", ["x", "y"]), (None, [])],
)
def test_tags_are_texts_whatever_they_were(tags: Any, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(_rows(tags=tags))
    assert read_predictions(path).values("tags") == [expected] * 4


def test_tags_as_a_map(run) -> None:
    Path("a.jsonl").write_text(_rows(tags={"a": 1}))
    message = "'tags' must be tags: text or a number, several joined by ';' or in a list; got a mapping: [('a', 1.0)]"
    assert run("score", "a.jsonl") == (2, "", f"error: a.jsonl, line 1: {message}\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "id,gold,prediction,step\n1,a,b,1\n2,a,a,99999999999999999999\n",
            "a.csv, line 3: 'step' must be a whole number below 2^63; got 99999999999999999999",
        ),
        ("b.csv", "id,gold,prediction\r1,a,b\r", "b.csv: its lines end with CR alone, as on old Macs; save it with LF or CRLF line ends"),
        (
            "c.csv",
            "id,gold,prediction\n1,a,b\r2,a,b\n",
            "c.csv, line 2: not a well-formed CSV row: a line ends with CR alone; save the file with LF or CRLF line ends",
        ),
        ("a.jsonl", f'{{"id": {DIGITS}}}\n', "a.jsonl, line 1: not JSON: a number has too many digits"),
        ("a.json", f'[{{"id": {DIGITS}}}]', "a.json: not JSON: a number has too many digits"),
    ],
)  # fmt: skip
def test_scored_file(name: str, content: str, message: str, run) -> None:
    Path(name).write_bytes(content.encode())
    assert run("score", name) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize(
    ("columns", "command", "message"),
    [
        (("id", "gold", "prediction", "gold"), "score", "two columns are named 'gold'; rename one of them"),
        (("text", "label", "text"), "check", "two columns are named 'text'; rename one of them"),
    ],
)
def test_column_of_parquet_twice(columns, command: str, message: str, run) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array(["1", "2"])] * len(columns), names=list(columns)), "a.parquet")
    assert run(command, "a.parquet") == (2, "", f"error: a.parquet: {message}\n")


@pytest.mark.parametrize(
    ("command", "table", "message"),
    [
        (
            "score",
            {"id": ["1", "2"], "gold": NOT_UTF8, "prediction": ["a", "b"]},
            "the column 'gold' holds a text that is not UTF-8; save it as UTF-8 (in rows 0 to 1)",
        ),
        (
            "check",
            {"text": NOT_UTF8, "label": ["1", "2"]},
            "the column 'text' holds a text that is not UTF-8; save it as UTF-8 (in rows 0 to 1)",
        ),
        (
            "check",
            {"tokens": [["a"], ["b", None]], "token_labels": [["O"], ["O", "O"]]},
            "row 1: 'tokens' must be a list of strings; one of them is null",
        ),
        (
            "score",
            {"id": ["1", "2"], "gold": [["O", None], ["O"]], "prediction": [["O", "O"], ["O"]]},
            "row 0: 'gold' must be a list of strings; one of them is null",
        ),
    ],
)
def test_parquet(command: str, table: dict[str, Any], message: str, run) -> None:
    pq.write_table(pa.table(table), "a.parquet")
    assert run(command, "a.parquet") == (2, "", f"error: a.parquet: {message}\n")


def test_parquet_with_another_footer(run) -> None:
    pq.write_table(pa.table({"id": ["1"], "gold": ["a"], "prediction": ["a"]}), "a.parquet")
    content = bytearray(Path("a.parquet").read_bytes())
    content[-40:-8] = b"\xff" * 32
    Path("a.parquet").write_bytes(content)
    message = "error: a.parquet: not a complete Parquet file: its footer cannot be read\n"
    assert run("score", "a.parquet") == (2, "", message)


def test_tokens_only(run) -> None:
    pq.write_table(pa.table({"tokens": [["a", "b"], ["b"]]}), "a.parquet")
    code, _, error = run("check", "a.parquet")
    assert (code, error) == (0, "")


def test_long_cell_of_a_csv_is_checked(run) -> None:
    Path("a.csv").write_text("text,label\n" + "a " * 100_000 + ",x\nb,y\n")
    code, _, error = run("check", "a.csv")
    assert (code, error) == (0, "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{DIGITS}\ta\ta\tN\tN\t_\t0\troot\t_\t_", "ID must be a number, a range (3-4) or an empty node (5.1)"),
        (f"1\ta\ta\tN\tN\t_\t{DIGITS}\troot\t_\t_", "HEAD must be the number of a word, or 0 for the root"),
    ],
)
def test_digits_in_a_treebank(line: str, message: str, run) -> None:
    Path("a.conllu").write_text(line + "\n")
    got = "9" * 59 + "…"
    assert run("check", "a.conllu") == (2, "", f"error: a.conllu, line 1: {message}; got '{got}'\n")


@pytest.mark.parametrize(("value", "reason"), [(DIGITS, "a number has too many digits"), ("[" * 5000, DEEP)])
def test_settings(value: str, reason: str, run) -> None:
    run_tiny = ("run", "stability", "--preset", "tiny", "--dry-run")
    shown = value[:59] + "…"
    assert run(*run_tiny, "--set", f"level={value}") == (2, "", f"error: --set level: {reason}; got {shown}\n")
    Path("a.toml").write_text(f"level = {value}")
    message = f"error: the configuration file a.toml is not TOML: {reason}\n"
    assert run(*run_tiny, "--config", "a.toml") == (2, "", message)


def test_deep_keys(run) -> None:
    Path("a.toml").write_text(".".join("a" * 100_000) + " = 1")
    message = f"error: the configuration file a.toml is not TOML: {DEEP}\n"
    assert run("run", "stability", "--config", "a.toml", "--dry-run") == (2, "", message)


def test_deep_grammar(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("a = " + "[" * 5000)
    with pytest.raises(DataError) as caught:
        load_grammar(str(path))
    assert str(caught.value) == f"{path}: not a readable TOML file: {DEEP}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 200_000, f"not JSON: {DEEP}"),
        (DIGITS, "not JSON: a number has too many digits"),
        (
            '{"format": ' + "[" * 90 + "]" * 90 + "}",
            'not a summary that this version reads; allowed: "product": "goldproof", "format": 2 or 3; got None, '
            + "[" * 59
            + "…",
        ),
    ],
)
def test_summary(content: str, message: str, run) -> None:
    Path("a.json").write_text(content)
    assert run("export", "a.json", "--model", "x") == (2, "", f"error: a.json: {message}\n")


def test_deep_records(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.open()
    key = "ab" + "0" * 62
    record = store.folder / "records" / key[:2] / f"{key}.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("[" * 200_000)
    with pytest.raises((DamagedValueError, StoreError), match="ab0000000000"):
        store.record(key)


def test_notes_of_another_kind(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.open()
    notes = ["3", "null", "[]", '"a"', "{}", '{"study": 3, "config": {}}', '{"study": "stability", "config": 3}']
    (store.folder / "campaigns").mkdir(exist_ok=True)
    for number, note in enumerate([*notes, "[" * 200_000]):
        (store.folder / "campaigns" / f"{number}.json").write_text(note)
    assert noted_campaigns(store) == []
    assert lost_studies(store) == {}


def test_whole_numbers_with_a_point_are_labels(run) -> None:
    Path("a.csv").write_text("id,gold,prediction\n" + "".join(f"{i},{i % 2}.0,{i % 3 % 2}.0\n" for i in range(40)))
    code, out, _ = run("score", "a.csv")
    assert code == 0 and "accuracy" in out and f"note: {AS_LABELS}" in out
    code, out, _ = run("score", "a.csv", "--metric", "pearson")
    assert code == 0 and "pearson" in out and AS_LABELS not in out
    Path("b.csv").write_text(Path("a.csv").read_text().replace("1.0\n", "0.0\n"))
    _, out, _ = run("compare", "a.csv", "b.csv")
    assert out.count(AS_LABELS) == 1


def test_many_whole_numbers_and_fractions_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,gold,prediction\n" + "".join(f"{i},{i}.0,{i + 1}.0\n" for i in range(21)))
    assert read_predictions(path).task == "regression"
    path.write_text("id,gold,prediction\n1,1.0,0.0\n2,0.0,0.5\n")
    assert read_predictions(path).task == "regression"
    path.write_text("id,gold,prediction\n1,1.0,0.0\n2,0.0,\n3,1.0,1.0\n")
    found = read_predictions(path)
    assert (found.task, found.values("prediction"), found.notes) == ("classification", ["0", None, "1"], (AS_LABELS,))


def test_damaged_input_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"text": [f"кот {i}" for i in range(3000)]}), path, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    pytest.importorskip("pymorphy3")
    with pytest.raises(DataError, match=r"a\.parquet: not a complete Parquet file: ") as caught:
        corrupt_file(path, out, Corruption(("NOUN",)), TaggerName("pymorphy3", "ru"))
    assert caught.value.path == path and not out.exists()
