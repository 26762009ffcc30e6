"""`assay build …`: data made from other data or from nothing; each kind has its own file, registered here."""

from __future__ import annotations

import typer

from assay.cli import build_logic

app = typer.Typer(help="Build data.", no_args_is_help=True, rich_markup_mode=None)
app.command("logic")(build_logic.logic)


@app.callback()
def _build() -> None:
    """Build data: a proved contradiction corpus."""
