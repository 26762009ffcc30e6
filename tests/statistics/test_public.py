"""The package is light to import, its list of names is true, and every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

from goldproof import statistics

MODULES = sorted(module.name for module in pkgutil.iter_modules(statistics.__path__, "goldproof.statistics."))


def test_importing_loads_no_scipy() -> None:
    code = "import sys, goldproof.statistics; print('scipy' in sys.modules, 'torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]


def test_every_public_name_is_there_and_is_no_module() -> None:
    assert statistics.__all__ == sorted(statistics.__all__)
    modules = {name.rpartition(".")[2] for name in MODULES}
    assert not modules & set(statistics.__all__)
    for name in statistics.__all__:
        assert getattr(statistics, name) is not None
    with pytest.raises(AttributeError) as caught:
        _ = statistics.median
    assert str(caught.value) == "module 'goldproof.statistics' has no attribute 'median'"


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
