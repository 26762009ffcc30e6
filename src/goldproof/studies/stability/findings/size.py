"""The section on data size: Table 4, what extra data changes per category (Figure 3), and curves (Figure 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from goldproof.report.charts import Caption, Panels, curves, heat_map
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.heat_maps import Centre
from goldproof.report.numbers import estimate_text, in_words
from goldproof.report.summary import Cell, Claim, Column, Figure, Item, Missing, Section, Table, Text
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg, holm
from goldproof.studies.stability.findings.after import after_sections
from goldproof.studies.stability.findings.averages import average_row
from goldproof.studies.stability.findings.steadiness import (
    standing_of,
    steadiness,
    steadiness_table,
    steadiness_title,
)
from goldproof.studies.stability.plan import Condition
from goldproof.studies.stability.published import (
    AVERAGE_EXTRA,
    AVERAGE_OVERALL,
    BETTER_EVERYWHERE,
    FULL_AMOUNT,
    OVERALL,
    OVERALL_EXTRA,
    SHARE_HIGHER,
    SHARE_STEADIER,
    Overall,
)
from goldproof.studies.stability.scores import (
    COLLAPSED,
    MCC,
    ConditionScores,
    StabilityFindings,
    constant_categories,
    deviations,
    summary_method,
)


@dataclass(frozen=True, slots=True)
class Change:
    """What extra data did to one category of one language: ΔMCC with its test, and the change of the deviation.

    `is_constant` where a run gives one answer to all rows of the category, so that its deviation says nothing.
    """

    language: str
    category: str
    mcc: Comparison
    deviation: float
    told: bool
    is_constant: bool = False


def size_section(found: StabilityFindings) -> list[Section]:
    """What extra training data does to score and stability; nothing where none was added."""
    amounts = {language: found.config.extra.amounts_for(language) for language in found.config.data.languages}
    amounts = {language: values for language, values in amounts.items() if values and language in found.base}
    if not amounts:
        return []
    # The amount that most languages share, the largest of those, is what the change is shown for.
    common = set.intersection(*(set(values) for values in amounts.values()))
    every = _adjusted(
        [_amount(found, language, amount) for language, values in amounts.items() for amount in (0, *values)]
    )
    items: list[Item] = [_table(found, amounts, every), *_curves(found, amounts, every)]
    if common:
        items += _change_items(found, list(amounts), max(common))
    sections = [Section("Does extra data make it steadier?", items)]
    return [*sections, *(after_sections(found, list(amounts), max(common)) if common else [])]


def gains(found: StabilityFindings) -> list[Claim]:
    """What the largest amount of extra data did to each language's overall score."""
    amounts = {language: found.config.extra.amounts_for(language) for language in found.base}
    every = _adjusted([_amount(found, language, max(values)) for language, values in amounts.items() if values])
    claims: list[Claim] = []
    for row in every:
        if row.gain is not None:
            gain = row.gain.difference
            standing = standing_of(gain, row.adjusted, found.config.level)
            claims.append(Claim(_gain_text(row, gain, standing), standing, gain, digits=3, place="data-size"))
    return claims


def _gain_text(row: _Amount, gain: Estimate, standing: str) -> str:
    if standing == "undecided":
        ends = "" if math.isnan(gain.low) else f"; {gain.low:+.2f} to {gain.high:+.2f} fit the data".replace("-", "−")
        return f"{row.language}: {row.amount:,} extra rows are not shown to change the overall MCC{ends}."
    verb = "raise" if gain.value > 0 else "lower"
    return f"{row.language}: {row.amount:,} extra rows {verb} the overall MCC by {estimate_text(_size(gain), 3)}."


def _size(gain: Estimate) -> Estimate:
    """The size of a change, positive."""
    return gain if gain.value > 0 else replace(gain, value=-gain.value, low=-gain.high, high=-gain.low)


@dataclass(frozen=True, slots=True)
class _Amount:
    """A language with so many extra rows: its scores, the gain over none with its adjusted p, and the paper's row."""

    language: str
    amount: int
    scored: ConditionScores
    gain: Comparison | None
    adjusted: float | None
    paper: Overall | None


