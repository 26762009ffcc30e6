"""A store behind a URL keeps the promise of a folder: complete or absent, with copies at hand; on an S3 server here."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.jobs.campaign_script import jobs
from tests.jobs.test_store import HOW
from tests.steps import Journal, matrix, size, slow_square, square, table
from tests.waiting import ended, held, kill, started, wait_until

from goldproof.errors import AbsentValueError, DamagedValueError, StoreError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.bounded import MOST_BYTES
from goldproof.jobs.upkeep import litter, merge, prune, verify
from goldproof.runners.pool import PoolRunner
from goldproof.runners.serial import SerialRunner

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def server():
    """An S3 server on loopback, and the environment in which programs find it."""
    pytest.importorskip("s3fs", reason="the extra `s3` is not installed")
    moto = pytest.importorskip("moto.server", reason="moto's server is not installed")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
            patch.setenv("AWS_ACCESS_KEY_ID", "tests")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            patch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")
            import s3fs

            s3fs.S3FileSystem().mkdir("bucket")
            yield s3fs.S3FileSystem(use_listings_cache=False)
    finally:
        server.stop()
        gc.collect()  # what the client leaves open is found here, and not in whatever test comes next


@pytest.fixture
def url(server, tmp_path, monkeypatch):
    use_cache(monkeypatch, tmp_path / "cache")
    return f"s3://bucket/{tmp_path.name}"


def use_cache(monkeypatch, folder):
    """As on a machine that has this cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))


def files(server, url):
    return sorted(path.removeprefix(url.removeprefix("s3://") + "/") for path in server.find(url))


def test_a_campaign_gives_what_it_gives_in_a_folder_and_is_kept(url, tmp_path):
    wanted = jobs(Journal())
    found = {}
    for where in (url, tmp_path / "store"):
        store = Store(where).open()
        assert {outcome.status for outcome in run_jobs(wanted, store, SerialRunner())} == {"done"}
        assert {outcome.status for outcome in run_jobs(wanted, store, SerialRunner())} == {"kept"}
        found[where] = [Results(store)[job] for job in wanted]
    assert found[url] == found[tmp_path / "store"]
    assert sorted(Store(url).stored_keys()) == sorted(Store(tmp_path / "store").stored_keys())


def test_what_was_read_once_is_at_hand(url, server, tmp_path, monkeypatch):
    store = Store(url).open()
    for job in (square.job(3), matrix.job(60)):
        store.commit(job, job.step(**job.arguments), HOW)
    use_cache(monkeypatch, tmp_path / "another machine")
    elsewhere = Store(url)
    assert elsewhere.load(square.job(3).key) == 9
    np.testing.assert_array_equal(elsewhere.load(matrix.job(60).key), matrix(60))
    server.rm(url, recursive=True)
    assert elsewhere.load(square.job(3).key) == 9
    np.testing.assert_array_equal(elsewhere.load(matrix.job(60).key), matrix(60))
    assert not elsewhere.has(square.job(3).key)


def test_many_values_are_brought_to_hand_at_once(url, server, tmp_path, monkeypatch):
    wanted = [*map(square.job, range(5)), *map(matrix.job, range(40, 43))]
    list(run_jobs(wanted, Store(url).open(), SerialRunner()))
    use_cache(monkeypatch, tmp_path / "another machine")
    elsewhere = Store(url)
    elsewhere.fetch([*(job.key for job in wanted), "ab" * 32])
    server.rm(url, recursive=True)
    assert [elsewhere.load(job.key) for job in wanted[:5]] == [0, 1, 4, 9, 16]
    for job, n in zip(wanted[5:], range(40, 43), strict=True):
        np.testing.assert_array_equal(elsewhere.load(job.key), matrix(n))


def test_what_is_too_large_for_a_record_is_neither_kept_at_hand_nor_read(url, server, tmp_path, monkeypatch):
    job = square.job(3)
    Store(url).open().commit(job, 9, HOW)
    (name,) = [name for name in files(server, url) if name.startswith("records/")]
    server.pipe_file(f"{url}/{name}", b" " * (MOST_BYTES + 7))
    use_cache(monkeypatch, tmp_path / "another machine")
    elsewhere = Store(url)
    elsewhere.fetch([job.key])
    assert list((tmp_path / "another machine").rglob(f"{job.key}.json")) == []
    with pytest.raises(DamagedValueError) as caught:
        elsewhere.load(job.key)
    assert str(caught.value) == (
        f"the stored value of job {job.key[:12]} is damaged: its record cannot be read ({job.key}.json has "
        f"{MOST_BYTES + 7} bytes; at most {MOST_BYTES} are read)"
    )
    server.pipe_file(f"{url}/{name}", b"")
    with pytest.raises(DamagedValueError):
        elsewhere.load(job.key)


