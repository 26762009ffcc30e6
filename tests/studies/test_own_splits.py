"""Files given for one part whose column names several: rows of other splits are left out, and it is said."""

from __future__ import annotations

from tests.studies.own_files import topics, write_csv
from tests.studies.test_own_found import refused, said

from goldproof.claiming.data import find_data
from goldproof.studies import find_study
from goldproof.studies.own import Wants, find_own
from goldproof.studies.settings import Choice, make_config

MARKS = ("train", "train", "train", "train", "Dev", "test")


def marked(path, n, marks, first=0, **more):
    rows = [{**row, "split": marks[i % len(marks)], **more} for i, row in enumerate(topics(n, first))]
    return write_csv(path, rows)


def found(**settings):
    dotted = {name.replace("__", "."): value for name, value in settings.items()}
    config = make_config(find_study("stability"), Choice(settings=dotted))
    return find_own(config, Wants("stability", ("text",)))


def test_a_file_to_train_on_gives_its_validation_rows_and_none_of_its_test_rows(tmp_path):
    train = marked(tmp_path / "all.csv", 180, MARKS)
    test = write_csv(tmp_path / "more.csv", topics(30, 180))
    files = {"data__train": train, "data__test": test, "columns__label": "Klass"}
    notes = said(**files)
    assert (notes[0], notes[2:]) == (
        "all: rows: 120 train, 30 validation, 30 test, 3 classes (Reis, Wätter, Ässe).",
        (
            "Used of all.csv: the rows that its column 'split' marks as 'train' or 'validation'; left out: 'test' "
            "(30 rows).",
        ),
    )
    held = write_csv(tmp_path / "held.csv", topics(12, 300))
    assert said(**files, data__validation=held)[2:] == (
        "Used of all.csv: the rows that its column 'split' marks as 'train'; left out: 'test' (30 rows), 'validation' "
        "(30 rows).",
    )


def test_a_file_to_test_on_gives_its_test_rows(tmp_path):
    train = write_csv(tmp_path / "some.csv", topics(60, 500))
    test = marked(tmp_path / "all.csv", 180, MARKS)
    notes = said(data__train=train, data__test=test, columns__label="Klass")
    assert (notes[0], notes[2]) == (
        "some: rows: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe).",
        "Used of all.csv: the rows that its column 'split' marks as 'test'; left out: 'train' (120 rows), 'validation' "
        "(30 rows).",
    )


def test_a_column_that_never_says_the_part_is_not_followed(tmp_path):
    train = write_csv(tmp_path / "some.csv", topics(60, 500))
    test = marked(tmp_path / "test.csv", 30, ("validation",))
    files = {"data__train": train, "data__test": test, "columns__label": "Klass"}
    notes = said(**files)
    assert (notes[0], notes[2]) == (
        "some: rows: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe).",
        "No row of test.csv is marked as 'test' in its column 'split', which has 'validation' (30 rows): all 30 are "
        "used as test data.",
    )


def test_files_whose_column_says_nothing_else_keep_their_jobs(tmp_path):
    plain = found(
        data__train=write_csv(tmp_path / "a.csv", topics(60)),
        data__test=write_csv(tmp_path / "b.csv", topics(30, 60)),
        columns__label="Klass",
    )
    own = found(
        data__train=marked(tmp_path / "c.csv", 60, ("train",)),
        data__test=marked(tmp_path / "d.csv", 30, ("te",), 60),
        columns__label="Klass",
    )
    assert {each.job.arguments["part"].split for each in (*plain.sets.values(), *own.sets.values())} == {""}


def test_one_file_for_two_parts_is_taken_where_its_rows_differ(tmp_path):
    path = marked(tmp_path / "all.csv", 180, MARKS)
    copy = tmp_path / "copy.csv"
    copy.write_bytes((tmp_path / "all.csv").read_bytes())
    files = {"data__train": path, "columns__label": "Klass"}
    assert said(**files, data__test=str(copy))[0] == said(**files)[0]
    two = marked(tmp_path / "two.csv", 60, ("train", "dev"))
    again = tmp_path / "again.csv"
    again.write_bytes((tmp_path / "two.csv").read_bytes())
    assert refused(data__train=two, data__test=str(again), columns__label="Klass") == (
        f"{again}: this file, given as the test data, is byte for byte the same as two.csv, the training data; the "
        "model would be tested on what it was trained on"
    )
    for code in ("de", "fr"):
        marked(tmp_path / f"{code}.csv", 180, MARKS)
    assert refused(
        data__train=str(tmp_path / "{language}.csv"), data__languages=("de", "fr"), columns__label="Klass"
    ) == (
        f"{tmp_path / 'fr.csv'}: this file is byte for byte the same as de.csv; the training data of two languages "
        "must be different files"
    )


def test_further_tests_of_claims_are_their_test_rows(tmp_path):
    train, test = write_csv(tmp_path / "a.csv", topics(60)), write_csv(tmp_path / "b.csv", topics(30, 60))
    further = marked(tmp_path / "fr.csv", 180, MARKS, 200)
    settings = {"data.train": train, "data.test": test, "columns.label": "Klass", "tests": (f"fr={further}",)}
    data = find_data(make_config(find_study("claims"), Choice(settings=settings)))
    assert len(data.further["fr"].data) == 30
    assert data.notes[-1] == (
        "Used of fr.csv: the rows that its column 'split' marks as 'test'; left out: 'train' (120 rows), 'validation' "
        "(30 rows)."
    )
