"""Files as people have them, in shapes that nobody planned for: each is read, or the whole message says what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from tests.studies.own_files import topics, write_csv, write_topics

from goldproof.errors import DataError, UsageError
from goldproof.studies import find_study
from goldproof.studies.own import own_name
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import Data

HEADER = ["Aktenzeichen", "Sachverhalt", "Urteil", "Datum", "", ""]
COURTS = ("stattgegeben", "abgewiesen", "teilweise")


def said(study="stability", **settings):
    """What is said of files before work, the study's settings given with a point as two underscores."""
    dotted = {name.replace("__", "."): value for name, value in settings.items()}
    study_ = find_study(study)
    return study_.notes(make_config(study_, Choice(settings=dotted)))


def refused(study="stability", **settings):
    with pytest.raises((DataError, UsageError)) as caught:
        said(study, **settings)
    return str(caught.value)


def sheet(path: Path, n: int, first: int = 0, more: str = "") -> str:
    """A sheet as a German spreadsheet saves it: semicolons, a byte order mark, empty columns and rows at the end."""
    rows = [
        f'{i} C {i}/24;"Der Kläger {i}; er verlangt ""Miete"".";{COURTS[i % 3]};{1 + i % 28:02}.03.2024;;'
        for i in range(first, first + n)
    ]
    text = "\r\n".join([";".join(HEADER), *rows, ";;;;;", ";;;;;"]) + more
    path.write_bytes(text.encode("utf-8-sig"))
    return str(path)


def test_a_spreadsheet_with_empty_columns_and_rows_at_its_end(tmp_path):
    train = sheet(tmp_path / "Urteile Training (final) #2.csv", 90)
    test = sheet(tmp_path / "Urteile Test=neu.csv", 45, 90)
    found = said(data__train=train, data__test=test, data__languages=("de",))
    assert found[:2] == (
        "Urteile (final) #2: rows in de: 81 train, 9 validation, 45 test, 3 classes (abgewiesen, stattgegeben, "
        "teilweise).",
        "Columns: text 'Sachverhalt', label 'Urteil' (Sachverhalt, Urteil recognised by their contents).",
    )
    test = sheet(tmp_path / "Urteile Test=neu.csv", 45, 90, "\r\n7;Der Kläger.;teilweise;;;siehe oben")
    assert refused(data__train=train, data__test=test) == (
        f"{test}, line 49: siehe oben stands in column 6, which has no name in the first line"
    )


def test_a_sheet_in_another_encoding_is_said_to_be_so(tmp_path):
    train = tmp_path / "train.csv"
    train.write_text("\n".join(["Satz;Klasse", *(f"Es wäre ein Satz {i};{i % 3}" for i in range(60))]), "cp1252")
    assert refused(data__train=str(train), data__test=str(train.with_name("test.csv"))) == (
        f"{train}, line 2: not UTF-8: byte 0xe4 at position 5 of the line; save the file as UTF-8"
    )


def test_columns_inside_columns_are_listed_and_taken(tmp_path):
    files = {}
    for name, rows in (("train", topics(60)), ("test", topics(30, 60))):
        path = tmp_path / f"{name}.jsonl"
        nested = [{"doc": {"body": row["Sentence"]}, "by": {"court": {"said": row["Klass"]}}, "n": 1} for row in rows]
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in nested), encoding="utf-8")
        files[f"data__{name}"] = str(path)
    assert refused(**files) == (
        f"{files['data__train']}: data need a column 'text'; columns found: doc, by, n (with fields inside, which can "
        "be named as well: doc.body, by.court.said); looked for: text, sentence, content, review, document, premise, "
        "sentence1, question1, text1, question; say which one it is with the setting columns.text=NAME"
    )
    found = said(**files, columns__text="doc.body", columns__label="by.court.said")
    assert found[1] == "Columns: text 'doc.body', label 'by.court.said'."


def test_two_columns_that_look_like_texts_are_named(tmp_path):
    rows = [{"Satz A": row["Sentence"], "Satz B": row["Sentence"][::-1], "Klass": row["Klass"]} for row in topics(60)]
    train = write_csv(tmp_path / "train.csv", rows)
    assert refused(data__train=train, data__test=str(tmp_path / "test.csv")) == (
        f"{train}: no column goes by a common name of a text, and 2 look like one: Satz A, Satz B; name it in the "
        "setting 'columns.text', and in 'columns.pair' a second one that belongs to it; columns found: Satz A, "
        "Satz B, Klass"
    )


