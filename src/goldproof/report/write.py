"""A report written to a folder: page, Markdown, summary, tables and figures; each file is complete or absent."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldproof.errors import StoreError, UsageError
from goldproof.report.csv_tables import examples_csv, figure_csv, table_csv
from goldproof.report.figures import figure_pdf, figure_svg
from goldproof.report.html import html_page
from goldproof.report.latex import findings_latex, table_latex
from goldproof.report.markdown import report_markdown
from goldproof.report.summary import ExampleList, Figure, Report, Table
from goldproof.report.summary_json import load_summary, report_json

__all__ = ["FORMATS", "load_summary", "write_report"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of reports: the files that it writes, and what they are good for."""

    files: str
    what: str


FORMATS = {
    "html": Format("report.html", "one page with everything in it, nothing fetched: to read and to send"),
    "md": Format("report.md", "the same numbers for a pull request or README; figures are links to figures/*.svg"),
    "json": Format("summary.json", "the typed summary that all others are made from; the same report, the same bytes"),
    "csv": Format("tables/*.csv", "tables, the rows that figures draw, and examples, every number in full"),
    "tex": Format("findings.tex, tables/*.tex", "question, answer and findings, and tables for a paper (booktabs)"),
    "svg": Format("figures/*.svg", "figures for the web"),
    "pdf": Format("figures/*.pdf", "figures for a paper"),
}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

NamedItem = Table | Figure | ExampleList


def write_report(report: Report, out_dir: str | Path, formats: Sequence[str] = tuple(FORMATS)) -> list[Path]:
    """Write a report in the given formats, and say which files were written.

    html: report.html; md: report.md; json: summary.json; csv and tex: tables/, and findings.tex; svg and pdf: figures/.
    Markdown links to the SVG figures. Reports that stand beside it are written to folders of their names. Files of an
    earlier report with other names are left alone.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UsageError(f"the report format '{unknown[0]}' is not known; allowed: {', '.join(FORMATS)}")
    named = _named_items(report)
    folder = Path(out_dir)
    written = []
    for path, content in _contents(report, named, formats):
        _write(folder / path, content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
        written.append(folder / path)
    for name, each in report.beside.items():
        written += write_report(each, folder / name, formats)
    return written


def make_folder(folder: Path) -> None:
    """Make the folder of a report that is still to come, so that work of hours does not end in one that is closed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _cannot_write(folder, error) from error


def _named_items(report: Report) -> list[NamedItem]:
    """Tables, figures and examples, once their names are known to be good and different file names."""
    named = [item for item in report.items if isinstance(item, Table | Figure | ExampleList)]
    seen: set[str] = set()
    for item in named:
        if not NAME.fullmatch(item.name):
            raise UsageError(
                "the name of a table, figure or list of examples is made of letters, digits, '-' and '_' and starts "
                f"with a letter or digit; got '{item.name}'"
            )
        if item.name.lower() in seen:
            raise UsageError(f"two items of the report have the name '{item.name}'; each needs its own")
        seen.add(item.name.lower())
    return named


def _contents(report: Report, named: Sequence[NamedItem], formats: Sequence[str]) -> Iterator[tuple[str, str | bytes]]:
    if "html" in formats:
        yield "report.html", html_page(report)
    if "md" in formats:
        yield "report.md", report_markdown(report)
    if "json" in formats:
        yield "summary.json", report_json(report)
    if "tex" in formats:
        yield "findings.tex", findings_latex(report)
    for item in named:
        if "csv" in formats:
            yield f"tables/{item.name}.csv", _csv(item)
        if isinstance(item, Table) and "tex" in formats:
            yield f"tables/{item.name}.tex", table_latex(item)
        if isinstance(item, Figure) and "svg" in formats:
            yield f"figures/{item.name}.svg", figure_svg(item)
        if isinstance(item, Figure) and "pdf" in formats:
            yield f"figures/{item.name}.pdf", figure_pdf(item)


def write_file(path: str | Path, text: str) -> None:
    """Write a text file that belongs to a report; a reader sees the old file or the new one, never a part."""
    _write(Path(path), text.encode("utf-8", "backslashreplace"))


def _csv(item: NamedItem) -> str:
    if isinstance(item, Table):
        return table_csv(item)
    return figure_csv(item) if isinstance(item, Figure) else examples_csv(item)


def _write(path: Path, content: bytes) -> None:
    """Write aside and rename, so that a reader sees the old file or the new one, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(aside).chmod(0o644)
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> StoreError:
    why = error.strerror or str(error)
    if isinstance(error, FileExistsError | NotADirectoryError):
        why = "a file stands where its folder should be; give another folder"
    return StoreError(f"the report cannot be written to {path}: {why}")
