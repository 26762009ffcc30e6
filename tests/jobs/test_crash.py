"""Kill -9 at any moment, run again: finished work is kept, nothing is half-written, the result is the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldproof.errors import DamagedValueError
from goldproof.jobs import Store

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}


def start(folder, runner, name="summary.json"):
    script = [sys.executable, "-m", "tests.jobs.campaign_script", "store", "journal", name, runner]
    return subprocess.Popen(script, cwd=folder, env=ENV, start_new_session=True)


def uninterrupted(folder, runner):
    folder.mkdir()
    assert start(folder, runner).wait(60) == 0
    return (folder / "summary.json").read_bytes()


def check_every_value_is_complete(store):
    """Whatever has a record loads, its checksums right."""
    for path in (store.folder / "records").glob("??/*.json"):
        try:
            store.load(path.stem)
        except DamagedValueError as error:
            pytest.fail(str(error))


@pytest.mark.parametrize("runner", ["serial", "pool"])
def test_killed_at_many_moments(tmp_path, runner):
    expected = uninterrupted(tmp_path / "whole", runner)
    folder = tmp_path / "killed"
    folder.mkdir()
    rng = random.Random(7)
    kills = 0
    for _ in range(40):
        process = start(folder, runner)
        try:
            assert process.wait(rng.uniform(0.25, 0.75)) == 0
            break
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)  # the driver alone: its workers must notice and end by themselves
            process.wait()
            kills += 1
            if (folder / "store" / "records").is_dir():
                check_every_value_is_complete(Store(folder / "store"))
    else:
        assert start(folder, runner).wait(60) == 0
    assert kills >= 2, "the campaign ended before it could be killed"
    assert (folder / "summary.json").read_bytes() == expected
    lines = (folder / "journal").read_text().splitlines()
    slow = [line for line in lines if line.startswith("slow_square")]
    assert len(set(slow)) == 30
    assert len(slow) <= 30 + 3 * kills, "finished work was done again"


def test_workers_end_when_their_driver_is_killed(tmp_path):
    process = start(tmp_path, "pool")
    children = []
    deadline = time.monotonic() + 20
    while len(children) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
        listed = subprocess.run(
            ["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True, check=False
        )
        children = [int(pid) for pid in listed.stdout.split()]
    assert len(children) >= 2
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def test_two_processes_on_one_store_share_the_work(tmp_path):
    expected = uninterrupted(tmp_path / "whole", "serial")
    folder = tmp_path / "shared"
    folder.mkdir()
    both = [start(folder, "serial", "a.json"), start(folder, "pool", "b.json")]
    assert [process.wait(60) for process in both] == [0, 0]
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes() == expected
    lines = (folder / "journal").read_text().splitlines()
    assert sorted(line for line in lines if line.startswith("slow_square")) == sorted(
        f"slow_square {i}" for i in range(30)
    )
    check_every_value_is_complete(Store(folder / "store"))
