"""Whatever lies where a record should be is refused at once and computed again; no record stands for another's."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from tests.jobs.test_store import HOW
from tests.steps import matrix, square, table

from goldproof.cli import run_command
from goldproof.errors import DamagedValueError, StoreError, UsageError
from goldproof.jobs import Store, run_jobs, step
from goldproof.jobs.bounded import MOST_BYTES
from goldproof.jobs.key import digest, dumps
from goldproof.jobs.results import Results
from goldproof.jobs.store import record_name
from goldproof.jobs.upkeep import merge, verify
from goldproof.runners.serial import SerialRunner


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


@step(version=1, name="tests.depth")
def depth(levels: int) -> list:
    value: list = []
    for _ in range(levels - 1):
        value = [value]
    return value


@step(version=1, name="tests.plus_one")
def plus_one(number: int) -> int:
    return number + 1


def record(store, job) -> Path:
    return store.folder / record_name(job.key)


def swap(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def test_swapped_records_are_found_and_computed_again(store):
    two, three = square.job(2), square.job(3)
    list(run_jobs([two, three], store, SerialRunner()))
    swap(record(store, two), record(store, three))
    for job, other in ((two, three), (three, two)):
        said = f"its record is misplaced: it is that of job {other.key[:12]}"
        with pytest.raises(DamagedValueError) as caught:
            store.load(job.key)
        assert str(caught.value) == f"the stored value of job {job.key[:12]} is damaged: {said}"
    assert {one.key: one.what for one in verify(store)} == {two.key: "damaged", three.key: "damaged"}
    outcomes = list(run_jobs([plus_one.job(two), plus_one.job(three)], store, SerialRunner()))
    assert sorted(o.key for o in outcomes if o.status == "damaged") == sorted([two.key, three.key])
    results = Results(store)
    assert [results[job] for job in (two, three, plus_one.job(two), plus_one.job(three))] == [4, 9, 5, 10]
    assert {one.what for one in verify(store)} == {"sound"}


def test_swapped_records_do_not_travel(store, tmp_path):
    list(run_jobs([square.job(2), square.job(3), square.job(4)], store, SerialRunner()))
    swap(record(store, square.job(2)), record(store, square.job(3)))
    target = Store(tmp_path / "target").open()
    found = {one.key: one.what for one in merge(store, target)}
    assert found == {square.job(2).key: "damaged", square.job(3).key: "damaged", square.job(4).key: "copied"}


def test_a_study_whose_records_were_swapped_gives_the_same_report(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run_command(["run", "demo", "--preset", "tiny", "--out", "before"]) == 0
    store = Store("goldproof-store")
    last = [key for key in store.stored_keys() if store.record(key)["step"] == "goldproof.demo.fit_and_predict"]
    swap(*(store.folder / record_name(key) for key in last[:2]))
    assert run_command(["store", "verify"]) == 1
    assert capfd.readouterr().out.count("its record is misplaced: it is that of job") == 2
    assert run_command(["run", "demo", "--preset", "tiny", "--out", "after"]) == 0
    assert Path("after/summary.json").read_bytes() == Path("before/summary.json").read_bytes()
    assert run_command(["store", "verify"]) == 0


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


def nested(path: Path) -> None:
    path.write_text("[" * 10_000 + "]" * 10_000)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket must be short
        try:
            one.bind("s")
        finally:
            os.chdir(here)
    (path.parent / "s").rename(path)


STRANGE = [
    (pipe, "{name} is a named pipe, not a file"),
    (device, "{name} is a device, not a file"),
    (Path.mkdir, "{name} is a folder, not a file"),
    (large, f"{{name}} has {MOST_BYTES + 1} bytes; at most {MOST_BYTES} are read"),
    (nested, "it is nested deeper than 200 levels"),
    (listening, "{name} is a socket or a device, not a file"),
]


@pytest.mark.parametrize(("make", "said"), STRANGE)
def test_a_record_that_is_no_small_file_is_refused_and_computed_again(store, make, said):
    job = square.job(3)
    list(run_jobs([job], store, SerialRunner()))
    path = record(store, job)
    path.unlink()
    make(path)
    reason = f"its record cannot be read ({said.format(name=path.name)})"
    with pytest.raises(DamagedValueError) as caught:
        store.load(job.key)
    assert caught.value.reason == reason
    assert [(one.key, one.what, one.trouble) for one in verify(store)] == [(job.key, "damaged", reason)]
    outcomes = list(run_jobs([plus_one.job(job)], store, SerialRunner()))
    assert [o.status for o in outcomes if o.key == job.key] == ["kept", "damaged", "done"]
    assert store.load(plus_one.job(job).key) == 10
    assert path.is_file()


@pytest.mark.parametrize(("make", "said"), STRANGE)
def test_a_note_that_is_no_small_file_is_passed_over(store, make, said, tmp_path):
    store.note("campaigns/a.json", {"study": "demo"})
    make(store.folder / "campaigns" / "b.json")
    assert list(store.notes("campaigns")) == [{"study": "demo"}]
    target = Store(tmp_path / "target").open()
    assert list(merge(store, target)) == []
    assert {"study": "demo"} in list(target.notes("campaigns"))


def test_a_folder_with_something_in_it_is_left_alone(store):
    job = square.job(3)
    record(store, job).mkdir(parents=True)
    (record(store, job) / "thesis.tex").write_text("years of work")
    with pytest.raises(StoreError) as caught:
        store.discard(job.key)
    assert str(caught.value) == (
        f"the store {store.folder} cannot be written (Directory not empty); "
        "check its permissions or give another --store: finished work is kept"
    )
    assert (record(store, job) / "thesis.tex").read_text() == "years of work"


def test_a_pipe_among_the_files_of_a_value_is_not_waited_for(store):
    job = table.job(50)
    store.commit(job, table(50), HOW)
    path = next(store.folder.rglob("*.parquet"))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DamagedValueError) as caught:
        store.load(job.key)
    assert caught.value.reason == "table-0.parquet is a named pipe, not a file"


def rewrite(store, job, **changes) -> None:
    """Change a record and make it whole again."""
    body = {**store.record(job.key), **changes}
    record(store, job).write_text(dumps({**body, "checksum": digest(body)}))


def test_a_record_may_not_name_files_of_others(store, tmp_path):
    job = matrix.job(4)
    store.commit(job, matrix(4), HOW)
    folder, files = store.record(job.key)["folder"], store.record(job.key)["files"]
    (tmp_path / "outside").write_text("secret")
    for changes, names in (
        ({"folder": "../other"}, f"../other, {', '.join(sorted(files))}"),
        ({"files": {"../../../../outside": [6, ""]}}, f"{folder}, ../../../../outside"),
    ):
        whole = record(store, job).read_bytes()
        rewrite(store, job, **changes)
        assert [one.trouble for one in merge(store, Store(tmp_path / "target").open())] == [
            f"its record names files that are not its own ({names})"
        ]
        record(store, job).write_bytes(whole)


def test_a_deep_value_in_a_whole_record_is_damage(store):
    job = square.job(3)
    store.commit(job, 9, HOW)
    rewrite(store, job, value="[" * 5000 + "]" * 5000)
    with pytest.raises(DamagedValueError) as caught:
        store.load(job.key)
    assert caught.value.reason == "its value cannot be read (it is nested deeper than 200 levels)"


def test_what_could_not_be_read_again_is_not_written(store):
    (outcome,) = run_jobs([depth.job(201)], store, SerialRunner())
    said = "a job returned a value nested deeper than 200 levels, which the store cannot keep"
    assert (outcome.status, outcome.error) == ("failed", said)
    list(run_jobs([depth.job(200)], store, SerialRunner()))
    assert json.dumps(store.load(depth.job(200).key)) == "[" * 200 + "]" * 200
    long = square.job("x" * (MOST_BYTES // 2))
    with pytest.raises(UsageError) as caught:
        store.commit(long, 9, HOW)
    assert str(caught.value) == (
        f"the arguments of a job cannot be kept in its record: they take {len(dumps(long.form))} bytes; "
        f"at most {MOST_BYTES // 2} are allowed (give a job that makes them, or a file with its digest)"
    )


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        (
            '{"product": "goldproof", "format": 99}',
            "the store goldproof-store is of goldproof, format 99; this version of Goldproof reads goldproof, format 2 "
            "(it is left as it is)",
        ),
        ("{", 'goldproof-store/format.json cannot be read; it should hold {"format":2,"product":"goldproof"}'),
        (
            "[" * 10_000,
            'goldproof-store/format.json cannot be read; it should hold {"format":2,"product":"goldproof"}',
        ),
        (
            None,
            "the store goldproof-store cannot be read (format.json is a named pipe, not a file); check its "
            "permissions or give another --store: finished work is kept",
        ),
    ],
)
def test_commands_end_with_4_on_another_format(tmp_path, monkeypatch, capfd, marker, said):
    monkeypatch.chdir(tmp_path)
    store = Store("goldproof-store").open()
    (store.folder / "format.json").unlink()
    if marker is None:
        os.mkfifo(store.folder / "format.json")
    else:
        (store.folder / "format.json").write_text(marker)
    for command in (["store", "verify"], ["store", "verify", "--discard"], ["status"], ["status", "demo"]):
        assert run_command(command) == 4
        assert capfd.readouterr() == ("", f"error: {said}\n")
    assert sorted(path.name for path in store.folder.iterdir()) == ["format.json"]
