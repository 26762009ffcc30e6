"""The public list is explicit, sorted and complete, and the examples in docstrings are right."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import assay

MODULES = [
    module.name for module in pkgutil.walk_packages(assay.__path__, "assay.") if not module.name.endswith("__main__")
]


def test_public_names_are_sorted_and_all_there():
    assert assay.__all__ == sorted(assay.__all__)
    assert all(getattr(assay, name) is not None for name in assay.__all__)
    assert dir(assay) == assay.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'gold'"):
        _ = assay.gold


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
