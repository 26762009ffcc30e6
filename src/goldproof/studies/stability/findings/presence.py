"""The section on features in the training data: Table 5 with its test, Figure 5, and the rates of Table 7."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from goldproof.builders.annotation.features import FEATURES
from goldproof.judging.metrics import mean_score
from goldproof.judging.tags import items_by_tag
from goldproof.report.charts import Caption, scatter
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.numbers import estimate_text
from goldproof.report.summary import Cell, Claim, Column, Item, Missing, Section, Table
from goldproof.statistics.arrays import Array
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.studies.beside import Beside
from goldproof.studies.stability.findings.size import compare_conditions, correlation_cell
from goldproof.studies.stability.findings.steadiness import standing_of
from goldproof.studies.stability.plan import MOST, Condition
from goldproof.studies.stability.published import IMPROVEMENT_CORRELATION, PAPER_EXTRA, PRESENCE, RATES
from goldproof.studies.stability.scores import COLLAPSED, ConditionScores, StabilityFindings, summary_method

PAPER_AMOUNT = 10_000
AS_THEY_COME = "drawn at random"


def presence_section(found: StabilityFindings) -> list[Section]:
    """What a feature's share of the extra data does to its score, and how often each is found."""
    items: list[Item] = []
    if found.config.presence.features:
        items += [_table(found), *_test_table(found), *_improvements(found)]
    if found.kept.facts["rates"]:
        items.append(_rates(found))
    title = "Does more of a feature help?" if found.config.presence.features else ("How often does each feature occur?")
    return [Section(title, items)] if items else []


def _amount(found: StabilityFindings) -> int:
    return int(found.kept.facts["presence amount"])


def _cell(found: StabilityFindings, language: str, feature: str = "", percent: int = 0) -> Condition:
    return Condition(language, found.config.presence.amount or MOST, feature, percent)


@dataclass(frozen=True, slots=True)
class _ShareRow:
    """A feature's score in a language with a share of the extra rows that holds it; None as they come."""

    feature: str
    language: str
    percent: int | None
    scored: ConditionScores


def _table(found: StabilityFindings) -> Table:
    setting = found.config.presence
    every = []
    for feature in setting.features:
        for language in setting.languages:
            every.append(_ShareRow(feature, language, None, found.scored[_cell(found, language)]))
            every += [
                _ShareRow(feature, language, percent, found.scored[_cell(found, language, feature, percent)])
                for percent in setting.percent
            ]
    n = _amount(found)
    title = f"The feature's MCC with {n:,} extra rows, a given share of which hold the feature"
    why = "" if setting.amount else f" {n:,} rows are the most that the available rows allow for all shares."
    note = (
        "Shares are exact: that many rows of the extra data are drawn with the feature, and the rest without. The "
        f"reference is the same number of rows drawn at random.{why} {_paper(found).note}"
    ).strip()
    heading = Heading("presence", title, note, [key for row in every for key in row.scored.keys])
    return make_table(heading, _presence_fields(found), every)


def _paper(found: StabilityFindings) -> Beside:
    return found.paper_extra(_amount(found), PAPER_AMOUNT)


def _presence_fields(found: StabilityFindings) -> list[Field[_ShareRow]]:
    level = found.config.level
    between = Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores")
    of_paper = Column("paper_correlation", "Seed correlation", 3, published=True)
    return [
        Field(Column("feature", "Feature"), lambda row: row.feature),
        Field(Column("language", "Language"), lambda row: row.language),
        Field(Column("percent", "Presence", 0, "%"), partial(_presence, found)),
        Field(
            Column("mcc", "Feature MCC", 3, "", "mean over seeds; interval over seeds and rows"),
            lambda row: _score(level, row.scored, row.feature),
        ),
        Field(Column("sd", "±", 2), _deviation),
        Field(Column("paper", "Feature MCC", 3, published=True), partial(_printed, found, "mcc")),
        Field(Column("paper_sd", "±", 2, published=True), partial(_printed, found, "sd")),
        Field(between, lambda row: correlation_cell(row.scored, level)),
        Field(of_paper, partial(_printed, found, "correlation")),
    ]


def _presence(found: StabilityFindings, row: _ShareRow) -> Cell:
    if row.percent is not None:
        return row.percent / 100
    fact = found.kept.facts["rates"]["extra"]
    share = fact["shown"][row.feature] / fact["rows"]
    return f"{AS_THEY_COME} ({100 * share:.0f} %)"


def _score(level: float, scored: ConditionScores, feature: str) -> Cell:
    if scored.is_collapsed:
        return Missing(COLLAPSED)
    rows = items_by_tag(scored.answers)[feature]
    return summary_method(mean_score(scored.answers.take(rows), "mcc", level))


def _deviation(row: _ShareRow) -> Cell:
    scores = row.scored.table[row.scored.categories.index(row.feature)]
    return float(scores.std(ddof=1)) if len(scores) > 1 else Missing("needs at least two seeds")


def _printed(found: StabilityFindings, name: str, row: _ShareRow) -> Cell:
    """A number of the paper's Table 5."""
    printed = PRESENCE.get((row.feature, row.language, row.percent or 0))
    return printed_cell(getattr(printed, name, None) if _paper(found).stands else None)


