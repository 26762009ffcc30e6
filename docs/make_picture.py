"""Makes the picture of a report that README shows: six trainings on SIB-200, judged by `goldproof score`.

python docs/make_picture.py     writes docs/report.png; needs Chromium and the packages of `dev`
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from playwright.sync_api import sync_playwright

import goldproof
from goldproof.report.html import html_page

DOCS = Path(__file__).parent
ANSWERS = DOCS / "validation" / "answers" / "sib200-e5-small-30.parquet"
N_RUNS = 6
SIZE = {"width": 1000, "height": 720}


def main() -> None:
    """Judge the answers, open the page, and keep what its first screen shows."""
    rows = pq.read_table(ANSWERS)
    runs = sorted(set(rows["run"].to_pylist()))[:N_RUNS]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        answers, page_file = Path(folder) / "e5-small.parquet", Path(folder) / "report.html"
        pq.write_table(rows.filter(pc.field("run").isin(runs)), answers)
        page_file.write_text(html_page(goldproof.score(answers).report()), encoding="utf-8")
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
        page.goto(page_file.as_uri())
        page.screenshot(path=DOCS / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
