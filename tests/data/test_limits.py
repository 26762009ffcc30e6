"""Files that ask for more than they should: each is refused with its limit, in little memory."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.data.checking.checks import check
from goldproof.data.formats import limits
from goldproof.data.predictions import read_predictions
from goldproof.data.readers import read
from goldproof.errors import DataError

GIB = 1 << 30
OF_LIMITS = "goldproof.data.formats.limits"
REFUSED = rf"error: {{path}}: its [\d.]+ (bytes|KiB|MiB) unpack to [\d.]+ (MiB|GiB) or more; beyond 256 MiB at most 200 times the size of the file is read \({OF_LIMITS}.MOST_TIMES and UNPACKED_FREELY set the limit\)\n"
# What a command took is told by the process that ran it; 3 GiB of addresses are what libraries reserve and never use.
COMMAND = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from goldproof.cli import run_command
code = run_command(sys.argv[1:])
peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))  # ru_maxrss counts the parent's
print(int(peak.split()[1]) * 1024)
sys.exit(code)
"""


def _same(n_rows: int, text: str) -> pa.Array:
    """The same text in each row, stored once."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, np.int32)), pa.array([text]))


def _plain_dictionary(path: Path) -> None:
    """5 GB of text in a file that does not say that it was a dictionary."""
    pq.write_table(pa.table({"text": _same(1_000_000, "x" * 5000)}), path, compression="zstd", store_schema=False)


def _dictionary(path: Path) -> None:
    pq.write_table(pa.table({"text": _same(5000, "x" * 1_000_000)}), path, compression="zstd")


def _long_pages(path: Path) -> None:
    table = pa.table({"text": pa.array(["x" * 1000] * 300_000)})
    pq.write_table(table, path, compression="brotli", use_dictionary=False)


def _many_rows(path: Path) -> None:
    with gzip.open(path, "wb") as stream:
        stream.write(b"text,label\n")
        for _ in range(300):
            stream.write(b"aaaaaaaaaa,x\n" * 100_000)


def _one_line(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(128):
            stream.write(b"x" * (1 << 24))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.parquet", _plain_dictionary),
        ("b.parquet", _dictionary),
        ("c.parquet", _long_pages),
        ("d.csv.gz", _many_rows),
        ("e.jsonl.gz", _one_line),
    ],
)
def test_bomb(name: str, write, tmp_path: Path) -> None:
    path = tmp_path / name
    write(path)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "check", str(path)], check=False, capture_output=True, text=True
    )
    assert re.fullmatch(REFUSED.format(path=re.escape(str(path))), done.stderr)
    assert done.returncode == 2
    assert int(done.stdout) < GIB


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.conllu"])
def test_long_line(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(limits, "MOST_LINE", 1 << 16)
    path = tmp_path / name
    path.write_bytes(b"\n" * 3 + b"x" * (1 << 17))
    with pytest.raises(DataError) as caught:
        check([path])
    assert (
        str(caught.value)
        == f"{path}, line 4: a line is longer than 64 KiB; is it a file of lines? ({OF_LIMITS}.MOST_LINE sets the limit)"
    )


def test_a_line_of_the_limit_is_read(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n" + b"x" * 100 + b"\n" + b"y" * 100)
    monkeypatch.setattr(limits, "MOST_LINE", 100)
    assert [len(text) for text in read(path).table.column("text").to_pylist()] == [100, 100]
    monkeypatch.setattr(limits, "MOST_LINE", 99)
    with pytest.raises(DataError, match="line 2: a line is longer than 99 bytes"):
        read(path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.csv", ", line 2: not a well-formed CSV row: {cell}; is a quotation mark never closed?"),
        ("a.tsv", ", line 2: {cell}"),
        ("a.parquet", ": row 0: 'text': {cell}"),
    ],
)
def test_long_cell(name: str, said: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELL", 1000)
    path = tmp_path / name
    if name.endswith(".parquet"):
        pq.write_table(pa.table({"text": ["x" * 1001, "y"]}), path)
    else:
        path.write_text("text\n" + "x" * 1001 + "\n")
    with pytest.raises(DataError) as caught:
        read(path)
    cell = f"a cell is longer than 1,000 characters ({OF_LIMITS}.MOST_CELL sets the limit)"
    assert str(caught.value) == str(path) + said.format(cell=cell)


DEEP = f"nested more than 100 levels deep ({OF_LIMITS}.MOST_NESTING sets the limit)"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", '{"id": ' + "[" * 101 + "]" * 101 + "}", ", line 1: not JSON: " + DEEP),
        ("b.jsonl", '{"id": ' + "[" * 200_000, ", line 1: not JSON: " + DEEP),
        ("a.json", "[" * 200_000, ": not JSON: " + DEEP),
        ("b.json", '{"a":' * 200_000, ": not JSON: " + DEEP),
        (
            "a.csv",
            f'id,gold,prediction,probabilities\n1,a,b,"{"[" * 5000}"\n',
            ", line 2: 'probabilities' must be JSON, such as [0.2, 0.8]; got '" + "[" * 60 + "'",
        ),
    ],
)
def test_deep_nesting(name: str, content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        read_predictions(path)
    assert str(caught.value) == str(path) + said


def test_brackets_in_texts_are_no_nesting(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "' + "[" * 500 + '\\"{{{"}\n')
    assert read(path).table.num_rows == 1


def test_well_packed_data_are_read(tmp_path: Path) -> None:
    """Rows that repeat are packed well, and are no reason to refuse a file of common size."""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "A cat sat.", "label": "yes"}\n' * 20_000))
    assert read(path).table.num_rows == 20_000
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": _same(200_000, "A cat sat."), "label": _same(200_000, "yes")}), path)
    assert read(path).table.num_rows == 200_000
