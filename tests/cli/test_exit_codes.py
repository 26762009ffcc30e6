"""Exit codes: one list, which every command keeps to; a fault of ours is never read as a verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.judging.files import noisy_rows, write_jsonl

from goldproof import cli
from goldproof.cli import judge
from goldproof.errors import ExitCode, GoldproofError, JobFailedError, StoreError, TrainingError, UsageError

CLI = Path(cli.__file__).parent


def test_the_list():
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "NO": 1,
        "WRONG_USE": 2,
        "UNDECIDED": 3,
        "WORK_FAILED": 4,
        "OUR_FAULT": 70,
        "INTERRUPTED": 130,
        "TERMINATED": 143,
    }
    assert GoldproofError.exit_code == UsageError.exit_code == ExitCode.WRONG_USE
    for error in (TrainingError, JobFailedError, StoreError):
        assert error.exit_code == ExitCode.WORK_FAILED


def test_no_command_returns_a_bare_number():
    """But 0, which is done."""
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sorted(CLI.glob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\b(return|exit_code =|Exit\(|sys\.exit\()\s*[1-9]\d*\b", line)
        or re.search(r"return \d+ if", line)
    ]
    assert found == []


COMMANDS = [
    ["list", "nothing"],
    ["run", "nothing"],
    ["report", "nothing"],
    ["status", "--store", "nothing/at/all"],
    ["check", "absent.csv"],
    ["audit", "absent.csv", "other.csv"],
    ["corrupt", "absent.csv", "--out", "x.csv"],
    ["annotate", "absent.jsonl"],
    ["score", "absent.csv"],
    ["compare", "absent.csv", "absent.csv"],
    ["export", "absent"],
    ["build", "logic", "--set"],
    ["store", "verify", "--store", "nothing/at/all"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_wrong_use_is_two_for_every_command(run, arguments):
    code, _, error = run(*arguments)
    assert code == ExitCode.WRONG_USE
    assert error.startswith("error: ")
    assert "Traceback" not in error


def test_a_fault_of_ours_is_told_as_one(run, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("one\ntwo")

    path = write_jsonl(tmp_path / "p.jsonl", noisy_rows(20, 0.8, 1))
    monkeypatch.setattr(judge, "_show_scores", broken)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    code, _, error = run("score", path)
    assert code == ExitCode.OUR_FAULT
    found = re.fullmatch(
        r"error: a fault of Goldproof's own, not of what you gave it \(ZeroDivisionError: one two\); please report it "
        r"with (\S+\.log)\n",
        error,
    )
    assert found is not None
    log = Path(found[1]).read_text(encoding="utf-8")
    assert "Traceback (most recent call last)" in log
    assert "ZeroDivisionError: one" in log


def test_a_gate_never_takes_a_fault_for_a_verdict(run, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no")

    a, b = (write_jsonl(tmp_path / f"{name}.jsonl", noisy_rows(50, 0.8, 1)) for name in "ab")
    assert run("compare", a, b, "--gate", 1)[0] == ExitCode.DONE
    monkeypatch.setattr(judge, "_judgement_form", broken)
    assert run("compare", a, b, "--gate", 1, "--json")[0] == ExitCode.OUR_FAULT
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1}), encoding="utf-8")
    assert run("compare", a, b, "--gate", 1)[0] == ExitCode.WRONG_USE
