"""A pair of texts with its form and proved label, and the check of labels from the forms alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goldproof.builders.logic.forms import DEFAULT_READINGS, Readings, Relation
from goldproof.builders.logic.notation import read_form
from goldproof.builders.logic.prover import prove
from goldproof.errors import DataError

CONTRADICTION = "contradiction"
OTHER = "non-contradiction"
LABELS = (CONTRADICTION, OTHER)


@dataclass(frozen=True, slots=True)
class Pair:
    """One item: the texts, the label of the task, the relation that was proved, and where it comes from.

    `n` is the size at which the template was drawn (facts, length of the list, the number), 0 where it has none.
    """

    id: str
    premise: str
    hypothesis: str
    label: str
    relation: str
    task: str
    template: str
    n: int
    form: str


def label_of(relation: Relation) -> str:
    """The label of the task: contradiction or not."""
    return CONTRADICTION if relation is Relation.CONTRADICTED else OTHER


def check_labels(pairs: Iterable[Pair], readings: Readings = DEFAULT_READINGS) -> None:
    """Prove every form again and raise at the first pair whose label or relation is not what was proved."""
    for pair in pairs:
        relation = prove(read_form(pair.form), readings)
        if (pair.relation, pair.label) != (relation.value, label_of(relation)):
            raise DataError(
                f"pair {pair.id} is labelled {pair.label!r} ({pair.relation}), but its form {pair.form} is proved "
                f"to be {label_of(relation)!r} ({relation.value})"
            )
