"""`goldproof build …`: data made from other data or from nothing; each kind has its own file, registered here."""

from __future__ import annotations

import typer

from goldproof.cli import build_logic, build_probing

app = typer.Typer(help="Build data: a proved logic corpus, probing tasks.", no_args_is_help=True, rich_markup_mode=None)
app.command("logic", short_help="Build a contradiction corpus whose labels are proved.")(build_logic.logic)
app.command("probing", short_help="Build probing tasks from treebanks or plain text.")(build_probing.probing)


@app.callback()
def _build() -> None:
    """Build data: a proved contradiction corpus, or probing tasks from treebanks."""
