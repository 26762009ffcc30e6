"""From trainings to scores: the chosen epoch of every run, arranged as runs × items, scored by category and overall.

`StabilityFindings` has every condition scored once, with what is said of each category. Nothing is drawn here.
`with_paper` says whether the paper's numbers may stand beside them.
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
from goldproof.data.dataset import Dataset
from goldproof.jobs import Results
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
from goldproof.studies.stability.plan import (
    Condition,
    attributed,
    attribution_seeds,
    conditions,
    diagnostics_job,
    seeds_of,
    training_job,
    validation_job,
)
from goldproof.studies.stability.published import PAPER_EXTRA
from goldproof.studies.stability.settings import Config
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Seeds
from goldproof.training.selection import best_point, last_point, score_points

LABELS = ("not_entailment", "entailment")
MCC = metric("mcc")
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


def score_condition(config: Config, results: Results, condition: Condition) -> ConditionScores:
    """The scores of a condition's seeds."""
    return score_runs(config, results, condition, seeds_of(config))


def score_attribution(config: Config, results: Results, language: str) -> ConditionScores:
    """The scores of the runs that vary the three seeds apart."""
    return score_runs(config, results, Condition(language), attribution_seeds(config))


def score_runs(config: Config, results: Results, condition: Condition, seeds: Sequence[Seeds]) -> ConditionScores:
    """The scores of these runs of a condition."""
    trainings = [training_job(config, condition, each) for each in seeds]
    outcomes = [results[job] for job in trainings]
    data = results[diagnostics_job(config, condition.language)]
    labels = [str(label) for label in results[validation_job(config, condition.language)].table["label"].to_pylist()]
    points = [choose_point(config, outcome, labels) for outcome in outcomes]
    accuracy = [float(score_points(o, "validation", labels)[p]) for o, p in zip(outcomes, points, strict=True)]
    made = score_answers(condition, make_answers(condition, data, outcomes, points), config.level)
    kept = range(len(points)) if made.collapse is None else made.collapse.kept.tolist()
    return replace(
        made,
        validation=np.array([accuracy[run] for run in kept]),
        epochs=tuple(points[run] + 1 for run in kept),
        keys=tuple(job.key for job in trainings),
    )


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


def choose_point(config: Config, outcome: TrainingOutcome, labels: Sequence[str]) -> int:
    """The evaluation point that counts."""
    return last_point(outcome) if config.select == "last" else best_point(outcome, "validation", labels)


def make_answers(
    condition: Condition, data: Dataset, outcomes: Sequence[TrainingOutcome], points: Sequence[int]
) -> Answers:
    """The chosen predictions on the diagnostics as runs × items, items clustered by mirrored twins."""
    texts, pairs = data.texts, [pair or "" for pair in data.pairs]
    twins = ["\x00".join(sorted(both)) for both in zip(texts, pairs, strict=True)]
    runs = [
        [LABELS.index(label) for label in outcome.predictions("diagnostics", point)]
        for outcome, point in zip(outcomes, points, strict=True)
    ]
    return Answers(
        where={"language": condition.language},
        step=None,
        task="classification",
        labels=LABELS,
        ids=np.array(data.table["id"].to_pylist(), object),
        gold=np.array([LABELS.index(label) for label in data.table["label"].to_pylist()]),
        runs=np.array(runs),
        run_names=tuple(run_name(outcome.seeds) for outcome in outcomes),
        clusters=np.unique(np.array(twins, object), return_inverse=True)[1],
        tags=tuple(tuple(tags) for tags in data.table["tags"].to_pylist()),
        texts={"premise": texts, "hypothesis": pairs},
    )


def run_name(seeds: Seeds) -> str:
    """A run by its seed, or by its three seeds where they differ."""
    alike = seeds.init == seeds.order == seeds.dropout
    return str(seeds.init) if alike else f"{seeds.init}/{seeds.order}/{seeds.dropout}"


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
    results: Results

    @cached_property
    def scored(self) -> dict[Condition, ConditionScores]:
        """Every condition with its scores."""
        return {each: score_condition(self.config, self.results, each) for each in conditions(self.config)}

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
    def attributed(self) -> dict[str, ConditionScores]:
        """Each attributed language's runs that vary the three seeds apart."""
        return {name: score_attribution(self.config, self.results, name) for name in attributed(self.config)}

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

    @property
    def with_paper(self) -> bool:
        """Whether the paper's numbers may stand beside ours: only on its corpora."""
        return self.config.data.corpus == "published"

    @property
    def with_paper_extra(self) -> bool:
        """Whether its numbers with extra data may: these must be its own too, out of MNLI."""
        return self.with_paper and self.config.extra.corpus == PAPER_EXTRA

    def keys(self, languages: Sequence[str] | None = None) -> list[str]:
        """The keys of the trainings behind the base scores."""
        return [key for language in languages or self.base for key in self.base[language].keys]


def deviations(scored: ConditionScores) -> Array:
    """The standard deviation over runs of each category; NaN with one run."""
    if scored.n_runs < 2:
        return np.full(len(scored.table), np.nan)
    return np.asarray(scored.table.std(axis=1, ddof=1))


def finite(value: float | None, reason: str = "needs at least two seeds") -> float | Missing:
    """The number, or why there is none."""
    return Missing(reason) if value is None or not np.isfinite(value) else float(value)
