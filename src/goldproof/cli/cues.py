"""`goldproof cues FILE`: how often word cues are left where predictions are right, and where they are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from goldproof.cli import options
from goldproof.errors import ExitCode, UsageError


def cues(  # noqa: PLR0913 - one parameter per option
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Predictions with their texts.")],
    kind: Annotated[
        str, typer.Option(help="polarity (words of the gold polarity) or paraphrase (in pairs).")
    ] = "polarity",
    lexicon: Annotated[
        str, typer.Option(help="Polar words: opinion, vader, nrc, or a file (word, tab, positive or negative).")
    ] = "opinion",
    ppdb: Annotated[str, typer.Option(help="A PPDB file, or one with two words per line; empty for NLTK's list.")] = "",
    positive: Annotated[str, typer.Option(help="The positive label.")] = "positive",
    negative: Annotated[str, typer.Option(help="The negative label.")] = "negative",
    column: options.ColumnPairs = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report.")] = None,
    as_json: options.AsJson = False,
) -> int:
    """Count how often texts contain a cue where predictions are right and where they are wrong; trains nothing."""
    from goldproof.judging.cues import CueKind, CueSettings, cues_form, find_cues

    if kind not in ("polarity", "paraphrase"):
        raise UsageError(f"--kind is polarity or paraphrase; got {kind!r}")
    settings = CueSettings(cast(CueKind, kind), lexicon, ppdb, positive, negative)
    found = find_cues(files, columns=options.column_names(column), settings=settings)
    paths: list[str] = []
    if out is not None:
        from goldproof.report.write import write_report

        paths = [str(path) for path in write_report(found.report(), out)]
    if as_json:
        options.print_json({**cues_form(found), "files": paths})
        return int(ExitCode.DONE)
    typer.echo(repr(found))
    typer.echo(f"words: {found.words}")
    for note in found.notes:
        typer.echo(f"note: {note}")
    for path in paths:
        if path.endswith("report.html"):
            typer.echo(f"report: {path}")
    return int(ExitCode.DONE)
