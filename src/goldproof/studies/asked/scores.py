"""The scores of a language model's answers to one set: each prompt with each draw of examples, and how they vary."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from goldproof.data.answers import Answers
from goldproof.judging.collapse import collapse_of
from goldproof.judging.metrics import is_share, metric_of, run_scores
from goldproof.judging.missing import settle
from goldproof.statistics.arrays import Array, group_codes
from goldproof.statistics.crossed import (
    CrossedTable,
    crossed_mean,
    crossed_table,
    prompts_needed,
    quantile_interval,
    share_intervals,
)
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.runs import runs_interval, summarise_runs
from goldproof.statistics.selection import chosen_mean, chosen_score
from goldproof.statistics.stability import next_run
from goldproof.studies.asked.answers import AskedAnswers, AskedFacts

QUANTILES = (0.1, 0.5, 0.9)
PARTS = {
    "prompt": "the prompt",
    "draw": "the {draws}",
    "both": "prompt and {draws} together",
    "items": "which items are asked",
}
"""The parts of the variance of one score, in words."""


@dataclass(frozen=True)
class PromptScores:
    """What one set's answers come to; runs are prompts × draws. What is asked for twice is computed once.

    A prompt that gets one answer to everything is a prompt that does not work, and counts. `given` are the answers as
    they came; in `answers` those that could not be read are wrong.
    """

    facts: AskedFacts
    given: Answers
    answers: Answers
    metric: str
    level: float
    draws_name: str

    @property
    def language(self) -> str:
        """The language of the items."""
        return self.facts.language

    @property
    def title(self) -> str:
        """What the set is called beside the others."""
        return self.facts.title

    @property
    def n_prompts(self) -> int:
        """How many prompts were asked."""
        return self.facts.n_prompts

    @property
    def n_draws(self) -> int:
        """How many draws of examples, or samples, each prompt met."""
        return self.answers.n_runs // self.n_prompts

    @property
    def names(self) -> tuple[str, ...]:
        """What the prompts are called."""
        return tuple(each.name for each in self.facts.prompts)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest score that can be."""
        return (0.0, 1.0) if is_share(self.metric) else (-1.0, 1.0)

    def slug(self, several: bool) -> str:
        """What tells the places of this set from those of others."""
        return _slug(self.title) or "all" if several else "all"

    @cached_property
    def table(self) -> Array:
        """The score of each prompt with each draw."""
        return run_scores(self.answers, self.metric).reshape(self.n_prompts, self.n_draws)

    @cached_property
    def by_prompt(self) -> Array:
        """The score of each prompt, the mean over its draws."""
        return np.asarray(self.table.mean(axis=1))

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """The score of each prompt with its interval over draws and items."""
        runs = self.answers.runs.reshape(self.n_prompts, self.n_draws, -1)
        measure = metric_of(self.answers, self.metric)
        return tuple(
            runs_interval(measure, self.answers.gold, each, self.answers.clusters, self.level) for each in runs
        )

    @cached_property
    def crossed(self) -> CrossedTable:
        """The analysis of variance over prompts, draws and items; of scores that are no means, of their influence."""
        return crossed_table(self.values)

    @cached_property
    def values(self) -> Array:
        """A number for each prompt, draw and item, or cluster, whose mean over them is the score."""
        return _values(self.answers, self.metric).reshape(self.n_prompts, self.n_draws, -1)

    @cached_property
    def shares(self) -> dict[str, Estimate]:
        """The share of each part in the variance of one score on as many items.

        Not those of which nothing is known, as nothing varied with them here.
        """
        found = share_intervals(self.crossed, np.random.default_rng(0), self.level)
        return {name: share for name, share in found.items() if share.low < share.high}

    @cached_property
    def mean(self) -> Estimate:
        """The mean score over prompts, with its interval over other prompts, draws and items."""
        return self.mean_at(self.level)

    def mean_at(self, level: float) -> Estimate:
        """The same at another level."""
        return crossed_mean(self.crossed, np.random.default_rng(1), level, self.bounds)

    @cached_property
    def another(self) -> tuple[float, float] | None:
        """Where one more prompt would land on the same items; None where all score the same: nothing is known then."""
        return next_run(self.by_prompt, self.level, self.bounds) if np.ptp(self.by_prompt) else None

    @cached_property
    def best(self) -> Estimate:
        """The score of the best prompt, corrected for having been chosen on these items."""
        rng = np.random.default_rng(2)
        if self.metric == "accuracy":
            right = self.answers.runs == self.answers.gold
            return chosen_mean(
                right.reshape(self.n_prompts, self.n_draws, -1).mean(axis=1), rng, self.answers.clusters, self.level
            )
        measure = metric_of(self.answers, self.metric)
        return chosen_score(measure, self.answers.gold, self.answers.runs, rng, self.answers.clusters, self.level)

    @property
    def best_name(self) -> str:
        """The prompt that scores best here; of scores that are no means, the best single run."""
        if self.metric == "accuracy":
            return self.names[int(np.argmax(self.by_prompt))]
        return self.answers.run_names[int(np.argmax(self.table.ravel()))]

    @property
    def best_as_it_looks(self) -> float:
        """Its score on the items that chose it."""
        return float(self.by_prompt.max() if self.metric == "accuracy" else self.table.max())

    def quantile(self, share: float) -> Estimate:
        """A quantile over prompts of their scores on these items."""
        return quantile_interval(self.by_prompt, share, self.level)

    def needed(self, reach: float) -> tuple[int, int]:
        """How many prompts bring their mean within ± `reach`, and how many it may take."""
        return prompts_needed(self.by_prompt, reach, self.level)

    @property
    def floor(self) -> float:
        """What needs no text: the commonest label's accuracy, or chance; NaN where the metric has none."""
        if self.metric == "accuracy":
            return float(np.bincount(self.answers.gold).max() / self.answers.n_items)
        return 0.0 if self.metric == "mcc" else math.nan

    @cached_property
    def over_floor(self) -> Estimate | None:
        """How far the mean over prompts lies above what needs no text, on the same items, for other prompts and items.

        None where there is no such score, or nothing differs from it at all.
        """
        return self.over_floor_at(self.level)

    def over_floor_at(self, level: float) -> Estimate | None:
        """The same at another level."""
        if self.floor != self.floor or not np.any(self._beside_floor):
            return None
        whole = self.bounds[1] - self.bounds[0]
        return crossed_mean(crossed_table(self._beside_floor), np.random.default_rng(1), level, (-whole, whole))

    @property
    def n_over_floor(self) -> int:
        """How many prompts, taken one by one with these draws, are above it on items like these."""
        by_item = self._beside_floor.mean(axis=1)
        n = by_item.shape[1]
        reach = stats.t.ppf((1 + self.level) / 2, n - 1) * by_item.std(axis=1, ddof=1) / math.sqrt(n)
        return int(np.sum(by_item.mean(axis=1) > np.maximum(reach, 1e-12)))

    @cached_property
    def _beside_floor(self) -> Array:
        """The values less those of the commonest label, or of chance."""
        if self.metric != "accuracy":
            return self.values
        always = np.full((1, self.answers.n_items), np.bincount(self.answers.gold).argmax())
        commonest = replace(self.answers, runs=always, run_names=("commonest",), absent=None, probabilities=None)
        return np.asarray(self.values - _values(commonest, self.metric)[0])

    @cached_property
    def flat(self) -> list[str]:
        """The runs that give one answer to nearly all items."""
        collapse = collapse_of(self.answers, self.level)
        if collapse is None:
            return []
        return [self.answers.run_names[int(run)] for run in np.flatnonzero(collapse.collapsed)]


