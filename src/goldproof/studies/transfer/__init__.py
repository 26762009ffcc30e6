"""Zero-shot transfer: fine-tune on one language, test on others, and ask how much of the score is luck of the
checkpoint.

After Keung et al. (2020). Runs × checkpoints × languages; what each selection rule gives; what may be claimed.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.in_turn import report_in_turn
from goldproof.studies.transfer.pieces import experiments
from goldproof.studies.transfer.plan import jobs, notes, requires
from goldproof.studies.transfer.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "notes", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.transfer.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, results))