def test_parquet_with_categories_and_whole_numbers(tmp_path):
    rows, more = topics(60), topics(30, 60)
    names = sorted({row["Klass"] for row in rows})

    def frame(several, kind):
        labels = [row["Klass"] for row in several]
        codes = [names.index(label) for label in labels]
        made = {"category": pd.Categorical(labels), "whole": codes, "text": list(map(str, codes))}[kind]
        return pd.DataFrame({"text": [row["Sentence"] for row in several], "label": made})

    for train, test, classes in (
        ("category", "category", "(Reis, Wätter, Ässe)"),
        ("whole", "text", "(0, 1, 2)"),
        ("text", "whole", "(0, 1, 2)"),
    ):
        frame(rows, train).to_parquet(tmp_path / "a.parquet")
        frame(more, test).to_parquet(tmp_path / "b.parquet")
        files = {"data__train": str(tmp_path / "a.parquet"), "data__test": str(tmp_path / "b.parquet")}
        assert said(**files)[0] == f"a: rows: 54 train, 6 validation, 30 test, 3 classes {classes}."


def test_a_folder_says_which_files_it_has(tmp_path):
    for code in ("de", "fr", "gsw", "it"):
        for split in ("train", "test"):
            write_csv(tmp_path / f"{code}_{split}.csv", topics(30))
    assert refused(data__train=str(tmp_path), data__test=str(tmp_path)) == (
        f"{tmp_path}: this is a folder; a file is needed (in it: de_test.csv, de_train.csv, fr_test.csv, "
        "fr_train.csv, gsw_test.csv, gsw_train.csv and 2 more), or several that have one language each by {language} "
        "in the place of theirs in the name"
    )


def test_the_language_to_train_on_is_asked_for_or_said_to_be_a_setting(tmp_path):
    for number, code in enumerate(("de", "fr")):
        write_csv(tmp_path / f"{code}_train.csv", topics(60, 200 * number))
        write_csv(tmp_path / f"{code}_test.csv", topics(30, 200 * number + 60))
    files = {f"data__{split}": str(tmp_path / f"{{language}}_{split}.csv") for split in ("train", "test")}
    train = tmp_path / "de_train.csv"
    assert refused("transfer", **files, data__languages=("de", "fr")) == (
        f"{train}: there are no training rows in the language 'en'; there are in: de, fr; name the one to train on in "
        "the setting 'source'"
    )
    one = {**files, "data__train": str(train), "data__languages": ("fr",)}
    told = (
        "Trained on en, tested in fr (the files do not give the language of the training rows: taken from the setting"
    )
    assert said("transfer", **one)[-1] == f"{told} 'source')."
    assert said("transfer", **one, source="de")[-1] == "Trained on de, tested in fr."


def test_data_to_choose_by_are_not_the_test_data(tmp_path):
    files = write_topics(tmp_path)
    chosen = {"data__train": files["train"], "data__test": files["test"], "data__validation": files["test"]}
    assert refused(**chosen) == (
        f"{files['test']}: this file, given as the test data, is byte for byte the same as my test.csv, the validation "
        "data; the model would be tested on what it was chosen by"
    )


@pytest.mark.parametrize(("split", "named"), [("train", "training"), ("test", "test")])
def test_two_languages_are_not_one_file(tmp_path, split, named):
    for number, code in enumerate(("de", "fr")):
        write_csv(tmp_path / f"{code}_train.csv", topics(60, 200 * number))
        write_csv(tmp_path / f"{code}_test.csv", topics(30, 200 * number + 60))
    same = tmp_path / f"fr_{split}.csv"
    same.write_bytes((tmp_path / f"de_{split}.csv").read_bytes())
    files = {f"data__{each}": str(tmp_path / f"{{language}}_{each}.csv") for each in ("train", "test")}
    assert refused(**files, data__languages=("de", "fr")) == (
        f"{same}: this file is byte for byte the same as de_{split}.csv; the {named} data of two languages must be "
        "different files"
    )


def test_some_of_the_training_rows_are_of_each_class_whatever_their_order(tmp_path):
    rows = sorted(topics(60), key=lambda row: row["Klass"])
    files = {"train": write_csv(tmp_path / "a.csv", rows), "test": write_csv(tmp_path / "b.csv", topics(30, 60))}
    settings = {f"data__{name}": path for name, path in files.items()} | {"data__languages": ("gsw",)}
    found = said(**settings, data__most_train=12)
    assert found[0] == "a: rows in gsw: 12 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe)."
    assert found[3:5] == (
        "Used to train: 12 of the 54 training rows, each class by its share, drawn by their texts (the setting "
        "'data.most_train').",
        "3 classes have fewer than 5 training rows: Reis, Wätter, Ässe.",
    )
    assert refused(**settings, data__most_train=2).endswith(
        "; rows that have them are left out there by 'data.most_train'"
    )


