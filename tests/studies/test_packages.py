"""The five studies have the same files and show the same names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from goldproof import studies

FIVE = ("stability", "probing", "logic", "transfer", "corruption")
EVERY = {"findings", "plan", "published", "scores", "settings"}
MAY_HAVE = {"pieces", "gather"}  # its experiments by their place in the paper; its report from kept answers
FURTHER = {
    "stability": set(),  # its toy data are those of entailment, which `probing` uses too
    "probing": {"coarse", "steps", "tasks", "toy"},
    "logic": {"asked", "own", "search", "steps"},  # no toy: its corpora are always made on the spot
    "transfer": {"asked", "parts", "prompted", "steps", "toy"},
    "corruption": {"steps", "tasks", "toy"},
}


@pytest.mark.parametrize("name", FIVE)
def test_a_study_has_the_files_that_all_have(name):
    folder = Path(studies.__file__).parent / name
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert found - {"__init__"} - MAY_HAVE == EVERY | FURTHER[name]


@pytest.mark.parametrize("name", FIVE)
def test_a_study_shows_the_names_that_all_show(name):
    study = importlib.import_module(f"goldproof.studies.{name}")
    optional = {"answers", "experiments", "keep", "notes", "outline", "question", "report_kept", "requires"}
    assert set(study.__all__) - optional == {"Config", "PAPER", "TINY", "jobs", "report"}
    assert study.Config.__module__ == f"{study.__name__}.settings"
    assert study.jobs.__module__ == f"{study.__name__}.plan"
    assert study.report.__module__ == study.__name__


def test_every_table_is_made_of_typed_fields():
    """Only `make_table` builds a table, so that a key is written once and a paper's column shows only with a number."""
    source = Path(studies.__file__).parents[1]
    made = [path for part in ("studies", "judging") for path in (source / part).rglob("*.py")]
    assert [str(path) for path in made if re.search(r"\bTable\(", path.read_text(encoding="utf-8"))] == []
