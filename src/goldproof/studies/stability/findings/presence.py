"""The section on features in the training data: Figure 5, Table 5, and the rates of Table 7 in the extra data."""

from __future__ import annotations

import math

import numpy as np

from goldproof.builders.annotation.features import FEATURES, count_features
from goldproof.report.charts import Caption, scatter
from goldproof.report.summary import Cell, Column, Figure, Item, Missing, Section, Table
from goldproof.statistics.intervals import mean_interval
from goldproof.studies.stability.plan import Condition, annotation_job, extra_job
from goldproof.studies.stability.published import IMPROVEMENT_CORRELATION, PRESENCE, RATES
from goldproof.studies.stability.scores import ConditionScores as Scored
from goldproof.studies.stability.scores import StabilityFindings as Findings

NOT_PRINTED = "not in the paper"


def presence_section(found: Findings) -> list[Section]:
    """What a feature's share of the extra data does to its score; nothing where no feature was chosen."""
    if not found.config.presence.features:
        return []
    items: list[Item] = [_table(found), *_improvements(found), _rates(found)]
    return [Section("Does more of a feature help it?", items)]


def _table(found: Findings) -> Table:
    setting, rows = found.config.presence, []
    keys: list[str] = []
    for feature in setting.features:
        for language in setting.languages:
            for percent in setting.percent:
                scored = found.scored[Condition(language, setting.amount, feature, percent)]
                rows.append(_row(found, scored))
                keys += scored.keys
    columns = [
        Column("feature", "Feature"),
        Column("language", "Language"),
        Column("percent", "Presence", 0, "%"),
        Column("mcc", "Feature MCC", 3, "", "mean over seeds; t interval over seeds, the rows fixed"),
        Column("sd", "±", 2),
        Column("paper", "Feature MCC", 3, published=True),
        Column("paper_sd", "±", 2, published=True),
        Column("correlation", "Seed correlation", 3, "", "mean correlation between the seeds' category scores"),
        Column("paper_correlation", "Seed correlation", 3, published=True),
    ]
    title = f"The feature's MCC with {setting.amount:,} extra rows of which a given share holds it"
    note = "Shares are exact: so many rows of the extra data are drawn with the feature and so many without."
    return Table("presence", title, found.columns(columns), rows, note, keys)


def _row(found: Findings, scored: Scored) -> dict[str, Cell]:
    condition = scored.condition
    scores = scored.table[scored.categories.index(condition.feature)]
    estimate = scored.correlation(found.config.level)
    paper = PRESENCE.get((condition.feature, condition.language, condition.percent))
    several = len(scores) > 1
    row: dict[str, Cell] = {
        "feature": condition.feature,
        "language": condition.language,
        "percent": condition.percent / 100,
        "mcc": mean_interval(scores, found.config.level) if several else float(scores[0]),
        "sd": float(scores.std(ddof=1)) if several else Missing("needs at least two seeds"),
        "correlation": estimate if estimate and math.isfinite(estimate.value) else Missing("the seeds do not vary"),
    }
    for key, name in (("paper", "mcc"), ("paper_sd", "sd"), ("paper_correlation", "correlation")):
        row[key] = getattr(paper, name) if paper else Missing(NOT_PRINTED)
    return row


def _improvements(found: Findings) -> list[Figure]:
    """What the extra rows add to each feature, one language against the other (Figure 5)."""
    languages = found.config.presence.languages
    if len(languages) < 2:
        return []
    gains = {language: _gains(found, language) for language in languages[:2]}
    (one, ours), (other, theirs) = gains.items()
    rows: list[dict[str, Cell]] = [
        {"feature": feature, "one": float(a), "other": float(b)}
        for feature, a, b in zip(FEATURES, ours, theirs, strict=True)
    ]
    correlation = float(np.corrcoef(ours, theirs)[0, 1]) if np.ptp(ours) and np.ptp(theirs) else math.nan
    paper = f" (paper, en and ru: {IMPROVEMENT_CORRELATION})" if found.with_paper else ""
    title = f"What extra data adds per feature correlates with {correlation:.2f} between {one} and {other}{paper}"
    across, up = Column("one", f"ΔMCC {one}", 2), Column("other", f"ΔMCC {other}", 2)
    label = Column("feature", "Feature")
    return [scatter(rows, across, up, caption=Caption("improvements", title), label=label, identity=True)]


def _gains(found: Findings, language: str) -> np.ndarray:
    more = found.scored[Condition(language, found.config.presence.amount)]
    places = [more.categories.index(feature) for feature in FEATURES]
    return np.asarray((more.table.mean(axis=1) - found.base[language].table.mean(axis=1))[places])


def _rates(found: Findings) -> Table:
    job = annotation_job(found.config)
    data, features = found.results[extra_job(found.config)], found.results[job]
    rows: list[dict[str, Cell]] = [
        {
            "feature": count.feature,
            "n": count.n_shown,
            "rate": count.n_shown / count.n_rows,
            "paper": RATES[count.feature][2],
        }
        for count in count_features(data, features)
    ]
    columns = [
        Column("feature", "Feature"),
        Column("n", "Rows"),
        Column("rate", "Share", 3),
        Column("paper", "Share, MNLI 10k", 3, published=True),
    ]
    title = f"How often the rules find each feature in {len(data):,} rows of extra data"
    return Table("rates", title, found.columns(columns), rows, "", [job.key])