def score_prompts(config: Any, found: AskedAnswers, metric: str) -> PromptScores:
    """The scores of a set; an answer that could not be read is wrong."""
    return score_facts(found.facts(config), found.answers, metric, config.level)


def score_facts(facts: AskedFacts, given: Answers, metric: str, level: float) -> PromptScores:
    """The same from what was kept."""
    (answers,), _ = settle([given], "wrong")
    how = facts.how
    samples = how.answer == "text" and how.temperature > 0 and len(how.samples) > 1
    draws = "draws of examples" if how.examples and len(how.draws) > 1 else ""
    name = " and ".join(filter(None, (draws, "samples" if samples else ""))) or "draws"
    return PromptScores(facts, given, answers, metric, level, name)


def difference_of(a: PromptScores, b: PromptScores, level: float) -> Estimate | None:
    """How much higher the mean over prompts is in `a` than in `b`, about the same items, for other prompts and items.

    None where nothing differs at all, so that nothing is known of how it might.

    Prompts are taken one by one in their order, so that what a prompt has in both stays out; where those of two
    languages are not each other's translations, such pairs are as good as any. The one draw of a side that has one (no
    examples) stands beside each of the other's.
    """
    n = min(a.n_prompts, b.n_prompts)
    values = a.values[:n] - b.values[:n]
    if not np.any(values):
        return None
    whole = a.bounds[1] - a.bounds[0]
    return crossed_mean(crossed_table(values), np.random.default_rng(1), level, (-whole, whole))


def _slug(title: str) -> str:
    """Letters and digits of a title, other signs between them as one hyphen.

    >>> _slug("en"), _slug("1 negation, premise only (pt)")
    ('en', '1-negation-premise-only-pt')
    """
    return re.sub(r"\W+", "-", title).strip("-")


def _values(answers: Answers, metric: str) -> Array:
    """A number for each run and item, or cluster, whose mean over them is the run's score, to first order."""
    if metric == "accuracy" and answers.clusters is None:
        return np.asarray(answers.runs == answers.gold, float)
    measure = metric_of(answers, metric)
    codes = group_codes(answers.clusters, answers.n_items)
    summary = summarise_runs(measure, measure.encode(answers.gold, answers.runs), codes)
    influence = summary.influence - summary.influence.mean(axis=1, keepdims=True)
    return np.asarray(summary.scores[:, None] + influence * influence.shape[1])
