"""The parts of the report on the oracle, on the rules that choose a checkpoint, and on the course of training."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from goldproof.judging.checkpoints.analysis import LanguageResult, Transfer
from goldproof.judging.checkpoints.rules import MEANING, RULES, USUAL, RuleScore, mean_difference
from goldproof.judging.checkpoints.wide import PrintedRow, wide_table
from goldproof.judging.metrics import title_of
from goldproof.report.charts import Caption, curves, heat_map
from goldproof.report.summary import Cell, Column, Item, Missing, Table
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.intervals import mean_interval

MOST_PANELS = 6


def oracle_items(found: Transfer, printed: Sequence[PrintedRow]) -> list[Item]:
    """Table 4 in the paper's shape, and what was lost against the best checkpoint."""
    source = found.experiment.source
    rows: list[dict[str, Cell]] = [
        {"row": "target dev (oracle)", **{r.language: _best_run(found, r, "target dev") for r in found.languages}},
        {"row": f"best {source} dev", **{r.language: _best_run(found, r, USUAL) for r in found.languages}},
        {"row": "best of all on test", **{r.language: _ceiling(found, r.language) for r in found.languages}},
    ]
    note = (
        "Each cell is the best of the runs, as the paper prints it: choosing the best run by its test score flatters "
        "every row. The last row is the highest test score of any checkpoint of any run."
    )
    gains = [_best_gain(found, result) for result in found.languages]
    known = [gain for gain in gains if math.isfinite(gain)]
    title = f"Best runs: target dev differs from {source} dev by {_range(known)} points"
    return [wide_table("oracle", title, rows, found.experiment.targets, printed, note), _regret_table(found)]


def _range(values: Sequence[float]) -> str:
    if not values:
        return "an unknown number of"
    return f"{100 * min(values):+.1f} to {100 * max(values):+.1f}".replace("-", "−")


def _best_run(found: Transfer, result: LanguageResult, rule: str) -> Cell:
    score = found.rule(result.language, rule)
    return Missing(score.reason) if score.run_scores is None else float(score.run_scores.max())


def _best_gain(found: Transfer, result: LanguageResult) -> float:
    oracle, usual = (found.rule(result.language, rule).run_scores for rule in ("target dev", USUAL))
    return float(oracle.max() - usual.max()) if oracle is not None and usual is not None else math.nan


def _ceiling(found: Transfer, language: str) -> float:
    return float(np.nanmax(found.experiment.test(language).scores))


def _regret_table(found: Transfer) -> Table:
    rows: list[dict[str, Cell]] = []
    for result in found.languages:
        oracle = found.rule(result.language, "target dev")
        rows.append(
            {
                "language": result.language,
                "gain": oracle.difference if oracle.difference is not None else Missing(oracle.reason),
                "p": oracle.adjusted if math.isfinite(oracle.adjusted) else Missing(oracle.reason or "not tested"),
                "apparent": result.regret.apparent,
                "corrected": result.regret.corrected,
            }
        )
    columns = [
        Column("language", "Language"),
        Column("gain", "Target dev gains", 1, "points", "over source dev; paired, over runs and test items"),
        Column("p", "p", 3, "p-value", "adjusted over languages and rules (Benjamini-Hochberg)"),
        Column("apparent", "Regret as it looks", 1, "points", "best checkpoint on test minus the chosen one"),
        Column("corrected", "Regret corrected", 1, "points", "best checkpoint found on one half of the test items"),
    ]
    means = [np.mean([getattr(r.regret, part).value for r in found.languages]) for part in ("apparent", "corrected")]
    left = f"{100 * means[1]:.1f}" if means[1] > 0 else "none"
    title = f"Of {100 * means[0]:.1f} points of regret {left} remain once the winner's curse is taken out"
    note = (
        "Mean of the runs, each with its own choice of checkpoint. The best of many checkpoints on the same test items "
        "is partly lucky there; corrected, it is chosen on one half of the items and scored on the other (20 random "
        "halvings). Half of the items choose less well than all, so the corrected regret errs on the low side."
    )
    return Table("regret", title, columns, rows, note)


def rule_items(found: Transfer) -> list[Item]:
    """The rules over all languages, and each language by itself."""
    rows: list[dict[str, Cell]] = []
    for rule in RULES:
        scores = [score for score in found.rules if score.rule == rule]
        known = [score.estimate.value for score in scores if score.estimate is not None]
        gain = mean_difference(found.rules, rule, found.settings.level) if rule != USUAL else None
        reason = next((score.reason for score in scores if score.reason), "the rule the others are compared with")
        adjusted = [(s.adjusted, s.difference.value) for s in scores if s.difference is not None]
        rows.append(
            {
                "rule": rule,
                "languages": len(known),
                "score": float(np.mean(known)) if known else Missing(reason),
                "gain": gain if gain is not None else Missing(reason),
                "better": sum(p < 0.05 and d > 0 for p, d in adjusted),
                "worse": sum(p < 0.05 and d < 0 for p, d in adjusted),
                "meaning": MEANING[rule],
            }
        )
    columns = [
        Column("rule", "Rule"),
        Column("languages", "Languages"),
        Column("score", title_of(found.experiment.metric), 1, "%", "mean of runs and languages"),
        Column("gain", "Over source dev", 1, "points", "mean of languages; interval over runs, items fixed"),
        Column("better", "Better in", note="languages, p < .05 adjusted, paired over runs and items"),
        Column("worse", "Worse in", note="languages, p < .05 adjusted, paired over runs and items"),
        Column("meaning", "It takes"),
    ]
    return [Table("rules", _rules_title(found), columns, rows), *_rule_figure(found), _rule_table(found)]


