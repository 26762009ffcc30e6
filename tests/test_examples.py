"""The examples run, each in an empty folder, and own_jobs keeps what it did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.studies import find_study
from assay.studies.settings import Choice, make_config

ROOT = Path(__file__).resolve().parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def run(name, folder):
    script = ROOT / "examples" / name
    return subprocess.run(
        [sys.executable, script], cwd=folder, env=ENV, capture_output=True, text=True, check=True
    ).stdout


def test_compare_two_models(tmp_path):
    assert run("compare_two_models.py", tmp_path).startswith("B is better by 0.")


def test_own_jobs_run_once(tmp_path):
    first, second = run("own_jobs.py", tmp_path), run("own_jobs.py", tmp_path)
    assert first.count("done ") == 4
    assert second == "kept most_frequent()\nmost frequent: the\n"


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*/*.toml")), ids=lambda file: file.stem)
def test_settings_of_the_measured_runs_are_valid_and_name_their_command(file):
    study = file.parent.name
    assert make_config(find_study(study), Choice(file=file)) != make_config(find_study(study), Choice())
    assert f"assay run {study} --config examples/{study}/{file.name}" in file.read_text().splitlines()[0]
