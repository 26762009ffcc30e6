"""What a spreadsheet would run as a formula is text in a CSV of a report."""

from __future__ import annotations

import pytest

from goldproof.report.csv_tables import table_csv
from goldproof.report.summary import Column, Table


def _cell(text: str) -> str:
    return table_csv(Table("t", "T", [Column("a", "A"), Column("b", "B")], [{"a": text, "b": "x"}]))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@A1",
        " =1",
        "  -2",
        "\u00a0=1",
        "\u3000=1",
        "＝1",
        "＋1",
        "－1",
        " ＠A1",
        "\ufeff=1",
        "\u200b=1",
    ],
)
def test_guarded(text: str) -> None:
    assert _cell(text) == f"a,b\n'{text},x\n"


@pytest.mark.parametrize("text", ["\t=1", "\tx"])
def test_guarded_after_a_tab(text: str) -> None:
    assert _cell(text) == f"a,b\n'{text},x\n"


@pytest.mark.parametrize("text", ["a = b", "1-2", " a", "x@y", "a－b"])
def test_left_alone(text: str) -> None:
    assert _cell(text) == f"a,b\n{text},x\n"
