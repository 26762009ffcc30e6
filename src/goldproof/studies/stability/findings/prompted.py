"""What is found of a language model: how far the prompt moves its score, what else does, and the best prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldproof.report.summary import Report, Section, Text
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
from goldproof.studies.asked.several import answer_of_several, claims_of_many
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
    answer = answer_of_several(sets) if several else answer_of_one(sets[0])
    answer = replace(answer, notes=reading_notes(sets), figure=asked_figure(sets))
    many = len(sets) > MOST_TOLD
    claims = claims_of_many(sets) if many else [claim for each in sets for claim in set_claims(each, several)]
    provenance = asked_provenance(only_model(config.model).title, sets)
    return Report("stability", TITLE, claims, sections, provenance, answer)
