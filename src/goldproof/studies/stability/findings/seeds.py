"""Sections on seeds: Table 3, the heat maps of Figures 1, 2 and 6 to 9, Table 6, groups, and what moves the score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from goldproof.judging.tags import TagScore
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.numbers import extremes, in_words
from goldproof.report.summary import Cell, Column, Figure, Item, Missing, Section, Table, Text
from goldproof.statistics.attribution import Attribution, deviation_factors
from goldproof.statistics.changes import seed_churn
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.stability import category_spread
from goldproof.studies.stability.findings.averages import average_row, averages_table
from goldproof.studies.stability.findings.maps import MCC, language_map, seed_map, tested
from goldproof.studies.stability.published import (
    AVERAGE_OVERALL,
    CATEGORIES,
    CATEGORY_MEANS,
    LANGUAGE_CORRELATION,
    OVERALL,
)
from goldproof.studies.stability.scores import (
    ConditionScores,
    StabilityFindings,
    constant_categories,
    deviations,
    finite,
    summary_method,
)

ONE_RUN = "needs at least two seeds"
VERDICTS = {
    "above chance": "above",
    "below chance": "below",
    "not distinguishable from chance": "not distinguishable",
    "cannot be tested by permuting: one gold label": "one gold label",
    "too few items": "too few rows",
    "not tested": "not tested",
}


def seeds_section(found: StabilityFindings) -> Section:
    """How far the seed moves the overall score, and whether the categories hold."""
    return Section("Would another seed change it?", [*_overall_table(found), *_attribution(found)])


def _overall_table(found: StabilityFindings) -> list[Item]:
    note = "Rows are clustered by mirrored twins (the same two sentences swapped)."
    every, level = list(found.base.values()), found.config.level
    overall = Heading("overall", _overall_title(found), f"{note} {found.paper.note}".strip(), found.keys())
    design = make_table(Heading("design", "", note, found.keys()), _design_fields(level), every)
    printed = AVERAGE_OVERALL if found.paper.stands and set(found.base) == set(OVERALL) else None
    return [
        average_row(make_table(overall, _overall_fields(found), every), printed),
        replace(design, title=_design_title(design.rows)),
    ]


LANGUAGE: Field[ConditionScores] = Field(Column("language", "Language"), lambda scored: scored.condition.language)


def _overall_fields(found: StabilityFindings) -> list[Field[ConditionScores]]:
    level = found.config.level
    score = Column(
        "overall", "Overall MCC", 3, "", "one MCC over all rows, mean over seeds; interval over seeds and rows"
    )
    between = Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores")
    return [
        LANGUAGE,
        Field(score, lambda scored: summary_method(scored.overall)),
        Field(Column("sd", "± over seeds", 3), _deviation),
        Field(Column("paper", "Overall MCC", 3, published=True), partial(_printed, found, "mcc")),
        Field(Column("paper_sd", "± over seeds", 3, published=True), partial(_printed, found, "sd")),
        Field(between, lambda scored: _correlation(scored, level)),
        Field(
            Column("paper_correlation", "Seed correlation", 3, published=True), partial(_printed, found, "correlation")
        ),
    ]


def _design_fields(level: float) -> list[Field[ConditionScores]]:
    mean = Column("mean", "Mean over categories", 3, "", "mean of the 33 categories' MCC")
    validation = Column(
        "validation", "Validation accuracy", 1, "%", ("at the epoch it was used to choose, so a little too high")
    )
    least = Column("detectable", "Detectable", 3, "", "smallest ΔMCC to a model that differs as seeds do, 80 % power")
    alike = "there is only one seed, or no difference in MCC could show"
    return [
        LANGUAGE,
        Field(Column("seeds", "Seeds"), lambda scored: scored.n_runs),
        Field(mean, lambda scored: summary_method(scored.mean)),
        Field(
            Column("churn", "Churn", 1, "%", ("share of rows whose prediction differs between two seeds")),
            _churn,
        ),
        Field(validation, lambda scored: float(scored.validation.mean())),
        Field(least, lambda scored: finite(scored.detectable(level), alike)),
    ]


def _design_title(rows: Sequence[Mapping[str, Cell]]) -> str:
    known = [row["detectable"] for row in rows if isinstance(row["detectable"], float)]
    if not known:
        return "How the runs differ"
    return f"A difference in overall MCC would have to be {max(known):.3f} to show (80 % power)"


def _overall_title(found: StabilityFindings) -> str:
    return widest_spread(found) or "One seed says nothing about another"


def widest_spread(found: StabilityFindings) -> str | None:
    """How far the seed moves the overall score where it moves it most; None with one seed."""
    several = [scored for scored in found.base.values() if scored.n_runs > 1]
    if not several:
        return None
    widest = max(several, key=lambda scored: float(np.ptp(scored.run_overall)))
    return (
        f"The seed alone moves the overall MCC by up to {float(np.ptp(widest.run_overall)):.3f} "
        f"({widest.condition.language})"
    )


def _deviation(scored: ConditionScores) -> Cell:
    return float(scored.run_overall.std(ddof=1)) if scored.n_runs > 1 else Missing(ONE_RUN)


def _churn(scored: ConditionScores) -> Cell:
    return seed_churn(scored.answers.runs) if scored.n_runs > 1 else Missing(ONE_RUN)


def _printed(found: StabilityFindings, name: str, scored: ConditionScores) -> Cell:
    """A number of the paper's Table 3."""
    paper = OVERALL.get(scored.condition.language) if found.paper.stands else None
    return printed_cell(getattr(paper, name, None))


