"""What the summary types know by themselves."""

from __future__ import annotations

import pytest

from goldproof.errors import UsageError
from goldproof.report.summary import Column, Example, ExampleList, Report, Section, Table
from goldproof.report.summary_json import report_json


def test_flips_and_errors_of_an_item():
    def item(gold, *predictions):
        return Example("1", ("a",), gold, predictions)

    assert [item("x", "x", "y").flips, item("x", "y", "y").flips, item("x", "y", None).flips] == [True, False, False]
    assert [item("x", "y", "z").always_wrong, item("x", "y", "x").always_wrong] == [True, False]
    assert [item("x", None).always_wrong, item(None, "y").always_wrong] == [False, False]


def test_items_fit_fields_and_runs():
    with pytest.raises(UsageError) as error:
        ExampleList("items", "Items", ("premise",), ("seed 0", "seed 1"), (Example("7", ("a",), "x", ("x",)),))
    assert str(error.value) == "examples 'items', item '7': predictions are needed for seed 0, seed 1; got 1"
    with pytest.raises(UsageError) as error:
        ExampleList("items", "Items", ("premise",), ("seed 0",), (Example("7", (), "x", ("x",)),))
    assert str(error.value) == "examples 'items', item '7': texts are needed for premise; got 0"


def test_what_no_column_shows_is_not_in_a_table():
    table = Table("t", "T", [Column("ours", "Ours")], [{"ours": 0.5, "paper": 0.6}, {"paper": 0.7}])
    assert table.rows == [{"ours": 0.5}, {}]
    report = Report("r", "R", (), (Section("S", (table,)),))
    assert "paper" not in report_json(report)
