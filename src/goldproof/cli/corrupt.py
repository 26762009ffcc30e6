"""`goldproof corrupt FILE --remove NOUN --out F`: a corpus without a word class, or with one of the controls."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from goldproof.builders.corruption.files import FileReport
    from goldproof.builders.corruption.removal import Corruption

_CONTROLS = ("random", "keep", "shuffle", "mask")


def corrupt(  # noqa: PLR0913 - one parameter per option
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="jsonl, csv, tsv or Parquet; text formats also gzipped.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write, in the same format.")],
    remove: Annotated[str, typer.Option("--remove", metavar="CLASSES", help="Word classes, as in NOUN,ADJ.")] = "",
    language: Annotated[str, typer.Option(help="Language of the texts.")] = "en",
    preset: Annotated[
        str, typer.Option(help="offsets keeps the rest of the text as it was; paper joins the tokens again.")
    ] = "offsets",
    columns: Annotated[str, typer.Option(metavar="A,B", help="Text columns [guessed from common names].")] = "",
    control: Annotated[
        str | None,
        typer.Option(help="Instead of removal: random, keep, shuffle or mask."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random and shuffle.")] = 0,
    mask: Annotated[str, typer.Option(help="What replaces each masked word.")] = "[MASK]",
    tagger: Annotated[
        str | None, typer.Option(help="Tagger [the first one for the language; spacy/MODEL names a model].")
    ] = None,
    header: Annotated[
        str | None, typer.Option(metavar="A,B", help="Column names of a csv or tsv without a header line.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", help="Processes [one per core].")] = None,
    as_json: options.AsJson = False,
) -> int:
    """Remove word classes from the texts of a file, or apply a control; everything else stays the same."""
    from goldproof.builders.corruption.files import corrupt_file
    from goldproof.builders.corruption.removal import Corruption
    from goldproof.builders.tagging import choose_tagger, parse_classes

    if control is not None and control not in _CONTROLS:
        raise UsageError(f"there is no control {control!r}; allowed: {', '.join(_CONTROLS)}")
    if not remove.strip() and control != "shuffle":
        raise UsageError("name the word classes with --remove, as in --remove NOUN,ADJ")
    corruption = Corruption(parse_classes(remove), control or "remove", preset, seed, mask)
    chosen = choose_tagger(language, tagger or corruption.tagger)
    require(*chosen.requires)
    report = corrupt_file(
        file,
        out,
        corruption,
        chosen,
        columns=_names(columns) or (),
        header=_names(header),
        workers=workers if workers is not None else os.cpu_count() or 1,
    )
    if as_json:
        options.print_json({"out": str(out), "columns": report.columns, "rows": report.n_rows, **asdict(report.tally)})
    else:
        _show(report, corruption, out)
    return 0


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _show(report: FileReport, corruption: Corruption, out: Path) -> None:
    tally = report.tally
    share = 100 * tally.n_touched / tally.n_tokens if tally.n_tokens else 0.0
    done = {"mask": "masked", "shuffle": "moved"}.get(corruption.kind, "removed")
    typer.echo(f"{report.n_rows:,} rows, columns {', '.join(report.columns)}: {out}")
    typer.echo(f"{tally.n_touched:,} of {tally.n_tokens:,} tokens {done} ({share:.1f} %)")
    typer.echo(
        f"{tally.n_changed:,} of {tally.n_texts:,} texts changed, {tally.n_emptied:,} left without a word (kept)"
    )
