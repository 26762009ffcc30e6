"""`goldproof compare --baseline A B C D`: several systems against one, all verdicts together."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from goldproof.cli import options
from goldproof.errors import ExitCode

if TYPE_CHECKING:
    from goldproof.judging.baselines import SeveralCompared
    from goldproof.judging.gate import Margins
    from goldproof.judging.score import Settings


def compare_several(
    baseline: Path,
    systems: list[Path],
    columns: dict[str, str] | None,
    settings: Settings,
    margins: Margins,
    shown: tuple[Path | None, bool],
) -> int:
    """Compare, print or write (`shown`: a folder, whether as JSON), and give the exit code."""
    from goldproof.judging.baselines import compare_with_baseline

    found = compare_with_baseline(baseline, systems, columns=columns, settings=settings, margins=margins)
    out, as_json = shown
    paths: list[str] = []
    if out is not None:
        from goldproof.report.write import write_report

        paths = [str(path) for path in write_report(found.report(), out)]
    if as_json:
        options.print_json(_form(found, paths))
    else:
        _show(found, paths)
    codes = {"passed": ExitCode.DONE, "failed": ExitCode.NO, "undecided": ExitCode.UNDECIDED}
    return int(codes[found.outcome or "passed"])


def _show(found: SeveralCompared, paths: list[str]) -> None:
    from goldproof.judging.baselines import verdict_text
    from goldproof.report.numbers import p_text

    typer.echo(f"{len(found.names)} systems against {found.baseline}; intervals and verdicts hold for all at once")
    for number, each in enumerate(found.differences):
        typer.echo(f"{verdict_text(found, number)}  (together {p_text(each.adjusted)})")
    if found.margins.is_asked:
        typer.echo(f"gate over all: {found.outcome}")
    for note in found.notes:
        typer.echo(f"note: {note}")
    for path in paths:
        if path.endswith("report.html"):
            typer.echo(f"report: {path}")


def _form(found: SeveralCompared, paths: list[str]) -> dict[str, Any]:
    from goldproof.judging.baselines import together, verdict_text

    return {
        "baseline": found.baseline,
        "metric": found.metric,
        "outcome": found.outcome,
        "differences": [
            {
                "model": name,
                "verdict": each.verdict.kind,
                "text": verdict_text(found, number),
                "n": each.difference.n,
                "difference": each.difference.value,
                "low": _number(together(each).low),
                "high": _number(together(each).high),
                "p": _number(each.p_value),
                "p_together": _number(each.adjusted),
            }
            for number, (name, each) in enumerate(zip(found.names, found.differences, strict=True))
        ],
        "notes": list(found.notes),
        "files": paths,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
