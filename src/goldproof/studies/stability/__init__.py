"""The stability study, which asks whether a score would hold with another seed."""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.in_turn import report_in_turn
from goldproof.studies.own import has_own
from goldproof.studies.stability.plan import jobs, own_data, requires
from goldproof.studies.stability.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "jobs", "notes", "report", "requires"]


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    return own_data(config).notes if has_own(config) else ()


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    if has_own(config):
        from goldproof.studies.stability.findings.own import make_own_report

        return report_in_turn(config, lambda one: make_own_report(one, results))
    from goldproof.studies.stability.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, results))
