"""What tests of commands share: running one in an empty folder."""

from __future__ import annotations

import pytest

from goldproof.cli import run_command


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_STORE", raising=False)

    def call(*arguments):
        code = run_command([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call
