"""What tests of Ray share: a folder for Ray's own files, so that no other Ray of this machine is met or disturbed."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW_MACHINE = {  # Ray's own limits, in seconds, for what a busy machine does late
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
    "RAY_gcs_server_port_wait_time_s": "300",
}


@pytest.fixture(scope="module")
def ray_environment() -> Iterator[Path]:
    """The folder of Ray's files, with the environment in which Ray's processes find it and the steps of the tests."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with (
        tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder,  # short: it names sockets
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")
        for name, seconds in SLOW_MACHINE.items():
            patch.setenv(name, seconds)
        yield Path(folder)
        gc.collect()  # what Ray leaves open is found here, where that is no error, and not in whatever test comes next
