"""Options that several commands share, and what they make of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.data.columns import Columns
    from goldproof.data.logs.log import LogChoice
    from goldproof.jobs import Store
    from goldproof.studies.campaign import Campaign

StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Name of a study; `goldproof list` shows them.")]
Preset = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Settings to start from: default, paper, or tiny (generated data, no model, seconds)."
    ),
]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="TOML file with settings of the study.")]
SettingPairs = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting (`goldproof list STUDY`); may be repeated."),
]
DataName = Annotated[
    str | None, typer.Option("--name", help="What to call your own data in the report; short for --set data.name=…")
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
SkipMissing = Annotated[
    bool,
    typer.Option("--skip-missing", help="Leave out the experiments that cannot be run here, and name them."),
]
RunnerName = Annotated[str, typer.Option("--runner", help="Where jobs run: serial, pool or ray.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Processes of the pool, or cores for a local Ray.")]
Address = Annotated[str | None, typer.Option("--address", help="Address of a Ray cluster, for --runner ray.")]


def column_names(pairs: list[str] | None) -> dict[str, str] | None:
    """What --column OURS=THEIRS named; None where nothing was."""
    found = {}
    for pair in pairs or []:
        ours, equals, theirs = pair.partition("=")
        if not equals:
            raise UsageError(f"--column takes OURS=THEIRS; got {pair!r}")
        found[ours.strip()] = theirs.strip()
    return found or None


def data_columns(pairs: list[str] | None) -> Columns | None:
    """The columns of a dataset that --column named."""
    from goldproof.data.columns import Columns

    named = column_names(pairs)
    return None if named is None else Columns.by_part(named)


def choose_campaign(
    study: str, preset: str, config: Path | None, pairs: list[str] | None, store: str | None
) -> Campaign:
    """The campaign that these options name."""
    from goldproof.jobs.store import find_store
    from goldproof.studies.campaign import Campaign
    from goldproof.studies.settings import Choice

    return Campaign.choose(study, Choice(preset, config, pairs or ()), find_store(store))


def existing_store(given: str | None) -> Store:
    """The store that `--store` names; an error where there is none."""
    from goldproof.jobs.store import find_store

    store = find_store(given)
    if not store.is_there():
        raise UsageError(f"there is no store {store.where}; `goldproof run` makes one, --store names another")
    return store


def report_folder(given: Path | None, study: str) -> Path:
    """Where a study's report goes: the option, else ./goldproof-out/STUDY."""
    return given or Path("goldproof-out") / study


def print_json(form: Any) -> None:
    """Print a result as JSON on stdout."""
    typer.echo(json.dumps(form, ensure_ascii=False, indent=1, default=str))


def log_choice(task: str | None, filter_: str | None, pairs: list[str] | None) -> LogChoice:
    """What of logs is read, from --task, --filter and the pairs of --log."""
    from goldproof.data.logs.log import LogChoice, RepeatRule

    given = dict(_pair(text) for text in pairs or ())
    bounds = given.pop("bounds", None)
    unfinished = given.pop("unfinished", "no")
    repeats = given.pop("repeats", "refuse")
    if unfinished not in ("yes", "no") or repeats not in get_args(RepeatRule) or set(given) - {"cluster", "category"}:
        got = ", ".join(pairs or ())
        raise UsageError(
            "--log takes repeats=refuse|first|mean, cluster=FIELD, category=FIELD, bounds=LOW,HIGH, unfinished=yes|no; "
            f"got {got}"
        )
    return LogChoice(
        task=task,
        filter=filter_,
        repeats=cast(RepeatRule, repeats),
        cluster=given.get("cluster"),
        category=given.get("category"),
        bounds=None if bounds is None else _bounds(bounds),
        unfinished=unfinished == "yes",
    )


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--log takes KEY=VALUE; got {text!r}")
    return key, value


def _bounds(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = math.nan
    if not low < high < math.inf:
        raise UsageError(f"--log bounds=LOW,HIGH takes two numbers, the lower first; got {text!r}")
    return low, high