def _correlation(scored: ConditionScores, level: float) -> Cell:
    estimate = scored.correlation(level)
    if estimate is None:
        return Missing(ONE_RUN)
    return estimate if math.isfinite(estimate.value) else Missing("a seed scores the same in every category")


@dataclass(frozen=True, slots=True)
class _Source:
    """What a source of chance adds to the variance of a language's overall score; the rest has no p-value."""

    language: str
    name: str
    component: float
    share: float
    p_value: float | None = None
    adjusted: float | None = None


REST = Missing("reference for the others")
_SOURCE_FIELDS: tuple[Field[_Source], ...] = (
    Field(Column("language", "Language"), lambda source: source.language),
    Field(Column("source", "Source of chance"), lambda source: source.name),
    Field(
        Column("sd", "SD of overall MCC", 4, "", "square root of the variance component; 0 if negative"),
        lambda source: math.sqrt(source.component),
    ),
    Field(Column("share", "Share", 0, "%"), lambda source: source.share),
    Field(
        Column("p", "p", 3, "p-value", "F test against the rest; not adjusted"),
        lambda source: REST if source.p_value is None else source.p_value,
    ),
    Field(
        Column("adjusted", "p adjusted", 3, "p-value", "over the sources of the table (Holm)"),
        lambda source: REST if source.adjusted is None else source.adjusted,
    ),
)


def _attribution(found: StabilityFindings) -> list[Item]:
    lost = [
        Text(f"{language}: a run collapsed, so the sources of chance cannot be separated. {' '.join(scored.notes)}")
        for language, scored in found.attributed.items()
        if scored.n_collapsed
    ]
    if not found.sources:
        return [*lost]
    first = next(iter(found.sources.values()))
    design = found.config.attribution
    shape = "Latin square" if design.design == "latin" else "full factorial"
    note = (
        f"{first.n_runs} runs, {design.levels} seeds of each source ({shape}); additive random effects, "
        f"{first.rest_df} degrees of freedom for the rest. With so few runs, only large effects show."
    )
    every = [source for language, parts in found.sources.items() for source in _sources(found, language, parts)]
    return [make_table(Heading("sources", sources_title(found), note), _SOURCE_FIELDS, every), *lost]


def _sources(found: StabilityFindings, language: str, parts: Attribution) -> list[_Source]:
    known = [
        _Source(
            language, part.name, part.component, part.share, part.p_value, found.adjusted_sources[language, part.name]
        )
        for part in parts.parts
    ]
    return [*known, _Source(language, "Interactions and rest", parts.rest, parts.rest_share)]


def sources_title(found: StabilityFindings) -> str:
    """Which sources of chance are shown to move the score."""
    adjusted = found.adjusted_sources
    shown = [f"{name.lower()} ({language})" for (language, name), p in adjusted.items() if p < 1 - found.config.level]
    if not shown:
        return "No single source of chance is shown to move the score: these runs cannot separate them"
    return f"Sources shown to move the score, beyond the rest: {', '.join(shown)}"


def languages_section(found: StabilityFindings) -> Section:
    """Category × language: means over seeds, and the first seed alone as in Figure 1."""
    items: list[Item] = [_language_map(found, None)]
    if len(found.base) > 1:
        items = [*_language_text(found), *items, *([_language_map(found, 0)] if found.with_seed(0) else [])]
    return Section("Categories by language", [*items, _groups_table(found)])


