"""The reports of `score` and `compare`: whole sentences with their numbers, for one file and for many."""

from __future__ import annotations

from tests.judging.files import noisy_rows, several_runs, write_jsonl
from tests.report.sentences import unfinished

import goldproof
from goldproof.report.summary import Claim, Report, Section, Table


def tagged(accuracy, seeds):
    rows = [row for name in ("en", "fr") for row in several_runs(120, accuracy, seeds, language=name)]
    return [{**row, "tags": [f"tag {int(row['id']) % 3}"], "text": f"Item {row['id']}."} for row in rows]


def texts(report):
    return [line.text if isinstance(line, Claim) else line for line in report.verdict]


def test_one_file_says_its_score_in_a_sentence(tmp_path):
    report = goldproof.score(write_jsonl(tmp_path / "a.jsonl", noisy_rows(200, 0.7, 1))).report()
    assert unfinished(report) == []
    assert report.answer.sentence == (
        "From 62.8 to 75.5 % for this system on items like these: accuracy is 69.5 % on 200 items, one run "
        "(95 % interval)."
    )
    assert report.answer.takes == "One training says nothing about another: to claim more, give the answers of several."
    assert report.sections[0].items[0].title == "Accuracy is 69.5 % [62.8, 75.5] on 200 items"


def test_several_files_with_runs_languages_and_tags_read_well(tmp_path):
    old = write_jsonl(tmp_path / "old.jsonl", tagged(0.65, range(3)))
    new = write_jsonl(tmp_path / "new.jsonl", tagged(0.8, range(3, 6)))
    scored = goldproof.score([old, new]).report()
    assert unfinished(scored) == []
    assert scored.answer.sentence.startswith("Accuracy ranges from ")
    assert 2 <= len(texts(scored)) <= 5
    compared = goldproof.compare(old, new).report()
    assert unfinished(compared) == []
    titles = [item.title for section in compared.sections for item in section.items]
    assert len(titles) == len(set(titles))


def test_the_check_finds_what_it_is_for():
    table = Table("t", "Extra rows change the score by:", [], [])
    report = Report("r", "Does it hold?", ["It keeps this share.", "A half"], [Section("S", [table])])
    assert unfinished(report) == [
        "A half",
        "It keeps this share.",
        "Extra rows change the score by:",
        "empty: t",
    ]
