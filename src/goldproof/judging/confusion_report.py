"""What the report of `score` says of labels: the worst confusions, and how well each label is found.

A table of all labels against all labels is never drawn: with many it would be the page, and almost all of it empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goldproof.judging.confusions import MOST_CONFUSIONS, Confusion, LabelFindings, LabelScore, label_findings
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, percent
from goldproof.report.summary import Column, Item, Missing

if TYPE_CHECKING:
    from goldproof.judging.score import Scores, SetScore

MANY_LABELS = 40
MOST_LABEL_ROWS = 5_000


def label_items(scores: Scores) -> list[Item]:
    """The tables of confusions and of labels; none where answers are no labels."""
    found = [findings for each in scores.sets if (findings := _findings(each, scores.settings.level)) is not None]
    if not found:
        return []
    labels = [label for each in found for label in each.labels]
    return [*_confusion_table(found, scores.sets), _label_table(labels, scores.sets)]


def _findings(each: SetScore, level: float) -> LabelFindings | None:
    if each.labels is not None:
        return each.labels
    if each.answers is None or each.answers.task != "classification":
        return None
    return label_findings(each.answers, level)


def _confusion_table(found: Sequence[LabelFindings], sets: Sequence[SetScore]) -> list[Item]:
    from goldproof.judging.score_report import telling_fields

    # Of 1,000 sets the worst of all are shown; each set's own come in their order.
    every = sorted((one for each in found for one in each.confusions), key=lambda one: -one.n)
    worst = every[:MOST_CONFUSIONS]
    if not worst:
        return []
    first = worst[0]
    fields: list[Field[Confusion]] = [
        *telling_fields(sets),
        Field(Column("gold", "Gold label"), lambda one: one.gold),
        Field(Column("predicted", "Predicted label"), lambda one: one.predicted),
        Field(Column("n", "Answers", note="of all runs"), lambda one: one.n),
        Field(Column("rate", "Rate", 1, "%", "of all answers to items with this gold label"), lambda one: one.rate),
    ]
    title = f"The most frequent confusion: “{first.gold}” is taken for “{first.predicted}” in "
    title += f"{percent(first.rate.value)} of its answers"
    more = len(every) > len(worst) or any(len(each.confusions) == MOST_CONFUSIONS for each in found)
    choice = "the intervals do not account for this choice"
    note = f"The {MOST_CONFUSIONS} with the most answers; {choice}." if more else ""
    return [make_table(Heading("confusions", title, note), fields, worst)]


def _label_table(labels: Sequence[LabelScore], sets: Sequence[SetScore]) -> Item:
    from goldproof.judging.score_report import telling_fields

    many = len(labels) > MANY_LABELS
    shown = sorted(labels, key=lambda one: (one.f1, -one.n_items))[:MOST_LABEL_ROWS] if many else labels
    fields: list[Field[LabelScore]] = [
        *telling_fields(sets),
        Field(Column("label", "Label"), lambda one: one.label),
        Field(Column("n", "Items"), lambda one: one.n_items),
        Field(
            Column("recall", "Recall", 1, "%", "share of the items with this label that are found"),
            lambda one: Missing("never gold") if one.recall is None else one.recall,
        ),
        Field(
            Column("precision", "Precision", 1, "%", "share of the answers with this label that are right"),
            lambda one: Missing("never predicted") if one.precision is None else one.precision,
        ),
        Field(Column("f1", "F1", 1, "%", "over all runs together"), lambda one: one.f1),
    ]
    return make_table(Heading("labels", _label_title(labels), _label_note(labels)), fields, shown)


def _label_title(labels: Sequence[LabelScore]) -> str:
    low, high = min(labels, key=lambda one: one.f1), max(labels, key=lambda one: one.f1)
    several = len({tuple(one.where.values()) for one in labels}) > 1
    names = [f"{one.label} ({' '.join(one.where.values())})" if several else one.label for one in (low, high)]
    if low.f1 == high.f1:
        return f"F1 is {percent(low.f1)} for every label"
    return f"F1 ranges from {percent(low.f1)} for “{names[0]}” to {percent(high.f1)} for “{names[1]}”"


def _label_note(labels: Sequence[LabelScore]) -> str:
    if len(labels) > MOST_LABEL_ROWS:
        return f"The {count(MOST_LABEL_ROWS)} of {count(len(labels))} labels with the lowest F1, lowest first."
    return "Lowest F1 first." if len(labels) > MANY_LABELS else ""
