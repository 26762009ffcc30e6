"""`goldproof report STUDY|FILE.parquet`: write a report again from the store, or from kept answers; nothing is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.cli.run import show_report

if TYPE_CHECKING:
    from goldproof.report.summary import Report

KEPT = ".parquet"


def report(  # noqa: PLR0913 - one parameter per option
    study: Annotated[str, typer.Argument(metavar="STUDY|FILE", help="Name of a study, or a file that --keep wrote.")],
    preset: options.Preset = "default",
    config: options.ConfigFile = None,
    pairs: options.SettingPairs = None,
    store: options.StoreFolder = None,
    out: options.Out = None,
    skip_missing: options.SkipMissing = False,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also keep the answers in this Parquet file, to render it again."),
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Write the report of a study from the store, or from a file of answers kept with --keep."""
    from goldproof.report.write import write_report
    from goldproof.studies.campaign import report_from
    from goldproof.studies.kept import read_kept, write_kept

    if study.endswith(KEPT):
        kept = read_kept(study)
        found = report_from(kept)
        return _show(kept.study, found, write_report(found, options.report_folder(out, kept.study)), as_json)
    campaign = options.choose_campaign(study, preset, config, pairs, store)
    if skip_missing:
        campaign = campaign.skip_missing()
    found = campaign.report()
    paths = write_report(found, options.report_folder(out, study))
    if keep is not None:
        paths.append(write_kept(campaign.keep(), keep))
    return _show(study, found, paths, as_json)


def _show(study: str, found: Report, paths: Sequence[Path], as_json: bool) -> int:
    if as_json:
        options.print_json({"study": study, "files": [str(path) for path in paths]})
    else:
        show_report(found, paths)
    return 0
