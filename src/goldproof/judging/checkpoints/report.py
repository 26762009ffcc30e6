"""The report of transfer: what may be claimed, then the tables of Keung et al. (2020) in their shape, then the rest.

Sections on runs and guidance are here; those on selection and the course of training in `report_selection`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from goldproof.judging.checkpoints.analysis import LanguageResult, Transfer
from goldproof.judging.checkpoints.answer import QUESTION, transfer_answer, transfer_figure, transfer_findings
from goldproof.judging.checkpoints.guide import Guidance
from goldproof.judging.checkpoints.report_selection import LANGUAGE, course_items, oracle_items, rule_items
from goldproof.judging.checkpoints.rules import NOT_AVERAGED, USUAL
from goldproof.judging.checkpoints.wide import PrintedRow, WideRow, wide_table
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.report.charts import Caption, dots, heat_map
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.names import of_several
from goldproof.report.numbers import format_number, in_words, points
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Report, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import benjamini_hochberg


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around the analysis: rows that a paper printed, by table, the jobs' keys, sections and provenance."""

    printed: Mapping[str, Sequence[PrintedRow]] = field(default_factory=dict)
    keys: Sequence[str] = ()
    notes: Sequence[str] = ()
    sections: Sequence[Section] = ()
    provenance: Mapping[str, str | int | float] = field(default_factory=dict)


def transfer_report(found: Transfer, context: Context | None = None) -> Report:
    """The report of an analysis."""
    context = context or Context()
    sections = [
        Section("What may be claimed", _claim_items(found)),
        Section("Would another run say the same?", _spread_items(found, context.printed.get("runs", ()))),
        Section(
            f"Does {found.experiment.source} dev guide you to the other languages?",
            _guide_items(found, context.printed.get("agreement", ())),
        ),
        Section("What would a better checkpoint give?", oracle_items(found, context.printed.get("oracle", ()))),
        Section("Which rule should choose?", rule_items(found)),
        Section("Over training", course_items(found)),
        *context.sections,
    ]
    notes = list(dict.fromkeys([*context.notes, *found.experiment.notes, *_limits(found)]))
    sections.append(Section("Limits", [Text(note) for note in notes]))
    keyed = [Section(section.title, [_with_keys(item, context.keys) for item in section.items]) for section in sections]
    answer = replace(transfer_answer(found), figure=transfer_figure(found, context.keys))
    return Report("transfer", QUESTION, transfer_findings(found), keyed, context.provenance, answer)


def _with_keys(item: Item, keys: Sequence[str]) -> Item:
    return item if isinstance(item, Text) or not keys else replace(item, keys=keys)


def _claim_items(found: Transfer) -> list[Item]:
    n_free = sum(result.claim == "may be claimed" for result in found.languages)
    title = of_several(
        n_free,
        len(found.languages),
        "{} zero-shot scores may be claimed as they are",
        "The zero-shot score may not be claimed as it is",
        "The zero-shot score may be claimed as it is",
    )
    note = (
        "May be claimed as it is: the score is above that of one label for all items; another run on these items is "
        f"expected within {_margin(found)} points; the interval over runs and items is no wider than that on either "
        "side; and target dev, if there is one, is shown to be better by no more than that."
    )
    return [make_table(Heading("claims", title, note), _claim_fields(found), found.languages)]


def _claim_fields(found: Transfer) -> list[Field[LanguageResult]]:
    source, name = found.experiment.source, title_of(found.experiment.metric)
    score = Column(
        "score", name, 1, "%", "mean of the runs at each run's best source dev; interval over runs and items"
    )
    another = Column(
        "another",
        "Another run ±",
        1,
        "points",
        ("another run on these items is expected within this distance of the mean"),
    )
    gap = Column("gap", f"Below {source}", 1, "points", "source minus target on the same test items, paired")
    guide = Column(
        "guide",
        f"{source} dev, late",
        note="share of its moves that agree with test, second half of training; over runs, on these very items",
    )
    return [
        LANGUAGE,
        Field(Column("n", "Test items"), lambda result: result.n_items),
        Field(score, lambda result: found.rule(result.language, USUAL).estimate),
        Field(another, lambda result: _finite(result.spread.another_run, "one run only")),
        Field(gap, lambda result: result.gap.difference or Missing(result.gap.reason)),
        Field(guide, lambda result: result.by_source.late_standing),
        Field(Column("claim", "The score"), lambda result: result.claim),
    ]


