"""What the report is made from: every condition scored once, with what is said of each category. It draws nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from goldproof.jobs import Results
from goldproof.judging.tags import TagScore
from goldproof.report.fields import Field, Thing
from goldproof.report.summary import Column, Missing
from goldproof.statistics.arrays import Array
from goldproof.statistics.attribution import Attribution, attribute_variance
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.stability import correlation_interval
from goldproof.studies.stability.plan import Condition, attributed, attribution_seeds, conditions
from goldproof.studies.stability.scores import (
    Scored,
    judge_categories,
    judge_cells,
    judge_groups,
    score_attribution,
    score_condition,
)
from goldproof.studies.stability.settings import Config

SOURCES = ("Initialisation", "Data order", "Dropout")


@dataclass(frozen=True)
class Findings:
    """The scored conditions of a campaign; what is asked for twice is computed once."""

    config: Config
    results: Results

    @cached_property
    def scored(self) -> dict[Condition, Scored]:
        """Every condition with its scores."""
        return {each: score_condition(self.config, self.results, each) for each in conditions(self.config)}

    @cached_property
    def base(self) -> dict[str, Scored]:
        """Each language trained on its own data alone."""
        return {language: self.scored[Condition(language)] for language in self.config.languages}

    @cached_property
    def categories(self) -> dict[str, list[TagScore]]:
        """Each language's categories beside chance."""
        return {language: judge_categories(self.config, scored.arm) for language, scored in self.base.items()}

    @cached_property
    def groups(self) -> dict[str, list[TagScore]]:
        """Each language's groups of categories beside chance."""
        return {language: judge_groups(self.config, scored.arm) for language, scored in self.base.items()}

    @cached_property
    def cells(self) -> dict[str, list[list[TagScore]]]:
        """Each language's runs × categories beside chance."""
        return {language: judge_cells(self.config, scored.arm) for language, scored in self.base.items()}

    @cached_property
    def sources(self) -> dict[str, Attribution]:
        """Each attributed language's variance of overall MCC by source of chance."""
        levels = np.array([(s.init, s.order, s.dropout) for s in attribution_seeds(self.config)])
        found = {}
        for language in attributed(self.config):
            scores = score_attribution(self.config, self.results, language).run_overall
            found[language] = attribute_variance(scores, levels, SOURCES)
        return found

    def language_correlation(self, seed: int | None = None) -> Estimate | None:
        """The mean correlation between the languages' category scores: of one run, or of the means over runs."""
        if len(self.base) < 2:
            return None
        columns = [s.table.mean(axis=1) if seed is None else s.table[:, seed] for s in self.base.values()]
        return correlation_interval(np.array(columns).T, self.config.level)

    def columns(self, columns: Sequence[Column]) -> list[Column]:
        """The columns of a table; the paper's stand beside numbers on the published corpora only."""
        return [column for column in columns if self.with_paper or not column.published]

    def fields(self, fields: Sequence[Field[Thing]]) -> list[Field[Thing]]:
        """The same of typed fields."""
        return [field for field in fields if self.with_paper or not field.column.published]

    @property
    def with_paper(self) -> bool:
        """Whether the paper's numbers may stand beside ours."""
        return self.config.corpus == "published"

    def keys(self, languages: Sequence[str] | None = None) -> list[str]:
        """The keys of the trainings behind the base scores."""
        return [key for language in languages or self.base for key in self.base[language].keys]


def deviations(scored: Scored) -> Array:
    """The standard deviation over runs of each category; NaN with one run."""
    if scored.n_runs < 2:
        return np.full(len(scored.table), np.nan)
    return np.asarray(scored.table.std(axis=1, ddof=1))


def finite(value: float | None, reason: str = "needs at least two seeds") -> float | Missing:
    """The number, or why there is none."""
    return Missing(reason) if value is None or not np.isfinite(value) else float(value)
