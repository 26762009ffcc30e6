"""Analysis: everything that is said about each language, from the answers of an experiment; no model, no files.

What may be claimed of a language is decided in `claim_of`, by rules that are written down there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from goldproof.errors import DataError
from goldproof.judging.checkpoints.collapse import collapse_in, target_note, without_collapsed_runs
from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.checkpoints.guide import (
    Correlation,
    Counting,
    Guidance,
    MeanGuidance,
    correlation,
    guidance,
    guidance_together,
    mean_guidance,
)
from goldproof.judging.checkpoints.luck import Loss, Spread, forgetting_of, regret_of, spread_of
from goldproof.judging.checkpoints.rules import MeanGain, RuleScore, choose_points, compare_rules, mean_gains
from goldproof.judging.checkpoints.sets import EvaluationSet
from goldproof.judging.metrics import metric_of, run_scores
from goldproof.statistics.arrays import Array, IntArray
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from goldproof.report.summary import Report

Claimable = Literal[
    "may be claimed",
    "only with its spread over runs",
    "only with its interval",
    "only beside the oracle",
    "only beside its collapsed runs",
    "not distinguishable from the most frequent label",
    "not distinguishable from 0",
    "of this run only",
    "nothing: every run collapsed",
]
MIN_POINTS = 3


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """How to judge transfer: `margin` is how far a score may be off, by runs and items, and be claimed as it is."""

    level: float = 0.95
    margin: float = 0.02
    counting: Counting = field(default_factory=Counting)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """The source's test score minus the target's on the same items, or why they cannot be compared item by item."""

    difference: Estimate | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """One target language."""

    language: str
    n_items: int
    spread: Spread
    adjusted: float
    by_source: Guidance
    by_target: Guidance | None
    correlation: Correlation
    regret: Loss
    forgetting: Loss
    gap: Gap
    floor: float
    claim: Claimable
    collapse: Collapse | None = None

    @property
    def is_counted(self) -> bool:
        """Whether it is counted in what is said of all languages: some run gives more than one answer."""
        return self.collapse is None or not bool(self.collapse.collapsed.all())


@dataclass(frozen=True, slots=True)
class Transfer:
    """What was found. `collapse` are the runs that collapsed on source dev, which are in no finding unless all did."""

    experiment: Experiment
    settings: TransferSettings
    source_spread: Spread
    source_agreement: Guidance | None
    overall: MeanGuidance
    languages: Sequence[LanguageResult]
    rules: Sequence[RuleScore]
    gains: Sequence[MeanGain] = ()
    collapse: Collapse | None = None

    @property
    def counted(self) -> list[LanguageResult]:
        """The languages of which anything is counted."""
        return [result for result in self.languages if result.is_counted]

    def gain(self, rule: str) -> Estimate | None:
        """A rule's gain over the usual one, mean over languages; None where it could not be followed."""
        return next((gain.estimate for gain in self.gains if gain.rule == rule), None)

    def rule(self, language: str, rule: str) -> RuleScore:
        """A rule in a language."""
        return next(score for score in self.rules if score.language == language and score.rule == rule)

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.checkpoints.report import transfer_report

        return transfer_report(self)


def analyse(experiment: Experiment, settings: TransferSettings | None = None) -> Transfer:
    """All that can be said of this experiment."""
    settings = settings or TransferSettings()
    _check_size(experiment)
    experiment, collapse = without_collapsed_runs(experiment, settings.level)
    points = choose_points("source dev", experiment, experiment.source)
    assert not isinstance(points, str)
    rules = compare_rules(experiment, experiment.targets, settings.level)
    spreads = [spread_of(experiment.test(name), points, settings.level) for name in experiment.targets]
    known = [i for i, spread in enumerate(spreads) if math.isfinite(spread.p_value)]
    adjusted = dict(zip(known, benjamini_hochberg(np.array([spreads[i].p_value for i in known])), strict=True))
    results = [
        _language(experiment, spread, float(adjusted.get(i, math.nan)), rules, settings)
        for i, spread in enumerate(spreads)
    ]
    source = experiment.dev(experiment.source)
    assert source is not None
    has_test = (experiment.source, "test") in experiment.sets
    notes = [target_note(experiment, result.language, result.collapse) for result in results]
    return Transfer(
        replace(experiment, notes=(*experiment.notes, *filter(None, notes))),
        settings,
        spread_of(source, points, settings.level),
        guidance(source.scores, experiment.test(experiment.source).scores, settings.counting, settings.level)
        if has_test
        else None,
        mean_guidance(experiment, settings.counting, settings.level),
        _judged_together(results, settings.level),
        rules,
        mean_gains(experiment, experiment.targets, settings.level),
        collapse,
    )


def _judged_together(results: Sequence[LanguageResult], level: float) -> list[LanguageResult]:
    """The languages with what source dev does in each, false discoveries controlled over those that are counted."""
    counted = [i for i, result in enumerate(results) if result.is_counted]
    found = dict(zip(counted, guidance_together([results[i].by_source for i in counted], level), strict=True))
    return [replace(each, by_source=found[i]) if i in found else each for i, each in enumerate(results)]


