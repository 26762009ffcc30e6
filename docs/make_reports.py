"""Render every shipped report from the answers that were kept beside it: `make reports`. No model, corpus or GPU.

    python docs/make_reports.py [NAME …]

`docs/validation/answers/NAME.parquet` becomes `docs/validation/reports/NAME.html`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from goldproof.report.html import html_page
from goldproof.studies.campaign import report_from
from goldproof.studies.kept import is_kept, read_kept

ANSWERS = Path(__file__).parent / "validation" / "answers"
REPORTS = Path(__file__).parent / "validation" / "reports"


def kept_files() -> list[Path]:
    """The files of kept answers, by name."""
    return sorted(path for path in ANSWERS.glob("*.parquet") if is_kept(path))


def main(names: list[str]) -> None:
    """Render all, or those that are named."""
    for path in kept_files():
        if not names or path.stem in names:
            page = REPORTS / f"{path.stem}.html"
            page.write_text(html_page(report_from(read_kept(path))), encoding="utf-8")
            sys.stdout.write(f"{page}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
