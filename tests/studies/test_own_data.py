"""Data of one's own in all five studies: one call each, what is said of the files, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.judging.files import write_jsonl
from tests.report.printed import papers_numbers
from tests.studies.own_files import pairs, topics, write_csv, write_topics

import goldproof
from goldproof.cli import run_command
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.report.summary import Text
from goldproof.runners.serial import SerialRunner
from goldproof.studies import find_study
from goldproof.studies.own import own_name
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import Data

QUICK = {"recipe.epochs": 1, "recipe.learning_rate": 0.05, "seeds": [0, 1]}
CUT = (
    "No validation data were given: 6 of the 60 training rows (10 % of each class, drawn by their texts) are held "
    "out to choose the checkpoint and not trained on."
)
COLUMNS = "Columns: text 'Sentence', label 'Klass' (Klass recognised by their contents)."
NO_TAGS = "Not used: 'tags', because this study takes no item categories."


def notes_of(study, **settings):
    dotted = {f"data.{name}": value for name, value in settings.pop("data").items()}
    config = make_config(find_study(study), Choice(settings={**dotted, **settings}))
    return find_study(study).notes(config)


def said(report):
    """What a report says of the user's data."""
    (section,) = [section for section in report.sections if section.title == "Your data"]
    return [item.text for item in section.items if isinstance(item, Text)]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store"


@pytest.mark.needs("models")
def test_stability_asks_it_of_ones_own_data(tmp_path, store, capfd):
    files = write_topics(tmp_path / "talks")
    settings = {"recipe.epochs": 2, "seeds": [0, 1, 2], "recipe.learning_rate": 1e-4, "recipe.evaluations": 2}
    report = goldproof.run(
        "stability", model="Mine=fake", data={**files, "languages": ["gsw"]}, settings=settings, store=store
    )
    assert capfd.readouterr() == ("", "")
    assert report.provenance["corpus"] == "my"
    assert report.provenance["model"] == "Mine"
    assert said(report) == [
        "my: rows in gsw: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe).",
        "Columns: text 'Sentence', label 'Klass', tags 'tags' (Klass recognised by their contents).",
        CUT,
    ]
    assert papers_numbers(report) == []
    names = {item.name for section in report.sections for item in section.items if hasattr(item, "name")}
    assert "sources" in names or "all runs score the same" in str(report.sections)
    command = ["run", "stability", "--set", "model=Mine=fake", "--set", f"data.train={files['train']}"]
    command += ["--set", f"data.test={files['test']}", "--set", "data.languages=gsw", "--name", "Talks"]
    pairs_of_settings = [f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
                         for key, value in settings.items()]  # fmt: skip
    command += [part for pair in pairs_of_settings for part in ("--set", pair)]
    assert run_command([*command, "--store", str(store), "--out", "mine"]) == 0
    out, err = capfd.readouterr()
    assert err.startswith(
        "Talks: rows in gsw: 54 train, 6 validation, 30 test, 3 classes (Reis, Wätter, Ässe).\nColumns: text"
    )
    assert out.startswith("13 jobs: 13 kept\n")  # another name is no other work
    assert "Talks" in out


@pytest.mark.needs("models")
def test_probing_reads_layers_off_ones_own_sentences(tmp_path, store):
    files = write_topics(tmp_path)
    report = goldproof.run(
        "probing", "tiny", model="fake", data={**files, "languages": ("gsw",), "name": "Talks"}, store=store
    )
    assert report.provenance["corpus"] == "Talks"
    assert report.provenance["languages"] == "gsw"
    assert said(report)[1:] == [COLUMNS, NO_TAGS, CUT]
    assert papers_numbers(report) == []
    assert "generated" not in str(report.sections)


