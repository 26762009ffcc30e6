"""The stability study, which asks whether a score would hold with another seed."""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.in_turn import report_in_turn
from goldproof.studies.stability.plan import jobs, requires
from goldproof.studies.stability.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "jobs", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.stability.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, results))
