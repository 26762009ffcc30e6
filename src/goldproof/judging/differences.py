"""Differences: B − A on sets or categories that are read together, each with a verdict, so that all hold at once.

Runs that collapsed are left out. Where the answers come from, and what they are paired with, is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.collapse import collapse_notes, collapse_of, without_collapsed
from goldproof.judging.gate import Margins
from goldproof.judging.metric_numbers import margin_text
from goldproof.judging.metrics import averaged, countable, mean_score, metric_of
from goldproof.judging.scope import scope_of_difference
from goldproof.judging.score import Settings
from goldproof.judging.tags import items_by_tag
from goldproof.judging.verdict import Design, Verdict, judge
from goldproof.report.numbers import p_text
from goldproof.statistics.arrays import group_codes
from goldproof.statistics.changes import Flips, flips, model_churn, seed_churn
from goldproof.statistics.clusters import cluster_shares, cluster_warning, wild_cluster_test
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.families import Family, adjust_together, correlation_of
from goldproof.statistics.proportions import mcnemar

MOST_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """B − A on one set: the scores, the difference, flips, churn, and the verdict.

    `together` is the interval that holds for all sets (or categories) at once, and `adjusted` the p that goes with
    it; the verdict is theirs. `second` is a second opinion on p where clusters are few, `p_here` the p on these very
    items.
    """

    where: Mapping[str, str]
    a: Estimate
    b: Estimate
    difference: Estimate
    p_value: float
    verdict: Verdict
    flips: Flips | None = None
    mcnemar: float | None = None
    churn: float | None = None
    seed_churn: float | None = None
    adjusted: float = float("nan")
    together: Estimate | None = None
    second: float | None = None
    p_here: float = float("nan")


@dataclass(frozen=True, slots=True)
class Judging:
    """How to judge: by which metric, with which settings and margins."""

    metric: str
    settings: Settings
    margins: Margins


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides without the runs that collapsed, and their comparison alone."""

    a: Answers
    b: Answers
    result: Comparison
    where: Mapping[str, str]


def compare_pair(pair: tuple[Answers, Answers], judging: Judging) -> Compared:
    """Compare two sides by themselves, without the runs that collapsed."""
    a, b = (without_collapsed(side, collapse_of(side)) for side in pair)
    return Compared(a, b, _compare(a, b, judging, judging.settings.look_level), a.where)


def _compare(a: Answers, b: Answers, judging: Judging, level: float) -> Comparison:
    """B − A; both sides have one metric, so that they share its codes. Repeats of one system are its items' means."""
    a, b = (averaged(countable(side, judging.metric)) for side in (a, b))
    measure = metric_of(a.with_runs_of(b), judging.metric)
    return compare_runs(measure, a.gold, b.runs, a.runs, a.clusters, level=level, seed_sd=judging.settings.seed_sd)


def differences_of(compared: Sequence[Compared], judging: Judging) -> list[Difference]:
    """Comparisons that are read together: each with its verdict, so that all hold at once."""
    if not compared:
        return []
    family = _family(compared, judging.settings.look_level)
    return [
        _difference(each, float(adjusted), family.level, judging)
        for each, adjusted in zip(compared, family.adjusted, strict=True)
    ]


def _family(compared: Sequence[Compared], level: float) -> Family:
    p_values = np.array([each.result.p_value for each in compared])
    if not 1 < len(compared) <= MOST_TOGETHER:
        return adjust_together(p_values, None, level)
    keys = [each.a.ids if each.a.clusters is None else np.unique(each.a.clusters) for each in compared]
    code = {key: i for i, key in enumerate(dict.fromkeys(str(key) for part in keys for key in part))}
    parts = np.zeros((len(code), len(compared)))
    for k, (each, part) in enumerate(zip(compared, keys, strict=True)):
        if each.result.influence is not None:
            parts[[code[str(key)] for key in part], k] = each.result.influence
    covariance = parts.T @ parts
    # A few runs do not tell how sets go together over seeds; taken as independent, their part errs on the safe side.
    spread = [max(each.result.standard_error**2 - covariance[k, k], 0.0) for k, each in enumerate(compared)]
    covariance += np.diag(np.nan_to_num(spread))
    return adjust_together(p_values, correlation_of(covariance), level)


