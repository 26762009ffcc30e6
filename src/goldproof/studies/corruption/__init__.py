"""The corruption study, which asks how much of a score survives nonsense, and why.

After Talman et al. (2022): all words of one class are removed from the training texts, the test texts, or both.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.corruption.pieces import experiments
from goldproof.studies.corruption.plan import jobs, outline, requires
from goldproof.studies.corruption.settings import PAPER, TINY, Config
from goldproof.studies.corruption.tasks import notes
from goldproof.studies.in_turn import report_in_turn

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "notes", "outline", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.corruption.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, results))
