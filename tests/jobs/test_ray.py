"""The same jobs on a local Ray: the interface holds for a third runner."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.jobs.campaign_script import jobs
from tests.steps import Journal, add, fails, kills_its_worker, matrix, size, square, total

from goldproof.jobs import Results, Store, run_jobs
from goldproof.runners.serial import SerialRunner

pytestmark = [
    pytest.mark.ray,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def runner(ray_environment):
    from goldproof.runners.ray import RayRunner

    note = ray_environment / "ray" / "ray_current_cluster"  # of a cluster that somebody else has on this machine
    note.parent.mkdir()
    note.write_text("127.0.0.1:9")
    runner = RayRunner(workers=2)
    yield runner
    runner.close()


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


def test_without_an_address_a_ray_of_its_own_is_started(runner):
    assert [machine.cpus for machine in runner.machines] == [2]


def test_a_campaign_gives_what_the_serial_runner_gives(tmp_path, runner):
    wanted = jobs(Journal())
    found = {}
    for name, place in (("ray", runner), ("serial", SerialRunner())):
        store = Store(tmp_path / name).open()
        outcomes = list(run_jobs(wanted, store, place))
        assert {outcome.status for outcome in outcomes} == {"done"}
        found[name] = [Results(store)[job] for job in wanted]
    assert found["ray"] == found["serial"]


def test_failures_groups_and_damage_are_handled_alike(tmp_path, store, runner):
    journal = Journal(str(tmp_path / "journal"))
    assert {o.status for o in run_jobs([matrix.job(50)], store, runner)} == {"done"}
    next(store.folder.rglob("arrays.safetensors")).write_bytes(b"garbage")
    wanted = [size.job(matrix.job(50)), total.job([fails.job(1)]), *(add.job(1, seed, journal) for seed in range(3))]
    outcomes = list(run_jobs(wanted, store, runner))
    counts = Counter(outcome.status for outcome in outcomes)
    assert counts == {"kept": 1, "damaged": 1, "done": 5, "failed": 1, "skipped": 1}
    assert journal.lines() == ["together 0 1 2"]


def test_a_lost_worker_is_retried(tmp_path, store, runner):
    journal = Journal(str(tmp_path / "journal"))
    outcomes = list(run_jobs([kills_its_worker.job(1, journal), square.job(3)], store, runner))
    assert Counter(outcome.status for outcome in outcomes) == {"lost": 1, "done": 2}
    assert [o.error for o in outcomes if o.status == "lost"] == ["its worker was lost (its process ended abruptly)"]
    assert Results(store)[kills_its_worker.job(1, journal)] == 2
