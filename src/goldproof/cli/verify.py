"""`goldproof verify evidence.json`: whether data, model and store still give every claim of a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goldproof.cli import options
from goldproof.errors import ExitCode


def verify(
    evidence: Annotated[Path, typer.Argument(metavar="EVIDENCE", help="The file evidence.json of a page of claims.")],
    store: options.StoreFolder = None,
    as_json: options.AsJson = False,
) -> int:
    """Compare digests and recompute every claim from the store; exit with 1 if anything differs from the file."""
    from goldproof.claiming.verify import verify as compare

    found = compare(evidence, store)
    if as_json:
        form = {"holds": found.holds, "claims": found.n_claims, "mismatches": found.mismatches, "notes": found.notes}
        options.print_json(form)
    else:
        for line in found.mismatches:
            typer.echo(f"✗ {line}")
        for line in found.notes:
            typer.echo(f"note: {line}")
        what = f"{found.n_claims} claims, the data, the model and the settings"
        typer.echo(f"{what} are as written" if found.holds else f"not as written: {len(found.mismatches)} found")
    return int(ExitCode.DONE if found.holds else ExitCode.NO)