@pytest.mark.needs("models")
def test_each_named_column_of_labels_is_a_task(tmp_path):
    rows = [{**row, "Stimmig": "guet" if i % 2 else "schlächt"} for i, row in enumerate(topics(90))]
    files = {"train": write_csv(tmp_path / "a.csv", rows[:60]), "test": write_csv(tmp_path / "b.csv", rows[60:])}
    settings = {f"data.{name}": file for name, file in files.items()} | {"model": "fake", "tasks": ("Klass", "Stimmig")}
    config = make_config(find_study("probing"), Choice("tiny", settings=settings))
    assert {job.arguments["task"].arguments["task"] for job in find_study("probing").jobs(config)
            if job.step.name == "goldproof.probing.facts"} == {"Klass", "Stimmig"}  # fmt: skip
    with pytest.raises(DataError) as caught:
        find_study("probing").jobs(make_config(find_study("probing"), Choice(settings={**settings, "tasks": ()})))
    assert str(caught.value) == (
        f"{files['train']}: no label was found: 2 columns could be it: Klass, Stimmig; columns found: "
        "Sentence, Klass, tags, Stimmig; name its column in the setting 'columns.label' (a class), 'columns.score' "
        "(a number) or 'columns.token_labels' (a class for each word)"
    )


def test_a_folder_of_tables_is_a_task_for_each(tmp_path):
    write_csv(tmp_path / "Thema_train.csv", topics(60))
    write_csv(tmp_path / "Thema_test.csv", topics(30, 60))
    rows = [{**row, "split": "train" if i < 60 else "test"} for i, row in enumerate(topics(90))]
    write_csv(tmp_path / "Zwei.csv", rows)
    settings = {"data.corpus": str(tmp_path), "data.languages": ("gsw",), "model": "fake", "coarse.seeds": ()}
    config = make_config(find_study("probing"), Choice("tiny", settings=settings))
    wanted = [job for job in find_study("probing").jobs(config) if job.step.name == "goldproof.probing.facts"]
    assert [job.arguments["task"].arguments["task"] for job in wanted] == ["Thema", "Zwei"]
    store = Store(tmp_path / "store").open()
    assert {outcome.status for outcome in run_jobs(wanted, store, SerialRunner())} == {"done"}
    assert [part.rows for part in Results(store)[wanted[1]].parts.values()] == [54, 6, 30, 90]


def test_logic_asks_it_of_ones_own_pairs(tmp_path, store):
    files = {
        "train": write_csv(tmp_path / "Schluss train.csv", pairs(120)),
        "test": write_csv(tmp_path / "Schluss test.csv", pairs(60, 120)),
    }
    settings = {"learners": ["forest"], "seeds": [0, 1], "experiments.fractions": [0.5, 1.0]}
    report = goldproof.run("logic", data={**files, "languages": ["gsw"]}, settings=settings, store=store)
    assert report.provenance["corpus"] == "Schluss, 72 training pairs"
    assert said(report)[-1] == (
        "Recast as contradiction detection: 'contradiction' against 'entailment', 'neutral'. Rows of the larger side "
        "are left out at random until both sides are equally frequent (72 training, 8 validation and 40 test pairs), "
        "so that guessing gets 50 %."
    )
    assert "Schluss (gsw)" in str(report)
    assert papers_numbers(report) == []


@pytest.mark.parametrize(
    ("labels", "column", "expected"),
    [
        (("positive", "neutral", "negative"), "label", "negative"),  # as DialogNLI has them
        (("e", "n", "contradicts"), "gold_label", "contradicts"),
        (("entailment", "-", "contradiction"), "gold_label", "contradiction"),
        (("entailment", "-1", "contradiction"), "gold_label", "contradiction"),
    ],
)
def test_labels_of_published_corpora_are_known(tmp_path, labels, column, expected):
    rows = [{"sentence1": row["premise"], "sentence2": row["hypothesis"], column: labels[i % 3]}
            for i, row in enumerate(pairs(180))]  # fmt: skip
    files = {"train": write_csv(tmp_path / "a.csv", rows[:120]), "test": write_csv(tmp_path / "b.csv", rows[120:])}
    last = notes_of("logic", data=files)[-1]
    assert last.startswith(f"Recast as contradiction detection: {expected!r} against ")
    undecided = [label for label in labels if label in ("-", "-1")]
    said = [f"Rows labelled {label!r}, on which annotators disagreed, are left out." for label in undecided]
    assert all(text in last for text in said)
    assert ("left out." in last) == bool(said)


