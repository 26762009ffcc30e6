"""A command that is asked to end (SIGTERM) says what is kept, exits with 143, and leaves no process behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import HANG_SECONDS, held, living, started, wait_until

from goldproof.jobs import Store
from goldproof.jobs.interrupts import AskedToEndError, ending_in_order
from goldproof.jobs.runlog import read_runs
from goldproof.studies.demo.plan import Config, prediction_job

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
KEPT = "interrupted: finished work is kept; the same command carries on from there"
CONFIG = Config(sizes=tuple(range(50, 450, 10)))
SIZES = ",".join(map(str, CONFIG.sizes))
PIPES = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
COMPUTE = ["goldproof.studies.compute", "demo", "settings.json", "goldproof-store"]
RUN = ["goldproof", "run", "demo", "--set", f"sizes={SIZES}"]


def broken_off(command, folder, number):
    """Send a signal to a campaign once five values are kept; its exit code and what it said on stderr."""
    store = Store(folder / "goldproof-store").open()
    records = store.folder / "records"
    (folder / "settings.json").write_text(json.dumps({"sizes": CONFIG.sizes}))
    with (
        held(store, [prediction_job(CONFIG, 440, 4)]),  # the last, so that the campaign cannot end
        started([sys.executable, "-m", *command], folder, ENV, **PIPES) as process,
    ):
        wait_until(
            lambda: len(list(records.glob("*/*.json"))) >= 5 or process.poll() is not None, "five values are kept"
        )
        process.send_signal(number)
        _, err = process.communicate(timeout=HANG_SECONDS)
        wait_until(lambda: not living("--sid", process.pid), "no process of the command is left")
    return process.returncode, err, store


@pytest.mark.parametrize("command", [RUN, [*RUN, "--runner", "pool", "--workers", "2"], COMPUTE])
def test_a_command_that_is_asked_to_end_keeps_what_is_done(tmp_path, command):
    code, err, store = broken_off(command, tmp_path, signal.SIGTERM)
    assert code == 143
    assert err.splitlines()[-1] == KEPT
    assert "Traceback" not in err
    assert [run.state for run in read_runs(store)] == ["interrupted"]
    assert len(list(store.stored_keys())) >= 5
    for key in store.stored_keys():
        store.load(key)


def test_ctrl_c_ends_compute_in_order_too(tmp_path):
    code, err, _ = broken_off(COMPUTE, tmp_path, signal.SIGINT)
    assert (code, err.splitlines()[-1]) == (130, KEPT)
    assert "Traceback" not in err


def test_the_second_request_does_not_break_into_the_cleaning_up():
    before = signal.getsignal(signal.SIGTERM)
    cleaned = False
    with ending_in_order() as request:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        except AskedToEndError:
            os.kill(os.getpid(), signal.SIGTERM)
            cleaned = True
    assert (cleaned, request.came, request.exit_code) == (True, True, 143)
    assert signal.getsignal(signal.SIGTERM) is before


def test_who_ignores_the_signal_goes_on_doing_so():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with ending_in_order() as request:
            os.kill(os.getpid(), signal.SIGTERM)
        assert (request.came, request.exit_code) == (False, 130)
    finally:
        signal.signal(signal.SIGTERM, before)
