"""What the study answers: whether the overall score stays above chance with another seed, and the findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from goldproof.judging.checkpoints.luck import another_run
from goldproof.judging.tags import UNTESTED
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import estimate_text
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure
from goldproof.statistics.estimate import Estimate
from goldproof.studies.stability.findings.after import above_claims
from goldproof.studies.stability.findings.presence import presence_claims
from goldproof.studies.stability.findings.seeds import sources_title, widest_spread
from goldproof.studies.stability.findings.size import gains
from goldproof.studies.stability.published import OVERALL
from goldproof.studies.stability.scores import ConditionScores, StabilityFindings, summary_method

QUESTION = "Would the score hold with another seed?"
SCORE = Column("overall", "Overall MCC", 3)
MOST_GAINS = 2


def stability_answer(found: StabilityFindings) -> Answer:
    """The first screen."""
    notes = _collapsed(found)
    if all(scored.is_collapsed for scored in found.every_base.values()):
        return Answer("open", "Undecided", "every training gives one answer to nearly all rows.", "", notes)
    return replace(_answer(found), notes=notes, figure=_figure(found))


def _answer(found: StabilityFindings) -> Answer:
    base = found.base
    if all(scored.n_runs == 1 for scored in base.values()):
        text = f"{_said(found, list(base))} with one seed (interval over rows), which says nothing about another seed."
        return Answer("open", "Undecided", text, "It would take three or more seeds.")
    above = [language for language in base if found.together[language].low > 0]
    unclear = [language for language in base if language not in above]
    scope = f"for another training of this recipe, on rows like these ({_seeds(found)})"
    if not above:
        text = f"{_said(found, unclear)}, so chance (0) is not ruled out, {scope}."
        rows = max(scored.answers.n_items for scored in base.values())
        takes = f"It would take more seeds, or more test rows than these {rows:,}."
        return Answer("open", "Undecided", text, takes)
    where = f" in {some(above)}" if unclear else f" in each of {len(base)} languages" if len(base) > 1 else ""
    text = f"{_said(found, above)} {scope}."
    if unclear:
        text += f" In {some(unclear)}, chance is not ruled out."
    return Answer("measured" if unclear else "yes", f"Yes, it stays above chance{where}", text, _reach(found, above))


def _said(found: StabilityFindings, languages: Sequence[str]) -> str:
    """The overall score of a few languages, or the lowest and the highest of many."""
    ranked = sorted(languages, key=lambda language: found.base[language].overall.value)
    if len(ranked) <= 2:
        parts = [f"{_score(found, language)}{f' ({language})' if len(found.base) > 1 else ''}" for language in ranked]
        return f"the overall MCC is {' and '.join(parts)}"
    low, high = (f"{_score(found, language)} ({language})" for language in (ranked[0], ranked[-1]))
    return f"the overall MCC ranges from {low} to {high}"


def _score(found: StabilityFindings, language: str) -> str:
    return estimate_text(found.together[language], 3)


def _seeds(found: StabilityFindings) -> str:
    counts = sorted({scored.n_runs for scored in found.base.values()})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    n = len(found.base)
    return f"{span} seeds; intervals hold for all {n} languages together" if n > 1 else f"{span} seeds"


def _reach(found: StabilityFindings, languages: Sequence[str]) -> str:
    """How far one more seed may be off, where it may be off most."""
    reach = {language: another_run(found.base[language].run_overall, found.config.level) for language in languages}
    known = {language: value for language, value in reach.items() if math.isfinite(value)}
    if not known:
        return ""
    widest = max(known, key=lambda language: known[language])
    where = f" in {widest}" if len(found.base) > 1 else ""
    return f"Another seed is expected within ±{known[widest]:.3f} of the mean{where}; more seeds would narrow that."


def _collapsed(found: StabilityFindings) -> list[str]:
    """How many trainings collapsed, of which no finding speaks."""
    every = list(found.scored.values())
    n = sum(scored.n_collapsed for scored in every)
    if not n:
        return []
    of = sum(len(found.config.seeds) for _ in every)
    lost = [scored.condition.name() for scored in every if scored.is_collapsed]
    alone = f" nothing can be said about {', '.join(lost)}, where all did" if lost else ""
    text = f"{n} of {of} trainings collapsed, giving one answer to nearly all rows; no finding counts them"
    return [f"{text}:{alone}." if alone else f"{text}."]


def stability_findings(found: StabilityFindings) -> list[str | Claim]:
    """The findings: how far seeds differ, categories beside chance, sources of chance, extra data."""
    if all(scored.is_collapsed for scored in found.every_base.values()):
        return []
    widest = widest_spread(found)
    spread = [Claim(f"{widest}.", place="overall")] if widest is not None else []
    return [
        *spread,
        *_correlation(found),
        *_categories(found),
        *_sources(found),
        *_gains(found),
        *above_claims(found),
        *presence_claims(found),
    ]


def _correlation(found: StabilityFindings) -> list[Claim]:
    """How alike two seeds rank the categories, where they do so least."""
    every = {language: scored.correlation(found.config.level) for language, scored in found.base.items()}
    known = {language: each for language, each in every.items() if each is not None and math.isfinite(each.low)}
    if not known:
        return []
    least = min(known, key=lambda language: known[language].value)
    printed = f"{OVERALL[least].correlation:.3f}" if found.paper.stands and least in OVERALL else ""
    where = f"{least}: t" if len(known) > 1 else "T"
    text = f"{where}he category scores of two seeds correlate at {estimate_text(known[least], 3)} on average"
    text += ", the lowest of all languages." if len(known) > 1 else "."
    return [Claim(text, "stated", known[least], 3, published=printed, place="overall")]


def _categories(found: StabilityFindings) -> list[Claim]:
    tested = [score for scores in found.categories.values() for score in scores if score.verdict not in UNTESTED]
    told = [score for score in tested if score.verdict in ("above chance", "below chance")]
    if not tested:
        return []
    means = "taken as means over seeds" if any(scored.n_runs > 1 for scored in found.base.values()) else "with one seed"
    if not told:
        text = f"None of {len(tested)} category scores can be distinguished from chance, {means}."
        return [Claim(text, "not shown", place="languages-map")]
    names = some([f"{score.tag} ({score.where['language']})" if len(found.base) > 1 else score.tag for score in told])
    text = (
        f"Of {len(tested)} category scores that could be tested, {len(told)} can be distinguished from chance, "
        f"{means}: {names}."
    )
    return [Claim(text, "shown", place="languages-map")]


def _sources(found: StabilityFindings) -> list[Claim]:
    if not found.sources:
        return []
    is_shown = any(p < 1 - found.config.level for p in found.adjusted_sources.values())
    return [Claim(f"{sources_title(found)}.", "shown" if is_shown else "not shown", place="sources")]


def _gains(found: StabilityFindings) -> list[Claim]:
    """What extra data does: a claim for each of few languages, one for all of many."""
    every = gains(found)
    if len(every) <= MOST_GAINS:
        return every
    shown = [claim.text.partition(":")[0] for claim in every if claim.standing == "shown"]
    if not shown:
        text = f"Extra rows are not shown to change the overall MCC in any of {len(every)} languages."
        return [Claim(text, "not shown", place="data-size")]
    text = f"Extra rows are shown to change the overall MCC in {some(shown)}, of {len(every)} languages."
    return [Claim(text, "shown", place="data-size")]


def _figure(found: StabilityFindings) -> Figure:
    """The overall score of each language with its single seeds, chance, and what the paper printed."""
    readings = []
    for language, scored in found.base.items():
        name = (
            language if len(found.base) > 1 else f"mean of {scored.n_runs} seeds" if scored.n_runs > 1 else "one seed"
        )
        readings.append(_reading(name, scored))
        if found.paper.stands and language in OVERALL:
            readings.append(OverviewRow(name, OVERALL[language].mcc, look="baseline"))
    note = f"Squares: the paper. {found.paper.note}".strip() if found.paper.stands else ""
    caption = Caption("answer", "Overall MCC, each seed a small dot", note, found.keys())
    return overview(readings, SCORE, caption=caption, against=Against([0.0], text="Dashed: chance."))


def _reading(name: str, scored: ConditionScores) -> OverviewRow:
    estimate: Estimate = summary_method(scored.overall)
    return OverviewRow(name, estimate, [float(value) for value in scored.run_overall] if scored.n_runs > 1 else ())