def _check_size(experiment: Experiment) -> None:
    """Enough checkpoints for a second half of training, and enough items to be halved."""
    if len(experiment.steps) < MIN_POINTS:
        raise DataError(f"transfer is judged over at least {MIN_POINTS} checkpoints; got {len(experiment.steps)}")
    for language in experiment.targets:
        test = experiment.test(language)
        clusters = test.first.clusters
        groups = test.n_items if clusters is None else len(np.unique(clusters))
        if groups < 2:
            what = "items" if clusters is None else "clusters of items"
            raise DataError(f"{language} test: at least 2 {what} are needed; got {groups}")


def _language(
    experiment: Experiment, spread: Spread, adjusted: float, rules: Sequence[RuleScore], settings: TransferSettings
) -> LanguageResult:
    language = spread.language
    test, source, target = experiment.test(language), experiment.dev(experiment.source), experiment.dev(language)
    assert source is not None
    rng = np.random.default_rng(settings.seed)
    points = choose_points("source dev", experiment, language)
    assert not isinstance(points, str)
    floor, collapse = floor_of(test), collapse_in(experiment, language, points, settings.level)
    usual, oracle = (
        next(score for score in rules if score.language == language and score.rule == rule)
        for rule in ("source dev", "target dev")
    )
    return LanguageResult(
        language,
        test.n_items,
        spread,
        adjusted,
        guidance(source.scores, test.scores, settings.counting, settings.level),
        None if target is None else guidance(target.scores, test.scores, settings.counting, settings.level),
        correlation(experiment, language, settings.level),
        regret_of(experiment, language, rng, settings.level),
        forgetting_of(experiment, language, rng, settings.level),
        gap_to_source(experiment, language, points, settings.level),
        floor,
        _claim_beside(collapse) or claim_of(spread, usual, oracle, floor, settings.margin),
        collapse,
    )


def floor_of(test: EvaluationSet) -> float:
    """What the best score is that always gives one label; in tagging and of questions 0, as nothing is found."""
    if not test.first.labels:
        return 0.0
    labels = test.first.labels
    constant = np.repeat(np.arange(len(labels))[:, None], test.n_items, axis=1)
    return float(run_scores(replace(test.first, runs=constant, run_names=labels), test.metric).max())


def _claim_beside(collapse: Collapse | None) -> Claimable | None:
    """What collapsed runs leave to be said of a language; None where there are none."""
    if collapse is None or not collapse.n:
        return None
    return "nothing: every run collapsed" if collapse.collapsed.all() else "only beside its collapsed runs"


def claim_of(spread: Spread, usual: RuleScore, oracle: RuleScore, floor: float, margin: float) -> Claimable:
    """What may be said of a language's zero-shot score, by the first rule that applies.

    It has no interval, or one that reaches down to what always giving one label scores: nothing beyond that. One run:
    of this run only. Target dev is shown to choose better, by more than the margin: only beside the oracle. One more
    run on these items is expected to differ by more than the margin: only with its spread. The interval over runs and
    items reaches further than the margin: only with its interval. Target dev is not shown to be better by less than
    the margin: only beside the oracle. Else it may be claimed as it is.
    """
    assert usual.estimate is not None
    estimate, difference = usual.estimate, oracle.difference
    if not estimate.low > floor:
        return "not distinguishable from the most frequent label" if floor > 0 else "not distinguishable from 0"
    if len(spread.run_scores) == 1:
        return "of this run only"
    if difference is not None and difference.low > 0 and difference.value > margin:
        return "only beside the oracle"
    if spread.another_run > margin:
        return "only with its spread over runs"
    if max(estimate.high - estimate.value, estimate.value - estimate.low) > margin:
        return "only with its interval"
    return "only beside the oracle" if difference is not None and not difference.high <= margin else "may be claimed"


def gap_to_source(experiment: Experiment, language: str, points: IntArray, level: float) -> Gap:
    """Source test minus target test at the same checkpoints, paired by item; refused where items do not match."""
    if (experiment.source, "test") not in experiment.sets:
        return Gap(None, f"the source {experiment.source!r} has no test set")
    source, target = experiment.test(experiment.source), experiment.test(language)
    reason = why_not_paired(experiment, language)
    if reason:
        return Gap(None, reason)
    ours = source.at(points)
    theirs = target.at(points).take(_order(source, target))
    measure = metric_of(ours, source.metric)
    result = compare_runs(measure, ours.gold, ours.runs, theirs.runs, ours.clusters, same_seeds=True, level=level)
    return Gap(result.difference)


def why_not_paired(experiment: Experiment, language: str) -> str:
    """Why the test sets of source and target cannot be compared item by item; nothing where they can."""
    source, target = experiment.test(experiment.source), experiment.test(language)
    where = f"not paired: the test sets of {experiment.source!r} and {language!r} "
    ids, gold = source.first.ids, source.first.gold
    if set(ids) != set(target.first.ids):
        lacking = len(set(ids) - set(target.first.ids))
        return f"{where}are not the same items ({source.n_items} and {target.n_items}; {lacking} ids are missing)"
    if source.is_tagging:
        return f"{where}are tagged word by word, and words differ between languages"
    differs = np.flatnonzero(gold != target.first.gold[_order(source, target)])
    if len(differs):
        first = str(ids[differs[0]])
        return f"{where}have other gold labels under the same ids ({len(differs)} of {source.n_items}, first {first!r})"
    return ""


def _order(source: EvaluationSet, target: EvaluationSet) -> Array:
    """The target's items in the order of the source's."""
    position = {item: i for i, item in enumerate(target.first.ids)}
    return np.array([position[item] for item in source.first.ids])
