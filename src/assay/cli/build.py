"""`assay build …`: data made from other data; each kind has its own file and is only registered here."""

from __future__ import annotations

import typer

from assay.cli import build_probing

app = typer.Typer(help="Build data: probing tasks from treebanks.", no_args_is_help=True, rich_markup_mode=None)
app.command("probing")(build_probing.probing)


@app.callback()
def _build() -> None:
    """Build data from treebanks and plain text."""
