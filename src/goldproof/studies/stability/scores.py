"""From answers to scores: every condition scored by category and overall; which numbers of the paper stand beside them.

`StabilityFindings` has every condition scored once, with what is said of each category. Nothing is drawn here; where
the answers come from is no matter (`gather.py` takes them from trainings).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from goldproof.builders.entailment.categories import group_tags
from goldproof.data.answers import Answers
from goldproof.judging.collapse import collapse_notes, collapse_of, without_collapsed
from goldproof.judging.metrics import mean_score, run_scores
from goldproof.judging.score import Settings
from goldproof.judging.tags import TagScore, decide, items_by_tag, score_tags
from goldproof.report.summary import Missing
from goldproof.statistics.arrays import Array, group_codes
from goldproof.statistics.attribution import Attribution, attribute_variance
from goldproof.statistics.categories import categories_interval
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.comparison import of_variance
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.planning import rival_variance, smallest_difference
from goldproof.statistics.runs import summarise_runs
from goldproof.statistics.stability import correlation_interval
from goldproof.studies.beside import SIZE, Beside, beside, is_model
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.shared import only_model
from goldproof.studies.stability.gather import apart
from goldproof.studies.stability.plan import Condition, attributed, attribution_seeds, conditions
from goldproof.studies.stability.published import PAPER_EXTRA
from goldproof.studies.stability.settings import PAPER, Config

MCC = metric("mcc")
MEMBERSHIP = "rows of a category chosen otherwise"
COLLAPSED = "every run gives one answer to nearly all rows"


@dataclass(frozen=True, slots=True)
class ConditionScores:
    """The scores of one condition's runs on the diagnostics of its language.

    `table` is categories × runs of MCC, categories in alphabetical order. `overall` is one MCC over all rows, `mean`
    the mean over categories; both are means over runs with intervals over runs and items. Runs that collapsed are left
    out, unless all did; `notes` name them, `collapse` says which of all runs they are.
    """

    condition: Condition
    answers: Answers
    categories: tuple[str, ...]
    table: Array
    overall: Estimate
    mean: Estimate
    validation: Array
    epochs: tuple[int, ...]
    keys: tuple[str, ...]
    collapse: Collapse | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_collapsed(self) -> bool:
        """Whether every run gives one answer to nearly all rows, so that nothing is found here."""
        return self.collapse is not None and self.collapse.is_whole

    @property
    def n_collapsed(self) -> int:
        """How many runs collapsed."""
        return 0 if self.collapse is None else self.collapse.n

    @property
    def run_overall(self) -> Array:
        """The MCC over all rows of each run."""
        return run_scores(self.answers, "mcc")

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return self.answers.n_runs

    def correlation(self, level: float) -> Estimate | None:
        """The mean correlation between the runs' category scores ("RS corr."); None with one run."""
        return correlation_interval(self.table, level) if self.n_runs > 1 else None

    def detectable(self, level: float) -> float | None:
        """The smallest difference of overall MCC to a model like this one that as many runs would show (80 % power).

        A model like this one has as many runs that vary as much, and differs from it item by item as two of its own
        runs do (see `planning.rival_variance`).
        """
        if self.n_runs < 2 or math.isnan(self.overall.low):
            return None
        own = self.answers
        codes = group_codes(own.clusters, own.n_items)
        variance = rival_variance(summarise_runs(MCC, MCC.encode(own.gold, own.runs), codes))
        return smallest_difference(of_variance(variance, 0.0, (own.n_items, 2.0), "", level))


def score_condition(config: Config, kept: KeptAnswers, condition: Condition, name: str = "") -> ConditionScores:
    """The scores of a condition's seeds; `name` is that of its answers where it is not its own."""
    every = kept.answers[name or condition.name()]
    facts = kept.facts[f"runs of {name or condition.name()}"]
    made = score_answers(condition, every, config.level)
    chosen = range(every.n_runs) if made.collapse is None else made.collapse.kept.tolist()
    return replace(
        made,
        validation=np.array([facts["validation"][run] for run in chosen]),
        epochs=tuple(facts["points"][run] + 1 for run in chosen),
        keys=tuple(facts["keys"]),
    )


def score_attribution(config: Config, kept: KeptAnswers, language: str) -> ConditionScores:
    """The scores of the runs that vary the three seeds apart."""
    return score_condition(config, kept, Condition(language), apart(language))


