"""The corruption study on files of one's own, and what it says of settings, files and corpora that it cannot use."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.judging.files import write_jsonl
from tests.report.printed import papers_numbers
from tests.studies.own_files import write_topics

import goldproof
from goldproof.errors import DataError, GoldproofError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.runners.serial import SerialRunner
from goldproof.studies.corruption import TINY, Config, jobs, report, steps
from goldproof.studies.corruption.published import BASELINES
from goldproof.studies.corruption.settings import ColumnChoice, Removal, Why
from goldproof.studies.corruption.tasks import Version, data_job, find_tasks
from goldproof.studies.corruption.toy import TASKS, generate
from goldproof.studies.shared import Data


def own_rows(n=30):
    for i in range(n):
        good = i % 3 == 0
        yield {
            "review": f"The garden looked {'lovely' if good else 'dull'} on day {i}.",
            "stars": "yes" if good else "no",
            "split": "train" if i < n * 2 // 3 else "dev",
        }


def own_config(path, **changes):
    own = {"train": str(path), "text": "review", "label": "stars", **changes.pop("own", {})}
    files = {name: own.pop(name) for name in ("train", "test") if name in own}
    given = {"data": Data(**files, languages=(changes.pop("language", "en"),)), "columns": ColumnChoice(**own)}
    return replace(TINY, **{"tasks": (), **given, "classes": ("NOUN", "ADJ"), "seeds": (0,), **changes})


def test_a_file_of_ones_own_is_tested_on_its_test_rows(tmp_path):
    rows = [*own_rows(), {"review": "A quiet garden.", "stars": "no", "split": "test"}]
    config = own_config(write_jsonl(tmp_path / "reviews.jsonl", rows))
    (task,) = find_tasks(config)
    store, job = Store(tmp_path / "store").open(), data_job(config, task, "test")
    assert [outcome.status for outcome in run_jobs([job], store, SerialRunner())] == ["done"]
    assert list(Results(store)[job].texts) == ["A quiet garden."]


@pytest.mark.needs("models")
def test_a_file_of_ones_own_with_named_columns_and_emptied_texts(tmp_path, nltk_data):
    rows = [*own_rows(), {"review": "Gardens.", "stars": "no", "split": "dev"}]
    path = write_jsonl(tmp_path / "reviews.jsonl", rows)
    config = own_config(path, control="none")
    (task,) = find_tasks(config)
    assert (task.name, task.kind, task.metric) == ("reviews", "text", "accuracy")
    store = Store(tmp_path / "store").open()
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} == {"done"}
    results = Results(store)
    test = results[data_job(config, task, "test", Version("NOUN"))]
    assert len(test) == 11
    assert test.texts[-1] == "."
    made = report(config, results)
    assert papers_numbers(made) == []
    assert made.verdict == []
    assert made.answer.text == ("with all words left in, the model is not shown to be above the best constant answer.")
    assert made.answer.notes == [
        "reviews: the run collapsed: it gives one answer to nearly all items. It is judged all the same.",
        "There is no random control: the cost of a class cannot be separated from that of mere shortening.",
    ]
    items = [item for section in made.sections for item in section.items]
    table = next(item for item in items if getattr(item, "name", "") == "texts")
    assert table.title == "1 text is left without a word, but kept"
    assert [row["test_emptied"] for row in table.rows] == [1, 0]


def test_one_file_named_twice_is_split_and_not_trained_on_whole(tmp_path):
    path = write_jsonl(tmp_path / "reviews.jsonl", list(own_rows()))
    config, twice = own_config(path), own_config(path, own={"test": str(tmp_path / "." / "reviews.jsonl")})
    assert [job.key for job in jobs(twice)] == [job.key for job in jobs(config)]
    alone = write_jsonl(tmp_path / "alone.jsonl", [{"review": "It rains.", "stars": "no"}])
    with pytest.raises(DataError) as caught:
        jobs(own_config(alone, own={"test": str(alone)}))
    assert str(caught.value).startswith(
        f"{alone}: one file to train and test on needs a column 'split' with train and test"
    )


@pytest.mark.parametrize("name", ["rte", "MRPC", "SST-2"])
def test_a_file_called_as_a_task_of_the_paper_has_no_number_in_it(tmp_path, name):
    (task,) = find_tasks(own_config(write_jsonl(tmp_path / f"{name}.jsonl", list(own_rows()))))
    assert (task.title, task.paper_name) == (name, "")
    assert BASELINES.get(task.paper_name) is None


def test_a_file_called_as_another_task_of_the_study_is_refused(tmp_path):
    path = write_jsonl(tmp_path / "rte.jsonl", list(own_rows()))
    with pytest.raises(UsageError) as caught:
        own_config(path, tasks=("rte",))
    message = "the setting 'data.train' must be data whose name is not that of one of 'tasks'; name them in "
    message += f"'data.name'; got {str(path)!r}"
    assert str(caught.value) == message


def test_another_language(tmp_path):
    pytest.importorskip("HanTa")
    texts = ["Der Garten war schön.", "Der Film war langweilig."]
    rows = [{"review": texts[i % 2], "stars": str(i % 2), "split": "train"} for i in range(4)]
    rows += [{"review": texts[i % 2], "stars": str(i % 2), "split": "test"} for i in range(2)]
    path = write_jsonl(tmp_path / "german.jsonl", rows)
    config = own_config(path, language="de")
    store = Store(tmp_path / "store").open()
    wanted = data_job(config, find_tasks(config)[0], "test", Version("NOUN"))
    assert {outcome.status for outcome in run_jobs([wanted], store, SerialRunner())} == {"done"}
    assert Results(store)[wanted].texts == ["Der war schön.", "Der war langweilig."]


def test_two_files_and_scores(tmp_path):
    rows = [{"a": f"one {i}", "b": "two", "points": i / 2} for i in range(12)]
    train, test = write_jsonl(tmp_path / "some.jsonl", rows[:6]), write_jsonl(tmp_path / "other.jsonl", rows[6:])
    own = {"test": str(test), "text": "a", "pair": "b", "label": "", "score": "points"}
    config = own_config(train, own=own)
    assert find_tasks(config)[0].kind == "regression"
    (job, *_) = jobs(config)
    assert job.step.name == "goldproof.train"


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"text": "body"}, "{path}: there is no column 'body'; columns found: review, stars, split"),
        ({"label": "gold"}, "{path}: there is no column 'gold'; columns found: review, stars, split"),
        (
            {"label": "", "train": "{folder}/bare.jsonl"},
            "{folder}/bare.jsonl: no label was found: no column looks like one; columns found: review; "
            "name its column in the setting 'columns.label' (a class), 'columns.score' (a number) or "
            "'columns.token_labels' (a class for each word)",
        ),
        (
            {"train": "{folder}/alone.jsonl"},
            "{folder}/alone.jsonl: one file to train and test on needs a column 'split' with train and test (or "
            "validation); else give a second file in the setting 'data.test'; this file has no such column (one of "
            "another name is named in the setting 'columns.split')",
        ),
    ],
)
def test_a_file_that_lacks_something_is_refused_before_any_work(tmp_path, own, message):
    path = write_jsonl(tmp_path / "reviews.jsonl", list(own_rows()))
    write_jsonl(tmp_path / "alone.jsonl", [{"review": "It rains.", "stars": "no"}])
    write_jsonl(tmp_path / "bare.jsonl", [{"review": "It rains."}, {"review": "It snows."}])
    places = {"path": path, "folder": tmp_path}
    with pytest.raises(DataError) as caught:
        jobs(own_config(path, own={name: value.format(**places) for name, value in own.items()}))
    assert str(caught.value) == message.format(**places)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": ()}, "the setting 'tasks' must be at least one task, none twice; got ()"),
        ({"classes": ("NOUN+ADJ", "ADJ+NOUN")}, None),
        (
            {"classes": ("NAMES",)},
            "there is no word class 'NAMES'; allowed: ADJ, ADP, ADV, CONJ, DET, NOUN, NUM, PRON, PRT, VERB, ., X",
        ),
        (
            {"classes": ("PROPN",)},
            "there is no word class 'PROPN'; did you mean 'NOUN'? allowed: ADJ, ADP, ADV, CONJ, DET, NOUN, NUM, PRON, "
            "PRT, VERB, ., X",
        ),
        ({"settings": ("dev",)}, "the setting 'settings' must be at least one of train, test, both, none twice; got "),
        ({"seeds": (1, 1)}, "the setting 'seeds' must be at least one seed, none twice; got (1, 1)"),
        ({"margin": 0.0}, "the setting 'margin' must be above 0 and below 1; got 0.0"),
        (
            {"data": Data(test="a.csv", languages=("en",))},
            "the setting 'data.test' must be empty if 'data.train' is empty; name some labelled rows in 'data.train', "
            "which say what labels there are, also where a language model is asked and nothing is trained; got 'a.csv'",
        ),
        (
            {"data": Data(most_train=0, languages=("en",))},
            "the setting 'data.most_train' must be a whole number above 0, or null for all; got 0",
        ),
        (
            {"data": Data(corpus="glue/cola", languages=("en",))},
            "the setting 'data.corpus' must be left out: this study does not take it; got 'glue/cola'",
        ),
        (
            {"data": Data(languages=("en", "de"))},
            "the setting 'data.languages' must be one language, that of the texts; got ('en', 'de')",
        ),
        (
            {"why": Why(lexicon="mood")},
            "the setting 'why.lexicon' must be one of opinion, vader, nrc, none, or an existing file; got 'mood'",
        ),
        (
            {"removal": Removal(preset="paper", tagger="nltk")},
            "the preset 'paper' needs the tagger 'nltk-3.5' and English texts; got the tagger 'nltk' for the language "
            "'en'",
        ),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(UsageError) as caught:
        Config(**settings)
    assert str(caught.value).startswith(message or "the setting 'classes' must be at least one word class, none twice")


def test_a_language_without_tagger_says_what_there_is_and_what_to_install():
    with pytest.raises(UsageError) as caught:
        Config(data=Data(languages=("sw",)))
    text = str(caught.value)
    assert text.startswith("there is no tagger for the language 'sw'; languages with one: ")
    assert text.endswith(
        "use a spaCy model: pip install 'goldproof[spacy]', then name it as the tagger spacy/MODEL. Without a tagger, "
        "give word classes of your own: a list of words (removal.words=FILE, each line a word, a tab and its class), "
        "or a column of your data with a class for each word (removal.column=NAME)"
    )


def test_cues_are_refused_where_there_can_be_none():
    with pytest.raises(DataError) as caught:
        steps.find_polarity(generate(TASKS[1], "test"), "opinion")
    assert str(caught.value) == (
        "'generated/paraphrase' has the label 'equivalent'; polar words are looked for in texts labelled positive or "
        "negative (setting why.polarity)"
    )
    with pytest.raises(DataError) as caught:
        steps.find_paraphrases(generate(TASKS[0], "test"))
    assert str(caught.value) == ("'generated/sentiment' has no pairs of texts in which to look for paraphrases")


def test_a_corpus_for_another_kind_of_task_is_refused():
    with pytest.raises(GoldproofError) as caught:
        find_tasks(Config(tasks=("wikiann",)))
    assert str(caught.value).startswith("the corpus 'wikiann' is for ")


@pytest.mark.needs("models")
def test_where_nothing_can_be_lost_the_first_screen_draws_the_score_beside_the_floor(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("rägnet\tVerb\nchoched\tVerb\nDorf\tNomen\n", encoding="utf-8")
    report = goldproof.run(
        "corruption",
        model="fake",
        data={**write_topics(tmp_path), "languages": "gsw", "name": "Talks"},
        settings={
            "removal.words": words,
            "settings": "test",
            "seeds": [0, 1],
            "recipe.epochs": 1,
            "recipe.learning_rate": 1e-9,
        },
        store=tmp_path / "store",
    )
    answer = report.answer
    assert (answer.kind, answer.text) == (
        "open",
        "with all words left in, the model is not shown to be above the best constant answer.",
    )
    assert [note for note in answer.notes if "constant" in note] == []
    assert list(dict.fromkeys(row["name"] for row in answer.figure.rows)) == ["Talks", "Talks: best constant answer"]
