"""`assay list`: the studies and the corpora that can be named."""

from __future__ import annotations

import typer

from assay.cli import options


def list_all(as_json: options.AsJson = False) -> int:
    """List the studies and the corpora that can be named."""
    from assay.data.catalog import catalog
    from assay.studies import ENTRIES

    if as_json:
        studies = [{"name": e.name, "question": e.question, "available": e.module is not None} for e in ENTRIES]
        corpora = [{"name": c.name, "languages": list(c.languages), "licence": c.licence} for c in catalog().values()]
        options.print_json({"studies": studies, "corpora": corpora})
        return 0
    typer.echo("Studies (assay run NAME):")
    for entry in ENTRIES:
        typer.echo(f"  {entry.name:<12} {entry.question}{'' if entry.module else '  (not in this version yet)'}")
    typer.echo("\nCorpora:")
    for corpus in catalog().values():
        typer.echo(f"  {corpus.name:<20} {', '.join(corpus.languages)}")
    return 0
