"""The five studies have the same files and show the same names."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from goldproof import studies

FIVE = ("stability", "probing", "logic", "transfer", "corruption")
EVERY = {"findings", "plan", "published", "scores", "settings"}
FURTHER = {
    "stability": set(),  # its toy data are those of entailment, which `probing` uses too
    "probing": {"coarse", "steps", "tasks", "toy"},
    "logic": {"search", "steps"},  # no toy: its corpora are always made on the spot
    "transfer": {"toy"},
    "corruption": {"steps", "tasks", "toy"},
}


@pytest.mark.parametrize("name", FIVE)
def test_a_study_has_the_files_that_all_have(name):
    folder = Path(studies.__file__).parent / name
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert found - {"__init__"} == EVERY | FURTHER[name]


@pytest.mark.parametrize("name", FIVE)
def test_a_study_shows_the_names_that_all_show(name):
    study = importlib.import_module(f"goldproof.studies.{name}")
    optional = {"outline", "question", "requires"}
    assert set(study.__all__) - optional == {"Config", "PAPER", "TINY", "jobs", "report"}
    assert study.Config.__module__ == f"{study.__name__}.settings"
    assert study.jobs.__module__ == f"{study.__name__}.plan"
    assert study.report.__module__ == study.__name__
