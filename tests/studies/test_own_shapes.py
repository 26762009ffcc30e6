"""Files as users have them: by semicolons, as JSON lists, as CoNLL, one file for all, and with presets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.judging.files import write_jsonl
from tests.studies.own_files import WORDS, pairs, topics, write_csv, write_topics

import goldproof
from goldproof.errors import DataError, UsageError
from goldproof.studies import find_study
from goldproof.studies.own import own_name
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import Data

SIZES = "rows: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe)."


def notes_of(study, preset="default", **settings):
    config = make_config(find_study(study), Choice(preset, settings=settings))
    find_study(study).jobs(config)
    return find_study(study).notes(config)


def files_of(folder, **paths):
    return {f"data.{part}": str(folder / name) for part, name in paths.items()}


def write_semicolons(path, rows):
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)


def test_a_spreadsheets_csv_by_semicolons(tmp_path):
    write_semicolons(tmp_path / "Mails März (train).csv", topics(60))
    write_semicolons(tmp_path / "Mails März (test).csv", topics(30, 60))
    files = files_of(tmp_path, train="Mails März (train).csv", test="Mails März (test).csv")
    assert notes_of("stability", model="fake", **files)[0] == f"Mails März: {SIZES}"


@pytest.mark.parametrize("name", ["dialogue_nli_{}.jsonl", "dialogue_nli_{}.json"])
def test_a_json_list_as_dialogue_nli_is_published(tmp_path, name):
    said = {"entailment": "positive", "neutral": "neutral", "contradiction": "negative"}
    for split, rows in (("train", pairs(60)), ("dev", pairs(30, 60)), ("test", pairs(30, 90))):
        made = [{"id": f"{split}{i}", "label": said[row["label"]], "sentence1": row["premise"],
                 "sentence2": row["hypothesis"], "triple1": ["i", "have", i if i % 2 else "x"]}
                for i, row in enumerate(rows)]  # fmt: skip
        (tmp_path / name.format(split)).write_text(json.dumps(made), encoding="utf-8")
    files = files_of(tmp_path, **{part: name.format(split) for part, split in
                                  (("train", "train"), ("validation", "dev"), ("test", "test"))})  # fmt: skip
    found = notes_of("logic", learners=("forest",), **files)
    assert found[0] == "dialogue_nli: rows: 60 train, 30 validation, 30 test, 3 classes (negative, neutral, positive)."
    assert found[-1].startswith("Recast as contradiction detection: 'negative' against 'neutral', 'positive'.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"text": "a"}, 3]', "a JSON list must hold objects, one for each row; element 2 is none"),
        ("[]", "a JSON list must hold objects, one for each row; the list is empty"),
        ('[{"text": "a"},', "not JSON: Expecting value at character 16"),
    ],
)
def test_a_json_list_that_is_none(tmp_path, text, message):
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        goldproof.read(path)
    assert str(caught.value).endswith(message)


CONLL = "".join(f"Si{{0}}O\nwohnt{{0}}O\nz{{0}}O\nOrt{i}{{0}}B-LOC\n\n" for i in range(40))


@pytest.mark.parametrize(("name", "sign"), [("{}.conll", " "), ("{}.bio", "\t"), ("{}.txt", "\t")])
def test_words_with_their_tags_line_by_line(tmp_path, name, sign):
    lines = CONLL.format(sign)
    (tmp_path / name.format("train")).write_text("-DOCSTART- -X- O\n\n" * (sign == " ") + lines, encoding="utf-8")
    (tmp_path / name.format("test")).write_text(lines.replace("Si", "Er"), encoding="utf-8")
    files = files_of(tmp_path, train=name.format("train"), test=name.format("test"))
    found = notes_of("stability", model="fake", **files, **{"data.name": "Orte"})
    assert found[:2] == (
        "Orte: rows: 36 train, 4 validation, 40 test, 2 classes (B-LOC, O).",
        "Columns: tokens 'tokens', token_labels 'token_labels'.",
    )


def in_languages(path):
    """One file with all: German to train on, three languages to test in."""
    rows = [{**row, "Lang": "de", "Split": "train"} for row in topics(60)]
    rows += [{**row, "Lang": code, "Split": "test"} for code in ("de", "gsw", "xq-XX") for row in topics(30, 200)]
    return {"data.train": write_csv(path, rows)}


def test_one_file_with_its_languages_and_splits(tmp_path):
    files = in_languages(tmp_path / "alles.csv")
    assert (
        notes_of("transfer", model="fake", **files, **{"recipe.batch": 8})[-1] == "Trained on de, tested in gsw, xq-XX."
    )
    found = notes_of("stability", model="fake", **files)
    assert found[:2] == (
        "alles: rows in de: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe).",
        "Test rows in gsw, xq-XX are not used: there are no training rows in the same language.",
    )


def test_of_many_languages_each_thing_is_said_once(tmp_path):
    codes = [f"l{i:02}" for i in range(9)]
    train = [{**row, "language": code} for code in codes for row in topics(60)]
    test = [{**row, "language": code} for code in codes for row in topics(30, 40)]
    files = {"train": write_csv(tmp_path / "a.csv", train), "test": write_csv(tmp_path / "b.csv", test)}
    found = notes_of("probing", model="fake", **{f"data.{name}": path for name, path in files.items()})
    held = ", ".join(f"6 of the 60 training rows ({code})" for code in codes[:6])
    again = [note for note in found if "also occur" in note]
    assert found[2] == "Not used: 'tags', because this study takes no item categories."
    assert found[3] == (
        f"No validation data were given: {held} and so in 3 more languages (10 % of each class, drawn by their "
        "texts) are held out to choose the checkpoint and not trained on."
    )
    assert len(again) == 1
    assert len(found) == 5


@pytest.mark.parametrize("study", ["stability", "probing", "logic", "transfer", "corruption"])
@pytest.mark.parametrize("preset", ["tiny", "paper"])
def test_presets_leave_their_corpus_to_files_of_ones_own(tmp_path, study, preset):
    rows, labels = (pairs, {}) if study == "logic" else (topics, {"columns.label": "Klass"})
    train, test = rows(90), rows(60, 90)
    if study == "transfer":
        train = [{**row, "language": "gsw"} for row in train]
        test = [{**row, "language": "rm"} for row in test]
    files = {
        "data.train": write_csv(tmp_path / "mine train.csv", train),
        "data.test": write_csv(tmp_path / "mine test.csv", test),
    }
    words = {}
    if study == "corruption":
        (tmp_path / "words.txt").write_text("\n".join(f"{word}\tVerb" for word in WORDS.values()), encoding="utf-8")
        words = {"removal.words": str(tmp_path / "words.txt")}
    if study == "probing":
        words = {"baselines.tokenizers": ()}
    assert notes_of(study, preset, model="fake" if study != "logic" else (), **files, **labels, **words)[0].startswith(
        "mine: rows"
    )


def test_a_folder_of_tasks_is_in_one_language_where_none_is_named(tmp_path):
    write_csv(tmp_path / "Thema_train.csv", topics(60))
    write_csv(tmp_path / "Thema_test.csv", topics(30, 60))
    study = find_study("probing")
    settings = {"data.corpus": str(tmp_path), "model": "fake", "coarse.seeds": ()}
    wanted = [job for job in study.jobs(make_config(study, Choice("tiny", settings=settings)))
              if job.step.name == "goldproof.probing.facts"]  # fmt: skip
    assert [job.arguments["task"].arguments["language"] for job in wanted] == ["und"]
    (tmp_path / "ru").mkdir()
    for split in ("train", "test"):
        (tmp_path / f"Thema_{split}.csv").rename(tmp_path / "ru" / f"Thema_{split}.csv")
    wanted = [job for job in study.jobs(make_config(study, Choice("tiny", settings=settings)))
              if job.step.name == "goldproof.probing.facts"]  # fmt: skip
    assert [job.arguments["task"].arguments["language"] for job in wanted] == ["ru"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("mails/train-00000-of-00001.parquet", "mails"),
        ("mails/Mails 2026 (Training).csv", "Mails 2026"),
        ("mails/train de.tsv", "mails"),
        ("mails/Orte train.iob2", "Orte"),
        ("mails/notes.v2_train.csv", "notes.v2"),
    ],
)
def test_what_files_are_called(path, name):
    assert own_name(Data(train=path)) == name


def write_lines(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_file_without_a_line_of_names_is_refused(tmp_path):
    rows = [f"a film that is rather good or bad, number {i}\t{i % 2}" for i in range(40)]
    path = write_lines(tmp_path / "train.tsv", *rows)
    with pytest.raises(DataError) as caught:
        notes_of("stability", model="fake", **{"data.train": path, "data.test": path})
    assert str(caught.value) == (
        f"{path}: its first line seems to be a row: '0' occurs there and among the labels below; the first line must "
        "name the columns, such as text and label"
    )


def test_a_text_without_a_word_is_refused_where_one_is_needed_and_else_counted(tmp_path):
    test = [{**row, "Sentence": ""} if i == 4 else row for i, row in enumerate(topics(30, 60))]
    files = {
        "data.train": write_csv(tmp_path / "train.csv", topics(60)),
        "data.test": write_csv(tmp_path / "test.csv", test),
        "columns.text": "Sentence",
        "model": "fake",
    }
    with pytest.raises(DataError) as caught:
        notes_of("probing", **files)
    assert str(caught.value) == (
        f"{files['data.test']}, line 6: the text is empty; a vector needs at least one word (1 such rows in all)"
    )
    assert ("Rows with an empty text: 1 test. They are kept and count like any other row.") in notes_of(
        "stability", **files
    )


def test_numbers_with_a_comma_are_said_how_to_write(tmp_path):
    for name in ("train", "test"):
        write_semicolons(tmp_path / f"{name}.csv", [{"text": f"a thing {i}", "Preis": f"{i},50"} for i in range(40)])
    files = files_of(tmp_path, train="train.csv", test="test.csv")
    with pytest.raises(DataError) as caught:
        notes_of("stability", model="fake", **files, **{"columns.score": "Preis"})
    assert str(caught.value) == (
        f"{files['data.train']}, line 2: 'Preis' must be a number; got '0,50'; write it with a point"
    )


def test_languages_in_the_names_of_files_are_found_for_the_error(tmp_path):
    for code in ("gsw", "rm"):
        write_csv(tmp_path / f"eval {code}.csv", topics(30))
    train = write_csv(tmp_path / "train.csv", topics(60, 100))
    with pytest.raises(UsageError) as caught:
        notes_of("transfer", model="fake", **{"data.train": train, "data.test": str(tmp_path / "eval {language}.csv")})
    assert str(caught.value) == (
        "the setting 'data.test' contains {language}, which stands for each of 'data.languages'; name these (there "
        "are files for gsw, rm)"
    )


@pytest.mark.parametrize(
    ("data", "what"),
    [([{"text": "a"}], "data is a list"), ({"train": [{"text": "a"}], "test": "b.csv"}, "data['train'] is a list")],
)
def test_a_table_in_memory_is_no_file(data, what):
    with pytest.raises(UsageError) as caught:
        goldproof.run("stability", model="fake", data=data)
    assert str(caught.value) == (
        f"a study reads its data from files, so that it can be resumed and run again; {what}: write it to a file "
        "(to_parquet, to_csv) and give the path"
    )


def test_texts_of_which_nothing_says_the_language_are_said_to_be_taken_for_english(tmp_path):
    files = {f"data.{name}": path for name, path in write_topics(tmp_path).items()}
    config = make_config(find_study("corruption"), Choice(settings={**files, "model": "fake"}))
    assert find_study("corruption").notes(config)[-1] == (
        "No column gives the language of the texts: they are tagged as English (data.languages=en)."
    )


def test_a_file_to_recast_may_say_its_language(tmp_path):
    from goldproof.studies.logic.plan import nli_job
    from goldproof.studies.logic.settings import Config as LogicConfig

    rows = [
        {"premise": f"der hund {i} rennt", "hypothesis": f"hund {i}", "label": ("entailment", "contradiction")[i % 2]}
        for i in range(12)
    ]
    path = write_jsonl(tmp_path / "paare.jsonl", rows)
    for named, language in ((str(path), "und"), (f"{path}@gsw", "gsw")):
        job = nli_job(LogicConfig(), named)
        (read,) = [needed for needed in job.arguments.values() if hasattr(needed, "step")]
        assert set(read.step(**read.arguments).languages) == {language}
