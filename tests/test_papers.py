"""The page on the papers has a row for every table and figure of each paper that it names; its links have anchors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "papers.md"
PRINTED = {"stability": (7, 18), "probing": (11, 15), "logic": (2, 4), "transfer": (8, 1), "corruption": (5, 3)}
"""How many tables and figures each paper has."""

HEADER = "| in the paper | in our report | run on | agrees | does not agree | not run, and why |"
ANCHOR = re.compile(r"\]\(reports/([\w-]+)\.html#([\w-]+)\)")


def sections():
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {part[part.index("`") + 1 : part.index("`", part.index("`") + 1)]: part for part in parts}


def places(cell):
    """The numbers of the tables and figures that the first cell of a row names.

    "Figures 2, 6–8" is 2, 6, 7 and 8; of "Table 2a" it is 2.
    """
    found = set()
    for kind, numbers in re.findall(r"(Table|Figure)s? ((?:\d+[a-z]?(?:–\d+)?(?:, | and )?)+)", cell):
        for first, last in re.findall(r"(\d+)[a-z]?(?:–(\d+))?", numbers):
            found |= {(kind, n) for n in range(int(first), int(last or first) + 1)}
    return found


def test_ranges_are_read():
    assert places("Figures 2, 6–8 (en), seeds") == {("Figure", n) for n in (2, 6, 7, 8)}
    assert places("Table 2a, MLDoc") == {("Table", 2)}


@pytest.mark.parametrize("study", sorted(sections()))
def test_every_table_and_figure_has_a_row(study):
    part = sections()[study]
    assert HEADER in part
    rows = [line.strip()[1:-1].split("|") for line in part.splitlines() if re.match(r"\| (Table|Figure)", line)]
    assert {len(row) for row in rows} == {6}
    n_tables, n_figures = PRINTED[study]
    expected = {("Table", n + 1) for n in range(n_tables)} | {("Figure", n + 1) for n in range(n_figures)}
    assert set().union(*(places(row[0]) for row in rows)) == expected


def test_links_into_reports_lead_to_their_places():
    for name, anchor in ANCHOR.findall(PAGE.read_text(encoding="utf-8")):
        page = (ROOT / "docs" / "validation" / "reports" / f"{name}.html").read_text(encoding="utf-8")
        assert f'id="{anchor}"' in page, f"{name}.html#{anchor}"