def score_answers(condition: Condition, every: Answers, level: float) -> ConditionScores:
    """The scores of a condition's answers, without the runs that collapsed."""
    collapse = collapse_of(every, level)
    answers = without_collapsed(every, collapse)
    members = items_by_tag(answers)
    alike = collapse is not None and bool(collapse.collapsed.all())
    return ConditionScores(
        condition=condition,
        answers=answers,
        categories=tuple(members),
        table=np.array([run_scores(answers.take(items), "mcc") for items in members.values()]),
        overall=_unless(alike, mean_score(answers, "mcc", level)),
        mean=_unless(alike, _mean_of_categories(answers, list(members.values()), level)),
        validation=np.zeros(0),
        epochs=(),
        keys=(),
        collapse=collapse,
        notes=tuple(collapse_notes(every, collapse, condition.name())),
    )


def _mean_of_categories(answers: Answers, members: Sequence[Array], level: float) -> Estimate:
    return categories_interval(MCC, answers.gold, answers.runs, members, answers.clusters, level)


def _unless(alike: bool, estimate: Estimate) -> Estimate:
    """The estimate, without its interval where every run collapsed: 0 is then nearly a convention."""
    if not alike:
        return estimate
    return replace(estimate, low=math.nan, high=math.nan, method=f"no interval: {COLLAPSED}")


def summary_method(estimate: Estimate) -> Estimate:
    """The estimate with a method that says no counts, so that a table of many names its methods once.

    >>> summary_method(Estimate(0.1, 0.0, 0.2, "3 runs × items, variance components, 16 clusters", 34)).method
    '3 runs × items, variance components, clusters of twins'
    >>> summary_method(Estimate(0.0, -0.1, 0.1, "none of 16 clusters differs, Tango's bound", 34)).method
    "none of the clusters of twins differs, Tango's bound"
    """
    method = re.sub(r"× \d+ items or clusters", "× clusters of twins", estimate.method)
    method = re.sub(r"none of \d+ clusters", "none of the clusters of twins", method)
    return replace(estimate, method=re.sub(r"\d+ clusters", "clusters of twins", method))


def judge_categories(config: Config, answers: Answers) -> list[TagScore]:
    """Each category beside chance, false discoveries controlled over the categories."""
    return _score(answers, config)


def judge_groups(config: Config, answers: Answers) -> list[TagScore]:
    """Each of the four groups beside chance."""
    assert answers.tags is not None
    return _score(replace(answers, tags=tuple(group_tags(answers.tags))), config)


def judge_cells(config: Config, answers: Answers) -> list[list[TagScore]]:
    """Each run's categories beside chance, run by run; false discoveries controlled over all cells together."""
    by_run = [_score(answers.only_runs((run,)), config) for run in range(answers.n_runs)]
    decided = iter(decide([score for scores in by_run for score in scores], config.level))
    return [[next(decided) for _ in scores] for scores in by_run]


def _score(answers: Answers, config: Config) -> list[TagScore]:
    settings = Settings(metric="mcc", level=config.level, smallest_tag=config.smallest)
    return [replace(score, estimate=summary_method(score.estimate)) for score in score_tags(answers, "mcc", settings)]


SOURCES = ("Initialisation", "Data order", "Dropout")


