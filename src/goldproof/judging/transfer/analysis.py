"""Analysis: everything that is said about each language, from panels alone; no model, no files.

What may be claimed of a language is decided in `claim_of`, by rules that are written down there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from goldproof.errors import DataError
from goldproof.judging.transfer.guide import (
    Correlation,
    Counting,
    Guidance,
    MeanGuidance,
    correlation,
    guidance,
    mean_guidance,
)
from goldproof.judging.transfer.luck import Loss, Spread, forgetting_of, regret_of, spread_of
from goldproof.judging.transfer.panels import Panel, Panels, to_scorable
from goldproof.judging.transfer.rules import RuleScore, choose_points, compare_rules
from goldproof.statistics.arrays import IntArray
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from goldproof.report.summary import Report

Claim = Literal[
    "may be claimed",
    "only with its spread over runs",
    "only beside the oracle",
    "not told from the most frequent label",
    "of this run only",
]
MIN_POINTS = 3


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """How to judge: `margin` is how far a score may be off by luck and still be claimed as it is."""

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
    claim: Claim


@dataclass(frozen=True, slots=True)
class Transfer:
    """What was found."""

    panels: Panels
    settings: TransferSettings
    source_spread: Spread
    source_agreement: Guidance | None
    overall: MeanGuidance
    languages: Sequence[LanguageResult]
    rules: Sequence[RuleScore]

    def rule(self, language: str, rule: str) -> RuleScore:
        """A rule in a language."""
        return next(score for score in self.rules if score.language == language and score.rule == rule)

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.transfer.report import transfer_report

        return transfer_report(self)


def analyse(panels: Panels, settings: TransferSettings | None = None) -> Transfer:
    """All that can be said of these panels."""
    settings = settings or TransferSettings()
    _check_size(panels)
    points = choose_points("source dev", panels, panels.source)
    assert not isinstance(points, str)
    rules = compare_rules(panels, panels.targets, settings.level)
    spreads = [spread_of(panels.test(name), points, settings.level) for name in panels.targets]
    known = [i for i, spread in enumerate(spreads) if math.isfinite(spread.p_value)]
    adjusted = dict(zip(known, benjamini_hochberg(np.array([spreads[i].p_value for i in known])), strict=True))
    results = [
        _language(panels, spread, float(adjusted.get(i, math.nan)), rules, settings) for i, spread in enumerate(spreads)
    ]
    source = panels.dev(panels.source)
    assert source is not None
    has_test = (panels.source, "test") in panels.sets
    agreement = (
        guidance(source.scores, panels.test(panels.source).scores, settings.counting, settings.level)
        if has_test
        else None
    )
    overall = mean_guidance(panels, settings.counting, settings.level)
    return Transfer(panels, settings, spread_of(source, points, settings.level), agreement, overall, results, rules)


def _check_size(panels: Panels) -> None:
    """Enough checkpoints for a second half of training, and enough items to be halved."""
    if len(panels.steps) < MIN_POINTS:
        raise DataError(f"transfer is judged over at least {MIN_POINTS} checkpoints; got {len(panels.steps)}")
    for language in panels.targets:
        test = panels.test(language)
        groups = test.n_items if test.clusters is None else len(np.unique(test.clusters))
        if groups < 2:
            what = "items" if test.clusters is None else "clusters of items"
            raise DataError(f"{language} test: at least 2 {what} are needed; got {groups}")


def _language(
    panels: Panels, spread: Spread, adjusted: float, rules: Sequence[RuleScore], settings: TransferSettings
) -> LanguageResult:
    language = spread.language
    test, source, target = panels.test(language), panels.dev(panels.source), panels.dev(language)
    assert source is not None
    rng = np.random.default_rng(settings.seed)
    points = choose_points("source dev", panels, language)
    assert not isinstance(points, str)
    floor = floor_of(test)
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
        correlation(panels, language, settings.level),
        regret_of(panels, language, rng, settings.level),
        forgetting_of(panels, language, rng, settings.level),
        gap_to_source(panels, language, points, settings.level),
        floor,
        claim_of(spread, usual, oracle, floor, settings.margin),
    )


def floor_of(test: Panel) -> float:
    """What the best score is that always gives one label; in tagging 0, as no span is found."""
    if test.scoring.is_tagging:
        return 0.0
    constant = np.repeat(np.arange(len(test.scoring.labels))[:, None], test.n_items, axis=1)
    return float(to_scorable(test.scoring, test.gold, constant).scores().max())


def claim_of(spread: Spread, usual: RuleScore, oracle: RuleScore, floor: float, margin: float) -> Claim:
    """What may be said of a language's zero-shot score, by the first rule that applies.

    It has no interval, or one that reaches down to what always giving one label scores: nothing beyond that. One run:
    of this run only.
    Target dev would have chosen credibly better by more than the margin: only beside the oracle. One more run is
    expected to differ by more than the margin: only with its spread. Else it may be claimed as it is.
    """
    assert usual.estimate is not None
    if not usual.estimate.low > floor:
        return "not told from the most frequent label"
    if len(spread.run_scores) == 1:
        return "of this run only"
    difference = oracle.difference
    if difference is not None and difference.low > 0 and difference.value > margin:
        return "only beside the oracle"
    return "only with its spread over runs" if spread.another_run > margin else "may be claimed"


def gap_to_source(panels: Panels, language: str, points: IntArray, level: float) -> Gap:
    """Source test minus target test at the same checkpoints, paired by item; refused where items do not match."""
    if (panels.source, "test") not in panels.sets:
        return Gap(None, f"the source {panels.source!r} has no test set")
    source, target = panels.test(panels.source), panels.test(language)
    reason = why_not_paired(panels, language)
    if reason:
        return Gap(None, reason)
    position = {item: i for i, item in enumerate(target.ids)}
    order = np.array([position[item] for item in source.ids])
    sides = source.answers_at(points), target.answers_at(points)[:, order]
    both = to_scorable(source.scoring, source.gold, np.concatenate(sides))
    runs = both.runs[: len(points)], both.runs[len(points) :]
    result = compare_runs(both.metric, both.gold, *runs, source.clusters, same_seeds=True, level=level)
    return Gap(result.difference)


def why_not_paired(panels: Panels, language: str) -> str:
    """Why the test sets of source and target cannot be compared item by item; nothing where they can."""
    source, target = panels.test(panels.source), panels.test(language)
    where = f"not paired: the test sets of {panels.source!r} and {language!r} "
    if set(source.ids) != set(target.ids):
        lacking = len(set(source.ids) - set(target.ids))
        return f"{where}are not the same items ({source.n_items} and {target.n_items}; {lacking} ids are missing)"
    position = {item: i for i, item in enumerate(target.ids)}
    order = np.array([position[item] for item in source.ids])
    if source.scoring.is_tagging:
        return f"{where}are tagged word by word, and words differ between languages"
    differs = np.flatnonzero(source.gold != target.gold[order])
    if len(differs):
        first = str(source.ids[differs[0]])
        return f"{where}have other gold labels under the same ids ({len(differs)} of {source.n_items}, first {first!r})"
    return ""
