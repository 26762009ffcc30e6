"""A few mutated files for each command and format; `benchmarks/fuzz.py` gives them thousands."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.fuzz import FORMATS, PASSING, SUFFIXES, run_case, sound

NEEDS = {"corrupt": "pymorphy3", "run": "models", "export": "huggingface_hub"}
CELLS = [
    pytest.param(command, form, marks=[pytest.mark.needs(NEEDS[command])] if command in NEEDS else [])
    for command, forms in FORMATS.items()
    for form in forms
]


@pytest.mark.parametrize(("command", "form"), CELLS)
def test_mutated_files(command: str, form: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"other.{SUFFIXES.get(form, form)}").write_bytes(sound(command, form))
    assert run_case(command, form, -1, tmp_path).verdict == "accepted"  # the sound file
    for seed in range(2):
        case = run_case(command, form, seed, tmp_path)
        assert case.verdict in PASSING, case
