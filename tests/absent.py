"""Processes in which some packages cannot be imported, as if they were not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from goldproof.extras import MODULES

ROOT = Path(__file__).resolve().parents[1]
OPTIONAL = tuple(sorted({module for modules in MODULES.values() for module in modules}))
COMMAND = "from goldproof.cli import main; main()"
_COMMANDS = """
import contextlib, io, json, os, sys
from goldproof.cli import run_command

for place, line in enumerate(json.load(sys.stdin)):
    os.mkdir(str(place))
    os.chdir(str(place))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run_command(line.split())
    print(json.dumps([code, out.getvalue(), err.getvalue(), os.listdir()]))
    os.chdir("..")
"""
_CALLS = """
import json, sys

for code in json.load(sys.stdin):
    found = {}
    exec(code, found)
    try:
        print(json.dumps(repr(found["call"]())))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""
_BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


class Ended(NamedTuple):
    """What a process or a command left; `files` are those of a command's own empty folder."""

    code: int
    out: str
    err: str
    files: tuple[str, ...] = ()


def commands_without(packages: Iterable[str], commands: Sequence[str], *, cwd: Path) -> list[Ended]:
    """Run commands one after the other in one process that lacks these packages, each in an empty folder."""
    ended = run_without(packages, _COMMANDS, cwd=cwd, given=json.dumps(list(commands)))
    assert ended.code == 0, ended.err
    rows = [json.loads(line) for line in ended.out.splitlines()]
    return [Ended(code, out, err, tuple(files)) for code, out, err, files in rows]


def calls_without(packages: Iterable[str], codes: Sequence[str], *, cwd: Path) -> list[str]:
    """Run pieces of code in one process that lacks these packages; what `call()` of each gives or raises, as text."""
    ended = run_without(packages, _CALLS, cwd=cwd, given=json.dumps(list(codes)))
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def run_without(packages: Iterable[str], code: str, *arguments: str | Path, cwd: Path, given: str = "") -> Ended:
    """Run Python code in a process that lacks these packages; `given` is its standard input."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("GOLDPROOF_DATA", "GOLDPROOF_STORE")},
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "XDG_CACHE_HOME": str(cwd / ".cache"),
    }
    command = [sys.executable, "-W", "error", "-c", _BLOCK.format(names=tuple(packages)) + code, *map(str, arguments)]
    ended = subprocess.run(command, env=environment, cwd=cwd, input=given, capture_output=True, text=True, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)