def test_workers_in_other_processes_read_and_write_there(url):
    store = Store(url).open()
    with contextlib.closing(PoolRunner(1)) as pool:
        outcomes = list(run_jobs([size.job(matrix.job(60)), square.job(2)], store, pool))
    assert Counter(outcome.status for outcome in outcomes) == {"done": 3}
    assert store.load(size.job(matrix.job(60)).key) == 3600


def test_the_first_complete_value_stays_and_the_second_leaves_no_litter(url, server):
    store = Store(url).open()
    store.commit(matrix.job(60), matrix(60), HOW)
    before = files(server, url)
    store.commit(matrix.job(60), matrix(60) + 1, HOW)
    assert files(server, url) == before
    np.testing.assert_array_equal(store.load(matrix.job(60).key), matrix(60))


WRITER = """
import sys
from pathlib import Path
import pyarrow as pa
from goldproof.jobs import Store
from tests.jobs.test_store import HOW
from tests.steps import table
from tests.waiting import wait_until
name, url, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
store = Store(url)
store.has("ab" * 32)
(folder / f"{name} is ready").touch()
wait_until(lambda: len(list(folder.glob("* is ready"))) == 2, "the other writer is ready")
for i in range(25):
    store.commit(table.job(i), pa.table({"writer": [name] * 50, "i": [i] * 50}), HOW)
"""


def test_two_writers_race_on_the_same_keys(url, server, tmp_path, monkeypatch):
    """Whoever comes first, each value is whole and one writer's, for every reader the same."""
    Store(url).open()

    def writer(name, cache):
        command = [sys.executable, "-c", WRITER, name, url, str(tmp_path)]
        return started(command, tmp_path, {**os.environ, "XDG_CACHE_HOME": str(tmp_path / cache)})

    with writer("A", "a") as one, writer("B", "b") as other:
        assert (ended(one), ended(other)) == (0, 0)
    seen = []
    for cache in ("a", "b", "c"):
        use_cache(monkeypatch, tmp_path / cache)
        values = [Store(url).load(table.job(i).key) for i in range(25)]
        for i, value in enumerate(values):
            assert len(set(value["writer"].to_pylist())) == 1
            assert set(value["i"].to_pylist()) == {i}
        seen.append([value["writer"][0].as_py() for value in values])
    assert seen[0] == seen[1] == seen[2]
    assert len(list(Store(url).stored_keys())) == 25


def test_killed_in_the_middle_and_run_again(url, tmp_path):
    command = [sys.executable, "-m", "tests.jobs.campaign_script", url, "journal", "summary.json", "serial"]
    squares = {f"slow_square {x}": slow_square.job(x, 0.01) for x in range(30)}
    journal, store = Journal(str(tmp_path / "journal")), Store(url).open()
    done, kept = [], set()
    for n_records in (4, 16, None):
        out_of_reach = list(squares.values())[20:] if n_records else []
        with held(store, out_of_reach), started(command, tmp_path, os.environ) as process:
            if n_records is None:
                assert ended(process) == 0
            else:
                kill_once_it_kept(n_records, store, process)
        for key in store.stored_keys():
            store.check(key)
        now = [line for line in journal.lines()[len(done) :] if line in squares]
        assert len(set(now)) == len(now), "one run did the same work twice"
        assert not kept & set(now), "finished work was done again"
        done = journal.lines()
        kept = {line for line, job in squares.items() if store.has(job.key)}
    assert kept == set(squares)


def kill_once_it_kept(n_records, store, process):
    wait_until(
        lambda: sum(1 for _ in store.stored_keys()) >= n_records or process.poll() is not None,
        f"{n_records} values are kept",
    )
    assert process.poll() is None, "the campaign ended before it could be killed"
    kill(process)


def test_a_damaged_copy_is_fetched_again(url, tmp_path):
    store = Store(url).open()
    store.commit(matrix.job(60), matrix(60), HOW)
    (copy,) = (tmp_path / "cache").rglob("arrays.safetensors")
    copy.write_bytes(b"garbage")
    np.testing.assert_array_equal(store.load(matrix.job(60).key), matrix(60))


