"""Tables and findings in LaTeX for a paper, with booktabs: best value bold, ties marked, notes beneath.

The file of a table is a whole environment to be read with \\input; the preamble needs \\usepackage{booktabs}.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from goldproof.report.cells import TIED, CellView, answer_lines, claim_line, footnotes, heading, table_lines, view
from goldproof.report.numbers import MINUS, MISSING
from goldproof.report.summary import Report, Table

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': "''",
    "|": r"\textbar{}",
    MINUS: "$-$",
    MISSING: "--",
    TIED: r"$\approx$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    **{character: f"$^{digit}$" for digit, character in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
PATTERN = re.compile("|".join(re.escape(character) for character in SPECIAL))


def escape(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    >>> escape("50 % of $x_1$ & <b>")
    '50 \\% of \\$x\\_1\\$ \\& \\textless{}b\\textgreater{}'
    """
    return PATTERN.sub(lambda found: SPECIAL[found[0]], " ".join(text.split()))


def findings_latex(report: Report) -> str:
    """The question, its answer and the findings as a paragraph and a list."""
    answer = [] if report.answer is None else [escape(line) for line in answer_lines(report.answer)]
    lines = [rf"\paragraph{{{escape(report.title)}}}", *answer]
    if report.verdict:
        found = (rf"\item {escape(claim_line(line))}" for line in report.verdict)
        lines += [r"\begin{itemize}", *found, r"\end{itemize}"]
    return "\n".join(lines) + "\n"


def table_latex(table: Table) -> str:
    """The table as a LaTeX table environment."""
    views = [[view(row.get(column.key), column) for column in table.columns] for row in table.rows]
    notes = footnotes(views)
    is_number = [any(row[i].number is not None for row in views) for i in range(len(table.columns))]
    headings = [escape(heading(c)) + (" (published)" if c.published else "") for c in table.columns]
    rows = [[_cell(cell, [notes[text] for text in cell.footnotes]) for cell in row] for row in views]
    beneath = r" \par ".join(escape(line) for line in table_lines(table, views))
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in is_number)}}}",
        r"\toprule",
        " & ".join(headings) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\smallskip{{\footnotesize\raggedright {beneath}\par}}"] if beneath else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(cell: CellView, numbers: Sequence[int]) -> str:
    text = escape(cell.text)
    if cell.best or cell.tied:
        text = rf"\textbf{{{text}}}"
    if cell.interval:
        text += rf" {{\footnotesize {escape(cell.interval)}}}"
    if cell.tied:
        text += r"$^{\approx}$"
    if numbers:
        text += f"$^{{{','.join(str(number) for number in numbers)}}}$"
    # A row that starts with a bracket or a star would be read as an argument of the line break before it.
    return "{}" + text if text.startswith(("[", "*")) else text