def test_a_label_of_contradictions_that_nobody_knows_is_asked_for(tmp_path):
    rows = [{**row, "label": str(i % 3)} for i, row in enumerate(pairs(90))]
    files = {"train": write_csv(tmp_path / "a.csv", rows[:60]), "test": write_csv(tmp_path / "b.csv", rows[60:])}
    with pytest.raises(UsageError) as caught:
        notes_of("logic", data={**files, "name": "Mine"})
    assert str(caught.value) == (
        "the labels of Mine are '0', '1', '2', and none of them is known to mean a contradiction; name the one that "
        "does in the setting 'contradiction'; in the hub's copies of SNLI and MNLI it is '2'"
    )
    assert "'2' against '0', '1'" in notes_of("logic", data=files, contradiction="2")[-1]
    published = [{**row, "label": str(i % 2), "label_form": "x"} for i, row in enumerate(pairs(90))]
    files = {
        "train": write_csv(tmp_path / "c.csv", published[:60]),
        "test": write_csv(tmp_path / "d.csv", published[60:]),
    }
    assert "'1' against '0'" in notes_of("logic", data=files)[-1]
    mixed = [{"sentence1": row["premise"], "sentence2": row["hypothesis"], "label": row["label"]} for row in published]
    files = {
        "train": write_csv(tmp_path / "mixed_train.csv", mixed[:60]),
        "test": write_csv(tmp_path / "mixed_test.csv", mixed[60:]),
    }
    assert "'1' against '0'" in notes_of("logic", data=files)[-1]


def two_languages(folder: Path) -> dict[str, str]:
    tested = [{**row, "language": code} for code in ("de", "gsw") for row in topics(30, 200)]
    return {
        "train": write_csv(folder / "train.csv", changed(topics(60), language="de")),
        "test": write_csv(folder / "test.csv", tested),
    }


@pytest.mark.needs("models")
def test_transfer_takes_the_languages_of_a_column(tmp_path, store):
    files = two_languages(tmp_path / "talks")
    report = goldproof.run(
        "transfer", model="fake", data=files, settings={**QUICK, "recipe.batch": 8, "every": 0.3}, store=store
    )
    assert report.provenance["corpus"] == "talks"
    assert said(report)[0] == (
        "talks: rows in de: 54 train, 6 validation, 30 test; gsw: 30 test, 3 classes (Reis, Wätter, Ässe)."
    )
    assert said(report)[-1] == "Trained on de, tested in gsw."
    assert papers_numbers(report) == []


def test_transfer_takes_a_file_for_each_language(tmp_path):
    for code, start in (("de", 0), ("gsw", 300), ("rm", 500)):
        write_csv(tmp_path / f"test.{code}.csv", topics(30, start))
    train = write_csv(tmp_path / "train.csv", topics(60, 100))
    data = {"train": train, "test": str(tmp_path / "test.{language}.csv"), "languages": ("gsw", "rm")}
    assert notes_of("transfer", data=data, source="de")[-1] == "Trained on de, tested in gsw, rm."
    alone = {**data, "test": str(tmp_path / "test.gsw.csv"), "languages": ("gsw",)}
    assert notes_of("transfer", data=alone, source="de")[-1] == (
        "Trained on de, tested in gsw (the files do not say so: taken from the settings 'source' and 'data.languages')."
    )
    with pytest.raises(UsageError) as caught:
        notes_of("transfer", data={"train": train, "test": alone["test"]})
    assert str(caught.value) == (
        "the language of the rows of test.gsw.csv is unknown, and the study 'transfer' tests in other languages than "
        "it trains on: name it in 'data.languages', or name the column that gives it in 'columns.language'"
    )


def test_transfer_says_what_it_cannot_ask_before_any_work(tmp_path):
    files = two_languages(tmp_path)
    with pytest.raises(DataError) as caught:
        notes_of(
            "transfer", data={**files, "test": write_csv(tmp_path / "b.csv", changed(topics(9, 90), language="de"))}
        )
    assert str(caught.value) == (
        f"{tmp_path / 'b.csv'}: the test data are only in 'de', the language trained on; transfer needs a test set "
        "in another language: name that language in 'data.languages', or name the column that holds each row's "
        "language in 'columns.language'"
    )
    with pytest.raises(UsageError) as caught:
        notes_of("transfer", data=files, **{"recipe.epochs": 1})
    assert str(caught.value) == (
        "54 training rows in batches of 32 for 1 epochs make 2 steps, but a choice needs at least 3 checkpoints; "
        "train longer (recipe.epochs), in smaller batches (recipe.batch) or on more data"
    )


