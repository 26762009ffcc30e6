"""What do the layers know? Every layer of every model probed on every task, beside its random twin and baselines.

After Mikhailov et al. (2021), RuSentEval: probes, neurons and similarity in two languages.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.probing.plan import jobs, requires
from goldproof.studies.probing.settings import PAPER, TINY, Config
from goldproof.studies.probing.tasks import notes

__all__ = ["PAPER", "TINY", "Config", "jobs", "notes", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What was found; drawing libraries are loaded only here."""
    from goldproof.studies.probing.findings import make_report

    return make_report(config, results)
