"""The scheduler runs what is absent, groups what may run together, and goes on when jobs, values or workers fail."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.steps import (
    Journal,
    add,
    device,
    fails,
    fails_clearly,
    kills_its_worker,
    matrix,
    resumes,
    scratch_name,
    size,
    slow_square,
    square,
    total,
    unkeepable,
)

from goldproof.jobs import Results, Store, make_plan, run_jobs
from goldproof.jobs.outcome import PASSING
from goldproof.jobs.schedule import Schedule
from goldproof.runners.pool import PoolRunner
from goldproof.runners.serial import SerialRunner


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


@pytest.fixture
def journal(tmp_path):
    return Journal(str(tmp_path / "journal"))


@pytest.fixture(scope="module")
def pool():
    runner = PoolRunner(2)
    yield runner
    runner.close()


def run(jobs, store, runner=None):
    return list(run_jobs(jobs, store, runner or SerialRunner()))


def statuses(outcomes):
    return dict(Counter(outcome.status for outcome in outcomes))


def ends(outcomes):
    """How the jobs ended, without what happened on the way; what a worker had kept before it died counts as done."""
    found = Counter(outcome.status for outcome in outcomes if outcome.status not in PASSING)
    found["done"] += found.pop("kept", 0)
    return dict(found)


@pytest.fixture(params=["serial", "pool"])
def runner(request):
    return SerialRunner() if request.param == "serial" else request.getfixturevalue("pool")


def test_a_graph_runs_once_and_is_kept(store, journal, runner):
    job = total.job([square.job(i, journal) for i in (1, 2, 3)], journal)
    assert statuses(run([job], store, runner)) == {"done": 4}
    assert Results(store)[job] == 14
    assert statuses(run([job], store, runner)) == {"kept": 1}
    assert sorted(journal.lines()) == ["square 1", "square 2", "square 3", "total"]


def test_a_shared_need_runs_once(store, journal, runner):
    shared = square.job(7, journal)
    run([total.job([shared, 1], journal), total.job([shared, 2], journal)], store, runner)
    assert journal.lines().count("square 7") == 1


def test_needed_jobs_come_first_in_the_plan(store):
    job = total.job([square.job(1), total.job([square.job(2)])])
    plan = make_plan([job], store.has)
    position = {job.key: i for i, job in enumerate(plan.absent)}
    assert all(position[need.key] < position[job.key] for job in plan.absent for need in job.needs)
    assert len(plan.absent) == 4


def test_a_kept_value_makes_no_demand_on_what_it_needed(store, journal):
    need = square.job(1, journal)
    job = total.job([need], journal)
    run([job], store)
    store.discard(need.key)
    assert statuses(run([job], store)) == {"kept": 1}


def test_a_failed_job_skips_only_its_dependants_and_its_error_is_kept(store, runner):
    bad, good = total.job([fails.job(3)]), total.job([square.job(2)])
    outcomes = run([bad, total.job([bad]), good], store, runner)
    assert statuses(outcomes) == {"failed": 1, "skipped": 2, "done": 2}
    assert {o.error for o in outcomes if o.status == "skipped"} == {"it needs fails(x=3), which failed"}
    kept = store.failure(fails.job(3).key)
    assert kept["error"] == "ValueError: no 3 today"
    assert 'raise ValueError(f"no {x} today")' in kept["traceback"]


def test_a_failed_job_is_tried_again_next_time(store):
    assert statuses(run([fails.job(3)], store)) == {"failed": 1}
    assert statuses(run([fails.job(3)], store)) == {"failed": 1}


def test_an_error_of_ours_is_shown_without_its_class(store):
    (outcome,) = run([fails_clearly.job(3)], store)
    assert outcome.error == "the loss of step 3 is not finite"


def test_a_value_that_cannot_be_kept_fails_its_job(store):
    (outcome,) = run([unkeepable.job()], store)
    assert outcome.status == "failed"
    assert outcome.error.startswith("a job returned a set, which the store cannot keep;")


def test_jobs_that_differ_only_in_over_run_together_up_to_the_limit(store, journal, runner):
    jobs = [add.job(10, seed, journal) for seed in range(6)] + [add.job(20, 0, journal)]
    assert statuses(run(jobs, store, runner)) == {"done": 7}
    assert sorted(journal.lines()) == ["alone 0", "together 0 1 2 3", "together 4 5"]
    assert [Results(store)[job] for job in jobs] == [10, 11, 12, 13, 14, 15, 20]


def test_a_member_of_a_group_fails_alone(store, journal):
    outcomes = run([add.job(10, seed, journal) for seed in (-1, 0, 1)], store)
    assert statuses(outcomes) == {"failed": 1, "done": 2}
    assert [o.error for o in outcomes if o.status == "failed"] == ["seed -1 is negative"]


def test_what_is_kept_of_a_group_does_not_run_again(store, journal):
    run([add.job(10, 1, journal)], store)
    run([add.job(10, seed, journal) for seed in range(3)], store)
    assert journal.lines() == ["alone 1", "together 0 2"]


def test_each_job_of_a_group_has_its_own_scratch(store):
    jobs = [scratch_name.job(seed) for seed in range(3)]
    run(jobs, store)
    assert [Results(store)[job] for job in jobs] == [job.key for job in jobs]
    assert not any((store.folder / "scratch").iterdir())


def test_a_damaged_need_is_computed_again_and_said(store, runner):
    need = matrix.job(50)
    run([need], store, runner)
    next(store.folder.rglob("arrays.safetensors")).write_bytes(b"garbage")
    outcomes = run([size.job(need)], store, runner)
    assert [(o.status, o.description) for o in outcomes] == [
        ("kept", "matrix(n=50)"),
        ("damaged", "matrix(n=50)"),
        ("done", "matrix(n=50)"),
        ("done", "size()"),
    ]
    assert outcomes[1].error == (
        f"the stored value of job {need.key[:12]} is damaged: arrays.safetensors has 7 bytes instead of "
        f"{next(store.folder.rglob('arrays.safetensors')).stat().st_size}"
    )
    assert Results(store)[size.job(need)] == 2500


def test_a_damaged_result_is_repaired_when_it_is_read(store):
    job = matrix.job(50)
    run([job], store)
    next(store.folder.rglob("arrays.safetensors")).write_bytes(b"garbage")
    said = []

    def repair(damaged, error):
        said.append(str(error))
        store.discard(damaged.key)
        run([damaged], store)

    assert Results(store, repair)[job].shape == (50, 50)
    assert len(said) == 1


def test_a_worker_that_dies_is_replaced_and_its_job_tried_again(store, journal, pool):
    others = [slow_square.job(i, 0.01) for i in range(20)]
    job = kills_its_worker.job(2, journal)
    outcomes = run([job, *others], store, pool)
    assert ends(outcomes) == {"done": 21}
    assert Results(store)[job] == 3
    assert [o.error for o in outcomes if o.key == job.key] == [
        "its worker was lost (its process ended abruptly)",
        "its worker was lost (its process ended abruptly)",
        "",
    ]


def test_a_job_that_always_kills_its_worker_fails_alone(store, journal, pool):
    others = [slow_square.job(i, 0.01) for i in range(20)]
    outcomes = run(
        [kills_its_worker.job(99, journal), total.job([kills_its_worker.job(99, journal)]), *others], store, pool
    )
    assert ends(outcomes) == {"done": 20, "failed": 1, "skipped": 1}
    (failed,) = [o for o in outcomes if o.status == "failed"]
    assert failed.error == (
        "the worker died 3 times (its process ended abruptly); it may need more memory than there is"
    )
    assert store.failure(failed.key)["error"] == failed.error
    assert journal.lines() == ["try"] * 3


def test_a_killed_job_resumes_from_its_scratch(store, journal, pool):
    job = resumes.job(journal)
    assert statuses(run([job], store, pool)) == {"lost": 1, "done": 1}
    assert journal.lines() == ["count 1", "count 2", "count 3", "count 4", "count 5"]


def test_a_value_that_the_store_refuses_fails_its_job_alone(store):
    (store.folder / "values").write_text("a file where a folder should be")
    jobs = [square.job(1), matrix.job(50), size.job(matrix.job(50)), square.job(2)]
    outcomes = run(jobs, store)
    assert statuses(outcomes) == {"done": 2, "lost": 2, "failed": 1, "skipped": 1}
    (failed,) = [o for o in outcomes if o.status == "failed"]
    assert failed.error == (
        f"the store {store.folder} cannot be written (Not a directory); check its permissions or give another "
        "--store: finished work is kept"
    )
    assert store.failure(failed.key)["error"] == failed.error
    (store.folder / "values").unlink()
    assert statuses(run(jobs, store)) == {"kept": 2, "done": 2}


SMALL_DISK = """
import resource, sys
from goldproof.errors import StoreError
from goldproof.jobs import Store, run_jobs
from goldproof.runners.serial import SerialRunner
from tests.steps import matrix, square, total
store = Store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))  # no file may grow past this
try:
    for outcome in run_jobs([square.job(1), matrix.job(200), total.job([2])], store, SerialRunner()):
        print(outcome.description, outcome.status, outcome.error)
