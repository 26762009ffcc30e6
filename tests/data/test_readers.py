"""Reading a file of one's own: formats, guesses, and agreement with the standard library on any rows."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings

from goldproof.data.formats.files import iter_blocks
from goldproof.data.naming import parse_name
from goldproof.data.readers import iter_batches, read

_CELL = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=12)
_ROWS = st.lists(st.tuples(_CELL, _CELL), min_size=1, max_size=12)


def _write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_own_file_in_one_line(tmp_path: Path) -> None:
    path = _write(tmp_path / "my.jsonl", '{"premise": "A", "hypothesis": "B", "gold": 1, "idx": 7}\n')
    data = read(path, text="premise", pair="hypothesis", label="gold", language="en")
    (row,) = data
    assert (row["id"], row["text"], row["pair"], row["label"], row["language"]) == ("7", "A", "B", "1", "en")
    assert data.provenance.files[0].name == "my.jsonl"
    assert len(data.provenance.files[0].sha256) == 64


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("premise,hypothesis,gold_label", ("1", "2", "3")),
        ("sentence1,sentence2,label", ("1", "2", "3")),
        ("label,Sentence,id", ("2", None, "1")),
        ("question,sentence,label", ("1", "2", "3")),
        ("text,class,other", ("1", None, "2")),
    ],
)
def test_common_names_are_guessed(header: str, expected: tuple[str, str | None, str], tmp_path: Path) -> None:
    (row,) = read(_write(tmp_path / "a.csv", f"{header}\n1,2,3\n"))
    assert (row["text"], row["pair"], row["label"]) == expected


@pytest.mark.parametrize(
    "rows",
    [
        '{"text": "2020-01-01", "label": "a"}\n',  # not a date
        '\n{"text": "2020-01-01", "label": "a"}\n\n',
        '{"label": "a", "text": "2020-01-01", "more": {"x": [1, {"y": null}]}}',
    ],
)
def test_json_lines_are_not_interpreted(rows: str, tmp_path: Path) -> None:
    data = read(_write(tmp_path / "a.jsonl", rows))
    assert data.texts == ["2020-01-01"]
    assert data.labels == ("a",)


def test_kind_that_shows_late(tmp_path: Path) -> None:
    """A column that is null in all sniffed lines may still hold numbers later."""
    lines = ['{"text": "a", "score": null}'] * 300 + ['{"text": "b", "score": 0.5}']
    data = read(_write(tmp_path / "a.jsonl", "\n".join(lines)))
    assert data.table.column("score")[300].as_py() == 0.5


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    data = read(_write(tmp_path / "a.tsv", b'\xef\xbb\xbftext\tlabel\r\n"A "quoted" cat\tyes\r\n'))
    assert (data.texts, data.labels) == (['"A "quoted" cat'], ("yes",))


def test_gzip_and_split_from_the_name(tmp_path: Path) -> None:
    path = _write(tmp_path / "corpus.dev.jsonl.gz", gzip.compress(b'{"text": "a"}\n{"text": "b"}\n'))
    data = read(path)
    assert (data.texts, data.splits) == (["a", "b"], ("validation",))


def test_parquet_with_large_and_dictionary_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "text": pa.array(["a", "b"], pa.large_string()),
            "label": pa.array(["x", "y"]).dictionary_encode(),
            "id": pa.array([3, 4], pa.int32()),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    data = read(tmp_path / "a.parquet")
    assert [(row["id"], row["text"], row["label"]) for row in data] == [("3", "a", "x"), ("4", "b", "y")]


@settings(max_examples=60, deadline=None)
@given(rows=_ROWS)
def test_json_lines_as_the_standard_library_reads_them(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [json.dumps({"text": text, "pair": pair}, ensure_ascii=False) for text, pair in rows]
    path = _write(tmp_path_factory.mktemp("jsonl") / "a.jsonl", "\n".join(lines))
    reference = [json.loads(line) for line in path.read_bytes().decode().split("\n")]
    data = read(path)
    assert [{"text": row["text"], "pair": row["pair"]} for row in data] == reference
    assert pa.Table.from_batches(iter_batches(path)).equals(data.table)


@settings(max_examples=60, deadline=None)
@given(rows=_ROWS)
def test_csv_as_the_standard_library_writes_it(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [(text.replace("\r", ""), pair.replace("\r", "")) for text, pair in rows]
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([("text", "pair"), *rows])
    path = _write(tmp_path_factory.mktemp("csv") / "a.csv", stream.getvalue())
    assert [(row["text"], row["pair"]) for row in read(path)] == rows


@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=200), size=st.integers(1, 40))
def test_blocks_are_whole_lines_and_lose_nothing(
    content: bytes, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assume(b"\n" in content or b"\r" not in content)  # lines that end with CR alone are refused
    path = _write(tmp_path_factory.mktemp("blocks") / "a.txt", b"x" + content)
    blocks = list(iter_blocks(path, size))
    assert b"".join(blocks) == b"x" + content
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_line_numbers_hold_beyond_the_first_block(tmp_path: Path) -> None:
    line = json.dumps({"text": "x" * 1000}) + "\n"
    path = _write(tmp_path / "a.jsonl", line * 20_000 + '{"text": 3}\n')
    with pytest.raises(Exception, match=r", line 20001: 'text' is a string in earlier lines; got an integer: 3$"):
        read(path)


@pytest.mark.parametrize(
    ("path", "siblings", "expected"),
    [
        ("entailment/de/val.jsonl", (), ("entailment", "de", "validation")),
        ("treebanks/fr_pud-ud-test.conllu", (), ("treebanks/pud-ud", "fr", "test")),
        ("xprobe/ru/tree_depth/te.txt", ("te.txt", "va.txt"), ("xprobe/tree_depth", "ru", "test")),
        ("diagnostics/tr.jsonl", ("de.jsonl", "tr.jsonl"), ("diagnostics", "tr", None)),
        ("xnli_dev_no_met.tsv", (), ("xnli-no-met", None, "validation")),
        ("a/b.jsonl", (), ("a/b", None, None)),
    ],
)
def test_names(path: str, siblings: tuple[str, ...], expected: tuple[Any, ...]) -> None:
    found = parse_name(Path(path), siblings)
    assert (found.group, found.language, found.split) == expected
