"""`goldproof annotate FILE`: which of 15 linguistic features each row shows, by rules, beside experts' tags."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import DataError, UsageError
from goldproof.extras import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldproof.builders.annotation.features import FeatureCounts
    from goldproof.data.dataset import Dataset


def annotate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file with one or two texts in each row.")],
    language: Annotated[str, typer.Option(help="Language of the texts: en, ru, fr or de.")],
    out: Annotated[Path, typer.Option("--out", help="JSON Lines to write: each row with its features.")],
    layout: Annotated[str, typer.Option(help="Layout of a published corpus, such as diagnostics-tsv.")] = "own",
    column: options.ColumnPairs = None,
    as_json: options.AsJson = False,
) -> int:
    """Mark the features that rules can find; if rows have experts' tags, show precision and recall against them."""
    from goldproof.builders.annotation.features import annotate_features, annotation_needs, count_features
    from goldproof.data.corpora.published import read_published
    from goldproof.data.readers import Layout, read

    if out.suffix != ".jsonl":
        raise UsageError(f"--out must be a file name ending in .jsonl; got {out}")
    columns = options.data_columns(column)
    if columns is not None and layout != "own":
        raise UsageError(f"--column is for a file of your own; the layout {layout!r} fixes the columns")
    require(*annotation_needs(language))
    if columns is not None:
        data = read(file, language=language, layout=Layout(columns=columns))
    else:
        data = read_published(file, layout, language=language)
    features = annotate_features(data, language)
    _write(data, features, out)
    counts = count_features(data, features)
    if as_json:
        options.print_json({"file": str(out), "features": [asdict(count) for count in counts]})
    else:
        _show(counts)
        typer.echo(f"annotated: {out}")
    return 0


def _write(data: Dataset, features: Sequence[Sequence[str]], out: Path) -> None:
    from goldproof.jobs.files import written_aside

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(out) as file:
            for row, found in zip(data, features, strict=True):
                kept = {name: row[name] for name in ("id", "split", "text", "pair", "label", "language", "tags")}
                file.write((json.dumps({**kept, "features": found}, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path=out) from None


def _show(counts: Sequence[FeatureCounts]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    with_tags = counts[0].n_tagged is not None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("feature")
    for name in ("rows", "share", *(("tagged", "precision", "recall") if with_tags else ())):
        table.add_column(name, justify="right")
    for count in counts:
        cells = [count.feature, f"{count.n_shown:,}", f"{count.n_shown / max(count.n_rows, 1):.3f}"]
        if count.n_tagged is not None:
            cells += [f"{count.n_tagged:,}", _share(count.n_both, count.n_shown), _share(count.n_both, count.n_tagged)]
        table.add_row(*cells)
    Console(soft_wrap=True, highlight=False).print(table)


def _share(part: int, whole: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    from goldproof.report.numbers import estimate_text
    from goldproof.statistics.intervals import wilson

    if not whole:
        return "–"
    return estimate_text(wilson(part, whole), 2)
