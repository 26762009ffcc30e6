"""`goldproof store`: stores are joined, checked and cleared up, and what is of use stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.jobs.test_store import HOW
from tests.steps import fails, matrix, square, table

from goldproof.jobs import Store, run_jobs
from goldproof.runners.serial import SerialRunner


def filled(where, jobs):
    store = Store(where).open()
    list(run_jobs(jobs, store, SerialRunner()))
    return store


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def test_stores_are_joined(run):
    filled("a", [square.job(1), matrix.job(50), fails.job(1)])
    filled("b", [square.job(1), square.job(2), table.job(9)])
    assert run("store", "merge", "a", "b", "c") == (0, "4 values copied into c, 1 were already there\n", "")
    joined = Store("c")
    assert [joined.load(job.key) for job in (square.job(1), square.job(2))] == [1, 4]
    assert (joined.load(matrix.job(50).key) == matrix(50)).all()
    assert joined.load(table.job(9).key).equals(table(9))
    assert joined.failure(fails.job(1).key)["error"] == "ValueError: no 1 today"
    assert joined.record(square.job(1).key) == Store("a").record(square.job(1).key)
    assert run("store", "merge", "a", "b", "c")[1] == "0 values copied into c, 5 were already there\n"
    assert run("store", "verify", "--store", "c") == (0, "4 of 4 values in c are sound\n", "")


def test_a_study_run_in_two_places_is_whole_after_joining(run):
    run("run", "demo", "--preset", "tiny", "--set", "seeds=0", "--store", "a")
    run("run", "demo", "--preset", "tiny", "--set", "seeds=1", "--store", "b")
    run("store", "merge", "a", "b")
    assert run("run", "demo", "--preset", "tiny", "--store", "b")[1].startswith("4 jobs: 4 kept\n")
    assert run("status", "--store", "b")[1].count("0 to run") == 3


def test_a_damaged_value_stays_behind_and_is_said(run):
    store = filled("a", [square.job(1), matrix.job(50)])
    flip(next(store.folder.rglob("arrays.safetensors")))
    key = matrix.job(50).key
    code, out, _ = run("store", "merge", "a", "b")
    assert (code, out) == (
        1,
        f"damaged: {key[:12]}: a: the checksum of arrays.safetensors does not match\n1 values copied into b, 0 were "
        "already there; 1 damaged\n",
    )
    assert not Store("b").has(key)


def test_verify_finds_and_discards(run):
    store = filled("a", [square.job(1), square.job(2), matrix.job(50)])
    flip(next(store.folder.rglob("arrays.safetensors")))
    flip(next((store.folder / "records").rglob(f"{square.job(2).key}.json")))
    code, out, _ = run("store", "verify", "--store", "a", "--json")
    found = json.loads(out)
    assert (code, found["sound"], sorted(found["damaged"])) == (1, 1, sorted([square.job(2).key, matrix.job(50).key]))
    assert run("store", "verify", "--store", "a", "--discard")[0] == 1
    assert run("store", "verify", "--store", "a") == (0, "1 of 1 values in a are sound\n", "")
    assert [o.status for o in run_jobs([square.job(2)], store, SerialRunner())] == ["done"]


def test_prune_removes_what_nothing_refers_to_once_it_is_old(run):
    store = filled("a", [square.job(1), matrix.job(50), fails.job(1)])
    kept = sorted(store.folder.rglob("*"))
    orphan = store.folder / "values" / "ab" / f"{'ab' * 32}-12345678"
    second = next((store.folder / "values").rglob(f"{matrix.job(50).key}-*"))
    second = second.with_name(f"{matrix.job(50).key}-00000000")
    scratch = store.scratch(square.job(1).key)
    for folder in (orphan, second, scratch):
        folder.mkdir(parents=True)
        (folder / "arrays.safetensors").write_bytes(bytes(100))
    (store.folder / "records" / "ab").mkdir(exist_ok=True)
    (store.folder / "records" / "ab" / ".half.json.1234").write_bytes(bytes(10))
    said = "3 files of 210 bytes that nothing refers to would be removed from a\n"
    assert run("store", "prune", "--store", "a")[1] == "0 files of 0 bytes that nothing refers to removed from a\n"
    for path in store.folder.rglob("*"):
        os.utime(path, (1e9, 1e9))
    assert run("store", "prune", "--store", "a", "--dry-run")[1] == said
    assert orphan.exists()
    assert run("store", "prune", "--store", "a")[1] == said.replace("would be removed", "removed")
    assert not any(folder.exists() for folder in (orphan, second, scratch))
    assert [path for path in kept if not path.exists()] == []
    assert run("store", "verify", "--store", "a")[0] == 0
    assert store.failure(fails.job(1).key) is not None


def test_prune_unused_keeps_what_campaigns_need(run):
    run("run", "demo", "--preset", "tiny")
    store = Store("goldproof-store")
    store.commit(square.job(5), 25, HOW)
    assert run("store", "prune", "--unused")[1] == (
        "0 files of 0 bytes that nothing refers to removed, and 1 values that no campaign needs from goldproof-store\n"
    )
    assert not store.has(square.job(5).key)
    assert run("run", "demo", "--preset", "tiny")[1].startswith("4 jobs: 4 kept\n")
    (store.folder / "campaigns" / "older.json").write_text('{"study": "demo", "config": {"colour": "red"}}')
    code, _, err = run("store", "prune", "--unused")
    assert (code, err) == (
        2,
        "error: 1 of the 2 campaigns of the store goldproof-store belong to another version of Goldproof or to a "
        "plugin that cannot be loaded, so what they need is unknown; nothing was removed\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["merge", "a"], "error: merge needs at least two stores, got 1: goldproof store merge FROM INTO\n"),
        (["merge", "a", "b"], "error: there is no store a; `goldproof run` makes one, --store names another\n"),
        (["verify", "--store", "x"], "error: there is no store x; `goldproof run` makes one, --store names another\n"),
        (["prune", "--store", "x"], "error: there is no store x; `goldproof run` makes one, --store names another\n"),
    ],
)
def test_wrong_use_is_said(run, arguments, said):
    assert run("store", *arguments) == (2, "", said)