def _margin(found: Transfer) -> str:
    return f"{100 * found.settings.margin:g}"


def _spread_items(found: Transfer, printed: Sequence[PrintedRow]) -> list[Item]:
    if found.experiment.n_runs == 1:
        return [Text("There is only one run, so nothing can be said about another.")]
    spreads = {"dev": found.source_spread, **{result.language: result.spread for result in found.languages}}
    rows = [
        WideRow("Max", {name: spread.highest for name, spread in spreads.items()}),
        WideRow("Min", {name: spread.lowest for name, spread in spreads.items()}),
        WideRow("Δ", {name: Marked(s.delta, best=s.is_significant) for name, s in spreads.items()}),
        WideRow("significant from", {name: _finite(s.significant, "for accuracy only") for name, s in spreads.items()}),
    ]
    widest = max(found.languages, key=lambda result: result.spread.delta)
    title = (
        f"{found.experiment.source} dev differs by {points(found.source_spread.delta)} between runs, "
        f"{widest.language} test by {format_number(widest.spread.delta, 1, 'points')}"
    )
    note = (
        f"{found.experiment.n_runs} runs, each at its best {found.experiment.source} dev checkpoint. Bold: Δ is at "
        "least what a two-proportion z test calls significant at this test size, as in the paper. That test treats "
        "the runs as if they had different items and ignores that the extremes of several runs were picked; the next "
        "table has the right test."
    )
    columns = (f"Dev {found.experiment.source}", *found.experiment.targets)
    return [
        wide_table(Heading("runs", title, note), rows, columns, printed),
        _equality_table(found),
        _run_figure(found),
    ]


def _finite(value: float, reason: str) -> Cell:
    return value if math.isfinite(value) else Missing(reason)


_EQUALITY_FIELDS: tuple[Field[LanguageResult], ...] = (
    LANGUAGE,
    Field(Column("delta", "Δ", 1, "points"), lambda result: result.spread.delta),
    Field(Column("sd", "SD over runs", 1, "points"), lambda result: float(result.spread.run_scores.std(ddof=1))),
    Field(Column("another", "Another run ±", 1, "points"), lambda result: result.spread.another_run),
    Field(
        Column(
            "p", "p", 3, "p-value", "Cochran's Q: all runs are equally good on these items; Benjamini-Hochberg adjusted"
        ),
        lambda result: _finite(result.adjusted, "for accuracy only"),
    ),
)


def _equality_table(found: Transfer) -> Table:
    known = [result.adjusted for result in found.languages if math.isfinite(result.adjusted)]
    apart = sum(p < 1 - found.settings.level for p in known)
    title = of_several(
        apart,
        len(known),
        "Runs can be distinguished on these items in {} languages",
        "Runs cannot be distinguished on these items",
        "Runs can be distinguished on these items",
    )
    if not known:
        widest = max(found.languages, key=lambda result: result.spread.delta)
        title = f"Runs differ by up to {points(widest.spread.delta)} ({widest.language})"
    heading = Heading("equality", title, f"{found.experiment.n_runs} runs on the same items.")
    return make_table(heading, _EQUALITY_FIELDS, found.languages)