except StoreError as error:
    print("stopped:", error)
"""


def on_a_small_disk(store, n_bytes):
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"}
    command = [sys.executable, "-c", SMALL_DISK, str(store.folder), str(n_bytes)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_value_that_finds_no_room_fails_its_job_alone_and_at_once(store):
    full = f"the store {store.folder} is full (File too large); free some space and run again: finished work is kept"
    assert on_a_small_disk(store, 100_000) == [
        "square(x=1) done ",
        f"matrix(n=200) failed {full}",
        "total() done ",
    ]


def test_a_store_that_can_take_no_more_stops_the_campaign_and_keeps_what_is_done(store):
    full = f"the store {store.folder} is full (File too large); free some space and run again: finished work is kept"
    assert on_a_small_disk(store, 10_000) == ["square(x=1) done ", f"stopped: {full}"]
    assert store.has(square.job(1).key)
    assert statuses(run([square.job(1), matrix.job(200), total.job([2])], store)) == {"kept": 1, "done": 2}


@pytest.fixture
def every_job_is_short(monkeypatch):
    """However slow the machine is, what a job takes is short beside what a submission may take."""
    monkeypatch.setattr("goldproof.jobs.schedule.SUBMISSION_SECONDS", 3600.0)


@pytest.mark.usefixtures("every_job_is_short")
def test_short_jobs_travel_several_at_a_time(store, pool):
    """With 300 short jobs, far fewer submissions than jobs reach the pool."""
    counted = Counting(pool)
    assert statuses(run([square.job(i) for i in range(300)], store, counted)) == {"done": 300}
    assert counted.submissions < 150


class Counting:
    def __init__(self, inner):
        self.inner = inner
        self.submissions = 0

    @property
    def slots(self):
        return self.inner.slots

    @property
    def shared_fate(self):
        return self.inner.shared_fate

    @property
    def gpu_slots(self):
        return self.inner.gpu_slots

    def submit(self, groups, store, *, alone=False):
        self.submissions += 1
        return self.inner.submit(groups, store, alone=alone)

    def close(self, *, cancel=False):
        self.inner.close(cancel=cancel)


@pytest.mark.usefixtures("every_job_is_short")
def test_what_travels_together_is_of_one_step(store):
    """A batch of short jobs takes no long one along, which would keep one worker busy while others are idle."""
    wanted = [job for i in range(60) for job in (square.job(i), total.job([i]))]
    with contextlib.closing(Recording(PoolRunner(1))) as recorded:
        assert statuses(run(wanted, store, recorded)) == {"done": 120}
    assert max(len(steps) for steps in recorded.sent) > 1
    assert all(len(set(steps)) == 1 for steps in recorded.sent)


def test_what_waits_for_a_gpu_leaves_room_for_what_needs_none(store):
    recorded = Recording(SerialRunner(), slots=4, gpu_slots=2)
    recorded.hold = True
    schedule = Schedule([*(device.job(4 * seed) for seed in range(40)), *map(square.job, range(9))], store, recorded)
    schedule._submit()
    assert [steps[0] for steps in recorded.sent] == ["tests.device", "tests.device", "tests.square", "tests.square"]


class Recording(Counting):
    """Notes the steps of each submission; with `hold` it never answers."""

    hold = False

    def __init__(self, inner, **limits):
        super().__init__(inner)
        self.limits = limits
        self.sent = []

    @property
    def slots(self):
        return self.limits.get("slots", self.inner.slots)

    @property
    def gpu_slots(self):
        return self.limits.get("gpu_slots", self.inner.gpu_slots)

    def submit(self, groups, store, *, alone=False):
        self.sent.append([group[0].step.name for group in groups])
        if self.hold:
            return Future()
        return super().submit(groups, store, alone=alone)


def test_claims_are_given_back(store, journal):
    run([square.job(i, journal) for i in range(3)] + [fails.job(1)], store)
    for job in [*(square.job(i, journal) for i in range(3)), fails.job(1)]:
        claim = store.claim(job.key)
        assert claim is not None
        claim.release()
