"""The section on data size: Table 4, what extra data changes per category (Figure 3), and curves (Figure 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from goldproof.report.charts import Caption, curves, heat_map
from goldproof.report.numbers import in_words
from goldproof.report.summary import Cell, Claim, Column, Figure, Item, Missing, Section, Table, Text
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg, holm
from goldproof.studies.stability.plan import Condition
from goldproof.studies.stability.published import (
    BETTER_EVERYWHERE,
    FULL_AMOUNT,
    OVERALL,
    OVERALL_EXTRA,
    SHARE_HIGHER,
    SHARE_STEADIER,
)
from goldproof.studies.stability.scores import MCC, deviations, finite, summary_method
from goldproof.studies.stability.scores import ConditionScores as Scored
from goldproof.studies.stability.scores import StabilityFindings as Findings

NOT_PRINTED = "not in the paper"


@dataclass(frozen=True, slots=True)
class Change:
    """What extra data did to one category of one language: ΔMCC with its test, and the change of the deviation."""

    language: str
    category: str
    mcc: Comparison
    deviation: float
    told: bool


def size_section(found: Findings) -> list[Section]:
    """What extra training data does to score and stability; nothing where none was added."""
    amounts = {language: found.config.extra.amounts_for(language) for language in found.config.data.languages}
    amounts = {language: values for language, values in amounts.items() if values}
    if not amounts:
        return []
    # The amount that most languages share, the largest of those, is what the change is shown for.
    common = set.intersection(*(set(values) for values in amounts.values()))
    items: list[Item] = [_table(found, amounts), *_curves(found, amounts)]
    if common:
        items += _change_items(found, list(amounts), max(common))
    return [Section("Does extra data steady it?", items)]


def gains(found: Findings) -> list[str | Claim]:
    """What the largest amount of extra data did to each language's overall score."""
    claims: list[str | Claim] = []
    for language in found.config.data.languages:
        amounts = found.config.extra.amounts_for(language)
        if not amounts:
            continue
        scored, base = found.scored[Condition(language, max(amounts))], found.base[language]
        gain = _compare(scored, base, np.arange(scored.answers.n_items), found.config.level).difference
        claims.append(Claim(_gain_text(language, max(amounts), gain), standing_of(gain), gain, digits=3))
    return claims


def _gain_text(language: str, amount: int, gain: Estimate) -> str:
    if standing_of(gain) == "undecided":
        return f"{language}: {amount:,} extra rows are not shown to change the overall MCC."
    verb = "raise" if gain.value > 0 else "lower"
    return f"{language}: {amount:,} extra rows {verb} the overall MCC by {abs(gain.value):.3f}."


def standing_of(change: Estimate) -> Literal["shown", "undecided"]:
    """Whether a change is shown: its interval, where there is one, leaves out 0."""
    return "shown" if change.low > 0 or change.high < 0 else "undecided"


def _table(found: Findings, amounts: dict[str, tuple[int, ...]]) -> Table:
    rows: list[dict[str, Cell]] = []
    keys: list[str] = []
    for language, values in amounts.items():
        base = found.base[language]
        for amount in (0, *values):
            scored = found.scored[Condition(language, amount)]
            keys += scored.keys
            rows.append(_row(found, language, amount, scored, base))
    _adjust(rows)
    columns = [
        Column("language", "Language"),
        Column("extra", "Extra rows"),
        Column("overall", "Overall MCC", 3, "", "one MCC over all rows, mean over seeds"),
        Column("sd", "± over seeds", 3),
        Column("paper", "Overall MCC", 3, published=True),
        Column("paper_sd", "± over seeds", 3, published=True),
        Column("gain", "Gain", 3, "", "over no extra data, on the same rows; interval over seeds and rows"),
        Column("p", "p", 3, "p-value", "two-sided, adjusted over the rows of this table (Holm)"),
        Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores"),
        Column("paper_correlation", "Seed correlation", 3, published=True),
    ]
    note = f"The paper's numbers are for {FULL_AMOUNT:,} rows of MNLI." if found.with_paper else ""
    return Table("data-size", _title(rows), found.columns(columns), rows, note, keys)


