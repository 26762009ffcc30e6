"""The sections of the report on what the test set can show, and on the balance of its labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from goldproof.judging.audit.material import find_clusters
from goldproof.judging.audit.noise import ACCURACIES, DIFFERING, NoiseCard, NoisePart
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, format_number, percent, points
from goldproof.report.summary import Cell, Column, Item, Missing, Text

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit

MOST_LABELS = 50


def noise_items(audit: Audit) -> list[Item]:
    """The card: differences by accuracy and share of differing answers, by part, and what a point costs."""
    card = audit.noise
    if audit.material.task == "numbers":
        return [
            Text(
                "The size table is for right and wrong answers, and these items have scores. To see what two models' "
                "predictions can show, use `goldproof compare`."
            )
        ]
    items: list[Item] = [_card_table(card)]
    parts = _part_table(card.parts, audit)
    items.append(parts)
    cost = "; ".join(f"{percent(share, 0)}: {count(n)}" for share, n in card.items_for_a_point)
    items.append(
        Text(
            "To show a difference of one point takes this many independent items, by the share of items two models "
            f"answer differently: {cost}."
        )
    )
    return items


def _difference(value: float) -> Cell:
    return value if math.isfinite(value) and value <= 1 else Missing("no possible difference can be shown")


def _cell_at(card: NoiseCard, differing: float, accuracy: float) -> Cell:
    return next(
        _difference(cell.difference) for cell in card.cells if (cell.accuracy, cell.differing) == (accuracy, differing)
    )


def _card_table(card: NoiseCard) -> Item:
    fields: list[Field[float]] = [Field(Column("accuracy", "Accuracy", 0, "%"), float)]
    for share in DIFFERING:
        column = Column(f"differing_{round(100 * share)}", f"{percent(share, 0)} differ", 1, "points")
        fields.append(Field(column, partial(_cell_at, card, share)))
    whole = card.whole
    two = "Two models that answer one item in ten differently"
    title = f"{two} can be distinguished if they differ by {points(whole.typical)} or more"
    if not whole.typical < 1:
        title = f"{two} cannot be distinguished, whatever their difference"
    note = (
        f"The smallest difference in accuracy shown with 80 % power on {format_number(whole.effective, 0)} independent "
        "items, by the models' accuracy and the share of items they answer differently (Connor 1987). Two very "
        "accurate models cannot differ on many items."
    )
    return make_table(Heading("noise", title, note), fields, ACCURACIES)


def _part_table(parts: Sequence[NoisePart], audit: Audit) -> Item:
    fields: list[Field[NoisePart]] = [
        Field(Column("part", "Part"), lambda part: part.name),
        Field(Column("n", "Items"), lambda part: part.n),
        Field(Column("effective", "Worth", 0, "items", "independent items worth as much"), lambda part: part.effective),
        Field(Column("typical", "Shown", 1, "points", "10 % differ"), lambda part: _difference(part.typical)),
        Field(
            Column("least", "At best", 1, "points", "5 % differ, clusters ignored"),
            lambda part: _difference(part.least),
        ),
        Field(
            Column("most", "At worst", 1, "points", "20 % differ, clusters answered alike"),
            lambda part: _difference(part.most),
        ),
    ]
    whole = parts[0]
    note = ""
    if whole.effective < whole.n - 0.5:
        shared = find_clusters(audit.material.splits[audit.material.judged]).shared
        note = (
            f"Items share {shared} and are worth less than their number suggests; the correlation within clusters, "
            f"{audit.noise.alike:.2f}, is that of a shortcut's right answers (1 where there is none)."
        )
    title = f"{count(whole.n)} items are worth {format_number(whole.effective, 0)} independent ones"
    return make_table(Heading("noise-parts", title, note), fields, parts)


def balance_items(audit: Audit) -> list[Item]:
    """The share of each label in each split."""
    balance = audit.balance
    if isinstance(balance, str):
        return [Text(f"Balance was not judged: {balance}.")]
    fields: list[Field[str]] = [Field(Column("label", "Label"), str)]
    for role in balance.counts:
        fields.append(Field(Column(f"n_{role}", f"Rows of {role}"), partial(_count_of, dict(balance.counts[role]))))
        fields.append(Field(Column(f"share_{role}", f"Share of {role}", 1, "%"), partial(balance.share, role)))
    share = percent(balance.share(balance.judged, balance.majority))
    title = f"The most frequent label of test, {balance.majority!r}, has {share}"
    return [make_table(Heading("balance", title), fields, balance.labels[:MOST_LABELS])]


def _count_of(counts: dict[str, int], label: str) -> Cell:
    return counts.get(label, 0)
