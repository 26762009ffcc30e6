"""The stability study, which asks whether a score would hold with another seed."""

from __future__ import annotations

from goldproof.data.answers import Answers
from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.asked import asked_answers, asked_notes, call_notes, is_asked, is_kept_asked
from goldproof.studies.in_turn import in_turn, report_in_turn
from goldproof.studies.kept import KeptAnswers, join_kept
from goldproof.studies.own import find_own, has_own
from goldproof.studies.shared import only_model
from goldproof.studies.stability.pieces import experiments
from goldproof.studies.stability.plan import ASKED, asked_metric, asked_sets, jobs, own_data, requires
from goldproof.studies.stability.settings import PAPER, TINY, Config

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


def notes(config: Config) -> tuple[str, ...]:
    """What is said before work starts: of the user's own data, and of how a language model is asked."""
    if is_asked(config):
        sets = asked_sets(config)
        own = find_own(config, ASKED) if has_own(config) else None
        first = in_turn(config)[0]
        told = own.notes if own is not None else ()
        calls = call_notes(first, asked_sets(first), own) if own is not None else ()
        return (*told, *(note for asked in sets for note in asked_notes(first, asked)), *calls)
    return own_data(config).notes if has_own(config) else ()


def answers(config: Config, results: Results) -> list[Answers]:
    """What a language model answered."""
    if not is_asked(config):
        return []
    return [asked_answers(one, each, results).answers for one in in_turn(config) for each in asked_sets(one)]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    if is_asked(config):
        from goldproof.studies.asked.kept import keep_asked

        parts = {
            f"{only_model(one.model).title}/": keep_asked(one, results, asked_sets(one), asked_metric(one), one.level)
            for one in in_turn(config)
        }
        return join_kept(parts)
    if has_own(config):
        raise UsageError(
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )
    from goldproof.studies.stability.gather import gather

    return gather(config, results)


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    if is_kept_asked(kept):
        from goldproof.studies.asked.kept import asked_from
        from goldproof.studies.stability.findings.prompted import make_asked_report

        return report_in_turn(
            config,
            lambda one: make_asked_report(one, asked_from(kept.part(f"{only_model(one.model).title}/"), one.level)),
        )
    from goldproof.studies.stability.findings import make_report

    return report_in_turn(config, lambda one: make_report(one, kept.part(f"{only_model(one.model).title}/")))


def report(config: Config, results: Results) -> Report:
    """What was found."""
    if has_own(config) and not is_asked(config):
        from goldproof.studies.stability.findings.own import make_own_report

        return report_in_turn(config, lambda one: make_own_report(one, results))
    return report_kept(config, keep(config, results))
