"""The section on features in the training data: Figure 5, Table 5, and the rates of Table 7 in the extra data."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldproof.builders.annotation.features import FEATURES
from goldproof.judging.metrics import mean_score
from goldproof.judging.tags import items_by_tag
from goldproof.report.charts import Caption, scatter
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.numbers import estimate_text
from goldproof.report.summary import Cell, Column, Figure, Item, Missing, Section, Table
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.studies.stability.findings.size import correlation_cell
from goldproof.studies.stability.plan import Condition
from goldproof.studies.stability.published import IMPROVEMENT_CORRELATION, PRESENCE, RATES
from goldproof.studies.stability.scores import COLLAPSED, ConditionScores, StabilityFindings, summary_method


def presence_section(found: StabilityFindings) -> list[Section]:
    """What a feature's share of the extra data does to its score; nothing where no feature was chosen."""
    if not found.config.presence.features:
        return []
    items: list[Item] = [_table(found), *_improvements(found), _rates(found)]
    return [Section("Does more of a feature help it?", items)]


def _table(found: StabilityFindings) -> Table:
    setting = found.config.presence
    every = [
        found.scored[Condition(language, setting.amount, feature, percent)]
        for feature in setting.features
        for language in setting.languages
        for percent in setting.percent
    ]
    title = f"The feature's MCC with {setting.amount:,} extra rows of which a given share holds it"
    note = "Shares are exact: so many rows of the extra data are drawn with the feature and so many without."
    heading = Heading("presence", title, note, [key for scored in every for key in scored.keys])
    return make_table(heading, _presence_fields(found), every)


def _presence_fields(found: StabilityFindings) -> list[Field[ConditionScores]]:
    level = found.config.level
    between = Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores")
    of_paper = Column("paper_correlation", "Seed correlation", 3, published=True)
    return [
        Field(Column("feature", "Feature"), lambda scored: scored.condition.feature),
        Field(Column("language", "Language"), lambda scored: scored.condition.language),
        Field(Column("percent", "Presence", 0, "%"), lambda scored: scored.condition.percent / 100),
        Field(
            Column("mcc", "Feature MCC", 3, "", "mean over seeds; interval over seeds and rows"),
            partial(_score, level),
        ),
        Field(Column("sd", "±", 2), _deviation),
        Field(Column("paper", "Feature MCC", 3, published=True), partial(_printed, found, "mcc")),
        Field(Column("paper_sd", "±", 2, published=True), partial(_printed, found, "sd")),
        Field(between, lambda scored: correlation_cell(scored, level)),
        Field(of_paper, partial(_printed, found, "correlation")),
    ]


def _feature_scores(scored: ConditionScores) -> Array:
    """The feature's MCC with each seed."""
    return np.asarray(scored.table[scored.categories.index(scored.condition.feature)])


def _score(level: float, scored: ConditionScores) -> Cell:
    if scored.is_collapsed:
        return Missing(COLLAPSED)
    rows = items_by_tag(scored.answers)[scored.condition.feature]
    return summary_method(mean_score(scored.answers.take(rows), "mcc", level))


def _deviation(scored: ConditionScores) -> Cell:
    scores = _feature_scores(scored)
    return float(scores.std(ddof=1)) if len(scores) > 1 else Missing("needs at least two seeds")


def _printed(found: StabilityFindings, name: str, scored: ConditionScores) -> Cell:
    """A number of the paper's Table 5."""
    condition = scored.condition
    place = (condition.feature, condition.language, condition.percent)
    return printed_cell(getattr(PRESENCE.get(place), name, None) if found.paper_extra().stands else None)


def _improvements(found: StabilityFindings) -> list[Figure]:
    """What the extra rows add to each feature, one language against the other (Figure 5)."""
    more = found.config.presence.amount
    languages = [
        name
        for name in found.config.presence.languages
        if name in found.base and not found.scored[Condition(name, more)].is_collapsed
    ]
    if len(languages) < 2:
        return []
    gains = {language: _gains(found, language) for language in languages[:2]}
    (one, ours), (other, theirs) = gains.items()
    rows: list[dict[str, Cell]] = [
        {"feature": feature, "one": float(a), "other": float(b)}
        for feature, a, b in zip(FEATURES, ours, theirs, strict=True)
    ]
    paper = f" (paper, en and ru: {IMPROVEMENT_CORRELATION})" if found.paper_extra().stands else ""
    correlation = _correlation(ours, theirs, found.config.level)
    title = f"What extra data adds per feature correlates with {correlation} between {one} and {other}{paper}"
    across, up = Column("one", f"ΔMCC {one}", 2), Column("other", f"ΔMCC {other}", 2)
    label = Column("feature", "Feature")
    note = "The interval is over features, of these rows and these seeds."
    return [scatter(rows, across, up, caption=Caption("improvements", title, note), label=label, identity=True)]


def _correlation(one: Array, other: Array, level: float) -> str:
    """Pearson's correlation with its interval over the features (Fisher z), in words."""
    if not (np.ptp(one) and np.ptp(other)):
        return "nothing, as one of them does not vary,"
    from scipy.stats import pearsonr

    found = pearsonr(one, other)
    bounds = found.confidence_interval(level)
    return estimate_text(Estimate(found.statistic, bounds.low, bounds.high, "Fisher z", len(one), level), 2)


def _gains(found: StabilityFindings, language: str) -> np.ndarray:
    more = found.scored[Condition(language, found.config.presence.amount)]
    places = [more.categories.index(feature) for feature in FEATURES]
    return np.asarray((more.table.mean(axis=1) - found.base[language].table.mean(axis=1))[places])


def _rates(found: StabilityFindings) -> Table:
    fact = found.kept.facts["rates"]["extra"]
    n = fact["rows"]
    fields: list[Field[str]] = [
        Field(Column("feature", "Feature"), str),
        Field(Column("n", "Rows"), lambda feature: fact["shown"][feature]),
        Field(Column("rate", "Share", 3), lambda feature: fact["shown"][feature] / n),
        Field(
            Column("paper", "Share, MNLI 10k", 3, published=True),
            lambda feature: printed_cell(RATES[feature][2] if found.paper_extra().stands else None),
        ),
    ]
    title = f"How often the rules find each feature in {n:,} rows of extra data"
    return make_table(Heading("rates", title, "", [fact["key"]]), fields, FEATURES)
