"""Every step keeps its key: in another process, on another day, and until somebody changes it on purpose.

The golden file holds each step's version, arguments with defaults, and the key of a job made with placeholders. When a
change is meant: raise the step's version if what it computes changed, and run this file with `--write`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.needs("models")

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "steps.json"


def describe_steps() -> dict[str, Any]:
    import goldproof
    from goldproof.jobs import Job, registered_steps
    from goldproof.jobs.key import canonical

    for module in pkgutil.walk_packages(goldproof.__path__, "goldproof."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = {}
    for name, step in registered_steps().items():
        if not step.function.__module__.startswith("goldproof."):
            continue
        arguments = {
            p.name: f"<{p.name}>" if p.default is inspect.Parameter.empty else p.default
            for p in step.signature.parameters.values()
        }
        found[name] = {
            "version": step.settings.version,
            "arguments": {argument: canonical(value) for argument, value in arguments.items()},
            "over": list(step.settings.over),
            "key": Job(step, arguments).key,
        }
    return found


def test_every_step_is_as_the_golden_file_says():
    assert describe_steps() == json.loads(GOLDEN.read_text(encoding="utf-8")), (
        "a step changed: if that is meant, raise its version where its result changed, and run "
        "`python tests/contract/test_steps.py --write`"
    )


def test_keys_are_the_same_in_another_process():
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": "4242", "TZ": "Pacific/Auckland"}
    run = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True, check=True, cwd="/")
    assert json.loads(run.stdout) == describe_steps()


def test_no_step_takes_a_device_or_a_folder():
    """What, not how: such an argument would enter the key."""
    how = {"path", "folder", "device", "workers", "gpus", "store", "out"}
    assert not {name for name, step in describe_steps().items() if how & set(step["arguments"])}


if __name__ == "__main__":
    text = json.dumps(describe_steps(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if "--write" in sys.argv:
        GOLDEN.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
