"""Zero-shot transfer: fine-tune on one language, test on others, and ask how much of the score is luck of the
checkpoint.

After Keung et al. (2020). Runs × checkpoints × languages; what each selection rule gives; what may be claimed.
"""

from __future__ import annotations

from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.in_turn import in_turn, report_in_turn
from goldproof.studies.kept import KeptAnswers, join_kept
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.transfer.parts import is_file, settle
from goldproof.studies.transfer.pieces import experiments
from goldproof.studies.transfer.plan import jobs, notes, requires
from goldproof.studies.transfer.settings import PAPER, TINY, Config

__all__ = ["PAPER", "TINY", "Config", "experiments", "jobs", "keep", "notes", "report", "report_kept", "requires"]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    if has_own(config) or is_file(config.data.corpus):
        raise UsageError(
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )
    from goldproof.studies.transfer.gather import gather, keep_gathered

    return join_kept(
        {f"{only_model(one.model).title}/": keep_gathered(gather(one, results)) for one in in_turn(config)}
    )


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.transfer.findings import make_report
    from goldproof.studies.transfer.gather import gathered_from

    return report_in_turn(
        config, lambda one: make_report(one, gathered_from(kept.part(f"{only_model(one.model).title}/")))
    )


def report(config: Config, results: Results) -> Report:
    """What was found."""
    from goldproof.studies.transfer.findings import make_report
    from goldproof.studies.transfer.gather import gather

    return report_in_turn(settle(config), lambda one: make_report(one, gather(one, results)))
