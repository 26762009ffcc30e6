"""Does it infer, or match words? Contradictions that are proved, and who can solve them.

After Salvatore et al. (2019): models without understanding, recurrent networks and transformers on pairs that share
their words and differ in what goes with what.
"""

from __future__ import annotations

from goldproof.data.answers import Answers
from goldproof.jobs import Results
from goldproof.report.summary import Report
from goldproof.studies.asked import asked_answers, asked_plan_notes, is_asked, is_kept_asked
from goldproof.studies.in_turn import in_turn, report_in_turn
from goldproof.studies.kept import KeptAnswers, join_kept
from goldproof.studies.logic import own
from goldproof.studies.logic.own import settle
from goldproof.studies.logic.pieces import experiments
from goldproof.studies.logic.plan import asked_sets, jobs, requires
from goldproof.studies.logic.settings import PAPER, TINY, Config
from goldproof.studies.shared import only_model

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
    if not is_asked(config):
        return own.notes(config)
    first = in_turn(settle(config))[0]
    n_items = min(first.sizes.test, first.prompts.most_items or first.sizes.test)
    return (*own.notes(config), *asked_plan_notes(first, asked_sets(first), n_items))


def answers(config: Config, results: Results) -> list[Answers]:
    """What a language model answered."""
    if not is_asked(config):
        return []
    return [asked_answers(one, each, results).answers for one in in_turn(settle(config)) for each in asked_sets(one)]


def keep(config: Config, results: Results) -> KeptAnswers:
    """What the report is made from."""
    from goldproof.studies.logic.gather import gather, keep_gathered, refuse_own

    if not is_asked(config):
        return keep_gathered(config, gather(config, results))
    refuse_own(config)
    return _keep_asked(settle(config), results)


def report_kept(config: Config, kept: KeptAnswers) -> Report:
    """What was found, from answers that were kept; drawing libraries are loaded only here."""
    from goldproof.studies.logic.findings import make_report
    from goldproof.studies.logic.gather import gathered_from

    if not is_kept_asked(kept):
        return make_report(config, gathered_from(kept))
    from goldproof.studies.asked.kept import asked_from
    from goldproof.studies.logic.findings.prompted import make_asked_report

    def make(one: Config) -> Report:
        part = kept.part(f"{only_model(one.model).title}/")
        return make_asked_report(one, asked_from(part), gathered_from(part))

    return report_in_turn(config, make)


def report(config: Config, results: Results) -> Report:
    """What was found."""
    from goldproof.studies.logic.findings import make_report
    from goldproof.studies.logic.gather import gather

    if is_asked(config):
        return report_kept(settle(config), _keep_asked(settle(config), results))
    return make_report(settle(config), gather(config, results))


def _keep_asked(config: Config, results: Results) -> KeptAnswers:
    """What each language model answered, and what words give away."""
    from goldproof.studies.asked.kept import keep_asked
    from goldproof.studies.logic.gather import gather_asked, keep_values

    parts = {}
    for one in in_turn(config):
        found, values = keep_asked(one, results, asked_sets(one), "accuracy"), gather_asked(one, results)
        parts[f"{only_model(one.model).title}/"] = KeptAnswers(found.answers, {**found.facts, **keep_values(values)})
    return join_kept(parts)