def _title(rows: list[dict[str, Cell]]) -> str:
    tested = [row for row in rows if isinstance(row["p"], float)]
    gains = [row for row in tested if isinstance(row["p"], float) and row["p"] < 0.05]
    return f"Extra data changes the overall MCC in {len(gains)} of {len(tested)} cases (p < .05, adjusted)"


def _adjust(rows: list[dict[str, Cell]]) -> None:
    """Put p values adjusted over the rows (Holm) in the place of the plain ones."""
    tested = [row for row in rows if isinstance(row["p"], float)]
    for row, p in zip(tested, holm(np.array([row["p"] for row in tested])), strict=True):
        row["p"] = float(p)


def _row(found: Findings, language: str, amount: int, scored: Scored, base: Scored) -> dict[str, Cell]:
    level = found.config.level
    estimate = scored.correlation(level)
    row: dict[str, Cell] = {
        "language": language,
        "extra": amount,
        "overall": summary_method(scored.overall),
        "sd": float(scored.run_overall.std(ddof=1)) if scored.n_runs > 1 else Missing("needs at least two seeds"),
        "correlation": estimate if estimate and math.isfinite(estimate.value) else Missing("the seeds do not vary"),
    }
    row["gain"] = row["p"] = Missing("nothing was added")
    if amount:
        result = _compare(scored, base, np.arange(scored.answers.n_items), level)
        row["gain"], row["p"] = result.difference, finite(result.p_value, result.difference.method)
    paper = {0: OVERALL, FULL_AMOUNT: OVERALL_EXTRA}.get(amount, {}).get(language)
    for key, name in (("paper", "mcc"), ("paper_sd", "sd"), ("paper_correlation", "correlation")):
        row[key] = getattr(paper, name) if paper else Missing(NOT_PRINTED)
    return row


def _compare(scored: Scored, base: Scored, items: np.ndarray, level: float) -> Comparison:
    clusters = None if scored.answers.clusters is None else scored.answers.clusters[items]
    result = compare_runs(
        MCC,
        scored.answers.gold[items],
        scored.answers.runs[:, items],
        base.answers.runs[:, items],
        clusters,
        level=level,
    )
    return replace(result, difference=summary_method(result.difference))


def _curves(found: Findings, amounts: dict[str, tuple[int, ...]]) -> list[Figure]:
    rows: list[dict[str, Cell]] = []
    for language, values in amounts.items():
        for amount in (0, *values):
            scored = found.scored[Condition(language, amount)]
            estimate = scored.correlation(found.config.level)
            rows.append(
                {"language": language, "extra": amount, "score": summary_method(scored.overall), "what": "Overall MCC"}
            )
            if estimate is not None and math.isfinite(estimate.value):
                rows.append({"language": language, "extra": amount, "score": estimate, "what": "Seed correlation"})
    caption = Caption("size-curves", _curves_title(found, amounts))
    return [
        curves(
            rows,
            Column("extra", "Extra rows"),
            Column("score", "Score", 3),
            series=Column("language", "Language"),
            facet=Column("what", "What"),
            caption=caption,
        )
    ]


def _curves_title(found: Findings, amounts: dict[str, tuple[int, ...]]) -> str:
    """From where to where the overall score goes, in each language."""
    parts = []
    for language, values in amounts.items():
        first, last = (found.scored[Condition(language, amount)].overall for amount in (0, max(values)))
        parts.append(f"{language} from {in_words(first, 3)} to {in_words(last, 3)}")
    most = max(max(values) for values in amounts.values())
    return f"With up to {most:,} extra rows the overall MCC goes: {', '.join(parts)}"


