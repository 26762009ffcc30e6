"""What is found of a language model: how far the prompt moves its score, what else does, and the best prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldproof.judging.metric_numbers import score_format
from goldproof.judging.score_answer import lower_name
from goldproof.report.numbers import estimate_text
from goldproof.report.summary import Answer, Report, Section, Text
from goldproof.studies.asked.findings import (
    MOST_TOLD,
    answer_of_one,
    asked_figure,
    asked_limits,
    asked_provenance,
    reading_notes,
    set_claims,
    set_sections,
)
from goldproof.studies.asked.scores import PromptScores
from goldproof.studies.asked.tables import difference
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.stability.settings import Config

TITLE = "Would the score hold with another prompt?"


def make_asked_report(config: Config, sets: Sequence[PromptScores]) -> Report:
    """What was found of one language model."""
    several = len(sets) > 1
    limits = asked_limits(sets)
    if config.data.corpus == "generated" and not has_own(config):
        limits.append("The data are generated; the numbers only show what the report looks like.")
    sections = [*set_sections(sets), Section("Limits", [Text(line) for line in limits])]
    answer = _answer_of_several(sets) if several else answer_of_one(sets[0])
    answer = replace(answer, notes=reading_notes(sets), figure=asked_figure(sets))
    claims = [claim for each in sets[:MOST_TOLD] for claim in set_claims(each, several)]
    provenance = asked_provenance(only_model(config.model).title, sets)
    return Report("stability", TITLE, claims, sections, provenance, answer)


def _answer_of_several(sets: Sequence[PromptScores]) -> Answer:
    spans = {each.language: float(each.by_prompt.max() - each.by_prompt.min()) for each in sets}
    widest = max(spans, key=lambda name: spans[name])
    ranked = sorted(sets, key=lambda each: each.mean.value)
    ends = [f"{_said(each)} ({each.language})" for each in (ranked[0], ranked[-1])]
    metric = sets[0].metric
    text = (
        f"the mean {lower_name(metric)} over {sets[0].n_prompts} prompts ranges from {ends[0]} to {ends[1]}, for "
        "other prompts and items like these; the choice of prompt moves it by up to "
        f"{difference(spans[widest], metric)} ({widest})."
    )
    return Answer("measured", "", text[0].upper() + text[1:], "Each language's own prompts are below.")


def _said(each: PromptScores) -> str:
    form = score_format(each.metric)
    return estimate_text(each.mean, form.digits, form.unit)
