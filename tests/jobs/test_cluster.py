"""A Ray cluster of three machines (on this one): the same bytes, and nothing lost when a machine or the driver dies."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest
from tests.jobs.campaign_script import jobs
from tests.steps import Gate, Journal, device, gated_square, greedy, slow_square, square, total
from tests.waiting import HANG_SECONDS, held, kill, living, started, wait_until

from goldproof.cli import run_command
from goldproof.errors import UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.outcome import PASSING
from goldproof.jobs.runlog import read_runs
from goldproof.runners.serial import SerialRunner
from goldproof.studies.demo.plan import Config, prediction_job
from goldproof.version import __version__

pytestmark = [
    pytest.mark.ray,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"),
]
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}


def add_machine(cluster, **more):
    machine = cluster.add_node(wait=False, **NODE, **more)
    cluster.wait_for_nodes(HANG_SECONDS)
    return machine


@pytest.fixture(scope="module")
def cluster(ray_environment):
    """Three machines of one core each; one of them has two GPUs, or says so."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"wait": False, **NODE})
    try:
        add_machine(cluster)
        cluster.with_gpus = add_machine(cluster, num_gpus=2)
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture
def runner(cluster):
    from goldproof.runners.ray import RayRunner

    runner = RayRunner(cluster.address)
    yield runner
    runner.close(cancel=True)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store").open()


@pytest.fixture
def journal(tmp_path):
    return Journal(str(tmp_path / "journal"))


def start(folder, *command):
    return started([sys.executable, "-m", *command], folder, os.environ, stderr=subprocess.PIPE)


def workers_of(machine):
    """The processes of a machine: children of its raylet."""
    return living("--ppid", machine.all_processes["raylet"][0].process.pid)


def is_at_work(machine):
    return any("ray::_work" in title for title in workers_of(machine).values())


def lose(machine, cluster):
    """End a machine and all that runs on it at one blow."""
    workers = workers_of(machine)
    cluster.remove_node(machine, allow_graceful=False)
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def lose_while_it_works(machine, cluster, gate):
    """What the machine is on waits at the gate, so that it cannot end before the machine does."""
    try:
        wait_until(lambda: is_at_work(machine), "the machine that is to be lost has something to do")
        lose(machine, cluster)
    finally:
        gate.open()


