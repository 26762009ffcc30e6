"""The report of printed scores: the verdict, each score with its interval as a chart, and what cannot be said."""

from __future__ import annotations

from goldproof.judging.compare import Judgement
from goldproof.judging.differences import Difference
from goldproof.judging.metric_numbers import margin_text
from goldproof.judging.score import Scores, SetScore
from goldproof.judging.score_answer import metric_column
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, extremes, format_number, in_words, points
from goldproof.report.summary import Cell, Claim, Column, Figure, Missing, Plain, Report, Section, Standing, Text
from goldproof.statistics.estimate import Estimate

_ACCURACY = metric_column("accuracy")


def score_report(scores: Scores) -> Report:
    """The report of one printed score or several."""
    lines: list[str | Claim] = []
    for each in scores.sets:
        estimate = each.estimates["accuracy"]
        what = f"{each.name()}: accuracy" if each.where else "Accuracy"
        text = f"{what} is {in_words(estimate, 1, '%')} on {count(each.n_items)} items."
        lines.append(Claim(text, "stated", estimate, 1, "%"))
    first = scores.sets[0]
    if first.detectable < 1:
        lines.append(
            f"A rival of which no more is known must differ from {first.name() if first.where else 'it'} by about "
            f"{points(first.detectable)} to be told apart (80 % power)."
        )
    named = [(each.name() if each.where else "accuracy", each.estimates["accuracy"]) for each in scores.sets]
    table = make_table(Heading("scores", _title(named)), _score_fields(bool(first.where)), scores.sets)
    sections = [
        Section("Scores", [table, _figure(named, _title(named))]),
        Section("What cannot be said", [Text(note) for note in scores.notes]),
    ]
    return Report("score", "Accuracy and what may be claimed from it", lines, sections, scores.provenance)


def compare_report(judgement: Judgement) -> Report:
    """The report of two printed scores."""
    found = judgement.overall
    standing: Standing = "shown" if found.verdict.kind in ("better", "worse", "tied") else "undecided"
    sentence = found.verdict.text.removeprefix("undecided: ")  # which the page says of the claim
    names = " and ".join(f"{side} is {name}" for side, name in zip("AB", judgement.names, strict=True))
    text = f"{sentence[0].upper()}{sentence[1:]}, with A and B on different items ({names})."
    lines: list[str | Claim] = [Claim(text, standing, found.difference, 1, "points")]
    if judgement.margins.gate is not None:
        passed = "passed" if judgement.passes else "not passed"
        lines.insert(0, f"The gate of {margin_text(judgement.margins.gate, judgement.metric)} is {passed}.")
    fields: list[Field[Difference]] = [
        Field(Column("n_a", "Items of A"), lambda d: d.a.n),
        Field(Column("n_b", "Items of B"), lambda d: d.b.n),
        Field(Column("a", "A", 1, "%"), lambda d: d.a),
        Field(Column("b", "B", 1, "%"), lambda d: d.b),
        Field(Column("difference", "B − A", 1, "points"), lambda d: d.difference),
        Field(Column("p", "p", 4, "p-value", "two-sided z test, for no difference"), lambda d: d.p_value),
        Field(Column("verdict", "Verdict"), lambda d: d.verdict.kind),
    ]
    table = make_table(Heading("difference", f"Accuracy: {found.verdict.text}"), fields, [found])
    named = [(f"{side}: {name}" if side != name else side, estimate) for side, name, estimate in _sides(judgement)]
    sections = [
        Section("The difference", [table, _figure(named, _seen(judgement))]),
        Section("What cannot be said", [Text(note) for note in judgement.notes]),
    ]
    provenance: dict[str, Plain] = {
        "A": judgement.names[0],
        "B": judgement.names[1],
        "tie margin": judgement.margins.tie,
    }
    return Report("compare", f"{judgement.names[1]} against {judgement.names[0]}", lines, sections, provenance)


def _score_fields(named: bool) -> list[Field[SetScore]]:
    reach = Column(
        "detectable", "Detectable", 1, "points", "smallest difference from a rival that would show, 80 % power"
    )
    fields: list[Field[SetScore]] = [
        Field(Column("model", "Score"), lambda each: each.where.get("model")),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(_ACCURACY, lambda each: each.estimates["accuracy"]),
        Field(reach, lambda each: each.detectable if each.detectable < 1 else Missing("too few items")),
    ]
    return fields if named else fields[1:]


def _sides(judgement: Judgement) -> list[tuple[str, str, Estimate]]:
    found = judgement.overall
    return list(zip("AB", judgement.names, (found.a, found.b), strict=True))


def _seen(judgement: Judgement) -> str:
    """What the chart of two scores shows."""
    kind = judgement.overall.verdict.kind
    if kind in ("better", "worse"):
        return f"B is {kind} than A"
    within = f"tied within ±{margin_text(judgement.margins.tie, judgement.metric)}"
    return f"A and B are {within}" if kind == "tied" else "A and B cannot be told apart"


def _title(named: list[tuple[str, Estimate]]) -> str:
    if len(named) > 1:
        return f"Accuracy: {extremes(named, 1, '%')}"
    estimate = named[0][1]
    low, high = (format_number(bound, 1, "%") for bound in (estimate.low, estimate.high))
    reach = f"from {low} to {high} % as far as {count(estimate.n)} items can tell"
    return f"Accuracy is {in_words(estimate, 1, '%')}, and {reach}"


def _figure(named: list[tuple[str, Estimate]], title: str) -> Figure:
    rows: list[dict[str, Cell]] = [{"score": name, "accuracy": estimate} for name, estimate in named]
    return dots(rows, Column("score", "Score"), _ACCURACY, caption=Caption("scores-figure", title))
