"""Items of a report to browse: test items with what each shortcut answers, copies beside originals, suspects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from goldproof.measures.shortcuts.items import shortened
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, estimate_text
from goldproof.report.summary import Column, Example, ExampleList, Item, Missing, Text

if TYPE_CHECKING:
    from goldproof.data.dataset import Dataset
    from goldproof.judging.audit.audit import Audit
    from goldproof.measures.suspects import SuspectCut

MOST_ITEMS = 1000
MOST_COPIES = 300
MOST_SUSPECTS = 300
MOST_CHARACTERS = 600


def _texts(data: Dataset, row: int) -> list[str]:
    """The texts of a row, not too long."""
    given = data.table.slice(row, 1).to_pylist()[0]
    return [shortened(given[name], MOST_CHARACTERS) for name in ("text", "pair") if given[name] is not None]


def _label(data: Dataset, row: int) -> str | None:
    given = data.table.slice(row, 1).to_pylist()[0]
    return given["label"] if given["label"] is not None else None if given["score"] is None else f"{given['score']:g}"


def _fields(data: Dataset) -> tuple[str, ...]:
    return ("first text", "second text") if data.table.column("pair").null_count < len(data) else ("text",)


def test_items(audit: Audit) -> list[Item]:
    """Items of test with the answers of the shortcuts; tags say which are hard."""
    if isinstance(audit.shortcuts, str) or audit.material.task != "classes":
        return []
    found, data, labels = audit.shortcuts, audit.material.splits[audit.material.judged], audit.material.labels
    names = tuple(found.judged.guesses)
    ids = data.table.column("id").to_pylist()
    items = []
    for at, row in enumerate(found.rows[:MOST_ITEMS].tolist()):
        tags = [] if isinstance(found.hard, str) else ["hard" if found.hard.hard[at] else "solvable by a cue"]
        answers = [labels[int(found.judged.guesses[name].predicted[at])] for name in names]
        items.append(Example(ids[row], _padded(_texts(data, row), data), _label(data, row), answers, tags))
    more = f"; the first {count(MOST_ITEMS)} are shown" if len(found.rows) > MOST_ITEMS else ""
    title = f"{count(len(found.rows))} test items and what each shortcut answers{more}"
    return [ExampleList("items", title, _fields(data), names, items, "Each shortcut is shown as a run.")]


def _padded(texts: Sequence[str], data: Dataset) -> list[str]:
    return [*texts, *[""] * (len(_fields(data)) - len(texts))]


def copy_items(audit: Audit) -> list[Item]:
    """Rows of the judged split beside the row that they copy."""
    role = audit.material.judged
    copies = [
        copy
        for copy in audit.copies.iter_copies(later=role)
        if copy.of.split != role and copy.field in ("row", "swapped")
    ]
    if not copies:
        return []
    data = audit.material.splits
    items = [
        Example(
            copy.row.id,
            [" ‖ ".join(_texts(data[each.split], each.row)) for each in (copy.row, copy.of)],
            _label(data[copy.row.split], copy.row.row),
            [_label(data[copy.of.split], copy.of.row)],
            [copy.kind, f"in {copy.of.split}"],
        )
        for copy in islice(copies, MOST_COPIES)
    ]
    title = f"{count(len(copies))} rows of {role}, each beside the row of an earlier split that it copies"
    note = "“Predicted” is the label of the copy: if it is wrong, the labels conflict."
    return [ExampleList("copies", title, (role, "copy"), ("label of the copy",), items, note)]


def suspect_items(audit: Audit) -> list[Item]:
    """The precision at each cut and the suspects, the most suspicious first."""
    suspects = audit.suspects
    if isinstance(suspects, str):
        return [Text(f"Labels were not checked: {suspects}.")]
    items: list[Item] = []
    if suspects.told:
        fields: list[Field[SuspectCut]] = [
            Field(Column("n", "First suspects"), lambda cut: cut.n),
            Field(Column("precision", "Wrong, if errors are spread at random", 1, "%"), lambda cut: cut.precision),
            Field(
                Column("gathered", "Wrong, if errors gather where labels are hard", 1, "%"),
                lambda cut: cut.gathered if cut.gathered is not None else Missing("no errors could be planted"),
            ),
        ]
        title = f"An estimated {estimate_text(suspects.share_wrong, 1, '%')} of the labels are wrong"
        note = (
            "How many of the first suspects are estimated to be wrong: the share of wrong labels times how many "
            "errors of that kind, planted here, rank as high. Which kind these labels have undecided from them."
        )
        items.append(make_table(Heading("suspects", title, note), fields, suspects.cuts))
    else:
        items.append(Text(f"How many labels are wrong undecided: {suspects.reason}."))
    return [*items, *_suspect_list(audit)]


def _suspect_list(audit: Audit) -> list[Item]:
    """Suspects of the judged split."""
    assert not isinstance(audit.suspects, str)
    data = audit.material.splits[audit.material.judged]
    places = [(int(audit.suspect_rows[each.row]), each) for each in audit.suspects.suspects]
    found = [(row, each) for row, each in places if row >= 0][:MOST_SUSPECTS]
    if not found:
        return []
    items = [Example(each.id, _padded(_texts(data, row), data), each.label, [each.instead]) for row, each in found]
    title = (
        f"{count(len(found))} items of {audit.material.judged} whose words contradict their label, the most "
        "suspicious first"
    )
    note = "“Predicted” is the label given by a classifier that has not seen the item."
    return [ExampleList("suspect-labels", title, _fields(data), ("classifier",), items, note)]
