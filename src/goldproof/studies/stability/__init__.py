"""The stability study, which asks whether a score would hold with another seed."""

from __future__ import annotations

from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.in_turn import report_in_turn
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.stability.pieces import experiments
from goldproof.studies.stability.plan import jobs, own_data, requires
from goldproof.studies.stability.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "keep", "notes", "report", "report_kept", "requires"]


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    return own_data(config).notes if has_own(config) else ()


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    if has_own(config):
        raise UsageError("answers on data of your own are kept by `goldproof score` alone, from a file of predictions")
    from goldproof.studies.stability.gather import gather

    return gather(config, results)


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.stability.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, kept.part(f"{only_model(one.model).title}/")))


def report(config: Config, results: Results) -> Report:
    """What was found."""
    if has_own(config):
        from goldproof.studies.stability.findings.own import make_own_report

        return report_in_turn(config, lambda one: make_own_report(one, results))
    return report_kept(config, keep(config, results))
