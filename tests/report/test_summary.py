"""What the summary types know by themselves."""

from __future__ import annotations

import pytest

from goldproof.errors import UsageError
from goldproof.report.summary import Example, Examples


def test_flips_and_errors_of_an_item():
    def item(gold, *predictions):
        return Example("1", ("a",), gold, predictions)

    assert [item("x", "x", "y").flips, item("x", "y", "y").flips, item("x", "y", None).flips] == [True, False, False]
    assert [item("x", "y", "z").always_wrong, item("x", "y", "x").always_wrong] == [True, False]
    assert [item("x", None).always_wrong, item(None, "y").always_wrong] == [False, False]


def test_items_fit_fields_and_runs():
    with pytest.raises(UsageError) as error:
        Examples("items", "Items", ("premise",), ("seed 0", "seed 1"), (Example("7", ("a",), "x", ("x",)),))
    assert str(error.value) == "examples 'items', item '7': predictions are needed for seed 0, seed 1; got 1"
    with pytest.raises(UsageError) as error:
        Examples("items", "Items", ("premise",), ("seed 0",), (Example("7", (), "x", ("x",)),))
    assert str(error.value) == "examples 'items', item '7': texts are needed for premise; got 0"
