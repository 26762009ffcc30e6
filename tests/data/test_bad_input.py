"""Malformed files and settings: each gives one clear error, compared whole."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data.malformed import TABLE, Bad

from goldproof.data.checking.checks import check
from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import Dataset, concat, read_dataset
from goldproof.data.readers import read
from goldproof.errors import DataError, GoldproofError, MissingExtraError, UsageError


@pytest.mark.parametrize("bad", TABLE, ids=[f"{number}-{bad.name}" for number, bad in enumerate(TABLE)])
def test_malformed_file(bad: Bad, tmp_path: Path) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content)
    with pytest.raises(GoldproofError) as caught:
        list(bad.reader(path))
    assert str(caught.value).replace(str(path), "{path}") == bad.message


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert str(caught.value) == f"{tmp_path}: this is a folder; a file is needed (there is none in it)"


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path / "none.csv")
    assert str(caught.value) == f"{tmp_path / 'none.csv'}: there is no such file"


def test_file_that_may_not_be_opened(tmp_path: Path) -> None:
    """A name too long for any file system fails for every user, root included, as a missing permission does."""
    path = tmp_path / ("a" * 300 + ".csv")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: cannot be opened: File name too long"


def test_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    path.write_text("text\na\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: cannot be opened: Permission denied"


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_truncated_parquet(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "cut.parquet"
    pq.write_table(pa.table({"text": ["a"] * 1000, "label": ["b"] * 1000}), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: not a complete Parquet file: its footer cannot be read"


def test_damaged_parquet_page(tmp_path: Path) -> None:
    path = tmp_path / "damaged.parquet"
    pq.write_table(pa.table({"text": [f"text {number}" for number in range(1000)]}), path)
    content = bytearray(path.read_bytes())
    content[4:200] = bytes(196)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"not a complete Parquet file: .* \(after row 0\)$"):
        read(path)


def test_null_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "null.parquet"
    pq.write_table(pa.table({"text": ["a", None], "label": ["x", "y"]}), path)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: row 1: 'text' is missing or null; every row needs it"


def test_parquet_that_is_no_dataset(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"text": ["a"]}), path)
    with pytest.raises(DataError) as caught:
        read_dataset(path)
    assert str(caught.value) == f"{path}: not written by Dataset.write_parquet; read it with goldproof.read"


SETTINGS: list[tuple[Callable[[Path], Any], type[GoldproofError], str]] = [
    (lambda root: load("xprob", root=root), UsageError, "there is no corpus 'xprob'; did you mean xprobe?"),
    (
        lambda root: load("xprobe/tree_dept", root=root),
        UsageError,
        "there is no corpus 'xprobe/tree_dept'; did you mean xprobe/tree_depth, xprobe/past_present, rusenteval/tree_depth?",
    ),
    (
        lambda root: load("clcd", root=root),
        UsageError,
        "'clcd' has several parts; name one: clcd/simple_negation, clcd/boolean_coordination, clcd/quantifier, "
        "clcd/equality_and_definite_description, clcd/comparative, clcd/counting, clcd/mixed",
    ),
    (
        lambda root: load("terra", root=root),
        UsageError,
        "'terra' needs a language out of ru, fr, de, sv; none was given",
    ),
    (
        lambda root: load("terra", language="xx", root=root),
        UsageError,
        "'terra' needs a language out of ru, fr, de, sv; got 'xx'",
    ),
    (
        lambda root: load("rte", split="middle", root=root),
        UsageError,
        "'rte' has the splits train, validation, test; got 'middle'",
    ),
    (
        lambda root: load("rte", root=root / "none"),
        UsageError,
        "the data root {root}/none is not a folder",
    ),
    (
        lambda root: load("rte", split="test", root=root),
        DataError,
        "{root}/entailment/en/test.jsonl: split 'test' of 'rte' in 'en' needs this file, which does not exist",
    ),
    (
        lambda root: load("rte", root=root),
        DataError,
        "none of the files of 'rte' in 'en' are under {root}; see https://super.gluebenchmark.com",
    ),
    (
        lambda root: load("paws-x", language="de", root=root),
        DataError,
        "the catalog knows no local files of 'paws-x' in 'de'; hub=True (data.hub=true) loads it from the hub",
    ),
    (
        lambda root: load("glue/mrpc", split="dev", root=root),
        DataError,
        "the catalog knows no local files of split 'validation' of 'glue/mrpc' in 'en'; known: train, test",
    ),
    (
        lambda root: load("diagnostics", language="de", hub=True),
        DataError,
        "the catalog knows no hub dataset of 'diagnostics' in 'de'; see https://gluebenchmark.com/diagnostics",
    ),
    (lambda root: check([root], near=0), UsageError, "near must be above 0 and at most 1; got 0"),
    (lambda root: check([root]), DataError, "{root}: there are no files in this folder"),
    (lambda root: concat("none", []), UsageError, "concat needs at least one dataset"),
    (
        lambda root: Dataset.from_rows("toy", [{"txt": "a"}]),
        UsageError,
        "a dataset has no column 'txt'; its columns: id, split, text, pair, label, score, tokens, token_labels, language, "
        "tags, answers",
    ),
    (
        lambda root: Dataset.from_rows("toy", [{"text": None}]),
        DataError,
        "toy, row 0: 'text' is null, which only optional columns may be",
    ),
    (
        lambda root: Dataset.from_rows("toy", [{"text": "a", "score": float("nan")}]),
        DataError,
        "toy, row 0: the score must be a finite number; got nan",
    ),
    (
        lambda root: Dataset.from_rows("toy", [{"text": "a", "tokens": ["a"], "token_labels": []}]),
        DataError,
        "toy, row 0: 1 tokens but 0 token labels",
    ),
    (
        lambda root: Dataset.from_rows("toy", [{"text": "a", "id": "1"}, {"text": "b", "id": "1"}]),
        DataError,
        "toy: the id '1' occurs more than once in split 'all', language 'und'",
    ),
    (
        lambda root: Dataset.from_rows("toy", [{"text": "a"}]).select(score="1"),
        UsageError,
        "select knows the columns id, split, text, pair, label, language; got 'score'",
    ),
    (
        lambda root: read(root / "any.csv", txt="a"),  # type: ignore[call-arg]
        UsageError,
        "read does not know 'txt'; columns are named by text, pair, label, score, id, tokens, token_labels, "
        "split_column, language_column, tags",
    ),
]


@pytest.mark.parametrize(("use", "kind", "message"), SETTINGS, ids=[message[:40] for _, _, message in SETTINGS])
def test_wrong_use(use: Callable[[Path], Any], kind: type[GoldproofError], message: str, tmp_path: Path) -> None:
    with pytest.raises(kind) as caught:
        use(tmp_path)
    assert str(caught.value) == message.replace("{root}", str(tmp_path))


def test_data_root_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDPROOF_DATA", raising=False)
    with pytest.raises(UsageError) as caught:
        load("rte")
    assert str(caught.value) == (
        "the data root that holds the files of 'rte' is not known; set the environment variable GOLDPROOF_DATA to "
        "the folder, or give root=… (`goldproof list rte` says which files these are and where to get them)"
    )


def test_hub_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError) as caught:
        load("snli", hub=True)
    assert str(caught.value) == (
        "loading a corpus from the Hugging Face hub needs an optional package: pip install 'goldproof[hub]'"
    )