def _rules_title(found: Transfer) -> str:
    gains = {rule: mean_difference(found.rules, rule, found.settings.level) for rule in RULES if rule != USUAL}
    sure = {rule: gain for rule, gain in gains.items() if gain is not None and gain.low > 0}
    if not sure:
        return f"No rule is credibly better than best {found.experiment.source} dev over all languages"
    best = max(sure, key=lambda rule: sure[rule].value)
    gained = f"{100 * sure[best].value:.1f} points"
    return f"The rule '{best}' is {gained} better than best {found.experiment.source} dev over all languages"


def _rule_figure(found: Transfer) -> list[Item]:
    rows: list[dict[str, Cell]] = [
        {
            "rule": score.rule,
            "language": score.language,
            "gain": score.difference,
            "chance": not score.adjusted < 0.05,
        }
        for score in found.rules
        if score.difference is not None
    ]
    told = sum(not row["chance"] for row in rows)
    title = f"{told} of {len(rows)} differences between a rule and source dev can be told from none"
    caption = Caption("rules-figure", title, "Paired over runs and items; p adjusted over all cells.")
    across, down = Column("rule", "Rule"), Column("language", "Language")
    column, unclear = Column("gain", "Rule − source dev", 1, "points"), Column("chance", "no difference")
    return [heat_map(rows, across, down, column, caption=caption, chance=unclear)]


def _rule_table(found: Transfer) -> Table:
    followed = {score.rule for score in found.rules if score.estimate is not None}
    rows = [_rule_row(score) for score in found.rules if score.rule in followed]
    columns = [
        Column("language", "Language"),
        Column("rule", "Rule"),
        Column("score", title_of(found.experiment.metric), 1, "%"),
        Column("gain", "Over source dev", 1, "points"),
        Column("p", "p", 3, "p-value", "adjusted over languages and rules"),
    ]
    n_rules, n_languages = len(followed), len({score.language for score in found.rules})
    title = f"Every score behind it: {n_rules} rules in {n_languages} {'languages' if n_languages > 1 else 'language'}"
    return Table("rules-by-language", title, columns, rows)


def _rule_row(score: RuleScore) -> dict[str, Cell]:
    reason = Missing(score.reason or "the rule the others are compared with")
    return {
        "language": score.language,
        "rule": score.rule,
        "score": score.estimate if score.estimate is not None else reason,
        "gain": score.difference if score.difference is not None else reason,
        "p": score.adjusted if math.isfinite(score.adjusted) else reason,
    }


def course_items(found: Transfer) -> list[Item]:
    """Trajectories of the languages in which source dev guides best and worst, and what was forgotten."""
    ranked = sorted(found.languages, key=lambda result: -np.nan_to_num(result.by_source.whole.value))
    if len(ranked) > MOST_PANELS:
        ranked = [*ranked[: MOST_PANELS // 2], *ranked[-MOST_PANELS // 2 :]]
    source = found.experiment.dev(found.experiment.source)
    assert source is not None
    rows = [
        row
        for result in ranked
        for name, scores in (
            (f"{found.experiment.source} dev", source.scores),
            ("target test", found.experiment.test(result.language).scores),
        )
        for row in _course(found, result, name, scores)
    ]
    name = title_of(found.experiment.metric)
    ends = f"best in {ranked[0].language}, worst in {ranked[-1].language}" if len(ranked) > 1 else "less or more"
    caption = Caption(
        "trajectories", f"Over training {found.experiment.source} dev guides {ends}", f"Dev and test {name}."
    )
    across, up = Column("step", "Step"), Column("score", name, 1, "%")
    figure = curves(
        rows, across, up, series=Column("set", "Set"), facet=Column("language", "Language"), caption=caption
    )
    return [figure, _forgetting_table(found)]


def _course(found: Transfer, result: LanguageResult, name: str, scores: FloatArray) -> list[dict[str, Cell]]:
    share = 100 * result.by_source.whole.value
    rows: list[dict[str, Cell]] = []
    for step, column in zip(found.experiment.steps, scores.T, strict=True):
        values = column[np.isfinite(column)]
        if len(values):
            cell = mean_interval(values, found.settings.level) if len(values) > 1 else float(values[0])
            facet = f"{result.language}, agreement {share:.0f} %" if math.isfinite(share) else result.language
            rows.append({"language": facet, "set": name, "step": int(step), "score": cell})
    return rows


def _forgetting_table(found: Transfer) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "language": result.language,
            "apparent": result.forgetting.apparent,
            "corrected": result.forgetting.corrected,
        }
        for result in found.languages
    ]
    columns = [
        Column("language", "Language"),
        Column("apparent", "Peak − final", 1, "points"),
        Column("corrected", "Corrected", 1, "points", "peak found on one half of the test items, scored on the other"),
    ]
    sure = [result.language for result in found.languages if result.forgetting.corrected.low > 0]
    title = f"{len(sure)} of {len(rows)} languages are credibly forgotten by the end of training"
    return Table("forgetting", title, columns, rows, "Mean of the runs with a t interval over runs.")