def test_a_metric_that_does_not_fit_is_refused_before_any_work(tmp_path):
    settings = {f"data.{name}": file for name, file in write_topics(tmp_path).items()}
    config = make_config(find_study("stability"), Choice(settings={**settings, "model": "fake", "metric": "pearson"}))
    with pytest.raises(UsageError) as caught:
        find_study("stability").jobs(config)
    assert str(caught.value) == ("the metric 'pearson' does not fit classification; allowed: accuracy, mcc, macro_f1")


@pytest.mark.needs("models")
def test_corruption_takes_classes_from_a_list_of_words(tmp_path, store):
    files = write_topics(tmp_path)
    (tmp_path / "words.txt").write_text("# mine\nrägnet\tVerb\nChoched\tVerb\nDorf\tNomen\n", encoding="utf-8")
    report = goldproof.run(
        "corruption", model="fake", data={**files, "languages": ["gsw"]}, store=store,
        settings={**QUICK, "removal.words": "words.txt", "settings": ["test"]},
    )  # fmt: skip
    assert said(report) == [
        "my: rows in gsw: 60 train, 30 test, 3 classes (Reis, Wätter, Ässe).",
        COLUMNS,
        NO_TAGS,
        "Word classes, from 'words.txt': Verb, Nomen.",
    ]
    assert papers_numbers(report) == []


def test_corruption_takes_classes_from_a_column(tmp_path):
    rows = [{**row, "Wortart": " ".join("NOUN" if word[0].isupper() else "X" for word in row["Sentence"].split())}
            for row in topics(90)]  # fmt: skip
    files = {"train": write_csv(tmp_path / "a.csv", rows[:60]), "test": write_csv(tmp_path / "b.csv", rows[60:])}
    settings = {f"data.{name}": file for name, file in files.items()}
    settings |= {"model": "fake", "data.languages": ("gsw",), "removal.column": "Wortart", "columns.label": "Klass"}
    config = make_config(find_study("corruption"), Choice(settings=settings))
    assert find_study("corruption").notes(config)[-1] == "Word classes, from the column 'Wortart': NOUN."
    corrupt = [job for job in find_study("corruption").jobs(config) if job.step.name == "goldproof.corruption.corrupt"]
    store = Store(tmp_path / "store").open()
    assert {outcome.status for outcome in run_jobs(corrupt[:1], store, SerialRunner())} == {"done"}
    assert Results(store)[corrupt[0]].texts[0] == "60 hät si gseit: es rägnet im"


def test_one_file_with_a_column_of_splits_is_enough(tmp_path):
    rows = [{**row, "split": "train" if i < 60 else "dev" if i < 70 else "test"} for i, row in enumerate(topics(100))]
    path = write_csv(tmp_path / "mine.csv", rows)
    assert notes_of("stability", data={"train": path})[0] == (
        "mine: rows: 60 train, 10 validation, 30 test, 3 classes (Reis, Wätter, Ässe)."
    )


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (Data(train="talks/Mundart train.csv"), "Mundart"),
        (Data(train="talks/train.csv"), "talks"),
        (Data(train="talks/dev-train.jsonl.gz"), "talks"),
        (Data(train="talks/reviews_train.parquet"), "reviews"),
        (Data(train="talks/train.{language}.csv"), "talks"),
        (Data(train="talks/train.csv", name="Mine"), "Mine"),
    ],
)
def test_train_is_never_the_name_of_data(data, name):
    assert own_name(data) == name


def token_rows(n, first=0):
    return [{"tokens": ["Si", "wohnt", "z", f"Ort{i}"], "ner_tags": ["O", "O", "O", "B-LOC" if i % 2 else "O"]}
            for i in range(first, first + n)]  # fmt: skip


