"""The examples run, each in an empty folder; own_jobs keeps what it did, and the notebook shows what it gives today."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from goldproof.studies import find_study
from goldproof.studies.settings import Choice, make_config

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


@pytest.mark.parametrize(
    "file",
    sorted(file for file in (ROOT / "examples").glob("*/*.toml") if file.parent.name != "grammars"),
    ids=lambda file: file.stem,
)
def test_settings_of_the_measured_runs_are_valid_and_name_their_command(file):
    study = file.parent.name
    assert make_config(find_study(study), Choice(file=file)) != make_config(find_study(study), Choice())
    assert f"goldproof run {study} --config examples/{study}/{file.name}" in file.read_text().splitlines()[0]


def outputs(notebook):
    """What each code cell printed and, as text, what it showed; pages are left out, as a chart's bytes may differ."""
    shown = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            texts = (output.get("text") or output["data"]["text/plain"] for output in cell["outputs"])
            shown[cell["id"]] = ["".join(text) for text in texts]
    return shown


@pytest.fixture
def notebook():
    return json.loads((ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8"))


@pytest.mark.needs("models")
def test_the_notebook_runs_and_its_outputs_are_current(notebook, tmp_path, monkeypatch):
    """Write it anew with `python docs/make_notebook.py`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_STORE", raising=False)
    made = runpy.run_path(str(ROOT / "docs" / "make_notebook.py"))["run_cells"](notebook)
    assert outputs(made) == outputs(notebook)
    pages = [cell["id"] for cell in made["cells"] for output in cell.get("outputs", ()) if "<table" in html(output)]
    assert pages == ["scores", "page", "aggregates", "again", "mine"]
    assert list(tmp_path.iterdir()) == []


def html(output):
    return "".join(output.get("data", {}).get("text/html", ()))


def test_the_notebook_is_kept_as_it_was_made(notebook):
    made = runpy.run_path(str(ROOT / "docs" / "make_notebook.py"))
    text = (ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8")
    assert made["as_text"](notebook) == text
    assert tempfile.gettempdir() not in text
    assert str(Path.home()) not in text
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
