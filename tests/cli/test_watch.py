"""`goldproof status --watch` tells another terminal what is done, runs and where, failed and why, and the time left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.steps import Gate, Journal, fails, gated_square, kills_its_worker, square
from tests.waiting import ended, held, started, wait_until

from goldproof.cli import run_command
from goldproof.cli.watch import lines
from goldproof.jobs import Store
from goldproof.jobs.presence import AtWork, workers_at_work
from goldproof.jobs.runlog import Run, Trouble, logged, read_runs
from goldproof.jobs.schedule import Schedule
from goldproof.runners.pool import PoolRunner
from goldproof.runners.serial import SerialRunner
from goldproof.studies.demo.plan import Config, prediction_job

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


def run(jobs, store, runner=None):
    schedule = Schedule(jobs, store, runner or SerialRunner())
    return list(logged(schedule.run(), schedule.n_jobs, "study", store))


def test_a_worker_on_a_long_job_says_so_and_then_no_more(store, tmp_path):
    gate = Gate(str(tmp_path / "gate"))
    job = gated_square.job(1, gate)
    thread = threading.Thread(target=run, args=([job], store))
    thread.start()
    try:
        (worker,) = wait_until(lambda: workers_at_work(store), "the worker says what it is on")
    finally:
        gate.open()
        thread.join()
    assert (worker.job, worker.key) == ("gated_square(x=1)", job.key)
    assert worker.where.endswith(f":{os.getpid()}")
    assert workers_at_work(store) == []
    assert not list((store.folder / "running").iterdir())


def test_the_log_of_a_run_says_what_failed_and_what_was_lost(store, tmp_path):
    journal = Journal(str(tmp_path / "journal"))
    with contextlib.closing(PoolRunner(1)) as pool:
        run([square.job(1), fails.job(2), kills_its_worker.job(1, journal)], store, pool)
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
    gone = "; no news for 60 s: its driver is gone; the same command carries on from there"
    assert lines([run], [], 1070.0) == [head + gone, *troubles]
    assert lines([], [], 0.0) == ["no study has been run with this store"]


def start_demo(folder, config):
    command = [sys.executable, "-m", "goldproof", "run", "demo", "--set", f"sizes={','.join(map(str, config.sizes))}"]
    return started(command, folder, ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_campaign_is_watched_from_another_process(tmp_path):
    """The campaign cannot end before its watcher has seen it run."""
    config = Config(sizes=tuple(range(100, 260, 10)))
    store, seen = Store(tmp_path / "goldproof-store").open(), tmp_path / "seen"
    watch = [sys.executable, "-m", "goldproof", "status", "--watch", "--json"]
    with seen.open("w") as file, contextlib.ExitStack() as processes:
        with held(store, [prediction_job(config, 250, 4)]):
            campaign = processes.enter_context(start_demo(tmp_path, config))
            wait_until(lambda: read_runs(store), "the campaign has a log")
            watcher = processes.enter_context(started(watch, tmp_path, ENV, stdout=file))
            wait_until(lambda: "\n" in seen.read_text() or watcher.poll() is not None, "the watcher has had a look")
        assert (ended(campaign), ended(watcher)) == (0, 0)
    looks = [json.loads(line)["runs"][0] for line in seen.read_text().splitlines()]
    assert len(looks) >= 2
    assert [look["state"] for look in looks] == ["running"] * (len(looks) - 1) + ["finished"]
    done = [look["counts"].get("done", 0) for look in looks]
    assert done == sorted(done)
    assert done[-1] == looks[-1]["n_jobs"] == 16 * 5 + 2


def test_a_run_that_was_interrupted_or_stopped_says_so(tmp_path, monkeypatch, capfd):
    config = Config(sizes=tuple(range(50, 850, 10)))
    store = Store(tmp_path / "goldproof-store").open()
    with held(store, [prediction_job(config, 840, 4)]), start_demo(tmp_path, config) as process:
        wait_until(lambda: sum(1 for _ in store.stored_keys()) >= 5, "five values are kept")
        process.send_signal(signal.SIGINT)
        assert ended(process) == 130
    (log,) = read_runs(store)
    assert log.state == "interrupted"
    monkeypatch.chdir(tmp_path)
    assert run_command(["status", "--watch"]) == 0
    assert capfd.readouterr().out.startswith(f"demo from {log.where}, interrupted: ")