@dataclass(frozen=True, slots=True)
class _Between:
    """The mean correlation between the languages' category scores: of which scores, ours, and the paper's."""

    what: str
    correlation: Estimate
    paper: float | None

    @property
    def is_known(self) -> bool:
        """Whether there is a correlation: every language's scores vary."""
        return math.isfinite(self.correlation.value)


_BETWEEN_FIELDS: tuple[Field[_Between], ...] = (
    Field(Column("what", "Scores"), lambda row: row.what),
    Field(
        Column("correlation", "Correlation between languages", 3),
        lambda row: row.correlation if row.is_known else Missing("a language does not vary"),
    ),
    Field(
        Column("paper", "Correlation between languages", 1, published=True),
        lambda row: printed_cell(row.paper),
    ),
)


def _language_text(found: StabilityFindings) -> list[Item]:
    every = []
    for seed, what in ((None, "means over seeds"), (0, f"seed {found.config.seeds[0]} alone, as in Figure 1")):
        estimate = found.language_correlation(seed)
        if estimate is None:
            continue
        every.append(_Between(what, estimate, LANGUAGE_CORRELATION if seed == 0 and found.paper.stands else None))
    title = f"Two languages' category scores correlate at {_values(every)} on average"
    note = f"The paper has five languages. {found.paper.note}".strip() if found.paper.stands else ""
    return [make_table(Heading("languages", title, note, found.keys()), _BETWEEN_FIELDS, every)]


def _values(every: Sequence[_Between]) -> str:
    known = [f"{in_words(row.correlation, 2)} ({row.what.split(',')[0]})" for row in every if row.is_known]
    return " and ".join(known) or "nothing known"


def _language_map(found: StabilityFindings, seed: int | None) -> Figure:
    if seed is None:
        scores = {language: found.categories[language] for language in found.base}
        said = language_map(scores, Caption("languages-map", "", "", found.keys()))
        return replace(said, title=said.title.replace("category scores", "category scores, means over seeds,"))
    title = f"With seed {found.config.seeds[seed]} alone, as in Figure 1, "
    cells = {language: found.cells[language][seed] for language in found.with_seed(seed)}
    return language_map(cells, Caption("languages-seed-map", title, "", found.keys()))


_MEAN_MCC: Field[TagScore] = Field(
    Column("mcc", "MCC", 3, "", "mean over seeds; interval over seeds and rows"), lambda score: score.estimate
)
_ROWS: Field[TagScore] = Field(Column("n", "Rows"), lambda score: score.estimate.n)
_BY_CHANCE: Field[TagScore] = Field(
    Column("chance", "By chance", 3, "", "mean and range of predictions that know nothing about the gold labels"),
    lambda score: score.chance or Missing(score.verdict),
)
_AGAINST_CHANCE: Field[TagScore] = Field(Column("verdict", "Against chance"), lambda score: VERDICTS[score.verdict])


def _p_value(note: str) -> Field[TagScore]:
    return Field(Column("p", "p", 3, "p-value", note), lambda score: finite(score.adjusted, score.verdict))


_GROUP_FIELDS: tuple[Field[TagScore], ...] = (
    Field(Column("language", "Language"), lambda score: score.where["language"]),
    Field(Column("group", "Group"), lambda score: score.tag),
    _ROWS,
    _MEAN_MCC,
    _BY_CHANCE,
    _p_value("adjusted over the four groups (Benjamini-Hochberg)"),
    _AGAINST_CHANCE,
)


def _groups_table(found: StabilityFindings) -> Table:
    every = [score for language in found.base for score in found.groups[language]]
    above = sum(score.verdict == "above chance" for score in every)
    title = f"{above} of {sum(map(tested, every))} groups are shown to be above chance"
    return make_table(Heading("groups", title, "", found.keys()), _GROUP_FIELDS, every)


def categories_sections(found: StabilityFindings) -> list[Section]:
    """For each language the category × seed heat map and the table of its categories; then all languages as Table 6."""
    each = [
        Section(f"Categories and seeds: {language}", [_seed_map(found, language), *_categories(found, language)])
        for language in found.base
    ]
    return [*each, *averages_table(found)]


def _seed_map(found: StabilityFindings, language: str) -> Figure:
    caption = Caption(f"seeds-{language}", f"{language}: with one seed, ", "", found.keys([language]))
    return seed_map(found.base[language].answers.run_names, found.cells[language], caption)


