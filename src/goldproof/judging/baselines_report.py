"""The report of several systems against one baseline: the differences, with intervals that hold for all at once."""

from __future__ import annotations

from goldproof.judging.baselines import SeveralCompared, together, verdict_text
from goldproof.judging.differences import Difference
from goldproof.judging.metric_numbers import difference_format, score_format
from goldproof.judging.metrics import title_of
from goldproof.report.chart_parts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.overview import Against, Look, OverviewRow, overview
from goldproof.report.summary import (
    Answer,
    Claim,
    Column,
    Figure,
    Plain,
    ReplyKind,
    Report,
    Section,
    Standing,
    Table,
    Text,
)

MOST_FINDINGS = 5
LOOKS: dict[str, Look] = {"better": "better", "worse": "worse"}


def baselines_report(found: SeveralCompared) -> Report:
    """The report."""
    notes = [Text(note) for note in found.notes]
    sections = [Section("The differences", [_table(found)])]
    if notes:
        sections.append(Section("Limits", notes))
    provenance: dict[str, Plain] = {
        "baseline": found.baseline,
        "systems": len(found.names),
        "tie margin": found.margins.tie,
    }
    title = f"Which of these are better than {found.baseline}?"
    return Report("compare", title, _findings(found), sections, provenance, _answer(found))


def _answer(found: SeveralCompared) -> Answer:
    kinds = [each.verdict.kind for each in found.differences]
    better = [name for name, kind in zip(found.names, kinds, strict=True) if kind == "better"]
    kind: ReplyKind = "yes" if better else "no" if all(each in ("worse", "tied") for each in kinds) else "open"
    head = f"{len(better)} of {len(kinds)} are shown to be better than {found.baseline}"
    text = f"{', '.join(better)}." if better else ""
    about = f"All verdicts hold at once; about {found.differences[0].verdict.about}."
    return Answer(kind, head, text, about, (), _figure(found))


def _findings(found: SeveralCompared) -> list[str | Claim]:
    size = difference_format(found.metric)
    lines: list[str | Claim] = []
    for number, each in enumerate(found.differences[:MOST_FINDINGS]):
        standing: Standing = "shown" if each.verdict.kind in ("better", "worse", "tied") else "undecided"
        text = verdict_text(found, number).removeprefix("undecided: ")
        lines.append(Claim(f"{text}.", standing, together(each), size.digits, size.unit, place="differences"))
    return lines


def _figure(found: SeveralCompared) -> Figure:
    size = difference_format(found.metric)
    readings = [
        OverviewRow(name, together(each), look=LOOKS.get(each.verdict.kind, "ours"))
        for name, each in zip(found.names, found.differences, strict=True)
    ]
    column = Column("difference", f"{title_of(found.metric)}, minus that of {found.baseline}", size.digits, size.unit)
    title = f"Each system minus {found.baseline}, with intervals that hold for all at once"
    against = Against(
        [0.0], (-found.margins.tie, found.margins.tie), "Dashed: no difference; shaded: what counts as tied."
    )
    return overview(readings, column, caption=Caption("differences-figure", title), against=against)


def _table(found: SeveralCompared) -> Table:
    score, size = score_format(found.metric), difference_format(found.metric)
    note = "interval that holds for all rows at once"
    fields: list[Field[Difference]] = [
        Field(Column("model", "Model"), lambda each: each.where["model"]),
        Field(Column("n", "Items"), lambda each: each.difference.n),
        Field(Column("a", found.baseline, score.digits, score.unit), lambda each: each.a),
        Field(Column("b", "Model's score", score.digits, score.unit), lambda each: each.b),
        Field(Column("difference", "Difference, alone", size.digits, size.unit), lambda each: each.difference),
        Field(Column("together", "Difference, together", size.digits, size.unit, note), together),
        Field(Column("adjusted", "p, together", 4, "p-value", "adjusted over the rows"), lambda each: each.adjusted),
        Field(Column("verdict", "Verdict"), lambda each: each.verdict.kind),
    ]
    title = f"{title_of(found.metric)}: each against {found.baseline}"
    return make_table(Heading("differences", title), fields, found.differences)
