"""The examples run, each in an empty folder; own_jobs keeps what it did, and the notebook is clean and works."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
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


def run_cells(notebook):
    """Run the code cells in one namespace, as a kernel does; what each cell ends with, as a page would show it."""
    namespace, shown = {"__name__": "__main__"}, []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return shown


@pytest.mark.needs("models")
def test_the_notebook_runs_and_shows_its_reports(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8"))
    shown = run_cells(notebook)
    printed = capsys.readouterr().out
    assert shown[0] == "(2000, 'classification', ('no', 'yes'))"
    assert sum("<table" in page for page in shown) == 4
    assert "negation   n 80   MCC" in printed
    assert "not distinguishable from chance" in printed
    assert "passes the gate: True" in printed
    assert "['done', 'done', 'done', 'done', 'done', 'done', 'done', 'done']\n" in printed
    assert "['kept', 'kept', 'kept', 'kept', 'kept', 'kept']\n" in printed
    assert "model-index:\n- name: bag-of-words" in printed
    assert list(tmp_path.iterdir()) == []


def test_the_notebook_is_kept_without_outputs():
    notebook = json.loads((ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
