"""What the files of a user most often have wrong, in each of the five studies: the whole message, before any work."""

from __future__ import annotations

import pytest
from tests.studies.own_files import pairs, topics, write_csv

from goldproof.errors import DataError
from goldproof.studies import find_study
from goldproof.studies.settings import Choice, make_config

STUDIES = ("stability", "probing", "logic", "transfer", "corruption")
pytestmark = pytest.mark.parametrize("study", STUDIES)


def make_rows(study, n, first=0, **more):
    rows = pairs(n, first) if study == "logic" else topics(n, first)
    return [{"tags": "", **{"label" if name == "Klass" else name: cell for name, cell in row.items()}, **more}
            for row in rows]  # fmt: skip


@pytest.fixture
def rows(study):
    """Training and test rows that are as they should be."""
    if study == "transfer":
        return make_rows(study, 60, language="de"), make_rows(study, 30, 60, language="gsw")
    return make_rows(study, 60), make_rows(study, 30, 60)


@pytest.fixture
def look(study, tmp_path):
    """Write the rows and take the notes and jobs of the study."""

    def write_and_look(train, test, **data):
        words = tmp_path / "words.txt"
        words.write_text("rägnet\tVerb\nDorf\tNomen\n", encoding="utf-8")
        settings = {
            "model": "fake",
            "data.train": write_csv(tmp_path / "train.csv", train),
            "data.test": write_csv(tmp_path / "test.csv", test),
            **({"source": "de"} if study == "transfer" else {"data.languages": ("gsw",)}),
            **({"removal.words": str(words)} if study == "corruption" else {}),
        }
        found = find_study(study)
        config = make_config(found, Choice(settings={**settings, **data}))
        assert found.jobs(config)
        return found.notes(config)

    return write_and_look


def refused(look, train, test):
    with pytest.raises(DataError) as caught:
        look(train, test)
    return str(caught.value)


def test_files_that_are_as_they_should_be_are_taken(rows, look):
    assert ", 30 test, 3 classes (" in look(*rows)[0].replace("; gsw: 30 test", ", 30 test")


def test_no_text_column(study, rows, look, tmp_path):
    texts = ("premise", "hypothesis") if study == "logic" else ("Sentence",)
    for row in (*rows[0], *rows[1]):
        for text in texts:
            row[f"n of {text}"] = str(len(row.pop(text)) % 7)
    assert refused(look, *rows) == (
        f"{tmp_path / 'train.csv'}: data need a column 'text'; columns found: {', '.join(rows[0][0])}; looked for: "
        "text, sentence, content, review, document, premise, sentence1, question1, text1, question; say which one it "
        "is with the setting columns.text=NAME"
    )


def test_one_class(rows, look, tmp_path):
    for row in (*rows[0], *rows[1]):
        row["label"] = "ja"
    assert refused(look, *rows) == (
        f"{tmp_path / 'train.csv'}: all training rows have the label 'ja' (column 'label'); a model needs at least two "
        "classes to learn from"
    )


def test_other_labels_in_test(study, rows, look, tmp_path):
    known = sorted({row["label"] for row in rows[0]})
    for row in rows[1]:
        row["label"] = f"neu {row['label']}"
    strange = ", ".join(f"{f'neu {label}'!r} (10 rows)" for label in known)
    assert refused(look, *rows) == (
        f"{tmp_path / 'test.csv'}: the test data have labels that no training row of train.csv has: {strange}; labels "
        f"there: {', '.join(map(repr, known))}"
    )


def test_a_test_file_that_is_the_training_file(rows, look, tmp_path):
    assert refused(look, rows[0], rows[0]) == (
        f"{tmp_path / 'test.csv'}: this file, given as the test data, is byte for byte the same as train.csv, the "
        "training data; the model would be tested on what it was trained on"
    )


def test_a_column_of_languages_with_blanks(rows, look, tmp_path):
    train, test = ([{"language": "gsw", **row} for row in part] for part in rows)
    test[3]["language"] = " "
    test[9]["language"] = ""
    assert refused(look, train, test) == (
        f"{tmp_path / 'test.csv'}, line 5: 'language' must give the language of every row; 2 of 30 rows have none, "
        "this one first"
    )


def test_a_tag_of_one_item(study, rows, look):
    for row in rows[1]:
        row["tags"] = ""
    rows[1][0]["tags"] = "rare"
    said = look(*rows)
    if study == "stability":
        assert said[-1] == (
            "1 tag occurs on one test item only: rare; one item says nothing about a category, so none of them is "
            "tested."
        )
    else:
        assert "Not used: 'tags', because this study takes no item categories." in said
