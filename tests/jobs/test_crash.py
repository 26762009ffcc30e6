"""Kill -9 at any moment, run again: finished work is kept, nothing is half-written, the result is the same."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.steps import Journal, slow_square
from tests.waiting import ended, held, kill, living, started, wait_until

from goldproof.errors import DamagedValueError
from goldproof.jobs import Store

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
SQUARES = [slow_square.job(x, 0.01) for x in range(30)]
ROOM = 5  # squares that a run can do before it is killed


def start(folder, runner, name="summary.json"):
    script = [sys.executable, "-m", "tests.jobs.campaign_script", "store", "journal", name, runner]
    return started(script, folder, ENV)


def run_whole(folder, runner):
    with start(folder, runner) as process:
        assert ended(process) == 0
    return (folder / "summary.json").read_bytes()


def uninterrupted(folder, runner):
    folder.mkdir()
    return run_whole(folder, runner)


def squares_done(folder):
    """The squares that were computed so far, one after another."""
    lines = Journal(str(folder / "journal")).lines()
    return [int(line.split()[1]) for line in lines if line.startswith("slow_square")]


def squares_kept(store):
    return {x for x, job in enumerate(SQUARES) if store.has(job.key)}


def check_every_value_is_complete(store):
    """Whatever has a record loads, its checksums right."""
    for path in (store.folder / "records").glob("??/*.json"):
        try:
            store.load(path.stem)
        except DamagedValueError as error:
            pytest.fail(str(error))


def kill_driver(process):
    """End the driver alone: its workers must notice and end by themselves."""
    kill(process)
    wait_until(lambda: not living("--sid", process.pid), "the workers of a driver that was killed end")


def run_and_kill(folder, runner, n_squares):
    """Kill a run once it has done so many squares of the few that it can do; 0: at once, while Python starts."""
    store = Store(folder / "store").open()
    absent = [job for x, job in enumerate(SQUARES) if x not in squares_kept(store)]
    out_of_reach = absent[ROOM if n_squares else 0 :]
    assert out_of_reach, "the campaign could come to its end before it is killed"
    before = len(squares_done(folder))
    with held(store, out_of_reach), start(folder, runner) as process:
        wait_until(
            lambda: len(squares_done(folder)) >= before + n_squares or process.poll() is not None,
            f"{n_squares} squares are done",
        )
        assert process.poll() is None, "the campaign ended before it could be killed"
        kill_driver(process)


@pytest.mark.parametrize("runner", ["serial", "pool"])
def test_killed_at_many_moments(tmp_path, runner):
    expected = uninterrupted(tmp_path / "whole", runner)
    folder, store = tmp_path / "killed", Store(tmp_path / "killed" / "store")
    folder.mkdir()
    kept, seen = set(), 0
    for n_squares in (0, 1, 2, 3, 4, ROOM):
        run_and_kill(folder, runner, n_squares)
        check_every_value_is_complete(store)
        done = squares_done(folder)[seen:]
        assert max(Counter(done).values(), default=1) == 1, "one run did the same work twice"
        assert not kept & set(done), "finished work was done again"
        assert kept <= squares_kept(store), "finished work was lost"
        kept, seen = squares_kept(store), seen + len(done)
    assert kept
    assert run_whole(folder, runner) == expected
    assert sorted(squares_done(folder)[seen:]) == sorted(set(range(30)) - kept)
    check_every_value_is_complete(store)


def test_workers_end_when_their_driver_is_killed(tmp_path):
    with held(Store(tmp_path / "store").open(), SQUARES[ROOM:]), start(tmp_path, "pool") as process:
        wait_until(lambda: len(squares_done(tmp_path)) >= 2, "the workers are at work")
        wait_until(lambda: len(living("--ppid", process.pid)) >= 2, "there are two workers")
        kill_driver(process)


def test_two_processes_on_one_store_share_the_work(tmp_path):
    expected = uninterrupted(tmp_path / "whole", "serial")
    folder = tmp_path / "shared"
    folder.mkdir()
    with start(folder, "serial", "a.json") as one, start(folder, "pool", "b.json") as other:
        assert (ended(one), ended(other)) == (0, 0)
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes() == expected
    assert sorted(squares_done(folder)) == list(range(30))
    check_every_value_is_complete(Store(folder / "store"))
