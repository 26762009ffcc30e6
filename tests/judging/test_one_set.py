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
