"""A small study on generated text: how far a score moves with the seed and the size of the data.

It needs no model, data or network, and shows what every study has: jobs, progress, resuming, a report.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.demo.plan import PAPER, TINY, Config, jobs

__all__ = ["PAPER", "TINY", "Config", "jobs", "report"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.demo.findings import report as make_report

    return make_report(config, results)
