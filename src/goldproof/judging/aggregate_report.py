"""The report of printed scores: the answer, each score with its interval as a chart, and what cannot be said."""

from __future__ import annotations

from dataclasses import replace

from goldproof.judging.compare import Judgement
from goldproof.judging.compare_answer import compare_answer, compare_figure, compare_question, difference_claim
from goldproof.judging.differences import Difference
from goldproof.judging.metric_numbers import margin_text
from goldproof.judging.score import Scores, SetScore
from goldproof.judging.score_answer import metric_column, score_answer, score_figure, score_question
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, extremes, format_number, in_words, points
from goldproof.report.summary import Cell, Claim, Column, Figure, Missing, Plain, Report, Section, Text
from goldproof.statistics.estimate import Estimate

_ACCURACY = metric_column("accuracy")
MOST_RIVALS = 5


def score_report(scores: Scores) -> Report:
    """The report of one printed score or several."""
    first = scores.sets[0]
    named = [(each.name() if each.where else "accuracy", each.estimates["accuracy"]) for each in scores.sets]
    table = make_table(Heading("scores", _title(named)), _score_fields(bool(first.where)), scores.sets)
    sections = [
        Section("Scores", [table]),
        Section("What this cannot tell you", [Text(note) for note in scores.notes]),
    ]
    answer = replace(score_answer(scores), figure=score_figure(scores))
    return Report("score", score_question(scores), _rivals(scores), sections, scores.provenance, answer)


def _rivals(scores: Scores) -> list[str | Claim]:
    """What another score needs to be told apart from each."""
    return [
        Claim(
            f"A rival known only by its score must differ from {each.name() if each.where else 'it'} by about "
            f"{points(each.detectable)} for the difference to show (80 % power).",
            place="scores",
        )
        for each in scores.sets[:MOST_RIVALS]
        if each.detectable < 1
    ]


def compare_report(judgement: Judgement) -> Report:
    """The report of two printed scores."""
    found = judgement.overall
    a, b = judgement.names
    fields: list[Field[Difference]] = [
        Field(Column("n_a", f"Items of {a}"), lambda d: d.a.n),
        Field(Column("n_b", f"Items of {b}"), lambda d: d.b.n),
        Field(Column("a", a, 1, "%"), lambda d: d.a),
        Field(Column("b", b, 1, "%"), lambda d: d.b),
        Field(Column("difference", f"{b} − {a}", 1, "points"), lambda d: d.difference),
        Field(Column("p", "p", 4, "p-value", "two-sided z test of no difference"), lambda d: d.p_value),
        Field(Column("verdict", "Verdict"), lambda d: d.verdict.kind),
    ]
    title = f"Accuracy: {difference_claim(judgement).text.removesuffix('.')}"
    table = make_table(Heading("difference", title), fields, [found])
    sections = [
        Section(
            "The difference", [table, _figure(list(zip((a, b), (found.a, found.b), strict=True)), _seen(judgement))]
        ),
        Section("What this cannot tell you", [Text(note) for note in judgement.notes]),
    ]
    provenance: dict[str, Plain] = {"A": a, "B": b, "tie margin": judgement.margins.tie}
    lines: list[str | Claim] = [difference_claim(judgement)]
    if judgement.margins.gate is not None:
        passed = "passed" if judgement.passes else "not passed"
        lines.insert(0, f"The gate of {margin_text(judgement.margins.gate, judgement.metric)} is {passed}.")
    answer = replace(compare_answer(judgement), figure=compare_figure(judgement))
    return Report("compare", compare_question(judgement), lines, sections, provenance, answer)


def _score_fields(named: bool) -> list[Field[SetScore]]:
    reach = Column(
        "detectable", "Detectable", 1, "points", "smallest difference from a rival that would show (80 % power)"
    )
    fields: list[Field[SetScore]] = [
        Field(Column("model", "Score"), lambda each: each.where.get("model")),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(_ACCURACY, lambda each: each.estimates["accuracy"]),
        Field(reach, lambda each: each.detectable if each.detectable < 1 else Missing("too few items")),
    ]
    return fields if named else fields[1:]


def _seen(judgement: Judgement) -> str:
    """What the chart of two scores shows."""
    kind, (a, b) = judgement.overall.verdict.kind, judgement.names
    if kind in ("better", "worse"):
        return f"{b} is {kind} than {a}"
    within = f"tied within ±{margin_text(judgement.margins.tie, judgement.metric)}"
    return f"{a} and {b} are {within}" if kind == "tied" else f"{a} and {b} cannot be distinguished"


def _title(named: list[tuple[str, Estimate]]) -> str:
    if len(named) > 1:
        return f"Accuracy: {extremes(named, 1, '%')}"
    estimate = named[0][1]
    low, high = (format_number(bound, 1, "%") for bound in (estimate.low, estimate.high))
    reach = f"{count(estimate.n)} items leave it anywhere from {low} to {high} %"
    return f"Accuracy is {in_words(estimate, 1, '%')}, and {reach}"


def _figure(named: list[tuple[str, Estimate]], title: str) -> Figure:
    rows: list[dict[str, Cell]] = [{"score": name, "accuracy": estimate} for name, estimate in named]
    return dots(rows, Column("score", "Score"), _ACCURACY, caption=Caption("scores-figure", title))
