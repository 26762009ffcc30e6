"""What a report on a language model is made from: of each set the Answers and the facts beside them.

It may lie in a file of kept answers; then neither model nor data nor store is needed to render the report again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goldproof.jobs import Results
from goldproof.judging.score_report import flip_examples
from goldproof.studies.asked.answers import ASKED, asked_answers
from goldproof.studies.asked.plan import AskedSet
from goldproof.studies.asked.scores import PromptScores, score_facts
from goldproof.studies.kept import KeptAnswers, with_texts_of
from goldproof.studies.kept_values import pack, unpack


def keep_asked(
    config: Any, results: Results, sets: Sequence[AskedSet], metric: str, level: float = 0.95
) -> KeptAnswers:
    """The answers and facts of every set, in order."""
    answers, facts = {}, []
    for place, asked in enumerate(sets, 1):
        found = asked_answers(config, asked, results)
        facts.append(found.facts(config))
        whole = score_facts(facts[-1], found.answers, metric, level).answers
        shown = [item.id for item in flip_examples(whole, "items").items]
        answers[f"{place} {asked.title}"] = with_texts_of(found.answers, shown)
    return KeptAnswers(answers, {ASKED: pack({"sets": facts, "metric": metric})})


def asked_from(kept: KeptAnswers, level: float = 0.95) -> list[PromptScores]:
    """The scores of the sets that were kept, in order."""
    whole = unpack(kept.facts[ASKED])
    pairs = zip(whole["sets"], kept.answers.values(), strict=True)
    return [score_facts(facts, answers, whole["metric"], level) for facts, answers in pairs]
