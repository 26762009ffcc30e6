"""Zero-shot transfer: fine-tune on one language, test on others, and ask how much of the score is luck of the
checkpoint.

After Keung et al. (2020). Runs × checkpoints × languages; what each selection rule gives; what may be claimed.
"""

from __future__ import annotations

from goldproof.data.answers import Answers
from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.asked import asked_answers, is_asked, is_kept_asked
from goldproof.studies.in_turn import in_turn, report_in_turn
from goldproof.studies.kept import KeptAnswers, join_kept
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.transfer.asked import asked_sets
from goldproof.studies.transfer.parts import is_file, settle
from goldproof.studies.transfer.pieces import experiments
from goldproof.studies.transfer.plan import jobs, notes, requires
from goldproof.studies.transfer.settings import PAPER, TINY, Config

__all__ = [
    "PAPER",
    "TINY",
    "Config",
    "answers",
    "experiments",
    "jobs",
    "keep",
    "notes",
    "report",
    "report_kept",
    "requires",
]


def answers(config: Config, results: Results) -> list[Answers]:
    """What a language model answered."""
    if not is_asked(config):
        return []
    return [asked_answers(one, each, results).answers for one in in_turn(settle(config)) for each in asked_sets(one)]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    if is_asked(config):
        return _keep_asked(settle(config), results)
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
    if is_kept_asked(kept):
        from goldproof.studies.asked.kept import asked_from
        from goldproof.studies.transfer.prompted import make_asked_report

        return report_in_turn(
            config, lambda one: make_asked_report(one, asked_from(kept.part(f"{only_model(one.model).title}/")))
        )
    from goldproof.studies.transfer.findings import make_report
    from goldproof.studies.transfer.gather import gathered_from

    return report_in_turn(
        config, lambda one: make_report(one, gathered_from(kept.part(f"{only_model(one.model).title}/")))
    )


def report(config: Config, results: Results) -> Report:
    """What was found."""
    if is_asked(config):
        return report_kept(settle(config), _keep_asked(settle(config), results))
    from goldproof.studies.transfer.findings import make_report
    from goldproof.studies.transfer.gather import gather

    return report_in_turn(settle(config), lambda one: make_report(one, gather(one, results)))


def _keep_asked(config: Config, results: Results) -> KeptAnswers:
    """What each language model answered."""
    from goldproof.studies.asked.kept import keep_asked

    metric = config.analysis.metric or "accuracy"
    parts = {
        f"{only_model(one.model).title}/": keep_asked(one, results, asked_sets(one), metric) for one in in_turn(config)
    }
    return join_kept(parts)
