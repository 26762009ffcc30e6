"""Tables of thousands of rows: all rows are there, each as short as HTML allows, and small tables stay as they are."""

from __future__ import annotations

import re

from goldproof.report.html import MOST_ROWS_IN_FULL, html_page
from goldproof.report.summary import Column, Missing, Report, Section, Table
from goldproof.statistics.estimate import Estimate

COLUMNS = [Column("tag", "Category"), Column("n", "Items"), Column("score", "Score", 1, "%"), Column("p", "p", 3)]


def page(n: int) -> str:
    rows = [
        {
            "tag": f"t{i}",
            "n": 1_234_567,
            "score": Estimate(2 / 3, 0.5, 0.75, "Wilson", 12),
            "p": 1 / 3 if i % 2 else Missing("too few items"),
        }
        for i in range(n)
    ]
    return html_page(Report("r", "Title", (), [Section("All", [Table("all", "All", COLUMNS, rows)])]))


def test_rows_of_a_huge_table_are_short_and_all_there():
    text = page(MOST_ROWS_IN_FULL + 1)
    rows = re.findall(r"<tr><th scope=row>.*", text)
    assert len(rows) == MOST_ROWS_IN_FULL + 1
    start = "<td data-sort=1234567>1,234,567<td data-sort=0.6666667>66.7 <small>[50.0, 75.0]</small>"
    assert rows[0] == f'<tr><th scope=row>t0{start}<td class="number">–'
    assert rows[1] == f"<tr><th scope=row>t1{start}<td data-sort=0.3333333>0.333"
    assert "#all [data-sort] { text-align: right; white-space: nowrap }" in text


def test_smaller_tables_say_everything():
    text = page(MOST_ROWS_IN_FULL)
    assert text.count('title="n = 12"') == MOST_ROWS_IN_FULL
    assert "#all [data-sort]" not in text