@dataclass(frozen=True, slots=True)
class _MoreRow:
    """What the largest share of a feature does beside the smallest: the change of its MCC, with its adjusted p."""

    feature: str
    language: str
    change: Comparison
    adjusted: float | None

    def standing(self, level: float) -> str:
        """Whether the change is shown."""
        return standing_of(self.change.difference, self.adjusted, level)


def more_of_a_feature(found: StabilityFindings) -> list[_MoreRow]:
    """The largest against the smallest share, for each feature and language whose runs did not all collapse (Holm)."""
    setting = found.config.presence
    if len(setting.percent) < 2:
        return []
    low, high = min(setting.percent), max(setting.percent)
    every = []
    for feature in setting.features:
        for language in setting.languages:
            few, many = (found.scored[_cell(found, language, feature, percent)] for percent in (low, high))
            if not (few.is_collapsed or many.is_collapsed):
                rows = items_by_tag(few.answers)[feature]
                every.append(_MoreRow(feature, language, compare_conditions(many, few, rows, found.config.level), None))
    known = [place for place, row in enumerate(every) if math.isfinite(row.change.p_value)]
    adjusted = dict(zip(known, holm(np.array([every[place].change.p_value for place in known])), strict=True))
    return [
        replace(row, adjusted=float(adjusted[place]) if place in adjusted else None) for place, row in enumerate(every)
    ]


def _test_table(found: StabilityFindings) -> list[Table]:
    every = more_of_a_feature(found)
    if not every:
        return []
    setting, level = found.config.presence, found.config.level
    low, high = min(setting.percent), max(setting.percent)
    change = Column("change", f"ΔMCC, {high} against {low} %", 3, "", "interval over seeds and rows")
    fields: list[Field[_MoreRow]] = [
        Field(Column("feature", "Feature"), lambda row: row.feature),
        Field(Column("language", "Language"), lambda row: row.language),
        Field(change, lambda row: row.change.difference),
        Field(
            Column("p", "p", 3, "p-value", "two-sided, adjusted over the rows of this table (Holm)"),
            lambda row: Missing(row.change.difference.method) if row.adjusted is None else row.adjusted,
        ),
        Field(Column("verdict", "Does more help?"), lambda row: _verdict(row, level)),
    ]
    return [make_table(Heading("presence-test", _verdict_text(found, every)), fields, every)]


def _verdict(row: _MoreRow, level: float) -> str:
    if row.standing(level) != "shown":
        return "not shown"
    return "yes" if row.change.difference.value > 0 else "it hurts"


def _verdict_text(found: StabilityFindings, every: Sequence[_MoreRow]) -> str:
    """In how many cases more of a feature is shown to help it or to hurt it, and what else fits the data."""
    verdicts = [_verdict(row, found.config.level) for row in every]
    low, high = min(found.config.presence.percent), max(found.config.presence.percent)
    helps, hurts = verdicts.count("yes"), verdicts.count("it hurts")
    said = (
        f"With {high} rather than {low} % of a feature, its own MCC is shown to rise in {helps} of {len(every)} cases"
    )
    said += f" and to fall in {hurts}"
    rest = [row.change.difference for row in every if _verdict(row, found.config.level) == "not shown"]
    reach = max((max(abs(each.low), abs(each.high)) for each in rest if math.isfinite(each.low)), default=math.nan)
    return f"{said}; elsewhere changes of up to {reach:.2f} fit the data" if math.isfinite(reach) else said


def presence_claims(found: StabilityFindings) -> list[Claim]:
    """The finding on whether more of a feature helps it; nothing where no feature was chosen."""
    every = more_of_a_feature(found)
    if not every:
        return []
    standing = "shown" if any(_verdict(row, found.config.level) != "not shown" for row in every) else "not shown"
    return [Claim(f"{_verdict_text(found, every)}.", standing, place="presence-test")]  # type: ignore[arg-type]


def _improvements(found: StabilityFindings) -> list[Item]:
    """What the extra rows add to each feature (Figure 5): in every language, and one against the other."""
    languages = [
        name
        for name in found.config.presence.languages
        if name in found.base and not found.scored[_cell(found, name)].is_collapsed
    ]
    if not languages:
        return []
    items: list[Item] = [_gains_table(found, languages)]
    if len(languages) < 2:
        return items
    gains = {language: _gains(found, language) for language in languages[:2]}
    (one, ours), (other, theirs) = gains.items()
    rows: list[dict[str, Cell]] = [
        {"feature": feature, "one": float(a), "other": float(b)}
        for feature, a, b in zip(FEATURES, ours, theirs, strict=True)
    ]
    is_theirs = _paper(found).stands and {one, other} == {"en", "ru"}
    paper = f" (paper: {IMPROVEMENT_CORRELATION})" if is_theirs else ""
    correlation = _correlation(ours, theirs, found.config.level, _over_runs(found, one, other))
    title = f"What extra data adds to each feature correlates {correlation} between {one} and {other}{paper}"
    across, up = Column("one", f"ΔMCC {one}", 2), Column("other", f"ΔMCC {other}", 2)
    label = Column("feature", "Feature")
    note = f"The interval is over features and seeds. {_paper(found).note if is_theirs else ''}".strip()
    figure = scatter(rows, across, up, caption=Caption("improvements", title, note), label=label, identity=True)
    return [figure, *items]


