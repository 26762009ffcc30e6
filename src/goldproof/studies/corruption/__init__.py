"""The corruption study, which asks how much of a score survives nonsense, and why.

After Talman et al. (2022): all words of one class are removed from the training texts, the test texts, or both.
"""

from __future__ import annotations

from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.corruption.pieces import experiments
from goldproof.studies.corruption.plan import jobs, outline, requires
from goldproof.studies.corruption.settings import PAPER, TINY, Config, is_word_file
from goldproof.studies.corruption.tasks import notes, settle
from goldproof.studies.in_turn import in_turn, report_in_turn
from goldproof.studies.kept import KeptAnswers, join_kept
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model

__all__ = [
    "PAPER",
    "TINY",
    "Config",
    "experiments",
    "jobs",
    "keep",
    "notes",
    "outline",
    "report",
    "report_kept",
    "requires",
]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    if has_own(config):
        raise UsageError(
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )
    if is_word_file(config.why.lexicon) or config.why.ppdb:
        raise UsageError(
            "a report whose cues come from your own list cannot be kept in a file; leave out why.lexicon=FILE and "
            "why.ppdb, or keep the store"
        )
    from goldproof.studies.corruption.gather import gather, keep_gathered

    return join_kept(
        {f"{only_model(one.model).title}/": keep_gathered(gather(one, results)) for one in in_turn(config)}
    )


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.corruption.findings import make_report
    from goldproof.studies.corruption.gather import gathered_from

    return report_in_turn(
        config, lambda one: make_report(one, gathered_from(one, kept.part(f"{only_model(one.model).title}/")))
    )


def report(config: Config, results: Results) -> Report:
    """What was found."""
    from goldproof.studies.corruption.findings import make_report
    from goldproof.studies.corruption.gather import gather

    return report_in_turn(settle(config), lambda one: make_report(one, gather(one, results)))
