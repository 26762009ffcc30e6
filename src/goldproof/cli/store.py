"""`goldproof store merge|verify|prune`: join stores, check every value, clear away what nothing refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from goldproof.jobs import Store

app = typer.Typer(help="Merge, check and clean up stores.", no_args_is_help=True)

HOUR = 3600.0


@app.command("merge")
def merge(
    stores: Annotated[list[str], typer.Argument(help="Stores (folders or URLs); the last one receives what it lacks.")],
    as_json: options.AsJson = False,
) -> int:
    """Copy into the last store what the others have and it lacks."""
    from goldproof.jobs import Store
    from goldproof.jobs.upkeep import merge as merge_into

    if len(stores) < 2:
        raise UsageError(f"merge needs at least two stores, got {len(stores)}: goldproof store merge FROM INTO")
    sources = [options.existing_store(where) for where in stores[:-1]]
    target = Store(stores[-1]).open()
    counts: Counter[str] = Counter()
    damaged: dict[str, str] = {}
    for source in sources:
        for checked in merge_into(source, target):
            counts[checked.what] += 1
            if checked.what == "damaged":
                damaged[checked.key] = f"{source.where}: {checked.trouble}"
    line = f"{counts['copied']} values copied into {target.where}, {counts['kept']} were already there"
    return _say({"copied": counts["copied"], "kept": counts["kept"]}, damaged, line, as_json)


@app.command("verify")
def verify(
    store: options.StoreFolder = None,
    discard: Annotated[
        bool, typer.Option("--discard", help=("Delete damaged values; the next run computes them again."))
    ] = (False),
    as_json: options.AsJson = False,
) -> int:
    """Read every value and compare it with its record; exit 1 if one is damaged, 4 if the store has another format."""
    from goldproof.jobs.upkeep import verify as check_all

    place = options.existing_store(store)
    checked = list(check_all(place))
    damaged = {one.key: one.trouble for one in checked if one.what == "damaged"}
    for key in damaged if discard else ():
        place.discard(key)
    line = f"{len(checked) - len(damaged)} of {len(checked)} values in {place.where} are sound"
    return _say({"sound": len(checked) - len(damaged), "discarded": discard}, damaged, line, as_json)


@app.command("prune")
def prune(
    store: options.StoreFolder = None,
    older_than: Annotated[float, typer.Option(help="Only files written at least this many hours ago.")] = 24.0,
    unused: Annotated[
        bool, typer.Option("--unused", help=("Also remove values that no campaign of the store needs."))
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed; remove nothing.")] = False,
    as_json: options.AsJson = False,
) -> int:
    """Remove files that nothing refers to, such as those left by killed or duplicate work."""
    from goldproof.jobs.upkeep import litter
    from goldproof.jobs.upkeep import prune as remove

    place = options.existing_store(store)
    keys = _unused(place) if unused else []
    useless = litter(place, older_than * HOUR)
    if not dry_run:
        for key in keys:
            place.discard(key)
        remove(place, useless)
    size = sum(entry.size for entry in useless)
    verb = "would be removed" if dry_run else "removed"
    line = f"{len(useless)} files of {size} bytes that nothing refers to {verb}"
    line += f", and {len(keys)} values that no campaign needs" if unused else ""
    form = {"files": len(useless), "bytes": size, "values": len(keys), "removed": not dry_run}
    return _say(form, {}, f"{line} from {place.where}", as_json)


def _unused(store: Store) -> list[str]:
    """Keys that no campaign that was run on this store needs."""
    from goldproof.studies.campaign import noted_campaigns

    campaigns = noted_campaigns(store)
    with store.clear_errors("read"):
        noted = {entry.name for entry in store.place.entries("campaigns")}
    foreign = noted - {campaign.note_name() for campaign in campaigns}
    if foreign:
        raise UsageError(
            f"{len(foreign)} of the {len(noted)} campaigns of the store {store.where} belong to another version of "
            "Goldproof or to a plugin that cannot be loaded, so what they need is unknown; nothing was removed"
        )
    needed = {job.key for campaign in campaigns for job in campaign.everything()}
    return [key for key in store.stored_keys() if key not in needed]


def _say(form: Mapping[str, object], damaged: dict[str, str], line: str, as_json: bool) -> int:
    if as_json:
        options.print_json({**form, "damaged": damaged})
    else:
        for key, trouble in damaged.items():
            typer.echo(f"damaged: {key[:12]}: {trouble}")
        typer.echo(line + (f"; {len(damaged)} damaged" if damaged else ""))
    return int(ExitCode.NO if damaged else ExitCode.DONE)
