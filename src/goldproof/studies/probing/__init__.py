"""What do the layers know? Every layer of every model probed on every task, beside its random twin and baselines.

After Mikhailov et al. (2021), RuSentEval: probes, neurons and similarity in two languages.
"""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.probing.pieces import experiments
from goldproof.studies.probing.plan import jobs, requires
from goldproof.studies.probing.settings import PAPER, TINY, Config
from goldproof.studies.probing.tasks import notes, settle

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "keep", "notes", "report", "report_kept", "requires"]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    from goldproof.studies.probing.gather import gather, keep_gathered

    return keep_gathered(config, gather(config, results))


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.probing.findings import make_report
    from goldproof.studies.probing.gather import gathered_from

    return make_report(config, gathered_from(kept))


def report(config: Config, results: Results) -> Report:
    """What was found."""
    from goldproof.studies.probing.findings import make_report
    from goldproof.studies.probing.gather import gather

    return make_report(settle(config), gather(config, results))
