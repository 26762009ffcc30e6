"""`goldproof status --watch` tells another terminal what is done, runs and where, failed and why, and the time left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.steps import Journal, fails, kills_its_worker, slow_square, square

from goldproof.cli import run_command
from goldproof.cli.watch import lines
from goldproof.jobs import Store
from goldproof.jobs.presence import AtWork, workers_at_work
from goldproof.jobs.runlog import Run, Trouble, logged, read_runs
from goldproof.jobs.schedule import Schedule
from goldproof.runners.pool import PoolRunner
from goldproof.runners.serial import SerialRunner

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


def run(jobs, store, runner=None):
    schedule = Schedule(jobs, store, runner or SerialRunner())
    return list(logged(schedule.run(), schedule.n_jobs, "study", store))


def test_a_worker_on_a_long_job_says_so_and_then_no_more(store):
    thread = threading.Thread(target=run, args=([slow_square.job(1, 2.5)], store))
    thread.start()
    deadline = time.monotonic() + 20
    while not (seen := workers_at_work(store)) and time.monotonic() < deadline:
        time.sleep(0.05)
    (worker,) = seen
    assert (worker.job, worker.key) == ("slow_square(x=1, seconds=2.5)", slow_square.job(1, 2.5).key)
    assert worker.where.endswith(f":{os.getpid()}")
    thread.join()
    assert workers_at_work(store) == []
    assert not list((store.folder / "running").iterdir())


def test_the_log_of_a_run_says_what_failed_and_what_was_lost(store, tmp_path):
    pool = PoolRunner(1)
    journal = Journal(str(tmp_path / "journal"))
    run([square.job(1), fails.job(2), kills_its_worker.job(1, journal)], store, pool)
    pool.close()
    (log,) = read_runs(store)
    assert (log.state, log.n_jobs) == ("finished", 3)
    assert log.counts["done"] == 2
    assert log.counts["failed"] == 1
    assert {(t.job, t.status, t.error) for t in log.troubles} >= {
        ("fails(x=2)", "failed", "ValueError: no 2 today"),
        ("kills_its_worker(times=1)", "lost", "its worker was lost (its process ended abruptly)"),
    }


def test_the_lines():
    run = Run(
        name="n",
        study="demo",
        where="here:1",
        started=1000.0,
        updated=1010.0,
        n_jobs=50,
        counts={"kept": 10, "done": 18, "failed": 2, "lost": 1},
        troubles=(
            Trouble("ab" * 32, "fit(seed=1)", "failed", "ValueError: no"),
            Trouble("cd" * 32, "fit(seed=2)", "lost", "its worker was lost (its machine is gone)"),
        ),
    )
    workers = [AtWork("train(seed=3)", "ef" * 32, 3, "node7:99", 890.0, 1009.0)]
    head = "demo from here:1, running: 30/50 · 2.0 a second · 10 s left (18 done, 2 failed, 10 kept, 1 lost)"
    troubles = [
        "  failed   fit(seed=1) [abababababab]: ValueError: no",
        "  lost     fit(seed=2) [cdcdcdcdcdcd]: its worker was lost (its machine is gone)",
    ]
    assert lines([run], workers, 1010.0) == [
        head,
        *troubles,
        "  running  train(seed=3) and 3 beside it on node7:99 for 2 min",
    ]
    gone = "; no news for 60 s: its driver is gone, the same command goes on from there"
    assert lines([run], [], 1070.0) == [head + gone, *troubles]
    assert lines([], [], 0.0) == ["no study has been run on this store"]


def test_a_campaign_is_watched_from_another_process(tmp_path):
    sizes = ",".join(map(str, range(100, 260, 10)))
    command = [sys.executable, "-m", "goldproof", "run", "demo", "--set", f"sizes={sizes}"]
    campaign = subprocess.Popen(command, env=ENV, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list((tmp_path / "goldproof-store" / "runs").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    watched = subprocess.run(
        [sys.executable, "-m", "goldproof", "status", "--watch", "--json"],
        env=ENV,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert campaign.wait(60) == 0
    looks = [json.loads(line)["runs"][0] for line in watched.stdout.splitlines()]
    assert [look["state"] for look in looks] == ["running"] * (len(looks) - 1) + ["finished"]
    done = [look["counts"].get("done", 0) for look in looks]
    assert done == sorted(done)
    assert done[-1] == looks[-1]["n_jobs"] == 16 * 5 + 2


def test_a_run_that_was_interrupted_or_stopped_says_so(tmp_path, monkeypatch, capfd):
    sizes = ",".join(map(str, range(50, 850, 10)))
    command = [sys.executable, "-m", "goldproof", "run", "demo", "--set", f"sizes={sizes}"]
    process = subprocess.Popen(command, env=ENV, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    store = Store(tmp_path / "goldproof-store")
    deadline = time.monotonic() + 60
    while sum(1 for _ in store.stored_keys()) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    (log,) = read_runs(store)
    assert log.state == "interrupted"
    monkeypatch.chdir(tmp_path)
    assert run_command(["status", "--watch"]) == 0
    assert capfd.readouterr().out.startswith(f"demo from {log.where}, interrupted: ")