def _run_figure(found: Transfer) -> Item:
    name = title_of(found.experiment.metric)
    rows: list[dict[str, Cell]] = [
        {"run": f"run {run}", "language": result.language, "score": float(value)}
        for result in found.languages
        for run, value in zip(found.experiment.run_names, result.spread.run_scores, strict=True)
    ]
    widest = max(found.languages, key=lambda result: result.spread.delta)
    delta = f"{points(widest.spread.delta)} of {lower_name(found.experiment.metric)}"
    title = f"{widest.language} differs most between runs: {delta}"
    note = f"Each run at its best {found.experiment.source} dev checkpoint."
    caption = Caption("runs-figure", title, note)
    column = Column("score", name, 1, "%")
    return heat_map(rows, Column("run", "Run"), Column("language", "Language"), column, caption=caption, centre=None)


def _guide_items(found: Transfer, printed: Sequence[PrintedRow]) -> list[Item]:
    source = found.experiment.source
    own = found.source_agreement
    first: dict[str, Cell] = {} if own is None else {source: own.whole.value}
    first |= {result.language: _weak(result.by_source) for result in found.languages}
    second = {
        result.language: _weak(result.by_target) if result.by_target else Missing("no development set")
        for result in found.languages
    }
    against = sum(result.by_source.standing == "misleads" for result in found.counted)
    title = of_several(
        against,
        len(found.counted),
        f"{source} dev is shown to move against target test in {{}} languages",
        f"{source} dev is not shown to move against target test",
        f"{source} dev is shown to move against target test",
    )
    counting = found.settings.counting
    pairs = "pairs across runs too" if counting.across_runs else "pairs within a run"
    note = (
        f"Share of {pairs} of checkpoints, of those whose test score differs by at least "
        f"{100 * counting.threshold:g} points, in which dev and test move the same way; a tie in dev counts "
        f"{counting.ties:g}. Bold: below one half, as in the paper, whether shown or not."
    )
    languages = (source, *found.experiment.targets)
    rows = [WideRow(f"{source} dev", first), WideRow("target dev", second)]
    table = wide_table(Heading("agreement", title, note), rows, languages, printed, percent=False)
    return [table, _agreement_table(found), _agreement_figure(found), _correlation_table(found)]


def _weak(guidance: Guidance) -> Cell:
    value = guidance.whole.value
    return Marked(value, best=value < 0.5) if math.isfinite(value) else Missing(guidance.whole.method)


def _of_target(read: Callable[[Guidance], Cell], result: LanguageResult) -> Cell:
    return read(result.by_target) if result.by_target else Missing("no development set")


def _guidance_fields(source: str) -> list[Field[LanguageResult]]:
    null = Column("null", "By chance", 1, "%", "range for unrelated series with the same autocorrelation")
    late = Column("late", f"{source} dev, late", 1, "%", "checkpoints of the second half of training only")
    return [
        LANGUAGE,
        Field(Column("pairs", "Pairs"), lambda result: result.by_source.whole.n),
        Field(
            Column("source", f"{source} dev", 1, "%", "interval clustered by run; these very items"),
            lambda result: result.by_source.whole,
        ),
        Field(null, lambda result: result.by_source.null),
        Field(late, lambda result: result.by_source.late),
        Field(Column("standing", "Verdict"), lambda result: result.by_source.standing),
        Field(Column("late_standing", "Verdict, late"), lambda result: result.by_source.late_standing),
    ]


_TARGET_FIELDS: tuple[Field[LanguageResult], ...] = (
    Field(Column("target", "Target dev", 1, "%"), partial(_of_target, lambda target: target.whole)),
    Field(Column("target_late", "Target dev, late", 1, "%"), partial(_of_target, lambda target: target.late)),
)


