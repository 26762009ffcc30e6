"""The public lists are explicit, sorted and complete, stay what they are, and the examples in docstrings are right."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest
from tests.public import PACKAGES, is_public, names_in_page, names_in_program

import goldproof

MODULES = [
    module.name
    for module in pkgutil.walk_packages(goldproof.__path__, "goldproof.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_sorted_and_all_there(name):
    package = importlib.import_module(name)
    plain = sorted(package.__all__)
    by_kind = sorted(plain, key=lambda n: (not n.isupper(), not n[0].isupper(), n))  # as the linter sorts eager lists
    assert package.__all__ in (plain, by_kind)
    assert len(set(plain)) == len(plain)
    assert all(getattr(package, each) is not None for each in plain)


@pytest.mark.parametrize("name", [name for name in PACKAGES if hasattr(importlib.import_module(name), "_HOMES")])
def test_lazy_names_are_those_of_the_list(name):
    package = importlib.import_module(name)
    homes = [each for names in package._HOMES.values() for each in names]
    assert sorted(homes) == sorted(package.__all__)
    assert set(package.__all__) <= set(dir(package))


def test_a_public_name_stays_what_it_is_once_all_modules_are_loaded():
    """A lazy name beside a module of the same name would be the function at first, and the module ever after."""
    program = """
import importlib, pkgutil, sys
from types import ModuleType
import goldproof
packages = sys.argv[1:]
first = {(p, n): getattr(importlib.import_module(p), n) for p in packages for n in importlib.import_module(p).__all__}
for module in pkgutil.walk_packages(goldproof.__path__, "goldproof."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for (package, name), thing in first.items():
    for _ in range(2):
        again = getattr(sys.modules[package], name)
        assert again is thing and not isinstance(again, ModuleType), f"{package}.{name} became {again}"
print(len(first))
"""
    done = subprocess.run([sys.executable, "-c", program, *PACKAGES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


@pytest.mark.parametrize("name", PACKAGES)
def test_no_public_name_is_that_of_a_module_beside_it(name):
    package = importlib.import_module(name)
    lazy = set(getattr(package, "_HOMES", {}) and package.__all__)
    assert lazy & {module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ()))} == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_thing_says_what_it_is(name):
    package = importlib.import_module(name)
    things = {each: getattr(package, each) for each in package.__all__}
    bare = [each for each, thing in things.items() if inspect.isroutine(thing) and not inspect.getdoc(thing)]
    assert bare == []


def test_uses_of_names_are_found():
    page = (
        "`goldproof.compare(a, b)`, `goldproof.data.load.Files`; `python -m goldproof.studies.compute x`\n\n"
        "```python\nfrom goldproof.report import Table, pages\nimport goldproof\n\ngoldproof.statistics.wilson(1, 2)\n"
        "goldproof.gold()\n```\n```toml\n[x.goldproof.taggers]\n```\n"
    )
    assert [name for name in names_in_page(page) if not is_public(name)] == [
        "goldproof.report.pages",
        "goldproof.gold",
        "goldproof.data.load.Files",
    ]
    program = (
        "import goldproof\nfrom goldproof import report\nfrom goldproof.jobs.store import find_store\n"
        "report.Table; report.write; goldproof.run; goldproof.judging\n"
    )
    assert sorted({name for name in names_in_program(program) if not is_public(name)}) == [
        "goldproof.jobs.store.find_store",
        "goldproof.judging",
        "goldproof.report.write",
    ]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'goldproof' has no attribute 'gold'"):
        _ = goldproof.gold


def marked(name):
    """The name of a module, with what its examples need."""
    if name.startswith(("goldproof.measures.", "goldproof.models.", "goldproof.training.")):
        return pytest.param(name, marks=pytest.mark.needs("models"))
    return pytest.param(name, marks=pytest.mark.needs("huggingface_hub")) if name.endswith("model_card") else name


@pytest.mark.parametrize("name", [marked(name) for name in MODULES])
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