@pytest.mark.parametrize("join", [" ".join, json.dumps])
def test_words_of_a_csv_are_json_or_have_blanks_between_them(tmp_path, join):
    rows = [{part: join(cells) for part, cells in row.items()} for row in token_rows(60)]
    files = {"train": write_csv(tmp_path / "a.csv", rows[:40]), "test": write_csv(tmp_path / "b.csv", rows[40:])}
    assert notes_of("stability", data={**files, "name": "Orte"})[0] == (
        "Orte: rows: 36 train, 4 validation, 20 test, 2 classes (B-LOC, O)."
    )
    wrong = write_csv(tmp_path / "c.csv", [*rows[:1], {"tokens": "[1, 2]", "ner_tags": "O O"}])
    with pytest.raises(DataError) as caught:
        notes_of("stability", data={**files, "train": wrong})
    assert str(caught.value) == (
        f"{wrong}, line 3: 'tokens' must be a list of strings, as JSON or separated by spaces; got [1, 2]"
    )


def two_files(folder, rows):
    parts = {"train": rows(40), "test": rows(20, 40)}
    return {name: str(write_jsonl(folder / f"{name}.jsonl", part)) for name, part in parts.items()}


def numbers(n, first=0):
    return [{"text": f"es sind {i}", "score": i / 10} for i in range(first, first + n)]


def texts(n, first=0):
    return [{"text": f"a text {i}", "label": str(i % 2)} for i in range(first, first + n)]


@pytest.mark.needs("models")
@pytest.mark.parametrize(
    ("rows", "metric"),
    [
        (token_rows, "Span F1"),
        (numbers, "Pearson"),
        (pairs, "Accuracy"),
    ],
)
def test_stability_takes_every_kind_of_task(tmp_path, store, rows, metric):
    files = two_files(tmp_path, rows)
    settings = {**QUICK, "recipe.evaluations": 1, "attribution.levels": 0}
    report = goldproof.run("stability", model="fake", data=files, settings=settings, store=store)
    assert report.provenance["metric"] == metric


def changed(rows, **cells):
    return [{**row, **cells} for row in rows]


BAD = [  # what is wrong, training rows, test rows, settings, message
    (
        "no text column",
        [{"a": str(i), "Klass": str(i % 3)} for i in range(30)],
        [{"a": str(i), "Klass": str(i % 3)} for i in range(40, 60)],
        {},
        "{train}: data need a column 'text'; columns found: a, Klass; looked for: text, sentence, content, review, "
        "document, premise, sentence1, question1, text1, question; say which one it is with the setting "
        "columns.text=NAME",
    ),
    (
        "one class",
        [{"text": row["Sentence"], "label": "ja"} for row in topics(60)],
        [{"text": row["Sentence"], "label": "ja"} for row in topics(30, 60)],
        {},
        "{train}: all training rows have the label 'ja' (column 'label'); a model needs at least two classes to "
        "learn from",
    ),
    (
        "other labels",
        topics(60),
        [{**row, "Klass": row["Klass"].upper()} for row in topics(30, 60)],
        {},
        "{test}: the test data have labels that no training row of train.csv has: 'REIS' (10 rows), 'WÄTTER' (10 "
        "rows), 'ÄSSE' (10 rows); labels there: 'Reis', 'Wätter', 'Ässe'; they are the same but for "
        "blanks, or upper and lower case",
    ),
    (
        "the same file",
        topics(60),
        topics(60),
        {},
        "{test}: this file, given as the test data, is byte for byte the same as train.csv, the training data; the "
        "model would be tested on what it was trained on",
    ),
    (
        "the same rows",
        topics(60),
        topics(30),
        {"data.validation": "{train_too}"},
        "{test}: all 30 test items also occur in the training data train.csv; the model would be tested on what it "
        "was trained on",
    ),
    (
        "blank languages",
        changed(topics(60), language="gsw"),
        [*changed(topics(20, 60), language="gsw"), *changed(topics(2, 90), language=" ")],
        {},
        "{test}, line 22: 'language' must give the language of every row; 2 of 22 rows have none, this one first",
    ),
    (
        "too few to validate",
        topics(6),
        topics(30, 60),
        {},
        "{train}: 6 training rows are too few to hold out a tenth for validation; give more, or give validation data "
        "in the setting 'data.validation'",
    ),
    (
        "no rows in a language",
        topics(60),
        changed(topics(30, 60), language="gsw"),
        {"data.languages": ("rm",)},
        "{test}: there are no test rows in the language 'rm'; there are in: gsw",
    ),
    (
        "several languages and nothing that tells them",
        topics(60),
        topics(30, 60),
        {"data.languages": ("de", "gsw")},
        "'data.languages' names 2 languages, but it is unknown which of them the rows of train.csv are in: name the "
        "column that says so in 'columns.language', or, with one file per language, write {{language}} in the file's "
        "name",
    ),
    (
        "a test file without labels",
        topics(60),
        [{"Sentence": row["Sentence"], "label": ""} for row in topics(30, 60)],
        {},
        "{test}: every row of the test data lacks a label, but the training data have one; name its column in the "
        "setting 'columns.label'",
    ),
]  # fmt: skip


