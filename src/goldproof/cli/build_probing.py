"""`goldproof build probing`: probing tasks from treebanks, from plain text, or Gapping from AGRR files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from goldproof.builders.probing import BuildSettings, Built
    from goldproof.data.checking.checks import CheckReport

Treebank = Annotated[
    list[Path] | None, typer.Option("--treebank", metavar="FILE", help="CoNLL-U file; may be repeated.")
]
TextFile = Annotated[Path | None, typer.Option("--text", help="Plain text to parse (with natasha for ru, else spaCy).")]
Agrr = Annotated[
    list[Path] | None, typer.Option("--agrr", metavar="FILE", help="AGRR-2019 file for Gapping; may be repeated.")
]
Language = Annotated[str | None, typer.Option(help="Language code [what the file names say].")]
TaskNames = Annotated[
    list[str] | None, typer.Option("--task", metavar="TASK", help="Task to build; may be repeated [all].")
]
TasksFolder = Annotated[Path, typer.Option("--out", help="Folder for the tasks.")]


def probing(  # noqa: PLR0913 - a command line has as many parameters as options
    treebank: Treebank = None,
    text: TextFile = None,
    agrr: Agrr = None,
    language: Language = None,
    task: TaskNames = None,
    out: TasksFolder = Path("probing-tasks"),
    form: Annotated[str, typer.Option("--format", help="rusenteval, senteval or xprobe.")] = "rusenteval",
    seed: Annotated[int, typer.Option(help="Seed of sampling and of changes.")] = 0,
    train: Annotated[int, typer.Option(help="Maximum number of train rows.")] = 100_000,
    validation: Annotated[int, typer.Option(help="Maximum number of validation rows.")] = 10_000,
    test: Annotated[int, typer.Option(help="Maximum number of test rows.")] = 10_000,
    min_frequency: Annotated[float, typer.Option(help="Minimum mean lemma frequency per million; 0: off.")] = 0.9,
    lexicon: Annotated[Path | None, typer.Option(help="Word list: word<TAB>part of speech.")] = None,
    as_json: options.AsJson = False,
) -> int:
    """Build RuSentEval's and SentEval's probing tasks by rules over dependency trees."""
    from goldproof.builders.probing import FORMATS, BuildSettings, SplitSizes, choose_tasks, write_tasks
    from goldproof.builders.probing.write import summarize

    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}; allowed: {', '.join(FORMATS)}")
    choose_tasks(tuple(task or ()))
    settings = BuildSettings(
        tasks=tuple(task or ()),
        sizes=SplitSizes(train, validation, test),
        seed=seed,
        min_frequency=min_frequency,
        lexicon=str(lexicon) if lexicon else None,
    )
    built = _build(treebank or [], text, agrr or [], language, out, settings)
    report = write_tasks(built, out, form)
    if as_json:
        options.print_json(summarize(built, report))
    else:
        _show(built, report, out)
    return 0


def _build(
    treebank: list[Path], text: Path | None, agrr: list[Path], language: str | None, out: Path, settings: BuildSettings
) -> Built:
    from goldproof.builders.probing import build_gapping, build_tasks, open_treebanks
    from goldproof.builders.probing.filters import filter_needs
    from goldproof.builders.probing.raw_text import parse_needs, parse_text

    if sum(map(bool, (treebank, text, agrr))) != 1:
        raise UsageError("give one of --treebank, --text and --agrr")
    if agrr:
        return build_gapping(agrr, settings)
    if text is None:
        return build_tasks(open_treebanks(treebank, language), settings)
    if language is None:
        raise UsageError("--text needs --language, for example --language ru")
    require(*parse_needs(language), *filter_needs(language, settings.min_frequency))
    out.mkdir(parents=True, exist_ok=True)
    parsed = parse_text(text, language, out / "parsed.conllu")
    return build_tasks(open_treebanks([parsed], language), settings)


def _show(built: Built, report: CheckReport, out: Path) -> None:
    from collections import Counter

    from goldproof.builders.probing.write import warnings_of

    warnings = warnings_of(built)
    typer.echo(f"{built.n_sentences:,} sentences in {built.language}")
    for reason, n in built.left_out.items():
        typer.echo(f"  left out: {n:,} {reason}")
    for task in built.tasks:
        splits = Counter(row.split for row in task.rows)
        sizes = " / ".join(f"{splits[name]:,}" for name in ("train", "validation", "test"))
        labels = Counter(row.candidate.label for row in task.rows)
        shown = ", ".join(f"{label} {n:,}" for label, n in sorted(labels.items())[:8])
        more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
        typer.echo(f"{task.task.name}: {sizes}; {shown}{more}")
        for name, value in task.notes.items():
            typer.echo(f"  {name}: {value:.3f}" if isinstance(value, float) else f"  {name}: {value}")
        if task.task.name in warnings:
            typer.echo(f"  warning: {warnings[task.task.name]}")
    for name, reason in built.skipped.items():
        typer.echo(f"not built: {name}: {reason}")
    problems = [finding for finding in report.findings if finding.severity == "problem"]
    typer.echo(f"leak check: {len(problems)} problems")
    for finding in problems:
        typer.echo(f"  {finding.where}: {finding.message}")
    typer.echo(f"written to {out}")