def _gains_table(found: StabilityFindings, languages: Sequence[str]) -> Table:
    """Each feature's gain by the extra rows as they come, with its interval over seeds and rows."""
    scored = {name: (found.scored[_cell(found, name)], found.base[name]) for name in languages}
    level = found.config.level

    def gain(language: str, feature: str) -> Cell:
        more, base = scored[language]
        return compare_conditions(more, base, items_by_tag(base.answers)[feature], level).difference

    fields: list[Field[str]] = [Field(Column("feature", "Feature"), str)]
    note = "interval over seeds and rows, not adjusted"
    fields += [Field(Column(f"gain_{name}", f"ΔMCC {name}", 3, "", note), partial(gain, name)) for name in languages]
    title = f"What {_amount(found):,} extra rows, drawn at random, add to each feature"
    return make_table(Heading("improvements-table", title), fields, FEATURES)


def _correlation(one: Array, other: Array, level: float, over_runs: float = 0.0) -> str:
    """Pearson's correlation with its interval over the features, and over runs where their variance is given (z)."""
    if not (np.ptp(one) and np.ptp(other)):
        return "not at all, because one of them does not vary,"
    from scipy.stats import norm, pearsonr

    value = float(pearsonr(one, other).statistic)
    reach = float(norm.ppf((1 + level) / 2)) * math.sqrt(1 / (len(one) - 3) + over_runs)
    z = float(np.arctanh(np.clip(value, -1 + 1e-12, 1 - 1e-12)))
    return estimate_text(Estimate(value, math.tanh(z - reach), math.tanh(z + reach), "Fisher z", len(one), level), 2)


def _over_runs(found: StabilityFindings, one: str, other: str) -> float:
    """The jackknife variance of z over seeds, each left out everywhere at once; 0 with fewer than 3 everywhere."""
    scored = [each for name in (one, other) for each in (found.scored[_cell(found, name)], found.base[name])]
    m = min(each.n_runs for each in scored)
    if m < 3:
        return 0.0
    values = []
    for run in range(m):
        gains = [_gains(found, name, run) for name in (one, other)]
        if not all(np.ptp(each) for each in gains):
            return 0.0
        values.append(np.arctanh(np.clip(np.corrcoef(np.array(gains))[0, 1], -1 + 1e-9, 1 - 1e-9)))
    z = np.array(values)
    return float((m - 1) / m * ((z - z.mean()) ** 2).sum())


def _gains(found: StabilityFindings, language: str, without: int | None = None) -> Array:
    more, base = found.scored[_cell(found, language)], found.base[language]
    places = [more.categories.index(feature) for feature in FEATURES]
    tables = [each.table if without is None else np.delete(each.table, without, axis=1) for each in (more, base)]
    return np.asarray((tables[0].mean(axis=1) - tables[1].mean(axis=1))[places])


CORPORA = {"en": "RTE (en)", "ru": "TERRa (ru)", "fr": "TERRa (fr)", "de": "TERRa (de)", "extra": "Extra data"}
_PAPER_COLUMN = {"ru": 0, "en": 1, "extra": 2}


def _rates(found: StabilityFindings) -> Table:
    """Table 7: the share of rows that show each feature, in every corpus that was annotated."""
    facts = found.kept.facts["rates"]
    fields: list[Field[str]] = [Field(Column("feature", "Feature"), str)]
    for corpus, fact in facts.items():
        name = CORPORA[corpus] if found.paper_corpora or corpus == "extra" else corpus
        about = f"share of {fact['rows']:,} rows, in text or second text"
        fields.append(Field(Column(f"rate_{corpus}", name, 3, "", about), partial(_rate, fact)))
        fields.append(Field(Column(f"paper_{corpus}", name, 3, published=True), partial(_printed_rate, found, corpus)))
    rows = ", ".join(f"{fact['rows']:,}" for fact in facts.values())
    title = f"How often the rules find each feature in {rows} rows"
    return make_table(Heading("rates", title, "", [fact["key"] for fact in facts.values()]), fields, FEATURES)


def _rate(fact: Mapping[str, Any], feature: str) -> Cell:
    return float(fact["shown"][feature] / fact["rows"])


def _printed_rate(found: StabilityFindings, corpus: str, feature: str) -> Cell:
    """The paper's rate, where it is of the same corpus; no model has a part in it."""
    extra = found.config.extra
    is_mnli = extra.corpus == PAPER_EXTRA and extra.split == "train"
    is_theirs = corpus in _PAPER_COLUMN and (corpus != "extra" or is_mnli)
    is_theirs = is_theirs and found.paper_corpora and found.config.data.most_train is None
    return printed_cell(RATES[feature][_PAPER_COLUMN[corpus]] if is_theirs else None)
