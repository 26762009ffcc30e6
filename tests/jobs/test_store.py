"""A stored value is complete or absent, and its bytes are checked."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.steps import matrix, square, table

from goldproof.errors import AbsentValueError, DamagedValueError, StoreError, UsageError
from goldproof.jobs import Store
from goldproof.jobs.store import Circumstances

HOW = Circumstances(0.1, "2026-01-01T00:00:00+00:00", "here", {})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


def all_files(store):
    return sorted(path for path in store.folder.rglob("*") if path.is_file() and path.name != "format.json")


def test_a_value_comes_back(store):
    store.commit(square.job(3), 9, HOW)
    store.commit(matrix.job(4), matrix(4), HOW)
    assert store.load(square.job(3).key) == 9
    np.testing.assert_array_equal(store.load(matrix.job(4).key), matrix(4))


def test_what_was_not_computed_is_absent(store):
    key = square.job(3).key
    assert not store.has(key)
    with pytest.raises(AbsentValueError) as caught:
        store.load(key)
    assert str(caught.value) == f"the value of job {key[:12]} is not in the store {store.folder}"


@pytest.mark.parametrize("job", [square.job(3), table.job(50), matrix.job(9)], ids=["inline", "table", "array"])
def test_every_flipped_byte_is_detected(store, job):
    """Flip bytes one after another in every file of the value: each flip must be noticed."""
    store.commit(job, job.step(**job.arguments), HOW)
    for path in all_files(store):
        whole = path.read_bytes()
        for at in sorted({0, len(whole) - 1, *range(1, len(whole), max(1, len(whole) // 60))}):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x01]) + whole[at + 1 :])
            with pytest.raises(DamagedValueError):
                store.load(job.key)
        path.write_bytes(whole[:-1])
        with pytest.raises(DamagedValueError):
            store.load(job.key)
        path.write_bytes(whole)
    store.load(job.key)


def test_a_missing_file_is_damage_and_is_named(store):
    job = table.job(50)
    store.commit(job, table(50), HOW)
    next(path for path in all_files(store) if path.suffix == ".parquet").unlink()
    with pytest.raises(DamagedValueError) as caught:
        store.load(job.key)
    assert str(caught.value) == f"the stored value of job {job.key[:12]} is damaged: table-0.parquet is missing"


def test_the_first_complete_value_stays(store):
    store.commit(square.job(3), 9, HOW)
    store.commit(square.job(3), 10, HOW)
    assert store.load(square.job(3).key) == 9


def test_many_writers_of_one_key_leave_one_value_and_no_litter(store):
    job = matrix.job(30)
    threads = [threading.Thread(target=store.commit, args=(job, matrix(30), HOW)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(store.load(job.key), matrix(30))
    assert [path.name for path in all_files(store)] == [f"{job.key}.json", "arrays.safetensors", "value.json"]


def test_discarding_removes_record_and_value(store):
    job = matrix.job(4)
    store.commit(job, matrix(4), HOW)
    store.discard(job.key)
    assert all_files(store) == []


def test_a_claim_is_exclusive_until_released(store):
    first = store.claim("ab" * 32)
    assert first is not None
    assert store.claim("ab" * 32) is None
    first.release()
    second = store.claim("ab" * 32)
    assert second is not None
    second.release()


def test_a_claim_dies_with_its_process(store):
    code = f"import os; from goldproof.jobs import Store; Store({str(store.folder)!r}).claim('ab' * 32); os._exit(9)"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False).returncode == 9
    claim = store.claim("ab" * 32)
    assert claim is not None
    claim.release()


def test_a_folder_that_is_no_store_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError) as caught:
        Store(tmp_path).open()
    assert str(caught.value) == f"the folder {tmp_path} is not empty and is not a store; give another --store"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("marker", "what"),
    [
        (
            '{"product": "goldproof", "format": 99}',
            "is of goldproof, format 99; this version of Goldproof reads goldproof, format 2 (it is left as it is)",
        ),
        (
            '{"format": 1}',
            "was made by Assay, Goldproof's former name; its keys are different, so nothing in it can be used: "
            "give another --store (this one is left as it is)",
        ),
    ],
)
def test_a_store_of_another_format_is_refused_untouched(store, marker, what):
    (store.folder / "format.json").write_text(marker)
    before = {path: path.read_bytes() for path in store.folder.rglob("*") if path.is_file()}
    for use in (store.open, store.is_there):
        with pytest.raises(StoreError) as caught:
            use()
        assert str(caught.value) == f"the store {store.folder} {what}"
    assert {path: path.read_bytes() for path in store.folder.rglob("*") if path.is_file()} == before


def test_a_store_says_whose_it_is(store):
    assert json.loads((store.folder / "format.json").read_text()) == {"product": "goldproof", "format": 2}


def test_a_store_where_a_file_is_in_the_way(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        Store(tmp_path / "file").open()
    assert str(caught.value) == (
        f"the store {tmp_path / 'file'} cannot be written (File exists); check its permissions or give another "
        "--store: finished work is kept"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written \\(Permission denied\\)"):
        Store(tmp_path / "store").open()


FULL_DISK = """
import resource, sys
from goldproof.errors import StoreError
from goldproof.jobs import Store
from tests.jobs.test_store import HOW
from tests.steps import matrix, square
store = Store(sys.argv[1])
store.commit(square.job(1), 1, HOW)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # from here on, no file may grow past 4 KiB
try:
    store.commit(matrix.job(100), matrix(100), HOW)
except StoreError as error:
    print(error)
"""


def test_a_write_that_does_not_fit_leaves_nothing_behind(store):
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"}
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(store.folder)], env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == (
        f"the store {store.folder} is full (File too large); free some space and run again: finished work is kept"
    )
    assert store.load(square.job(1).key) == 1
    assert not store.has(matrix.job(100).key)
    assert [path.name for path in all_files(store)] == [f"{square.job(1).key}.json"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096