@dataclass(frozen=True)
class StabilityFindings:
    """The scored conditions of a campaign; what is asked for twice is computed once."""

    config: Config
    kept: KeptAnswers

    @cached_property
    def scored(self) -> dict[Condition, ConditionScores]:
        """Every condition with its scores."""
        return {each: score_condition(self.config, self.kept, each) for each in conditions(self.config)}

    @cached_property
    def every_base(self) -> dict[str, ConditionScores]:
        """Each language trained on its own data alone."""
        return {language: self.scored[Condition(language)] for language in self.config.data.languages}

    @cached_property
    def base(self) -> dict[str, ConditionScores]:
        """The same without languages of which every run collapsed, which are in no finding; all where none is left."""
        found = {language: scored for language, scored in self.every_base.items() if not scored.is_collapsed}
        return found or self.every_base

    @cached_property
    def together(self) -> dict[str, Estimate]:
        """The overall score of each language with an interval that holds for all languages together (Bonferroni)."""
        level = 1 - (1 - self.config.level) / len(self.base)
        return {
            language: scored.overall
            if len(self.base) == 1 or scored.is_collapsed
            else summary_method(mean_score(scored.answers, "mcc", level))
            for language, scored in self.base.items()
        }

    @cached_property
    def categories(self) -> dict[str, list[TagScore]]:
        """Each language's categories beside chance."""
        return {language: judge_categories(self.config, scored.answers) for language, scored in self.base.items()}

    @cached_property
    def groups(self) -> dict[str, list[TagScore]]:
        """Each language's groups of categories beside chance."""
        return {language: judge_groups(self.config, scored.answers) for language, scored in self.base.items()}

    @cached_property
    def cells(self) -> dict[str, list[list[TagScore]]]:
        """Each language's runs × categories beside chance."""
        return {language: judge_cells(self.config, scored.answers) for language, scored in self.base.items()}

    @cached_property
    def _judged(self) -> dict[Condition, tuple[list[TagScore], list[list[TagScore]]]]:
        return {}

    def judged(self, condition: Condition) -> tuple[list[TagScore], list[list[TagScore]]]:
        """A condition's categories beside chance, and the same run by run."""
        if condition not in self._judged:
            answers = self.scored[condition].answers
            self._judged[condition] = (judge_categories(self.config, answers), judge_cells(self.config, answers))
        return self._judged[condition]

    @cached_property
    def attributed(self) -> dict[str, ConditionScores]:
        """Each attributed language's runs that vary the three seeds apart."""
        return {name: score_attribution(self.config, self.kept, name) for name in attributed(self.config)}

    @cached_property
    def sources(self) -> dict[str, Attribution]:
        """Each attributed language's variance of overall MCC by source of chance.

        Where a run collapsed the design is no longer balanced, and there is none.
        """
        levels = np.array([(s.init, s.order, s.dropout) for s in attribution_seeds(self.config)])
        return {
            language: attribute_variance(scored.run_overall, levels, SOURCES)
            for language, scored in self.attributed.items()
            if not scored.n_collapsed
        }

    @cached_property
    def adjusted_sources(self) -> dict[tuple[str, str], float]:
        """The p of each language's sources of chance, adjusted over all of them (Holm)."""
        named = {(name, part.name): part.p_value for name, found in self.sources.items() for part in found.parts}
        if not named:
            return {}
        return dict(zip(named, map(float, holm(np.array(list(named.values())))), strict=True))

    def language_correlation(self, seed: int | None = None) -> Estimate | None:
        """The mean correlation between the languages' category scores: of one run, or of the means over runs."""
        if len(self.base) < 2:
            return None
        columns = [s.table.mean(axis=1) if seed is None else s.table[:, seed] for s in self.with_seed(seed).values()]
        return correlation_interval(np.array(columns).T, self.config.level) if len(columns) > 1 else None

    def with_seed(self, seed: int | None) -> dict[str, ConditionScores]:
        """The languages in which this seed's run is the one at its place: those where no run before it collapsed."""
        if seed is None:
            return self.base
        name = str(self.config.seeds[seed])
        return {
            language: scored
            for language, scored in self.base.items()
            if scored.answers.run_names[seed : seed + 1] == (name,)
        }

    @cached_property
    def paper(self) -> Beside:
        """Whether the paper's numbers stand beside ours: on its corpora, with its model."""
        config, theirs = self.config, PAPER
        same = (config.recipe, config.seeds, config.select) == (theirs.recipe, theirs.seeds, theirs.select)
        found = beside(
            same_corpus=config.data.corpus == "published",
            same_model=is_model(only_model(config.model).folder, str(theirs.model)),
            same_size=config.data.most_train is None,
            same_training=same,
        )
        return found.of(
            True, () if config.membership == theirs.membership else ("rows of a category chosen otherwise",)
        )

    @property
    def paper_corpora(self) -> bool:
        """Whether the figures of the paper's corpora stand beside ours, which no model has a part in."""
        return self.config.data.corpus == "published"

    def paper_extra(self, amount: int | None = None, printed: int | None = None) -> Beside:
        """Whether its numbers with extra data stand beside ours: these must be out of MNLI's training data too."""
        extra = self.config.extra
        same = extra.corpus == PAPER_EXTRA and extra.split == "train"
        return self.paper.of(same, () if amount == printed else (SIZE,))

    def keys(self, languages: Sequence[str] | None = None) -> list[str]:
        """The keys of the trainings behind the base scores."""
        return [key for language in languages or self.base for key in self.base[language].keys]


def deviations(scored: ConditionScores) -> Array:
    """The standard deviation over runs of each category; NaN with one run."""
    if scored.n_runs < 2:
        return np.full(len(scored.table), np.nan)
    return np.asarray(scored.table.std(axis=1, ddof=1))


def constant_categories(scored: ConditionScores) -> frozenset[str]:
    """The categories to whose rows some run gives one answer: its score there is 0 by convention, and not steady."""
    found = set()
    for category, items in items_by_tag(scored.answers).items():
        runs = scored.answers.runs[:, items]
        if (runs == runs[:, :1]).all(axis=1).any():
            found.add(category)
    return frozenset(found)


def finite(value: float | None, reason: str = "needs at least two seeds") -> float | Missing:
    """The number, or why there is none."""
    return Missing(reason) if value is None or not np.isfinite(value) else float(value)