def test_a_study_gives_the_same_bytes_as_in_one_process(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the store is given by a relative path, and workers have another current folder
    for name, options in (("serial", []), ("ray", ["--address", cluster.address])):
        command = ["run", "demo", "--preset", "tiny", "--runner", name, *options]
        assert run_command([*command, "--store", f"{name}-store", "--out", name]) == 0
    for file in ("summary.json", "report.html", "tables/accuracy.csv"):
        assert (tmp_path / "serial" / file).read_bytes() == (tmp_path / "ray" / file).read_bytes()


def test_stacked_jobs_share_one_gpu_and_every_group_has_its_own(store, runner):
    wanted = [device.job(seed) for seed in range(8)]
    outcomes = list(run_jobs(wanted, store, runner))
    assert Counter(outcome.status for outcome in outcomes) == {"done": 8}
    given = [Results(store)[job] for job in wanted]
    assert set(given) <= {"0", "1"}
    assert len(set(given[:4])) == len(set(given[4:])) == 1


def test_what_no_machine_can_hold_fails_alone(store, runner):
    outcomes = list(run_jobs([total.job([greedy.job(1)]), square.job(2)], store, runner))
    assert Counter(outcome.status for outcome in outcomes) == {"failed": 1, "skipped": 1, "done": 1}
    (failed,) = [o for o in outcomes if o.status == "failed"]
    most = f"{max(machine.memory_gb for machine in runner.machines):.3g}"
    assert failed.error == f"it needs 1e+06 GB of memory; the largest machine of the cluster has {most}"
    assert store.failure(failed.key)["error"] == failed.error


def test_the_driver_is_killed_and_started_again(cluster, tmp_path, journal):
    command = ["tests.jobs.campaign_script", "store", journal.path, "summary.json", f"ray@{cluster.address}"]
    squares = {f"slow_square {x}": slow_square.job(x, 0.01) for x in range(30)}
    whole = Store(tmp_path / "store").open()
    with held(whole, list(squares.values())[20:]), start(tmp_path, *command) as first:
        wait_until(
            lambda: sum(whole.has(job.key) for job in squares.values()) >= 8 or first.poll() is not None,
            "eight squares are kept",
        )
        assert first.poll() is None, first.stderr.read()
        kill(first)
        kept = {line for line, job in squares.items() if whole.has(job.key)}
    with start(tmp_path, *command) as second:
        _, said = second.communicate(timeout=HANG_SECONDS)
        assert second.returncode == 0, said
    serial = Store(tmp_path / "serial").open()
    list(run_jobs(jobs(Journal()), serial, SerialRunner()))
    assert [Results(whole)[job] for job in jobs(Journal())] == [Results(serial)[job] for job in jobs(Journal())]
    times = Counter(line for line in journal.lines() if line.startswith("slow_square"))
    assert set(times) == set(squares)
    assert {times[line] for line in kept} == {1}, "finished work was done again"
    assert max(times.values()) <= 2, "one driver did the same work twice"
    assert sorted(whole.stored_keys()) == sorted(serial.stored_keys())


def test_an_interrupt_cancels_and_the_next_run_goes_on(cluster, tmp_path):
    config = Config(sizes=(100,), seeds=tuple(range(12)))
    settings = ["--set", f"seeds={list(config.seeds)}", "--set", "sizes=[100]"]
    command = ["goldproof", "run", "demo", *settings, "--runner", "ray", "--address", cluster.address]
    records = Store(tmp_path / "goldproof-store").open()
    with held(records, [prediction_job(config, 100, 11)]), start(tmp_path, *command) as first:
        wait_until(
            lambda: sum(1 for _ in records.stored_keys()) >= 5 or first.poll() is not None, "five values are kept"
        )
        os.kill(first.pid, signal.SIGINT)
        _, err = first.communicate(timeout=HANG_SECONDS)
    assert (first.returncode, err.splitlines()[-1]) == (
        130,
        "interrupted: finished work is kept; the same command carries on from there",
    )
    wait_until(
        lambda: not any(map(is_at_work, cluster.list_all_nodes())), "nothing works any more for a driver that is gone"
    )
    kept = set(records.stored_keys())
    second = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=True
    )
    went_on = read_runs(records)[-1].counts
    assert went_on["kept"] >= len(kept) >= 5
    assert second.stdout.startswith(f"14 jobs: {14 - went_on['kept']} done, {went_on['kept']} kept\n")
    assert kept < set(records.stored_keys())


def test_a_worker_with_another_version_stops_the_run_and_is_named(store, runner, monkeypatch):
    monkeypatch.setattr("goldproof.runners.ray.__version__", "99.0")
    with pytest.raises(UsageError) as caught:
        list(run_jobs([square.job(1)], store, runner))
    assert str(caught.value) == (
        f"the machine {platform.node()} has Goldproof {__version__}, the driver 99.0; "
        "install the same version on every machine of the cluster"
    )


def test_a_worker_that_lacks_a_module_stops_the_run_and_says_so(store, runner, tmp_path, monkeypatch):
    source = "from goldproof.jobs import step\n\n@step(version=1)\ndef one() -> int:\n    return 1\n"
    (tmp_path / "only_here.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    job = importlib.import_module("only_here").one.job()
    with pytest.raises(UsageError) as caught:
        list(run_jobs([job], store, runner))
    assert str(caught.value) == (
        "a worker of the Ray cluster cannot run jobs (ModuleNotFoundError: No module named 'only_here'); "
        "install the same Goldproof and the same packages on every machine"
    )


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path):
    from goldproof.runners.ray import _work

    with pytest.raises(UsageError) as caught:
        _work(__version__, [[square.job(1)]], Store(tmp_path / "nowhere"))
    assert str(caught.value) == (
        f"the machine {platform.node()} does not see the store {tmp_path / 'nowhere'}; "
        "give a folder that every machine of the cluster sees, or a URL"
    )


