"""Every text rendering of a small report, compared as a whole with golden files.

Run with GOLDPROOF_WRITE_GOLDEN=1 to write them anew, and read the difference before keeping it.
"""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest
from tests.report.small import small_examples, small_report, small_table

from goldproof.report.csv_tables import examples_csv, table_csv
from goldproof.report.html import html_fragment, html_page
from goldproof.report.latex import findings_latex, table_latex
from goldproof.report.markdown import report_markdown
from goldproof.report.summary_json import report_json

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report"


def page_body() -> str:
    page = html_page(small_report())
    return page[page.index("<main>") : page.index("</main>") + len("</main>\n")]


RENDERINGS = {
    "page.html": page_body,
    "report.md": lambda: report_markdown(small_report()),
    "summary.json": lambda: report_json(small_report()),
    "findings.tex": lambda: findings_latex(small_report()),
    "models.tex": lambda: table_latex(small_table()),
    "models.csv": lambda: table_csv(small_table()),
    "items.csv": lambda: examples_csv(small_examples()),
}


@pytest.mark.parametrize("name", RENDERINGS)
def test_rendering_is_the_golden_one(name):
    text = RENDERINGS[name]()
    path = GOLDEN / name
    if os.environ.get("GOLDPROOF_WRITE_GOLDEN"):
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


def test_csv_reads_back_with_every_digit():
    rows = list(csv.DictReader(io.StringIO(table_csv(small_table()))))
    assert [float(row["mcc"]) for row in rows] == [0.6339, 0.6201, 0.1]
    assert [row["mcc_low"] for row in rows] == ["0.5142", "0.5", ""]
    assert rows[2]["model"] == "'=1+1 | 50 % of $x$ {y} ~ ^ \\ *z*"
    items = list(csv.DictReader(io.StringIO(examples_csv(small_examples()))))
    assert (items[2]["premise"], items[2]["hypothesis"]) == ("Чай, «пьют»\nвсе.", 'a,b\n"c"')


def test_no_text_from_data_is_markup():
    page = html_page(small_report())
    for rendering in (page, html_fragment(small_report())):
        assert "<script>alert" not in rendering
        assert "{{7*7}}" in rendering
        assert "49" not in rendering[rendering.index("<h1>") : rendering.index("</h1>")]
    # one script that runs, one of data; each is closed once
    assert page.count("<script") == 2
    assert page.count("</script") == 2


def test_notebook_shows_the_fragment_without_script():
    fragment = small_report()._repr_html_()
    assert fragment == html_fragment(small_report())
    assert fragment.startswith('<div class="goldproof notebook">')
    assert "<script" not in fragment
    assert "B is better than A." in fragment