@pytest.mark.parametrize("study", ["stability", "probing"])
@pytest.mark.parametrize(("train", "test", "settings", "message"), [case[1:] for case in BAD], ids=[c[0] for c in BAD])
def test_what_is_wrong_with_files_is_said_before_any_work(tmp_path, study, train, test, settings, message):
    places = {
        "train": write_csv(tmp_path / "train.csv", train),
        "test": write_csv(tmp_path / "test.csv", test),
        "train_too": write_csv(tmp_path / "other.csv", topics(12, 500)),
    }
    given = {name: value.format(**places) if isinstance(value, str) else value for name, value in settings.items()}
    chosen = {"data.train": places["train"], "data.test": places["test"], "model": "fake", **given}
    with pytest.raises((DataError, UsageError)) as caught:
        find_study(study).jobs(make_config(find_study(study), Choice(settings=chosen)))
    assert str(caught.value) == message.format(**places)


def test_tags_of_one_item_and_repeated_items_are_said(tmp_path):
    test = [*topics(1, 200), *topics(29, 201), *topics(4)]
    test[0] = {**test[0], "tags": "rare"}
    files = {"train": write_csv(tmp_path / "a.csv", topics(60)), "test": write_csv(tmp_path / "b.csv", test)}
    found = notes_of("stability", data={**files, "languages": ("gsw",)})
    assert found[-1] == (
        "1 tag occurs on one test item only: rare; one item says nothing about a category, so none of them is tested."
    )
    assert found[-2].endswith(
        "test items also occur in the training data; a model may remember them, so its score may be too high."
    )


@pytest.mark.parametrize(
    ("study", "rows", "kinds"),
    [
        (
            "probing",
            pairs,
            "pairs of texts with a class each (text 'premise', pair 'hypothesis', label 'label'); the study 'probing' "
            "takes texts with a class each",
        ),
        (
            "logic",
            texts,
            "texts with a class each (text 'text', label 'label'); the study 'logic' takes pairs of texts with a class "
            "each",
        ),
        (
            "corruption",
            token_rows,
            "texts with a class for each word (tokens 'tokens', token_labels 'ner_tags'); the study 'corruption' takes "
            "texts with a class each or pairs of texts with a class each or texts or pairs with a number each",
        ),
        (
            "transfer",
            numbers,
            "texts or pairs with a number each (text 'text', score 'score'); the study 'transfer' takes texts with a "
            "class each or pairs of texts with a class each or texts with a class for each word or questions with "
            "passages that answer them",
        ),
    ],
)
def test_a_kind_that_a_study_does_not_take_is_said(tmp_path, study, rows, kinds):
    files = {f"data.{name}": path for name, path in two_files(tmp_path, rows).items()}
    with pytest.raises(DataError) as caught:
        find_study(study).jobs(make_config(find_study(study), Choice(settings={**files, "model": "fake"})))
    assert str(caught.value) == (
        f"{files['data.train']}: these are {kinds}. If you meant other columns, name them in the settings "
        "'columns.text', 'columns.pair' and 'columns.label'"
    )