def _change_items(found: Findings, languages: list[str], amount: int) -> list[Item]:
    changes = [change for language in languages for change in _changes(found, language, amount)]
    keys = [key for language in languages for key in found.scored[Condition(language, amount)].keys]
    rows: list[dict[str, Cell]] = [
        {"language": c.language, "category": c.category, "change": c.mcc.difference, "chance": not c.told}
        for c in changes
    ]
    told = sum(change.told for change in changes)
    title = f"With {amount:,} extra rows, {told} of {len(changes)} changes of a category's MCC can be told from none"
    note = "False discoveries controlled over each language."
    maps = [
        heat_map(
            rows,
            Column("language", "Language"),
            Column("category", "Category"),
            Column("change", "ΔMCC", 2),
            caption=Caption("size-change", title, note, keys),
            chance=Column("chance", "no change"),
        )
    ]
    if all(math.isfinite(change.deviation) for change in changes):
        maps.append(_deviation_map(changes, amount, keys))
    return [*maps, _shares(found, changes, amount), Text(_everywhere(found, changes, amount))]


def _changes(found: Findings, language: str, amount: int) -> list[Change]:
    from goldproof.judging.tags import items_by_tag

    base, more = found.base[language], found.scored[Condition(language, amount)]
    results = [_compare(more, base, items, found.config.level) for items in items_by_tag(base.answers).values()]
    known = np.array([math.isfinite(result.p_value) for result in results])
    adjusted = np.ones(len(results))
    if known.any():
        adjusted[known] = benjamini_hochberg(np.array([r.p_value for r in results])[known])
    deltas = deviations(more) - deviations(base)
    return [
        Change(language, category, result, float(delta), bool(p < 1 - found.config.level))
        for category, result, delta, p in zip(base.categories, results, deltas, adjusted, strict=True)
    ]


def _deviation_map(changes: list[Change], amount: int, keys: list[str]) -> Figure:
    rows: list[dict[str, Cell]] = [
        {"language": c.language, "category": c.category, "deviation": c.deviation} for c in changes
    ]
    mean = float(np.mean([change.deviation for change in changes]))
    title = f"With {amount:,} extra rows the deviation over seeds changes by {mean:+.3f} on average"
    return heat_map(
        rows,
        Column("language", "Language"),
        Column("category", "Category"),
        Column("deviation", "Δσ", 2),
        caption=Caption("size-deviation", title.replace("-", "−"), "", keys),
    )


def _shares(found: Findings, changes: list[Change], amount: int) -> Table:
    limits = found.config.thresholds
    higher = [change.mcc.difference.value > limits.higher for change in changes]
    steadier = [change.deviation < -limits.steadier for change in changes if math.isfinite(change.deviation)]
    rows: list[dict[str, Cell]] = []
    for what, cells, printed in (
        (f"ΔMCC above {limits.higher:g}", higher, SHARE_HIGHER),
        (f"Δσ below −{limits.steadier:g}", steadier, SHARE_STEADIER),
    ):
        beside: Cell = printed if found.config.thresholds == type(limits)() else Missing("other thresholds")
        share: Cell = float(np.mean(cells)) if cells else Missing("needs at least two seeds")
        rows.append({"what": what, "cells": len(changes), "share": share, "paper": beside})
    columns = [
        Column("what", "Cells with"),
        Column("cells", "Cells"),
        Column("share", "Share", 0, "%"),
        Column("paper", "Share", 0, "%", published=True),
    ]
    paper = f"; the paper's shares are for {FULL_AMOUNT:,} rows and five languages" if found.with_paper else ""
    title = f"{sum(higher)} of {len(higher)} categories rise and {sum(steadier)} of {len(steadier)} grow steadier"
    return Table("size-shares", title, found.columns(columns), rows, f"With {amount:,} extra rows{paper}.")


def _everywhere(found: Findings, changes: list[Change], amount: int) -> str:
    limit = found.config.thresholds.everywhere
    languages = {change.language for change in changes}
    rising: dict[str, int] = {}
    for change in changes:
        rising[change.category] = rising.get(change.category, 0) + (change.mcc.difference.value > limit)
    names = [category for category, n in rising.items() if n == len(languages)]
    paper = f" In the paper, with {FULL_AMOUNT:,} rows and five languages: {', '.join(BETTER_EVERYWHERE)}."
    return (
        f"Categories whose MCC rises by more than {limit:g} in every one of {len(languages)} languages with {amount:,} "
        f"extra rows: {', '.join(names) or 'none'}."
    ) + (paper if found.with_paper else "")