def _printed(name: str, row: _Amount) -> Cell:
    return printed_cell(getattr(row.paper, name, None))


def _deviation(row: _Amount) -> Cell:
    several = row.scored.n_runs > 1
    return float(row.scored.run_overall.std(ddof=1)) if several else Missing("needs at least two seeds")


def _no_gain(row: _Amount) -> Missing:
    return Missing(COLLAPSED if row.amount else "nothing was added")


def _p_value(row: _Amount) -> Cell:
    if row.gain is None:
        return _no_gain(row)
    return Missing(row.gain.difference.method) if row.adjusted is None else row.adjusted


def _amount_fields(level: float) -> list[Field[_Amount]]:
    between = Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores")
    gain = Column("gain", "Gain", 3, "", "compared with no extra data, on the same rows; interval over seeds and rows")
    return [
        Field(Column("language", "Language"), lambda row: row.language),
        Field(Column("extra", "Extra rows"), lambda row: row.amount),
        Field(
            Column("overall", "Overall MCC", 3, "", "one MCC over all rows, mean over seeds"),
            lambda row: summary_method(row.scored.overall),
        ),
        Field(Column("sd", "± over seeds", 3), _deviation),
        Field(Column("paper", "Overall MCC", 3, published=True), partial(_printed, "mcc")),
        Field(Column("paper_sd", "± over seeds", 3, published=True), partial(_printed, "sd")),
        Field(gain, lambda row: row.gain.difference if row.gain else _no_gain(row)),
        Field(Column("p", "p", 3, "p-value", "two-sided, adjusted over the rows of this table (Holm)"), _p_value),
        Field(between, lambda row: correlation_cell(row.scored, level)),
        Field(Column("paper_correlation", "Seed correlation", 3, published=True), partial(_printed, "correlation")),
    ]


def correlation_cell(scored: ConditionScores, level: float) -> Cell:
    """The mean correlation between the seeds' category scores, where they vary."""
    estimate = scored.correlation(level)
    return estimate if estimate and math.isfinite(estimate.value) else Missing("the seeds do not vary")


def _table(found: StabilityFindings, amounts: dict[str, tuple[int, ...]], every: list[_Amount]) -> Table:
    keys = [key for row in every for key in row.scored.keys]
    has_paper = any(row.paper is not None for row in every if row.amount)
    note = f"The paper's numbers are for {FULL_AMOUNT:,} rows of MNLI." if has_paper else ""
    note = " ".join(filter(None, [note, found.paper.note]))
    table = make_table(Heading("data-size", _title(every), note, keys), _amount_fields(found.config.level), every)
    shared = set.intersection(*({0, *values} for values in amounts.values()))
    is_whole = found.paper_extra().stands and set(amounts) == set(OVERALL)
    for amount in sorted(shared):
        printed = {0: AVERAGE_OVERALL, FULL_AMOUNT: AVERAGE_EXTRA}.get(amount) if is_whole else None
        table = average_row(table, printed, {"extra": amount})
    return table


def _title(every: list[_Amount]) -> str:
    return f"Extra data is shown to change the overall MCC in {_cases(every)}"


def _cases(every: list[_Amount]) -> str:
    """In how many of the tested cases the overall score is shown to change."""
    tested = [row.adjusted for row in every if row.adjusted is not None]
    return f"{sum(p < 0.05 for p in tested)} of {len(tested)} cases"


def _adjusted(every: list[_Amount]) -> list[_Amount]:
    """The same rows with p values adjusted over those that have one (Holm)."""
    p_values = {place: row.gain.p_value for place, row in enumerate(every) if row.gain is not None}
    tested = [place for place, p in p_values.items() if math.isfinite(p)]
    adjusted = dict(zip(tested, holm(np.array([p_values[place] for place in tested], float)), strict=True))
    return [
        replace(row, adjusted=float(adjusted[place]) if place in adjusted else None) for place, row in enumerate(every)
    ]


