"""Examples in the docstrings of the data layer run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import assay.data

MODULES = [module.name for module in pkgutil.walk_packages(assay.data.__path__, "assay.data.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
