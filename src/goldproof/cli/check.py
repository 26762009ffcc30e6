"""`goldproof check PATH…`: what is wrong with a corpus, before anything is trained on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.cli.judge import LogFilter, LogReading, LogTask
from goldproof.errors import ExitCode

if TYPE_CHECKING:
    from goldproof.data.checking.checks import CheckReport, Finding, ProblemExample, SplitSummary
    from goldproof.data.logs.log import Log, LogChoice

WIDTH_OF_A_FILE = 160
MOST_KINDS = 8
_MARKS = {"problem": "✗", "warning": "!", "note": "·"}


def check(  # noqa: PLR0913 - one parameter per option
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files or folders of a corpus; or logs.")],
    column: options.ColumnPairs = None,
    task: LogTask = None,
    filter_: LogFilter = None,
    log: LogReading = None,
    near: Annotated[float, typer.Option(help=("Minimum Jaccard similarity of near copies; 1: off."))] = 0.7,
    examples: Annotated[int, typer.Option(help="Number of examples to show for each finding.")] = 2,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if there is a problem; for CI.")] = False,
    as_json: options.AsJson = False,
) -> int:
    """Look for leaks between splits, duplicates, empty texts and misaligned languages."""
    from goldproof.cli.progress import counted
    from goldproof.data.checking.checks import check as check_corpus
    from goldproof.data.logs.reading import is_log

    if all(is_log(path) for path in paths):
        return _check_logs(paths, options.log_choice(task, filter_, log), strict, as_json)
    columns = options.data_columns(column)
    with counted("texts read and compared") as tell:
        report = check_corpus(paths, near=near, max_examples=examples, columns=columns, progress=tell)
    if as_json:
        typer.echo(report.to_json())
    else:
        _show(report)
    found = strict and any(finding.severity == "problem" for finding in report.findings)
    return int(ExitCode.NO if found else ExitCode.DONE)


def _check_logs(paths: list[Path], choice: LogChoice, strict: bool, as_json: bool) -> int:
    """What to know of logs of evaluation harnesses, and of two of one task, before they are judged."""
    from goldproof.data.logs.conditions import differing_conditions, notes_on_all
    from goldproof.data.logs.reading import read_logs
    from goldproof.judging.logs import told_apart

    logs = told_apart([log for path in paths for log in read_logs(path, choice)])
    notes = notes_on_all(logs)
    problems = [
        f"{a} (A), {b} (B), {said}"
        for (a, b), pairs in _by_models(logs).items()
        for said in differing_conditions(pairs)
    ]
    if as_json:
        options.print_json({"notes": notes, "problems": problems})
    else:
        for mark, lines in (("✗", problems), ("·", notes)):
            for line in lines:
                typer.echo(f"{mark} {line}")
        counts = {"log": len(logs), "problem": len(problems), "note": len(notes)}
        typer.echo(", ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts.items()))
    return int(ExitCode.NO if strict and problems else ExitCode.DONE)


def _by_models(logs: Sequence[Log]) -> dict[tuple[str, str], list[tuple[Log, Log]]]:
    from goldproof.data.logs.conditions import first_pairs

    found: dict[tuple[str, str], list[tuple[Log, Log]]] = {}
    for a, b in first_pairs(logs):
        found.setdefault((a.model, b.model), []).append((a, b))
    return found


def _show(report: CheckReport) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDTH_OF_A_FILE)
    console.print(_table(report.splits))
    for finding in report.findings:
        for line in _lines(finding):
            console.print(line, markup=False)
    for line in _unread_lines(report.unread):
        console.print(line, markup=False)
    counts = {severity: sum(f.severity == severity for f in report.findings) for severity in _MARKS}
    console.print(", ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts.items()), markup=False)


def _unread_lines(unread: Mapping[str, str]) -> list[str]:
    """A line for each file that could not be read; files of other kinds are counted, however many lie in a folder."""
    from goldproof.data.checking.parts import OTHER_KIND

    others = [path for path, reason in unread.items() if reason == f"{path}: {OTHER_KIND}"]
    lines = [f"not read: {reason}" for path, reason in unread.items() if path not in set(others)]
    if others:
        kinds = sorted({Path(path).suffix or "none" for path in others})
        more = " …" if len(kinds) > MOST_KINDS else ""
        files = "1 file is" if len(others) == 1 else f"{len(others):,} files are"
        lines.append(f"not read: {files} {OTHER_KIND} (extensions: {', '.join(kinds[:MOST_KINDS])}{more})")
    return lines


def _table(splits: tuple[SplitSummary, ...]) -> object:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("corpus", "language", "split"):
        table.add_column(name, overflow="fold")
    for name in ("rows", "vocabulary", "words per sample"):
        table.add_column(name, justify="right")
    table.add_column("labels", overflow="fold")
    for split in splits:
        table.add_row(
            *(split.group, split.language, split.split, f"{split.rows:,}", f"{split.vocabulary:,}"),
            f"{split.words_per_sample:.1f}",
            _labels(split),
        )
    return table


def _labels(split: SplitSummary) -> str:
    total = sum(split.labels.values())
    common = sorted(split.labels.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{label} {100 * n / total:.0f} %" for label, n in common[:6])
    return shown + (f" and {len(common) - 6} more" if len(common) > 6 else "")


def _lines(finding: Finding) -> list[str]:
    examples = [f"      {example.place}{_twin(example)}: {example.text}" for example in finding.examples]
    return [f"{_MARKS[finding.severity]} {finding.where}: {finding.message}", *examples]


def _twin(example: ProblemExample) -> str:
    if example.other is None:
        return ""
    return f" = row {example.other.row}" if example.other.file == example.place.file else f" = {example.other}"