def _difference(compared: Compared, adjusted: float, level: float, judging: Judging) -> Difference:
    a, b, alone = compared.a, compared.b, compared.result
    metric, n_a, n_b = judging.metric, compared.a.n_runs, compared.b.n_runs
    result = alone if level == alone.difference.level else _compare(a, b, judging, level)
    classes = a.task == "classification"
    several = [side for side in (a, b) if classes and side.n_runs > 1]
    changed = flips(a.gold, a.runs[0], b.runs[0]) if classes and n_a == n_b == 1 else None
    return Difference(
        where=compared.where,
        a=mean_score(a, metric, judging.settings.level),
        b=mean_score(b, metric, judging.settings.level),
        difference=_named_sides(alone.difference, n_a, n_b),
        p_value=alone.p_value,
        verdict=judge(result, _design(compared, judging), judging.margins.tie, metric),
        flips=changed,
        mcnemar=mcnemar(changed.only_a, changed.only_b, "exact") if changed is not None else None,
        churn=model_churn(a.runs, b.runs) if classes else None,
        seed_churn=float(np.mean([seed_churn(side.runs) for side in several])) if several else None,
        adjusted=adjusted,
        together=_named_sides(result.difference, n_a, n_b),
        second=_second_opinion(compared),
        p_here=alone.p_here,
    )


def _named_sides(difference: Estimate, n_a: int, n_b: int) -> Estimate:
    """The method with the runs of each side told apart, where their numbers differ."""
    runs = f"A {n_a} and B {n_b} runs"
    return (
        difference if n_a == n_b else replace(difference, method=re.sub(r"^\d+ and \d+ runs", runs, difference.method))
    )


def _design(compared: Compared, judging: Judging) -> Design:
    a, b, seed_sd = compared.a, compared.b, judging.settings.seed_sd
    spread = margin_text(seed_sd, judging.metric) if seed_sd else ""
    about = scope_of_difference(compared.result.scope, a, b, seed_sd, spread)
    return Design(min(a.n_runs, b.n_runs), about, clustered=a.clusters is not None)


def _second_opinion(compared: Compared) -> float | None:
    """The wild cluster bootstrap's p, where clusters are few or one holds much."""
    a, influence = compared.a, compared.result.influence
    if influence is None or not cluster_warning(a.clusters):
        return None
    shares = cluster_shares(group_codes(a.clusters, a.n_items))
    parts = influence + shares * compared.result.difference.value
    return wild_cluster_test(parts, shares, np.random.default_rng(0))


def tag_differences(pairs: Sequence[tuple[Answers, Answers]], judging: Judging) -> list[Difference]:
    """The differences on the categories of all sets that are large enough, read together."""
    compared = [
        replace(compare_pair((a.take(items), b.take(items)), judging), where={**a.where, "tag": tag})
        for a, b in pairs
        for tag, items in items_by_tag(a).items()
        if len(items) >= judging.settings.smallest_tag
    ]
    return differences_of(compared, judging)


def collapsed_runs(pairs: Sequence[tuple[Answers, Answers]]) -> list[str]:
    """What is to be said of runs that give one answer to everything, set by set and side by side."""
    return [
        note
        for pair in pairs
        for side, answers in zip("AB", pair, strict=True)
        for note in collapse_notes(answers, collapse_of(answers), " ".join([side, *answers.where.values()]))
    ]


def comparison_limits(pairs: Sequence[tuple[Answers, Answers]], overall: Difference, judging: Judging) -> list[str]:
    """What the comparison rests on that a reader should know."""
    notes = [f"{a.name()}: {warning}." for a, _ in pairs if (warning := cluster_warning(a.clusters))]
    if overall.second is not None:
        notes.append(
            f"Second opinion, because there are few clusters: wild cluster bootstrap, {p_text(overall.second)}."
        )
    if judging.settings.looks > 1:
        notes.append(
            f"One of {judging.settings.looks} looks: intervals are at {100 * judging.settings.look_level:.4g} %, so "
            f"that all looks together are wrong in no more than {100 * (1 - judging.settings.level):.2g} %."
        )
    elif overall.verdict.kind == "undecided":
        notes.append(
            "Decide beforehand how many more to add: adding until a verdict appears makes a false one likely. If you "
            "look several times, give the number of looks with --looks every time."
        )
    return notes