@pytest.mark.slow
def test_a_machine_without_memory_is_said_after_three_tries(store, ray_environment, monkeypatch):
    """A cluster whose memory watch ends every task: the job fails alone, with the reason."""
    from ray.cluster_utils import Cluster

    from goldproof.runners.ray import RayRunner

    monkeypatch.setenv("RAY_memory_usage_threshold", "0.001")
    monkeypatch.setenv("RAY_memory_monitor_refresh_ms", "100")
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    runner = RayRunner(cluster.address)
    try:
        outcomes = list(run_jobs([slow_square.job(1, 5.0)], store, runner))
    finally:
        runner.close()
        cluster.shutdown()
    assert [outcome.status for outcome in outcomes] == ["lost", "lost", "failed"]
    assert outcomes[0].error == "its worker was lost (its machine ran out of memory)"
    assert outcomes[-1].error == (
        "the worker died 3 times (its machine ran out of memory); it may need more memory than there is"
    )


def test_a_wrong_address_is_said_at_once(cluster):
    from goldproof.runners.ray import RayRunner

    with pytest.raises(UsageError) as caught:
        RayRunner("127.0.0.1:9")
    assert str(caught.value) == (
        "the ray runner cannot use --address 127.0.0.1:9 ([Errno 111] Connection refused); "
        "`ray start --head` starts a cluster and prints its address"
    )


def test_a_machine_is_lost_in_the_middle(cluster, store, runner, journal, tmp_path):
    gate = Gate(str(tmp_path / "gate"))
    final = total.job([gated_square.job(i, gate, journal) for i in range(24)])
    victim = add_machine(cluster)
    killer = threading.Thread(target=lose_while_it_works, args=(victim, cluster, gate))
    killer.start()
    outcomes = list(run_jobs([final], store, runner))
    killer.join()
    ends = Counter(outcome.key for outcome in outcomes if outcome.status not in PASSING)
    assert set(ends.values()) == {1}, "a job came to its end twice"
    assert {outcome.status for outcome in outcomes if outcome.status not in PASSING} <= {"done", "kept"}
    lost = [outcome for outcome in outcomes if outcome.status == "lost"]
    assert lost, "the machine that was lost had nothing to do"
    assert {outcome.error for outcome in lost} <= {
        "its worker was lost (its machine is gone)",
        "its worker was lost (its process ended abruptly)",
    }
    assert Results(store)[final] == sum(i * i for i in range(24))
    assert len(list(store.stored_keys())) == 25
    assert len(set(journal.lines())) == 24
    assert len(journal.lines()) <= 24 + len(lost)


@pytest.fixture
def last_gpus(cluster):
    """The only machine with GPUs, to be lost; there is another one afterwards."""
    yield cluster.with_gpus
    cluster.with_gpus = add_machine(cluster, num_gpus=2)


def test_when_the_last_gpu_is_lost_its_jobs_fail_alone(cluster, store, runner, monkeypatch, last_gpus):
    monkeypatch.setattr("goldproof.runners.ray.SECONDS_BETWEEN_LOOKS", 0.5)
    monkeypatch.setattr("goldproof.jobs.schedule.LOOK_SECONDS", 1.0)
    assert any(machine.gpus for machine in runner.machines)
    lose(last_gpus, cluster)
    outcomes = list(run_jobs([device.job(0), square.job(1)], store, runner))
    ends = {outcome.description: outcome for outcome in outcomes if outcome.status not in PASSING}
    assert {name: outcome.status for name, outcome in ends.items()} == {
        "device(seed=0)": "failed",
        "square(x=1)": "done",
    }
    assert ends["device(seed=0)"].error == "it needs a GPU, and no machine of the cluster has one any more"
