"""A local Ray ends with its driver, however that ends: no helper is left, and SIGTERM is answered as without Ray."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from tests.steps import slow_square
from tests.waiting import HANG_SECONDS, held, kill, living, started, wait_until

from goldproof.jobs import Store
from goldproof.studies.demo.plan import Config, prediction_job

pytestmark = [
    pytest.mark.ray,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(sys.platform != "linux", reason="the guard reads /proc"),
]
HELPERS = {"ray::DashboardAgent", "ray::RuntimeEnvAgent"}
SQUARES = [slow_square.job(x, 0.01) for x in range(30)]
CONFIG = Config(sizes=tuple(range(50, 450, 10)))


def guards(driver: int) -> dict[int, str]:
    return {pid: line for pid, line in living("--ppid", driver).items() if "ray_guard.py" in line}


def test_no_helper_outlives_a_driver_that_was_killed(ray_environment, tmp_path):
    store = Store(tmp_path / "store").open()
    script = [sys.executable, "-m", "tests.jobs.campaign_script", "store", "journal", "summary.json", "ray"]
    with held(store, SQUARES[5:]), started(script, tmp_path, os.environ) as process:
        wait_until(lambda: (tmp_path / "journal").exists() or process.poll() is not None, "a job has begun")
        (guard,) = guards(process.pid)
        assert set(living("--sid", process.pid).values()) >= HELPERS
        kill(process)
        wait_until(lambda: not living("--pid", guard), "the guard, which gives them a moment, ends")
        # By themselves they would try for a minute to tell a server that is gone.
        assert not set(living("--sid", process.pid).values()) & HELPERS
        wait_until(lambda: not living("--sid", process.pid), "the workers of a driver that was killed end")


def test_a_driver_with_a_ray_of_its_own_says_what_is_kept_when_asked_to_end(ray_environment, tmp_path):
    sizes = ",".join(map(str, CONFIG.sizes))
    command = [sys.executable, "-m", "goldproof", "run", "demo", "--set", f"sizes={sizes}"]
    store = Store(tmp_path / "goldproof-store").open()
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        held(store, [prediction_job(CONFIG, 440, 4)]),
        started([*command, "--runner", "ray", "--workers", "2"], tmp_path, os.environ, **pipes) as process,
    ):
        wait_until(lambda: list(store.stored_keys()) or process.poll() is not None, "a value is kept")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=HANG_SECONDS)
        wait_until(lambda: not living("--sid", process.pid), "no process of the command is left")
    assert process.returncode == 143
    assert err.splitlines()[-1] == "interrupted: finished work is kept; the same command carries on from there"
    assert "Traceback" not in err


def test_no_helper_outlives_a_driver_that_was_killed_while_ray_starts(ray_environment, tmp_path):
    script = [sys.executable, "-m", "tests.jobs.campaign_script", "store", "journal", "summary.json", "ray"]
    with started(script, tmp_path, os.environ) as process:
        wait_until(lambda: any(map(is_helper, living("--sid", process.pid).values())), "the first helper is there")
        (guard,) = guards(process.pid)
        kill(process)
        wait_until(lambda: not living("--pid", guard), "the guard, which gives them a moment, ends")
        assert not any(map(is_helper, living("--sid", process.pid).values()))
        wait_until(lambda: not living("--sid", process.pid), "whatever else Ray had started ends")


def is_helper(line: str) -> bool:
    """Whether a process is an agent of Ray's, by its own title or, before it has one, by what it runs."""
    return line in HELPERS or "agent/main.py" in line or "dashboard/agent.py" in line