def test_classes_with_few_rows_or_no_test_item_are_said(tmp_path):
    rows = [{**row, "Klass": "sälte"} if i < 2 else row for i, row in enumerate(topics(60))]
    files = {"train": write_csv(tmp_path / "a.csv", rows), "test": write_csv(tmp_path / "b.csv", topics(30, 60))}
    assert said(data__train=files["train"], data__test=files["test"])[-2:] == (
        "1 class has fewer than 5 training rows: sälte.",
        "1 class has no test item: sälte.",
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("wikiann/en/train.txt", "wikiann"),
        ("talks/train.csv", "talks"),
        ("Urteile Training (final) #2.csv", "Urteile (final) #2"),
    ],
)
def test_a_folder_of_a_language_is_no_name(path, name):
    assert own_name(Data(train=path)) == name


def test_numbers_and_words_have_no_classes_to_hold_out_by(tmp_path):
    files = {}
    for name, n in (("train", 60), ("test", 30)):
        text = "".join(f"Züri{i} B-LOC\nisch O\n\n" for i in range(n))
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
        files[f"data__{name}"] = str(tmp_path / f"{name}.conll")
    found = said(**files, data__languages=("gsw",))
    assert "(10 % of them, drawn by their texts)" in found[2]


def test_splits_in_a_column_are_known_whatever_their_case(tmp_path):
    rows = [{**row, "Teil": "Training "} for row in topics(60)] + [{**row, "Teil": "TEST"} for row in topics(30, 60)]
    file = write_csv(tmp_path / "one.csv", rows)
    assert refused(data__train=file, columns__label="Klass") == (
        f"{file}: one file to train and test on needs a column 'split' with train and test (or validation); else "
        "give a second file in the setting 'data.test'; this file has no such column (one of another name is named "
        "in the setting 'columns.split')"
    )
    found = said(data__train=file, columns__split="Teil", columns__label="Klass")
    assert found[0] == "one: rows: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe)."


def test_labels_that_differ_in_case_or_blanks_alone(tmp_path):
    rows = [{**row, "Klass": f" {row['Klass']}" if i % 2 else row["Klass"]} for i, row in enumerate(topics(60))]
    upper = [{**row, "Klass": row["Klass"].upper()} for row in topics(30, 60)]
    train = write_csv(tmp_path / "train.csv", rows)
    test = write_csv(tmp_path / "test.csv", topics(30, 60))
    assert said(data__train=train, data__test=test)[-1] == (
        "Classes that differ in blanks or in upper and lower case alone: ' Reis' and 'Reis', ' Wätter' and 'Wätter', "
        "' Ässe' and 'Ässe'; are they the same?"
    )
    test = write_csv(tmp_path / "test.csv", upper)
    assert refused(data__train=train, data__test=test).endswith(
        "; they are the same but for blanks, or upper and lower case"
    )


def test_few_different_texts_and_a_pattern_in_the_place_of_a_file(tmp_path):
    rows = [{"text": ("ja", "nein")[i % 2], "label": ("a", "b")[i % 2]} for i in range(60)]
    train = write_csv(tmp_path / "train.csv", rows)
    test = write_csv(tmp_path / "test.csv", [{"text": "wohl", "label": "a"}, {"text": "kaum", "label": "b"}])
    assert refused(data__train=train, data__test=test) == (
        f"{train}: 60 training rows of 2 different texts are too few to hold out a tenth for validation; give more, or "
        "give validation data in the setting 'data.validation'"
    )
    pattern = str(tmp_path / "train-*.parquet")
    assert refused(data__train=pattern, data__test=test) == (
        f"{pattern}: there is no such file; a pattern is not read: join its files into one"
    )
    twice = refused(data__train=train, data__test=test, data__languages=("de", "de"))
    assert twice == "the setting 'data.languages' must be at least one, none twice; got ('de', 'de')"
    empty = refused("probing", data__train=train, data__test=test, data__languages=("",))
    assert empty == "the setting 'data.languages' must be codes of languages, none of them empty; got ('',)"