def test_a_value_damaged_on_the_server_is_computed_again_and_said(url, server, tmp_path, monkeypatch):
    need = matrix.job(60)
    run = lambda wanted: list(run_jobs(wanted, Store(url).open(), SerialRunner()))  # noqa: E731
    run([need])
    (name,) = [name for name in files(server, url) if name.endswith("arrays.safetensors")]
    server.pipe_file(f"{url}/{name}", b"garbage")
    use_cache(monkeypatch, tmp_path / "another machine")
    with pytest.raises(DamagedValueError):
        Store(url).load(need.key)
    outcomes = run([size.job(need)])
    assert [outcome.status for outcome in outcomes] == ["kept", "damaged", "done", "done"]
    assert Store(url).load(size.job(need).key) == 3600


def test_upkeep_reaches_the_server(url, server, tmp_path):
    local = Store(tmp_path / "local").open()
    list(run_jobs([square.job(2), matrix.job(60)], local, SerialRunner()))
    store = Store(url).open()
    assert Counter(one.what for one in merge(local, store)) == {"copied": 2}
    np.testing.assert_array_equal(store.load(matrix.job(60).key), matrix(60))
    server.pipe_file(f"{url}/values/ab/{'ab' * 32}-0000/value.json", b"1")
    assert [entry.name for entry in litter(store, older_than=-60)] == [f"values/ab/{'ab' * 32}-0000/value.json"]
    prune(store, litter(store, older_than=-60))
    assert litter(store, older_than=-60) == []
    assert [one.what for one in verify(store)] == ["sound", "sound"]
    (name,) = [name for name in files(server, url) if name.endswith("arrays.safetensors")]
    size_there = server.size(f"{url}/{name}")
    server.pipe_file(f"{url}/{name}", b"garbage")
    assert [one.trouble for one in verify(store) if one.what == "damaged"] == [
        f"arrays.safetensors has 7 bytes instead of {size_there}"
    ]


def test_what_was_not_computed_is_absent(url):
    key = square.job(3).key
    with pytest.raises(AbsentValueError) as caught:
        Store(url).open().load(key)
    assert str(caught.value) == f"the value of job {key[:12]} is not in the store {url}"


def test_a_prefix_that_is_no_store_is_left_alone(url, server):
    server.pipe_file(f"{url}/thesis.tex", b"years of work")
    with pytest.raises(UsageError) as caught:
        Store(url).open()
    assert str(caught.value) == f"the folder {url} is not empty and is not a store; give another --store"
    assert files(server, url) == ["thesis.tex"]


def test_a_bucket_that_is_not_there(server, tmp_path, monkeypatch):
    use_cache(monkeypatch, tmp_path)
    with pytest.raises(StoreError) as caught:
        Store("s3://nowhere/store").open()
    assert str(caught.value).startswith("the store s3://nowhere/store cannot be written (")
    assert str(caught.value).endswith("); check its permissions or give another --store: finished work is kept")


def test_a_package_that_is_missing_is_named(tmp_path):
    code = "import sys; sys.modules['s3fs'] = None; from goldproof.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "run", "demo", "--store", "s3://bucket/store"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    said = "error: a store at s3:// needs an optional package: pip install 'goldproof[s3]'\n"
    assert (run.returncode, run.stderr) == (2, said)


@pytest.mark.needs("fsspec")
def test_a_url_of_an_unknown_kind(monkeypatch, tmp_path):
    use_cache(monkeypatch, tmp_path)
    with pytest.raises(UsageError) as caught:
        Store("carrier-pigeon://loft/store").open()
    assert str(caught.value) == (
        "the store carrier-pigeon://loft/store cannot be used (Protocol not known: carrier-pigeon); allowed are a "
        "folder and a URL that fsspec knows, such as s3://bucket/store"
    )


@pytest.mark.needs("fsspec")
def test_any_file_system_that_fsspec_knows_will_do(monkeypatch, tmp_path):
    use_cache(monkeypatch, tmp_path)
    store = Store(f"memory://{tmp_path.name}").open()
    list(run_jobs([size.job(matrix.job(60)), square.job(4)], store, SerialRunner()))
    store.commit(square.job(4), 99, HOW)
    assert [store.load(job.key) for job in (size.job(matrix.job(60)), square.job(4))] == [3600, 16]
    store.discard(matrix.job(60).key)
    assert not store.has(matrix.job(60).key)
