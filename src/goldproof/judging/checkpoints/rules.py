"""Rules that choose a checkpoint, and how they compare on the same test items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.checkpoints.experiment import Experiment
from goldproof.judging.metrics import mean_score, metric_of, run_scores
from goldproof.statistics.arrays import FloatArray, IntArray
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.families import adjust_together
from goldproof.statistics.multiplicity import benjamini_hochberg
from goldproof.statistics.sets import PairedSet, compare_over_sets, shared_codes

CheckpointRule = Literal[
    "source dev", "source dev, surest", "last", "averaged", "averaged weights", "other dev", "target dev"
]
RULES: tuple[CheckpointRule, ...] = get_args(CheckpointRule)
USUAL: CheckpointRule = "source dev"
NOT_AVERAGED = "the weights of checkpoints were not averaged (setting average_weights)"
MEANING = {
    "source dev": "best source dev score, the usual practice; the earliest of ties",
    "source dev, surest": "best source dev score; among ties, the checkpoint that is surest of its answers there",
    "last": "the last checkpoint",
    "averaged": "not a checkpoint: the mean log-probabilities of all of them",
    "averaged weights": "not a checkpoint: one model with the mean of all their weights",
    "other dev": "best mean dev score of the other languages, including the source; needs labels there, not here",
    "target dev": "best target dev score, the oracle; needs labels in the target language",
}


@dataclass(frozen=True, slots=True)
class RuleScore:
    """A rule in one language: its test score, and its difference to the usual rule on the same items and runs.

    Where the rule cannot be followed `reason` says why, and there is no estimate.
    """

    language: str
    rule: CheckpointRule
    estimate: Estimate | None = None
    difference: Estimate | None = None
    run_scores: FloatArray | None = None
    p_value: float = float("nan")
    adjusted: float = float("nan")
    reason: str = ""


def choose_points(rule: CheckpointRule, experiment: Experiment, language: str) -> IntArray | str:
    """The checkpoint that a rule chooses in each run, or the reason why it cannot."""
    source = experiment.dev(experiment.source)
    assert source is not None
    if rule == "source dev":
        return best_points(source.scores)
    if rule == "source dev, surest":
        if source.confidence is None:
            return "the predictions have no probabilities"
        best = np.nanmax(source.scores, axis=1, keepdims=True)
        return best_points(np.where(source.scores >= best - 1e-12, source.confidence, -np.inf))
    if rule == "last":
        return experiment.last_points()
    if rule == "target dev":
        target = experiment.dev(language)
        return "the language has no development set" if target is None else best_points(target.scores)
    others = [experiment.dev(name) for name in (experiment.source, *experiment.targets) if name != language]
    found = [each.scores for each in others if each is not None]
    if len(found) < 2:
        return "no other target language has a development set"
    return best_points(np.mean(found, axis=0))


def best_points(scores: FloatArray) -> IntArray:
    """The checkpoint with the highest score in each run (runs × checkpoints); the earliest of equals.

    >>> best_points(np.array([[0.1, 0.5, 0.5], [0.3, np.nan, np.nan]])).tolist()
    [1, 0]
    """
    return np.asarray(np.argmax(np.where(np.isnan(scores), -np.inf, scores), axis=1))


def compare_rules(experiment: Experiment, languages: Sequence[str], level: float = 0.95) -> list[RuleScore]:
    """Every rule in every language; p-values are adjusted over all of them (Benjamini-Hochberg)."""
    found = [_score_rule(rule, experiment, language, level) for language in languages for rule in RULES]
    tested = [i for i, score in enumerate(found) if np.isfinite(score.p_value)]
    if tested:
        adjusted = benjamini_hochberg(np.array([found[i].p_value for i in tested]))
        for i, p_value in zip(tested, adjusted, strict=True):
            found[i] = replace(found[i], adjusted=float(p_value))
    return found


@dataclass(frozen=True, slots=True)
class MeanGain:
    """A rule's difference to the usual one, mean over the languages in which it can be followed.

    The interval is over runs and test items, and holds for all rules together; `p_value` is of the rule alone.
    """

    rule: CheckpointRule
    estimate: Estimate
    p_value: float
    n_languages: int


def mean_gains(experiment: Experiment, languages: Sequence[str], level: float = 0.95) -> list[MeanGain]:
    """Every rule but the usual one over all languages; rules that can be followed in none are left out."""
    sets = {rule: _paired_sets(rule, experiment, languages) for rule in RULES if rule != USUAL}
    alone = {rule: compare_over_sets(own, level) for rule, own in sets.items() if own}
    family = adjust_together(np.array([found.p_value for found in alone.values()]), None, level)
    gains = []
    for rule, found in alone.items():
        together = compare_over_sets(sets[rule], family.level).difference
        several = sum(np.isfinite(each.p_value) for each in alone.values())
        method = f"{together.method}; for {several} rules together" if several > 1 else together.method
        gains.append(MeanGain(rule, replace(together, method=method), found.p_value, len(sets[rule])))
    return gains


def _paired_sets(rule: CheckpointRule, experiment: Experiment, languages: Sequence[str]) -> list[PairedSet]:
    """A rule and the usual one in each language in which it can be followed; items of one id are one item."""
    found = []
    for language in languages:
        chosen, usual = _answers(rule, experiment, language), _answers(USUAL, experiment, language)
        if not isinstance(chosen, str) and not isinstance(usual, str):
            found.append((chosen, usual))
    codes = shared_codes([one.ids for one, _ in found], [one.clusters for one, _ in found])
    return [
        PairedSet(metric_of(a.with_runs_of(b), experiment.metric), a.gold, a.runs, b.runs, of_set)
        for (a, b), of_set in zip(found, codes, strict=True)
    ]


def _score_rule(rule: CheckpointRule, experiment: Experiment, language: str, level: float) -> RuleScore:
    chosen, usual = _answers(rule, experiment, language), _answers(USUAL, experiment, language)
    if isinstance(chosen, str) or isinstance(usual, str):
        return RuleScore(language, rule, reason=str(chosen))
    estimate, scores = mean_score(chosen, experiment.metric, level), run_scores(chosen, experiment.metric)
    if rule == USUAL:
        return RuleScore(language, rule, estimate, run_scores=scores)
    measure = metric_of(chosen.with_runs_of(usual), experiment.metric)
    result = compare_runs(measure, chosen.gold, chosen.runs, usual.runs, chosen.clusters, same_seeds=True, level=level)
    return RuleScore(language, rule, estimate, result.difference, scores, result.p_value)


def _answers(rule: CheckpointRule, experiment: Experiment, language: str) -> Answers | str:
    """The answers on the language's test set that a rule leads to, or the reason why there are none."""
    test = experiment.test(language)
    if rule == "averaged":
        if test.averaged is None and test.first.task == "score":
            return "spans of a passage have no mean over checkpoints"
        return "the predictions have no probabilities" if test.averaged is None else test.averaged
    if rule == "averaged weights":
        return NOT_AVERAGED if test.averaged_weights is None else test.averaged_weights
    points = choose_points(rule, experiment, language)
    return points if isinstance(points, str) else test.at(points)