def _amount(found: StabilityFindings, language: str, amount: int) -> _Amount:
    scored, base = found.scored[Condition(language, amount)], found.base[language]
    works = not (scored.is_collapsed or base.is_collapsed)
    items = np.arange(scored.answers.n_items)
    gain = compare_conditions(scored, base, items, found.config.level) if amount and works else None
    return _Amount(language, amount, scored, gain, None, _paper(found, language, amount))


def _paper(found: StabilityFindings, language: str, amount: int) -> Overall | None:
    """The paper's row: without extra data Table 3, with all of MNLI Table 4."""
    if amount == 0:
        return OVERALL.get(language) if found.paper.stands else None
    return OVERALL_EXTRA.get(language) if found.paper_extra().stands and amount == FULL_AMOUNT else None


def compare_conditions(scored: ConditionScores, base: ConditionScores, items: np.ndarray, level: float) -> Comparison:
    """The change of MCC on these items from one condition to another, over seeds and clusters of twins."""
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


def _curves(found: StabilityFindings, amounts: dict[str, tuple[int, ...]], every: list[_Amount]) -> list[Figure]:
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
    caption = Caption("size-curves", _curves_title(found, amounts, every))
    return [
        curves(
            rows,
            Column("extra", "Extra rows"),
            Column("score", "Score", 3),
            series=Column("language", "Language"),
            facet=Panels(Column("what", "What"), own_axes=True),
            caption=caption,
            log_x=True,
        )
    ]


def _curves_title(found: StabilityFindings, amounts: dict[str, tuple[int, ...]], every: list[_Amount]) -> str:
    """In how many cases the overall score is shown to change, and from where to where it goes in each language."""
    parts = []
    for language, values in amounts.items():
        first, last = (found.scored[Condition(language, amount)].overall for amount in (0, max(values)))
        parts.append(f"{language} from {in_words(first, 3)} to {in_words(last, 3)}")
    most = max(max(values) for values in amounts.values())
    return f"With up to {most:,} extra rows the overall MCC is shown to change in {_cases(every)}: {', '.join(parts)}"


def _change_items(found: StabilityFindings, languages: list[str], amount: int) -> list[Item]:
    working = [name for name in languages if not found.scored[Condition(name, amount)].is_collapsed]
    changes = [change for language in working for change in _changes(found, language, amount)]
    if not changes:
        return [Text(f"With {amount:,} extra rows every run collapsed, so no category's change can be assessed.")]
    keys = [key for language in languages for key in found.scored[Condition(language, amount)].keys]
    rows: list[dict[str, Cell]] = [
        {"language": c.language, "category": c.category, "change": c.mcc.difference, "chance": not c.told}
        for c in changes
    ]
    told = sum(change.told for change in changes)
    title = (
        f"With {amount:,} extra rows, {told} of {len(changes)} changes in a category's MCC can be distinguished "
        "from none"
    )
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
    if all(math.isfinite(change.deviation) for change in changes) and not all(c.is_constant for c in changes):
        maps.append(_deviation_map(found, changes, amount, keys))
    steady = steadiness(found, working, amount)
    tables = [steadiness_table(steady)] if steady else []
    return [*maps, *tables, _shares(found, changes, amount), Text(_everywhere(found, changes, amount))]


def _changes(found: StabilityFindings, language: str, amount: int) -> list[Change]:
    from goldproof.judging.tags import items_by_tag

    base, more = found.base[language], found.scored[Condition(language, amount)]
    results = [
        compare_conditions(more, base, items, found.config.level) for items in items_by_tag(base.answers).values()
    ]
    known = np.array([math.isfinite(result.p_value) for result in results])
    adjusted = np.ones(len(results))
    if known.any():
        adjusted[known] = benjamini_hochberg(np.array([r.p_value for r in results])[known])
    deltas = deviations(more) - deviations(base)
    constant = constant_categories(more) | constant_categories(base)
    return [
        Change(language, category, result, float(delta), bool(p < 1 - found.config.level), category in constant)
        for category, result, delta, p in zip(base.categories, results, deltas, adjusted, strict=True)
    ]


