"""The public list is explicit, sorted and complete, and the examples in docstrings are right."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import goldproof

MODULES = [
    module.name
    for module in pkgutil.walk_packages(goldproof.__path__, "goldproof.")
    if not module.name.endswith("__main__")
]


def test_public_names_are_sorted_and_all_there():
    assert goldproof.__all__ == sorted(goldproof.__all__)
    assert all(getattr(goldproof, name) is not None for name in goldproof.__all__)
    assert dir(goldproof) == goldproof.__all__


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
