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
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.jobs.campaign_script import jobs
from tests.steps import Journal, device, greedy, slow_square, square, total

from goldproof.cli import run_command
from goldproof.errors import UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.outcome import PASSING
from goldproof.runners.serial import SerialRunner
from goldproof.version import __version__

pytestmark = [
    pytest.mark.ray,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"),
]
ROOT = Path(__file__).resolve().parents[2]
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    """Three machines of one core each; one of them has two GPUs, or says so."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")  # workers must find the steps of the tests
        cluster = Cluster(initialize_head=True, head_node_args=NODE)
        cluster.add_node(**NODE)
        cluster.with_gpus = cluster.add_node(**NODE, num_gpus=2)
        yield cluster
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
    return subprocess.Popen([sys.executable, "-m", *command], cwd=folder, env=os.environ, stderr=subprocess.PIPE)


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def workers_of(machine):
    """The processes of a machine: children of its raylet."""
    raylet = machine.all_processes["raylet"][0].process.pid
    listed = subprocess.run(
        ["ps", "--ppid", str(raylet), "-o", "pid=,args="], capture_output=True, text=True, check=True
    )
    return dict(line.split(maxsplit=1) for line in listed.stdout.splitlines())


def lose(machine, cluster):
    """End a machine and all that runs on it at one blow."""
    workers = workers_of(machine)
    cluster.remove_node(machine, allow_graceful=False)
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def lose_while_it_works(machine, cluster):
    wait_for(lambda: any("ray::_work" in title for title in workers_of(machine).values()))
    lose(machine, cluster)


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
    assert failed.error == f"it asks for 1e+06 GB of memory; the largest machine of the cluster has {most}"
    assert store.failure(failed.key)["error"] == failed.error


def test_the_driver_is_killed_and_started_again(cluster, tmp_path, journal):
    command = ["tests.jobs.campaign_script", "store", journal.path, "summary.json", f"ray@{cluster.address}"]
    first = start(tmp_path, *command)
    wait_for(lambda: len(journal.lines()) >= 8 or first.poll() is not None)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    done_before = Counter(journal.lines())
    second = start(tmp_path, *command)
    assert second.wait(60) == 0, second.stderr.read().decode()
    serial = Store(tmp_path / "serial").open()
    list(run_jobs(jobs(Journal()), serial, SerialRunner()))
    whole = Store(tmp_path / "store")
    assert [Results(whole)[job] for job in jobs(Journal())] == [Results(serial)[job] for job in jobs(Journal())]
    squares = Counter(line for line in journal.lines() if line.startswith("slow_square"))
    assert len(squares) == 30
    twice = [line for line, times in squares.items() if times > 1]
    assert len(twice) <= 3, "more was done again than three cores can have had under way"
    assert set(twice) <= set(done_before)
    assert sorted(whole.stored_keys()) == sorted(serial.stored_keys())


def test_an_interrupt_cancels_and_the_next_run_goes_on(cluster, tmp_path):
    settings = ["--set", f"seeds={list(range(36))}", "--set", "sizes=[800]", "--set", "n_test=2000"]
    command = ["goldproof", "run", "demo", *settings, "--runner", "ray", "--address", cluster.address]
    first = start(tmp_path, *command)
    records = Store(tmp_path / "goldproof-store")
    wait_for(lambda: sum(1 for _ in records.stored_keys()) >= 5 or first.poll() is not None)
    os.kill(first.pid, signal.SIGINT)
    _, err = first.communicate(timeout=60)
    assert (first.returncode, err.decode().splitlines()[-1]) == (
        130,
        "interrupted: finished work is kept; the same command goes on from there",
    )
    time.sleep(0.5)
    kept = set(records.stored_keys())
    time.sleep(0.5)
    assert set(records.stored_keys()) == kept, "something still works for a driver that is gone"
    second = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=True
    )
    assert second.stdout.startswith(f"{36 + 2 * (len(kept) < 38)} jobs: ")
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
def test_a_machine_without_memory_is_said_after_three_tries(store, monkeypatch):
    """A cluster whose memory watch ends every task: the job fails alone, with the reason."""
    from ray.cluster_utils import Cluster

    from goldproof.runners.ray import RayRunner

    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")
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


def test_a_machine_is_lost_in_the_middle(cluster, store, runner, journal):
    """The cluster has two machines from here on."""
    wanted = [slow_square.job(i, 0.3, journal) for i in range(24)]
    final = total.job(wanted)
    (victim,) = cluster.worker_nodes - {cluster.with_gpus}
    killer = threading.Thread(target=lose_while_it_works, args=(victim, cluster))
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


def test_when_the_last_gpu_is_lost_its_jobs_fail_alone(cluster, store, runner, monkeypatch):
    """The last test: the cluster has one machine from here on."""
    monkeypatch.setattr("goldproof.runners.ray.SECONDS_BETWEEN_LOOKS", 0.5)
    monkeypatch.setattr("goldproof.jobs.schedule.LOOK_SECONDS", 1.0)
    assert any(machine.gpus for machine in runner.machines)
    lose(cluster.with_gpus, cluster)
    outcomes = list(run_jobs([device.job(0), square.job(1)], store, runner))
    ends = {outcome.description: outcome for outcome in outcomes if outcome.status not in PASSING}
    assert {name: outcome.status for name, outcome in ends.items()} == {
        "device(seed=0)": "failed",
        "square(x=1)": "done",
    }
    assert ends["device(seed=0)"].error == "it asks for a GPU, and no machine of the cluster has one any more"
