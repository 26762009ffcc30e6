"""Does it infer, or match words? Contradictions that are proved, and who can solve them.

After Salvatore et al. (2019): models without understanding, recurrent networks and transformers on pairs that share
their words and differ in what goes with what.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.logic.own import notes
from goldproof.studies.logic.plan import jobs, requires
from goldproof.studies.logic.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "jobs", "notes", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.logic.findings import make_report

    return make_report(config, results)
