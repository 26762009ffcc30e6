"""Tags: the score of each category of items beside its chance band, with false discoveries controlled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.metrics import countable, mean_score, metric_of, run_scores
from goldproof.judging.one_label import OneLabel, one_label_of
from goldproof.statistics.arrays import Array
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from goldproof.judging.score import Settings

TagVerdict = Literal[
    "above chance",
    "below chance",
    "not distinguishable from chance",
    "cannot be tested by permuting: one gold label",
    "too few items",
    "not tested",
]
ONE_LABEL: TagVerdict = "cannot be tested by permuting: one gold label"
UNTESTED = (ONE_LABEL, "too few items", "not tested")


@dataclass(frozen=True, slots=True)
class TagScore:
    """A tag's score over the runs, its chance band, the adjusted p, and what may be said.

    Where its gold is one label, `one_label` is what it is compared with instead of chance.
    """

    where: Mapping[str, str]
    tag: str
    estimate: Estimate
    run_scores: Array
    chance: Estimate | None
    p_value: float
    adjusted: float
    verdict: TagVerdict
    one_label: OneLabel | None = None


def score_tags(answers: Answers, metric: str, settings: Settings) -> list[TagScore]:
    """The score of every tag; p-values are adjusted over the tags that are large enough to test."""
    answers, rng = countable(answers), np.random.default_rng(settings.seed)
    scores = [_score_tag(answers, tag, items, metric, settings, rng) for tag, items in items_by_tag(answers).items()]
    return decide(scores, settings.level)


def decide(scores: Sequence[TagScore], level: float) -> list[TagScore]:
    """The same scores with p-values adjusted over those that were tested (Benjamini-Hochberg), and the verdict."""
    tested = [i for i, score in enumerate(scores) if np.isfinite(score.p_value)]
    decided = list(scores)
    if tested:
        adjusted = benjamini_hochberg(np.array([scores[i].p_value for i in tested]))
        for i, p_value in zip(tested, adjusted, strict=True):
            verdict = _verdict(scores[i], float(p_value), 1 - level)
            decided[i] = replace(scores[i], adjusted=float(p_value), verdict=verdict)
    return decided


def items_by_tag(answers: Answers) -> dict[str, Array]:
    """The items of each tag, tags in alphabetical order."""
    if answers.tags is None:
        return {}
    members: dict[str, list[int]] = {}
    for item, tags in enumerate(answers.tags):
        for tag in dict.fromkeys(tags):  # a tag that a row repeats counts once
            members.setdefault(tag, []).append(item)
    return {tag: np.array(members[tag]) for tag in sorted(members)}


def tag_run_table(answers: Answers, metric: str, smallest: int) -> Array:
    """Scores by tag × run, of tags that are large enough."""
    members = [items for items in items_by_tag(answers).values() if len(items) >= smallest]
    return np.array([run_scores(answers.take(items), metric) for items in members])


def _score_tag(
    answers: Answers, tag: str, items: Array, metric: str, settings: Settings, rng: np.random.Generator
) -> TagScore:
    part = answers.take(items)
    estimate, scores = mean_score(part, metric, settings.level), run_scores(part, metric)
    nothing = TagScore(answers.where, tag, estimate, scores, None, float("nan"), float("nan"), "not tested")
    if len(items) < settings.smallest_tag:
        return replace(nothing, verdict="too few items")
    if answers.task != "classification":
        return nothing
    if one_label := one_label_of(answers, items, settings.level):
        return replace(nothing, verdict=ONE_LABEL, one_label=one_label)
    measure = metric_of(part, metric)
    chance = runs_chance_band(measure, part.gold, part.runs, rng, part.clusters, level=settings.level)
    return replace(nothing, chance=chance.band, p_value=chance.p_value, verdict="not distinguishable from chance")


def _verdict(score: TagScore, adjusted: float, alpha: float) -> TagVerdict:
    if adjusted >= alpha or score.chance is None:
        return "not distinguishable from chance"
    return "above chance" if score.estimate.value > score.chance.value else "below chance"
