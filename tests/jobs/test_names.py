"""A type keeps its key when it moves: to another module, and under another class name."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import dataclass

import pytest

import goldproof
from goldproof.errors import UsageError
from goldproof.jobs import registered_steps, values
from goldproof.jobs.names import named

MODULE = """
from dataclasses import dataclass
from goldproof.jobs import named, step

@named("shop.Cake")
@dataclass(frozen=True)
class {name}:
    layers: int

@step(version=1, name="shop.bake")
def bake(cake: {name}) -> {name}:
    return cake

if __name__ == "__main__":
    import sys
    from goldproof.jobs import Store
    from goldproof.jobs.schedule import run_jobs
    from goldproof.runners.serial import SerialRunner
    job = bake.job({name}(3))
    outcomes = [outcome.status for outcome in run_jobs([job], Store(sys.argv[1]), SerialRunner())]
    print(job.key, outcomes, Store(sys.argv[1]).load(job.key))
"""


def test_a_dataclass_that_moves_keeps_its_key_and_its_stored_value(tmp_path):
    found = []
    for place, name in (("cakes.py", "Cake"), ("pastry/gateaux.py", "Gateau")):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(MODULE.format(name=name), encoding="utf-8")
        run = subprocess.run(
            [sys.executable, str(path), str(tmp_path / "store")], capture_output=True, text=True, check=True
        )
        found.append(run.stdout.split(maxsplit=1))
    (key, first), (moved_key, second) = found
    assert key == moved_key
    assert first.strip() == "['done'] Cake(layers=3)"
    assert second.strip() == "['kept'] Gateau(layers=3)"


def test_a_dataclass_without_a_name_is_refused_with_what_to_write():
    @dataclass(frozen=True)
    class Nameless:
        x: int

    with pytest.raises(UsageError) as caught:
        values.encode(Nameless(1))
    assert str(caught.value) == (
        f"the dataclass {__name__}.{Nameless.__qualname__} has no declared name, so its key would change when it "
        "moves; put @named('project.Nameless') above @dataclass (from goldproof import named)"
    )


def test_one_name_is_one_type():
    importlib.import_module("goldproof.data.dataset")
    with pytest.raises(UsageError) as caught:

        @named("data.Dataset")
        @dataclass(frozen=True)
        class Other:
            x: int

    assert str(caught.value).startswith("two types are named 'data.Dataset': goldproof.data.dataset.Dataset and ")


def test_a_name_is_for_dataclasses():
    with pytest.raises(UsageError, match=r"Plain is not a dataclass: @named\('tests.Plain'\) stands above @dataclass"):

        @named("tests.Plain")
        class Plain:
            pass


def test_every_step_of_the_package_has_a_declared_name():
    for entry in ("demo", "stability", "probing", "logic", "transfer", "corruption"):
        importlib.import_module(f"goldproof.studies.{entry}")
    ours = [step for step in registered_steps().values() if step.function.__module__.startswith("goldproof.")]
    assert len(ours) > 30
    assert not [step.name for step in ours if step.settings.name is None]
    assert goldproof.named is named
