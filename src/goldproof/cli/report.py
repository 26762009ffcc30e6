"""`goldproof report STUDY`: write the report again from the store; nothing is run."""

from __future__ import annotations

from goldproof.cli import options
from goldproof.cli.run import show_report


def report(
    study: options.StudyName,
    preset: options.Preset = "default",
    config: options.ConfigFile = None,
    pairs: options.SettingPairs = None,
    store: options.StoreFolder = None,
    out: options.Out = None,
    as_json: options.AsJson = False,
) -> int:
    """Write the report of a study from what is in the store."""
    from goldproof.report.write import write_report

    campaign = options.choose_campaign(study, preset, config, pairs, store)
    found = campaign.report()
    paths = write_report(found, options.report_folder(out, study))
    if as_json:
        options.print_json({"study": study, "files": [str(path) for path in paths]})
    else:
        show_report(found, paths)
    return 0
