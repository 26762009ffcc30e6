"""Options that several commands share, and what they make of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.data.columns import Columns
    from goldproof.extras import Need
    from goldproof.jobs import Runner, Store
    from goldproof.studies.campaign import Campaign

Study = Annotated[str, typer.Argument(metavar="STUDY", help="Name of a study; `goldproof list` shows them.")]
Preset = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Settings to start from: default, paper, or tiny (generated data, no model, seconds)."
    ),
]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="TOML file with settings of the study.")]
Pairs = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting (`goldproof list STUDY`); may be repeated."),
]
StoreFolder = Annotated[
    str | None,
    typer.Option(
        "--store", help="Folder or URL (s3://…) that keeps results [GOLDPROOF_STORE, else ./goldproof-store]."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the report [./goldproof-out/STUDY].")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
ColumnPairs = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="OURS=THEIRS", help="Name a column of the file; may be repeated."),
]
RunnerName = Annotated[str, typer.Option("--runner", help="Where jobs run: serial, pool or ray.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Processes of the pool, or cores for a local Ray.")]
Address = Annotated[str | None, typer.Option("--address", help="Address of a Ray cluster, for --runner ray.")]

DATA_COLUMNS = {name: name for name in ("text", "pair", "label", "score", "id")} | {
    "split": "split_column",
    "language": "language_column",
}


def column_names(pairs: list[str] | None) -> dict[str, str] | None:
    """What --column OURS=THEIRS named; None where nothing was."""
    found = {}
    for pair in pairs or []:
        ours, equals, theirs = pair.partition("=")
        if not equals:
            raise UsageError(f"--column takes OURS=THEIRS, and got {pair!r}")
        found[ours.strip()] = theirs.strip()
    return found or None


def data_columns(pairs: list[str] | None) -> Columns | None:
    """The columns of a dataset that --column named."""
    from goldproof.data.columns import Columns

    named = column_names(pairs)
    if named is None:
        return None
    unknown = [name for name in named if name not in DATA_COLUMNS]
    if unknown:
        raise UsageError(f"--column takes {', '.join(DATA_COLUMNS)} before =; got {unknown[0]!r}")
    return Columns(**{DATA_COLUMNS[ours]: theirs for ours, theirs in named.items()})  # type: ignore[arg-type]


def choose_campaign(
    study: str, preset: str, config: Path | None, pairs: list[str] | None, store: str | None
) -> Campaign:
    """The campaign that these options name."""
    from goldproof.jobs import Store
    from goldproof.studies.campaign import Campaign
    from goldproof.studies.settings import Choice

    return Campaign.choose(study, Choice(preset, config, pairs or ()), Store(store_at(store)))


def store_at(given: str | None) -> str:
    """The store's folder or URL: the option, else the environment's GOLDPROOF_STORE, else ./goldproof-store."""
    return given or os.environ.get("GOLDPROOF_STORE") or "goldproof-store"


def existing_store(given: str | None) -> Store:
    """The store that `--store` names; an error where there is none."""
    from goldproof.jobs import Store

    store = Store(store_at(given))
    if not store.is_there():
        raise UsageError(f"there is no store {store.where}; `goldproof run` makes one, --store names another")
    return store


def report_folder(given: Path | None, study: str) -> Path:
    """Where a study's report goes: the option, else ./goldproof-out/STUDY."""
    return given or Path("goldproof-out") / study


@contextmanager
def closing(runner: Runner) -> Iterator[Runner]:
    """Wait for what runs at the end of the block; where the block failed, end it now."""
    finished = False
    try:
        yield runner
        finished = True
    finally:
        runner.close(cancel=not finished)


def make_runner(name: str, workers: int | None, address: str | None) -> Runner:
    """The runner of this name."""
    if name == "serial":
        from goldproof.runners.serial import SerialRunner

        return SerialRunner()
    if name == "pool":
        from goldproof.runners.pool import PoolRunner

        return PoolRunner(workers)
    if name == "ray":
        from goldproof.runners.ray import RayRunner

        return RayRunner(address, workers)
    raise UsageError(f"there is no runner {name!r}; allowed: serial, pool, ray")


def runner_needs(name: str) -> tuple[Need, ...]:
    """The extras that the runner of this name needs."""
    if name != "ray":
        return ()
    from goldproof.runners.ray import RAY

    return (RAY,)


def print_json(form: Any) -> None:
    """Print a result as JSON on stdout."""
    typer.echo(json.dumps(form, ensure_ascii=False, indent=1, default=str))
