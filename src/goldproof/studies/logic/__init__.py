"""Does it infer, or match words? Contradictions that are proved, and who can solve them.

After Salvatore et al. (2019): models without understanding, recurrent networks and transformers on pairs that share
their words and differ in what goes with what.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.logic.own import notes, settle
from goldproof.studies.logic.pieces import experiments
from goldproof.studies.logic.plan import jobs, requires
from goldproof.studies.logic.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "keep", "notes", "report", "report_kept", "requires"]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    from goldproof.studies.logic.gather import gather, keep_gathered

    return keep_gathered(config, gather(config, results))


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.logic.findings import make_report
    from goldproof.studies.logic.gather import gathered_from

    return make_report(config, gathered_from(kept))


def report(config: Config, results: Results) -> Report:
    """What was found."""
    from goldproof.studies.logic.findings import make_report
    from goldproof.studies.logic.gather import gather

    return make_report(settle(config), gather(config, results))
