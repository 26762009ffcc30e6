"""Reports on one set with a name: tables of categories and labels do not say it in every row."""

from __future__ import annotations

from tests.judging.files import write_jsonl

import goldproof
from goldproof.report.summary import Table

ITEMS = [
    {"id": str(i), "gold": "ab"[i % 2], "prediction": "ab"[(i // 3) % 2], "tags": ["x", "y"] if i % 2 else ["x"]}
    for i in range(40)
]


def tables_of(report):
    return {
        item.name: [column.key for column in item.columns]
        for section in report.sections
        for item in section.items
        if isinstance(item, Table)
    }


def test_what_is_the_same_in_all_rows_stands_in_none(tmp_path):
    one = [{**item, "dataset": "My data", "language": "gsw"} for item in ITEMS]
    several = one + [{**item, "dataset": "My data", "language": "rm"} for item in ITEMS]
    for rows, more in ((one, []), (several, ["language"])):
        a = write_jsonl(tmp_path / "a.jsonl", rows)
        b = write_jsonl(tmp_path / "b.jsonl", [{**row, "prediction": row["gold"]} for row in rows])
        found = tables_of(goldproof.score(a).report())
        assert found["scores"][:2] == ["dataset", "language"]
        assert found["categories"][: len(more) + 1] == [*more, "tag"]
        assert found["labels"][: len(more) + 1] == [*more, "label"]
        assert found["confusions"][: len(more) + 1] == [*more, "gold"]
        assert tables_of(goldproof.compare(a, b).report())["categories"][: len(more) + 1] == [*more, "tag"]


def test_categories_that_could_not_be_tested(tmp_path):
    rows = [{**item, "tags": [item["gold"]]} for item in ITEMS]
    report = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows)).report()
    items = [item for section in report.sections for item in section.items if isinstance(item, Table)]
    (title,) = [item.title for item in items if item.name == "categories"]
    assert title == "None of the 2 categories could be tested"


def test_taggers_that_mark_nothing_collapsed(tmp_path):
    rows = [
        {
            "id": str(i),
            "run": run,
            "gold": ["B-PER", "O", "B-LOC"],
            "prediction": ["B-PER", "O", "O"] if run == "works" and i % 3 else ["O", "O", "O"],
        }
        for run in ("works", "a", "b")
        for i in range(30)
    ]
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows))
    assert [each.run_names for each in scores.sets] == [("works",)]
    assert any(
        note.startswith(
            "2 of 3 runs collapsed, giving one answer to nearly all items, that there is no span (runs a, b). The "
        )
        for note in scores.notes
    )
    nothing = goldproof.score(write_jsonl(tmp_path / "b.jsonl", [row for row in rows if row["run"] != "works"]))
    assert nothing.sets[0].collapse.is_whole
    assert (
        "All 2 runs collapsed: each gives one answer to nearly all items, that there is no span. They are judged all "
        "the same."
    ) in nothing.notes