def _categories(found: StabilityFindings, language: str) -> list[Item]:
    scored, every = found.base[language], found.categories[language]
    counts = {name: sum(score.verdict == f"{name} chance" for score in every) for name in ("above", "below")}
    n = sum(map(tested, every))
    title = f"{language}: {counts['above']} of {n} categories are shown to be above chance and {counts['below']} below"
    paper = "The paper's English column leaves seed 5 out." if language == "en" and found.paper.stands else ""
    note = " ".join(part for part in (_deviation_note(found, scored), paper, found.paper.note) if part)
    heading = Heading(f"categories-{language}", title, note, found.keys([language]))
    return [
        *_signs(scored),
        make_table(heading, _category_fields(found, language), every),
        _category_dots(found, language),
    ]


def _category_fields(found: StabilityFindings, language: str) -> list[Field[TagScore]]:
    spread = dict(zip(found.base[language].categories, deviations(found.base[language]), strict=True))
    means = CATEGORY_MEANS.get(language, ()) if found.paper.stands else ()
    paper = dict(zip(CATEGORIES, means, strict=False))
    return [
        Field(Column("category", "Category"), lambda score: score.tag),
        _ROWS,
        _MEAN_MCC,
        Field(
            Column("sd", "±", 2, "", "sample standard deviation over seeds"), lambda score: finite(spread[score.tag])
        ),
        Field(
            Column("paper", "MCC", 3, published=True),
            lambda score: printed_cell(paper[score.tag][0] if score.tag in paper else None),
        ),
        Field(
            Column("paper_sd", "±", 2, published=True),
            lambda score: printed_cell(paper[score.tag][1] if score.tag in paper else None),
        ),
        _BY_CHANCE,
        _p_value("two-sided, adjusted over the categories (Benjamini-Hochberg)"),
        _AGAINST_CHANCE,
    ]


def _deviation_note(found: StabilityFindings, scored: ConditionScores) -> str:
    if scored.n_runs < 2:
        return ""
    low, high = deviation_factors(scored.n_runs, found.config.level)
    return f"With {scored.n_runs} seeds, the true ± is between {low:.2f} and {high:.2f} times the one shown."


def _signs(scored: ConditionScores) -> list[Item]:
    """Which categories have one sign over all seeds, and which are the most and the least stable.

    A category to whose rows a run gives one answer is neither: its deviation says nothing.
    """
    if scored.n_runs < 2:
        return []
    spread = category_spread(scored.table)
    names = np.array(scored.categories)
    constant = constant_categories(scored)
    order = [place for place in np.argsort(spread.sd, kind="stable") if names[place] not in constant]
    lost = names[[name in constant for name in names]]
    lines = [
        f"Above 0 with every seed (counted, not tested): {_listed(names[spread.sign > 0])}.",
        f"Below 0 with every seed: {_listed(names[spread.sign < 0])}.",
        f"Most stable: {_with_sd(names, spread.sd, order[:3])}. "
        f"Least stable: {_with_sd(names, spread.sd, order[::-1][:3])}.",
        *([f"In neither, as a run gives one answer to all their rows: {_listed(lost)}."] if len(lost) else []),
    ]
    return [Text(line) for line in lines]


def _listed(names: np.ndarray) -> str:
    return ", ".join(names) or "none"


def _with_sd(names: np.ndarray, sd: np.ndarray, places: Sequence[int]) -> str:
    return ", ".join(f"{names[i]} (± {sd[i]:.2f})" for i in places) or "none"


def _category_dots(found: StabilityFindings, language: str) -> Figure:
    rows: list[dict[str, Cell]] = [
        {"category": score.tag, "mcc": score.estimate}
        for score in sorted(found.categories[language], key=lambda score: -score.estimate.value)
    ]
    title = f"{language}: {_extremes(rows)}"
    caption = Caption(f"dots-{language}", title, "", found.keys([language]))
    return dots(rows, Column("category", "Category"), MCC, caption=caption, rule=0.0)


def _extremes(rows: Sequence[Mapping[str, Cell]]) -> str:
    """The best and the worst category, and how many intervals leave out 0."""
    known = [(str(row["category"]), cell) for row in rows if isinstance(cell := row["mcc"], Estimate)]
    clear = sum(cell.low > 0 or cell.high < 0 for _, cell in known)
    return f"{extremes(known, 2)}; {clear} of {len(known)} intervals exclude 0"