def _agreement_table(found: Transfer) -> Table:
    source = found.experiment.source
    fields = _guidance_fields(source)
    if any(result.by_target is not None for result in found.languages):
        fields += _TARGET_FIELDS
    late = sum(result.by_source.late_standing == "guides" for result in found.counted)
    half = f"In the second half of training {source} dev is"
    title = of_several(
        late,
        len(found.counted),
        f"{half} shown to guide in {{}} languages",
        f"{half} not shown to guide",
        f"{half} shown to guide",
    )
    if found.experiment.n_runs == 1:
        title = f"One run cannot tell whether {source} dev guides"
    note = (
        "Early in training every score rises, which makes agreement easy; the second half is the test that matters. "
        "Verdicts are about other runs on these very dev and test items: the interval over runs must exclude one "
        "half and the share must lie outside what unrelated series give, with the false discovery rate controlled "
        "over languages."
    )
    return make_table(Heading("guidance", title, note), fields, found.languages)


def _agreement_figure(found: Transfer) -> Item:
    rows: list[dict[str, Cell]] = []
    for result in found.languages:
        rows.append(
            {"language": result.language, "by": f"{found.experiment.source} dev", "share": result.by_source.whole}
        )
        if result.by_target is not None:
            rows.append({"language": result.language, "by": "target dev", "share": result.by_target.whole})
    caption = Caption("agreement-figure", _agreement_title(found), "All checkpoints. Dashed: a coin.")
    column = Column("share", "Agreement", 0, "%")
    return dots(rows, Column("language", "Language"), column, series=Column("by", "Dev set"), caption=caption, rule=0.5)


def _agreement_title(found: Transfer) -> str:
    known = [result for result in found.languages if math.isfinite(result.by_source.whole.value)]
    if not known:
        return (
            "In no language is there a pair of checkpoints that counts for agreement with "
            f"{found.experiment.source} dev"
        )
    ranked = sorted(known, key=lambda result: -result.by_source.whole.value)
    said = [f"{result.language} ({in_words(result.by_source.whole, 0, '%')})" for result in (ranked[0], ranked[-1])]
    guide = f"{found.experiment.source} dev agrees with target test"
    return f"{guide} most in {said[0]}, least in {said[1]}" if len(ranked) > 1 else f"{guide} in {said[0]}"


def _estimate_or_reason(estimate: Estimate) -> Cell:
    return estimate if math.isfinite(estimate.value) else Missing(estimate.method)


_CORRELATION_FIELDS: tuple[Field[LanguageResult], ...] = (
    LANGUAGE,
    Field(
        Column("within", "Within runs", 2, "", "over the checkpoints of a run, mean of the runs"),
        lambda result: _estimate_or_reason(result.correlation.within),
    ),
    Field(
        Column("between", "Between runs", 2, "", "over runs, each at its best source dev checkpoint"),
        lambda result: _estimate_or_reason(result.correlation.between),
    ),
)


def _correlation_table(found: Transfer) -> Table:
    source, every = found.experiment.source, found.counted
    known = [result.correlation for result in every if math.isfinite(result.correlation.p_value)]
    adjusted = benjamini_hochberg(np.array([each.p_value for each in known]))
    pairs = zip(known, adjusted, strict=True)
    sure = sum(p < 1 - found.settings.level and each.between.value > 0 for each, p in pairs)
    better = f"A better run on {source} dev is"
    title = of_several(
        sure,
        len(known),
        f"{better} shown to be a better run in {{}} languages",
        f"{better} not shown to be a better run on target test",
        f"{better} shown to be a better run on target test",
    )
    if not known:
        title = f"Too few runs to tell whether a better run on {source} dev is a better run elsewhere"
    note = (
        f"Pearson correlation of {source} dev and target test, over runs, on these very items. The title counts with "
        "the false discovery rate controlled over languages."
    )
    return make_table(Heading("correlation", title, note), _CORRELATION_FIELDS, found.languages)


def _limits(found: Transfer) -> list[str]:
    limits = ["Choosing by target dev needs labels in the target language: it is an upper bound, not zero-shot."]
    if any(score.reason == NOT_AVERAGED for score in found.rules):
        limits.append(f"Averaged weights are not compared: {NOT_AVERAGED}.")
    return limits
