"""`goldproof audit TRAIN [VALIDATION] TEST`: whether data can be solved without understanding."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit
    from goldproof.judging.audit.lights import Light
    from goldproof.judging.audit.settings import AuditSettings

MOST_FILES = 3
_MARKS = {"red": "✗", "green": "✓", "grey": "?"}


def audit(  # noqa: PLR0913 - one parameter per option
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="TRAIN [VALIDATION] TEST", help=("Files of the splits, or one file with all of them.")),
    ],
    column: options.ColumnPairs = None,
    name: Annotated[str, typer.Option(help="What the report calls the data.")] = "this data",
    language: Annotated[str | None, typer.Option(help="Language code, if files and file names give none.")] = None,
    near: Annotated[float, typer.Option(help=("Minimum shingle similarity of near copies; 1: off."))] = 0.7,
    seed: Annotated[int, typer.Option(help="Seed of the label permutations.")] = 0,
    labels: Annotated[bool, typer.Option(help="Look for wrong labels (the slowest part).")] = True,
    hard: Annotated[
        Path | None, typer.Option(help="File to write the ids of the items that are hard for shortcuts to.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the report, audit.json and the dataset's card.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a light is red; for CI.")] = False,
    as_json: options.AsJson = False,
) -> int:
    """Look for leaks, shortcuts and wrong labels, and see what a test set can show; needs no model."""
    from goldproof.judging.audit.form import audit_form

    _check_count(paths)
    if out is not None:
        from goldproof.report.write import make_folder

        make_folder(out)
    from goldproof.judging.audit.settings import AuditSettings

    settings = AuditSettings(name=name, language=language, near=near, seed=seed, labels=labels)
    found = _audit(paths, column, settings)
    files = _write(found, out) + _write_hard(found, hard)
    if as_json:
        options.print_json({**audit_form(found), "files": files})
    else:
        _show(found, files)
    return int(ExitCode.NO if strict and found.has_problem else ExitCode.DONE)


def _check_count(paths: list[Path]) -> None:
    if len(paths) > MOST_FILES:
        raise UsageError(f"audit takes TRAIN [VALIDATION] TEST, or one file with all splits; got {len(paths)} files")
    twice = [str(path) for path, n in Counter(paths).items() if n > 1]
    if twice:
        raise UsageError(f"each split needs a file of its own; {twice[0]} was given twice")


def _audit(paths: list[Path], column: list[str] | None, settings: AuditSettings) -> Audit:
    from rich.console import Console

    from goldproof.cli.progress import drawn
    from goldproof.judging.audit.audit import audit as judge

    train, *others = paths
    console = Console(stderr=True)
    with drawn(1000, console, "audit") as draw:
        return judge(
            train,
            others[-1] if others else None,
            others[0] if len(others) > 1 else None,
            columns=options.data_columns(column),
            settings=settings,
            progress=lambda what, done, of: draw(what, Counter(done=round(1000 * done / of))),
        )


def _write(found: Audit, out: Path | None) -> list[str]:
    if out is None:
        return []
    from goldproof.report.write import write_file, write_report

    paths = write_report(found.report(), out)
    for name, text in (("audit.json", found.to_json()), ("card.md", found.card())):
        write_file(out / name, text)
        paths.append(out / name)
    return [str(path) for path in paths]


def _write_hard(found: Audit, path: Path | None) -> list[str]:
    if path is None:
        return []
    from goldproof.judging.subsets import subset_text
    from goldproof.report.write import write_file

    made = found.hard_subset()
    if isinstance(made, str):
        typer.echo(f"{path} is not written: {made}", err=True)
        return []
    write_file(path, subset_text(made))
    return [str(path)]


def _show(found: Audit, files: list[str]) -> None:
    from goldproof.judging.audit.sentences import answer, light_sentence

    typer.echo(answer(found))
    for light in found.lights:
        typer.echo(f"{_MARKS[light.colour]} {light.colour:<5} {light_sentence(found, light)}{_interval(light)}")
    if not isinstance(found.shortcuts, str):
        _show_shortcuts(found)
    for note in found.notes:
        typer.echo(f"note: {note}")
    for path in files:
        if path.endswith("report.html"):
            typer.echo(f"report: {path}")


def _interval(light: Light) -> str:
    """The interval of what rests on a sample; the sentences of the others say their bounds."""
    if light.gauge is None or light.estimate is None or not light.gauge.is_sampled:
        return ""
    from goldproof.report.numbers import estimate_text

    return f" {estimate_text(light.estimate, light.gauge.digits, light.gauge.unit)}"


def _show_shortcuts(found: Audit) -> None:
    from goldproof.report.numbers import estimate_or_reason, p_text

    assert not isinstance(found.shortcuts, str)
    judged = found.shortcuts.judged
    digits, unit = (1, "%") if judged.n_classes else (3, "")
    for each in sorted(judged.scores, key=lambda each: -each.score.value):
        verdict = "above the floor" if each.above else "not shown"
        score = estimate_or_reason(each.score, digits, unit)
        typer.echo(f"  {each.name:<28} {score:<22} {p_text(each.p_value):<12} {verdict}")
    if judged.n_classes:
        typer.echo(f"  {'floor (most frequent label)':<28} {100 * judged.floor:.1f} %")
    for word in [each for each in judged.words if each.rate.n and each.rate.low > each.base][:5]:
        label = found.material.labels[word.label]
        rate = estimate_or_reason(word.rate, 1, "%")
        typer.echo(f"  word {word.gram!r}: {label} in {rate} of the {word.rate.n} test items with it")
