"""A user who may not read or write something is told so in one line; what may be read is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldproof.cli import run_command
from goldproof.errors import StoreError
from goldproof.jobs import Store

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
AS_ANOTHER = """
import contextlib, io, json, os, sys
from goldproof.cli import run_command

def say(command):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_command(command)
    return code, out.getvalue(), err.getvalue()

warm, commands = json.loads(sys.stdin.read())
for command in warm:  # so that every module is loaded: the other user may not be allowed to read Python's own
    code, _, err = say(command)
    assert code == 0, (command, err)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[1]))
    os.setuid(int(sys.argv[1]))
print(json.dumps([say(command) for command in commands]))
"""
RUN = ["run", "demo", "--preset", "tiny"]
LOGIC = ["build", "logic", "--language", "en", "--task", "1", "--train", "20", "--test", "20"]


@pytest.fixture
def folder(monkeypatch) -> Iterator[Path]:
    """A folder with a store and folders that others may read, or may not even look at."""
    with tempfile.TemporaryDirectory(prefix="goldproof-") as name:
        place = Path(name)  # not below pytest's own, which others may not enter
        place.chmod(0o755)
        monkeypatch.chdir(place)
        assert run_command([*RUN, "--store", "store", "--out", "report"]) == 0
        shutil.copytree("store", "shut")
        (place / "a.jsonl").write_text('{"text": "A dog saw him.", "label": "x"}\n')
        for each in ("free", "closed", "hidden"):
            (place / each).mkdir()
        (place / "free").chmod(0o777)
        shutil.copy("a.jsonl", "hidden")
        for path in [*(place / "store").rglob("*"), place / "store"]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        (place / "closed").chmod(0o555)
        for each in ("shut", "hidden"):
            (place / each).chmod(0o000)
        yield place
        for path in [*(place / "store").rglob("*"), *place.iterdir()]:
            path.chmod(0o755)


def said_to_another(folder: Path, warm: list[list[str]], commands: list[list[str]]) -> list[tuple[int, str, str]]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOME": str(folder / "free"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER, str(NOBODY)],
        input=json.dumps([warm, commands]),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(each) for each in json.loads(done.stdout)]


def test_a_store_that_may_only_be_read_is_read_and_not_written(folder):
    warm = [[*RUN, "--store", "free/mine", "--out", "free/warm"], ["status", "--store", "store"]]
    warm += [["store", "verify", "--store", "store"], ["store", "merge", "store", "free/first"]]
    warm += [["report", "demo", "--preset", "tiny", "--store", "store", "--out", "free/first-report"]]
    before = {path: path.stat().st_mtime_ns for path in (folder / "store").rglob("*")}
    commands = [
        ["status", "--store", "store"],
        ["store", "verify", "--store", "store"],
        ["report", "demo", "--preset", "tiny", "--store", "store", "--out", "free/report"],
        [*RUN, "--store", "store", "--out", "free/again"],
        [*RUN, "--set", "seeds=7", "--store", "store", "--out", "free/again"],
        ["store", "merge", "free/first", "store"],
    ]
    status, verified, reported, *refused = said_to_another(folder, warm, commands)
    assert status == (0, "demo: 6 of 6 jobs in the store, 0 to run, 0 failed\n", "")
    assert verified == (0, "6 of 6 values in store are sound\n", "")
    assert reported[0] == 0
    assert (folder / "free" / "report" / "summary.json").read_bytes() == Path("report/summary.json").read_bytes()
    said = (
        "error: the store store cannot be written (Permission denied); check its permissions or give another --store: "
        "finished work is kept\n"
    )
    assert refused == [(StoreError.exit_code, "", said)] * 3
    assert {path: path.stat().st_mtime_ns for path in (folder / "store").rglob("*")} == before


def test_what_may_not_be_looked_at_or_written_is_said(folder):
    warm = [[*RUN, "--store", "free/mine", "--out", "free/warm"], ["status", "--store", "store"]]
    warm += [["store", "verify", "--store", "store"], ["check", "a.jsonl"], [*LOGIC, "--out", "free/logic"]]
    warm += [["run", "logic", "--preset", "tiny", "--dry-run", "--store", "free/mine"]]
    store = "cannot be {} (Permission denied); check its permissions or give another --store: finished work is kept"
    expected = {
        ("status", "--store", "shut"): (4, f"the store shut {store.format('read')}"),
        ("store", "verify", "--store", "shut"): (4, f"the store shut {store.format('read')}"),
        (*RUN, "--store", "shut", "--out", "free/x"): (
            StoreError.exit_code,
            f"the store shut {store.format('read')}",
        ),
        (*RUN, "--store", "closed/new", "--out", "free/x"): (
            StoreError.exit_code,
            f"the store closed/new {store.format('written')}",
        ),
        (*RUN, "--store", "free/mine", "--out", "closed/report"): (
            StoreError.exit_code,
            "the report cannot be written to closed/report: Permission denied",
        ),
        ("demo", "--out", "closed/demo"): (
            StoreError.exit_code,
            "the report cannot be written to closed/demo: Permission denied",
        ),
        (*LOGIC, "--out", "closed/logic"): (2, "the corpus cannot be written to closed/logic: Permission denied"),
        ("check", "hidden/a.jsonl"): (2, "hidden/a.jsonl: cannot be opened: Permission denied"),
        ("score", "hidden/a.jsonl"): (2, "hidden/a.jsonl: cannot be opened: Permission denied"),
        (*LOGIC, "--language", "hidden/own.toml", "--out", "free/own"): (
            2,
            "hidden/own.toml: cannot be opened: Permission denied",
        ),
    }
    found = said_to_another(folder, warm, [list(command) for command in expected])
    for (command, (code, error)), each in zip(expected.items(), found, strict=True):
        assert each == (code, "", f"error: {error}\n"), command
    assert list((folder / "closed").iterdir()) == []


@pytest.mark.needs("english")
def test_a_folder_that_is_closed_to_outputs_of_corpora(folder, nltk_data):
    corrupt = ["corrupt", "a.jsonl", "--remove", "NOUN", "--workers", "1"]
    warm = [[*corrupt, "--out", "free/b.jsonl"]]
    ((code, out, err),) = said_to_another(folder, warm, [[*corrupt, "--out", "closed/b.jsonl"]])
    assert (code, out, err) == (2, "", "error: closed/b.jsonl: cannot be written: Permission denied\n")


@pytest.mark.needs("models")
def test_a_model_that_may_not_be_read(folder):
    code = (
        "import os, sys\nfrom goldproof.models.transformer import transformer\nfrom goldproof.errors import ModelError"
    )
    code += "\nif os.geteuid() == 0:\n    os.setuid(65534)\ntry:\n    transformer('hidden/model')"
    code += "\nexcept ModelError as error:\n    print(error)"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "hidden/model: the model's folder cannot be read (Permission denied)\n"


def test_a_store_of_another_format_is_refused_untouched_by_every_command(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run_command([*RUN, "--store", "old"]) == 0
    (tmp_path / "old" / "format.json").write_text('{"product": "goldproof", "format": 3}')
    Store("target").open()
    before = {path: path.read_bytes() for path in (tmp_path / "old").rglob("*") if path.is_file()}
    capfd.readouterr()
    said = (
        "error: the store old is of goldproof, format 3; this version of Goldproof reads goldproof, format 2 (it is "
        "left as it is)\n"
    )
    for command, code in (
        ([*RUN, "--store", "old"], StoreError.exit_code),
        (["report", "demo", "--preset", "tiny", "--store", "old"], StoreError.exit_code),
        ([*RUN, "--dry-run", "--store", "old"], StoreError.exit_code),
        (["status", "--store", "old"], 4),
        (["store", "verify", "--discard", "--store", "old"], 4),
        (["store", "prune", "--older-than", "0", "--store", "old"], StoreError.exit_code),
        (["store", "merge", "old", "target"], StoreError.exit_code),
        (["store", "merge", "target", "old"], StoreError.exit_code),
    ):
        assert (run_command(command), capfd.readouterr()) == (code, ("", said)), command
    assert {path: path.read_bytes() for path in (tmp_path / "old").rglob("*") if path.is_file()} == before


@pytest.mark.needs("models")
def test_data_and_models_of_studies_that_may_not_be_looked_at(folder):
    study = ["run", "probing", "--dry-run", "--store", "free/mine"]
    tiny, others = [*study, "--preset", "tiny"], [*study, "--set", "data.corpus=senteval", "--set", "data.languages=en"]
    commands = {
        (*tiny, "--set", "data.corpus=hidden/tasks"): "hidden/tasks",
        (*tiny, "--set", "baselines.tokenizers=hidden/model"): "hidden/model",
        (*tiny, "--set", "baselines.vectors=en=hidden/vectors.txt"): "hidden/vectors.txt",
        (*others, "--set", "data.root=hidden/root"): "hidden/root",
    }
    found = said_to_another(folder, [tiny], [list(command) for command in commands])
    for (command, path), each in zip(commands.items(), found, strict=True):
        code, out, err = each
        said = f"{path}: cannot be opened: Permission denied"
        if code == 0:  # an experiment that is left out of the plan, and why
            assert [line.endswith(said) for line in out.splitlines() if line.startswith("not at hand: ")][:1] == [True]
        else:
            assert (code, out, err) == (2, "", f"error: {said}\n"), command[-1]