def _deviation_map(found: StabilityFindings, changes: list[Change], amount: int, keys: list[str]) -> Figure:
    rows: list[dict[str, Cell]] = [
        {
            "language": c.language,
            "category": c.category,
            "deviation": Missing("a run gives one answer to all its rows") if c.is_constant else c.deviation,
        }
        for c in changes
    ]
    every = steadiness(found, list(dict.fromkeys(change.language for change in changes)), amount)
    lost = sum(change.is_constant for change in changes)
    note = (
        f"{lost} of {len(changes)} cells are empty: a run gives one answer to all rows of the category." if lost else ""
    )
    return heat_map(
        rows,
        Column("language", "Language"),
        Column("category", "Category"),
        Column("deviation", "Δσ", 2),
        caption=Caption("size-deviation", steadiness_title(every, amount), note, keys),
        centre=Centre(higher_is_better=False),
    )


@dataclass(frozen=True, slots=True)
class _Share:
    """Which cells have something that counts: what it is, how many cells there are, of which it is known, the paper's
    share.
    """

    what: str
    n_cells: int
    have: list[bool]
    paper: float | None


_SHARE_FIELDS: tuple[Field[_Share], ...] = (
    Field(Column("what", "Cells with"), lambda share: share.what),
    Field(Column("cells", "Cells"), lambda share: share.n_cells),
    Field(
        Column("share", "Share", 0, "%"),
        lambda share: float(np.mean(share.have)) if share.have else Missing("needs at least two seeds"),
    ),
    Field(Column("paper", "Share", 0, "%", published=True), lambda share: printed_cell(share.paper)),
)


def _shares(found: StabilityFindings, changes: list[Change], amount: int) -> Table:
    limits = found.config.thresholds
    higher = [change.mcc.difference.value > limits.higher for change in changes]
    varying = [change for change in changes if math.isfinite(change.deviation) and not change.is_constant]
    steadier = [change.deviation < -limits.steadier for change in varying]
    every = []
    for what, cells, printed in (
        (f"ΔMCC above {limits.higher:g}", higher, SHARE_HIGHER),
        (f"Δσ below −{limits.steadier:g}", steadier, SHARE_STEADIER),
    ):
        beside = printed if found.paper_extra().stands else None
        every.append(_Share(what, len(cells), cells, beside if limits == type(limits)() else None))
    has_paper = any(share.paper is not None for share in every)
    paper = f"; the paper's shares are for {FULL_AMOUNT:,} rows and five languages" if has_paper else ""
    rise, fall = (sum(c.told and sign * c.mcc.difference.value > 0 for c in changes) for sign in (1, -1))
    title = f"{rise} of {len(changes)} category scores are shown to rise and {fall} to fall"
    note = (
        f"With {amount:,} extra rows, counted by size, whether shown or not{paper}; for Δσ, only cells in which no "
        "run gives one answer to all rows."
    )
    return make_table(Heading("size-shares", title, note), _SHARE_FIELDS, every)


def _everywhere(found: StabilityFindings, changes: list[Change], amount: int) -> str:
    limit = found.config.thresholds.everywhere
    languages = {change.language for change in changes}
    rising: dict[str, int] = {}
    for change in changes:
        rising[change.category] = rising.get(change.category, 0) + (change.mcc.difference.value > limit)
    names = [category for category, n in rising.items() if n == len(languages)]
    where = f" in every one of {len(languages)} languages" if len(languages) > 1 else ""
    paper = f" In the paper, with {FULL_AMOUNT:,} rows and five languages: {', '.join(BETTER_EVERYWHERE)}."
    return (
        f"Categories whose MCC rises by more than {limit:g}{where} with {amount:,} extra rows (counted, not tested): "
        f"{', '.join(names) or 'none'}."
    ) + (paper if found.paper_extra().stands else "")
