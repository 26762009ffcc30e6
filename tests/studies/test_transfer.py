"""The transfer study: its plan, its data, tiny runs, and what it says when data is not as it should be."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.judging.files import write_jsonl
from tests.report.printed import papers_numbers
from tests.report.sentences import unfinished

from goldproof.builders.questions import generate_questions
from goldproof.cli import run_command
from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.values import decode, encode
from goldproof.measures.short_answers import match_answer
from goldproof.report.summary import Claim, Missing, Table
from goldproof.report.summary_json import report_json
from goldproof.report.write import write_report
from goldproof.runners.serial import SerialRunner
from goldproof.statistics.spans import span_f1
from goldproof.studies import find_study
from goldproof.studies.campaign import Campaign, report_from
from goldproof.studies.kept import read_kept, write_kept
from goldproof.studies.shared import Data
from goldproof.studies.transfer import PAPER, TINY, Config, jobs, report
from goldproof.studies.transfer.findings import _literature, make_report
from goldproof.studies.transfer.gather import gather, gathered_from, keep_gathered
from goldproof.studies.transfer.parts import choose_rows, corpora_in_words, find_sets, hold_out
from goldproof.studies.transfer.plan import make_recipe, requires
from goldproof.studies.transfer.scores import experiment_of_runs, with_paper
from goldproof.studies.transfer.settings import Analysis, Rows
from goldproof.studies.transfer.steps import condense
from goldproof.studies.transfer.toy import generate_topics
from goldproof.training.job import train
from goldproof.training.recipe import Recipe, Seeds
from goldproof.training.selection import answer_texts

SMALL = replace(
    TINY,
    seeds=(0, 1),
    every=0.2,
    data=replace(TINY.data, languages=("xb", "xc"), most_train=120),
    rows=Rows(most_evaluated=60),
)


def run(config, folder):
    store = Store(folder).open()
    outcomes = list(run_jobs(jobs(config), store, SerialRunner()))
    return Results(store), [outcome for outcome in outcomes if outcome.status != "done"]


@pytest.mark.needs("models")
def test_a_tiny_run_gives_a_whole_report(tmp_path):
    results, failed = run(SMALL, tmp_path / "store")
    assert not failed
    made = report(SMALL, results)
    assert find_study("transfer").report(SMALL, results) == made  # a report may be made more than once
    assert unfinished(made) == []
    assert papers_numbers(made) == []  # the data were generated
    titles = [section.title for section in made.sections]
    assert titles[0] == "What may be claimed"
    assert "Does xa dev guide you to the other languages?" in titles
    paths = write_report(made, tmp_path / "out")
    assert {"report.html", "summary.json"} <= {path.name for path in paths}
    found_sets = experiment_of_runs(SMALL, [results[job] for job in jobs(SMALL)])
    assert found_sets.steps == make_recipe(SMALL).points(120)
    assert set(found_sets.sets) == {(name, split) for name in ("xa", "xb", "xc") for split in ("dev", "test")}
    near, far = (found_sets.test(name).scores[:, -1].mean() for name in ("xb", "xc"))
    assert found_sets.test("xa").scores[:, -1].mean() > near > far  # fewer shared words, less transfer


@pytest.mark.needs("models")
def test_a_report_of_kept_answers_is_the_report_of_the_store(tmp_path):
    """Also where a run stopped early."""
    languages = replace(SMALL.data, languages=("xc", "xb"))
    config = replace(SMALL, seeds=(0, 1, 2), every=0.1, patience=1, data=languages)
    campaign = Campaign("transfer", config, Store(tmp_path / "store"))
    assert {outcome.status for outcome in campaign.run(SerialRunner())} == {"done"}
    kept = read_kept(write_kept(campaign.keep(), tmp_path / "kept.parquet"))
    assert report_json(report_from(kept)) == report_json(campaign.report())
    checkpoints = gathered_from(kept.part("fake/")).experiment.dev("xa").checkpoints
    assert checkpoints[0].n_runs == 3 > checkpoints[-1].n_runs  # a run that has ended is absent


@pytest.mark.needs("models")
@pytest.mark.parametrize("kind", ["spans", "score"])
def test_tags_and_questions_are_kept_too(kind, tmp_path):
    config = tagging_of(tmp_path) if kind == "spans" else replace(QUESTIONS, seeds=(0,))
    results, failed = run(config, tmp_path / "store")
    assert not failed
    gathered = gather(config, results)
    kept = read_kept(write_kept(keep_gathered(gathered), tmp_path / "kept.parquet"))
    assert {each.task for each in kept.answers.values()} == {kind}
    assert report_json(make_report(config, gathered_from(kept))) == report_json(make_report(config, gathered))


def test_answers_on_ones_own_files_are_not_kept(tmp_path):
    own = Data(train=str(tmp_path / "train.csv"), test=str(tmp_path / "test.csv"), languages=("de",))
    for config in (replace(SMALL, data=own), tagging_of(tmp_path)):
        with pytest.raises(UsageError) as caught:
            find_study("transfer").keep(config, Results(Store(tmp_path / "store")))
        assert str(caught.value) == (
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )


@pytest.mark.needs("models")
def test_too_short_a_training_is_said_with_what_would_help(tmp_path):
    config = replace(SMALL, recipe=replace(SMALL.recipe, epochs=1, batch=120), seeds=(0,))
    results, failed = run(config, tmp_path / "store")
    assert not failed
    with pytest.raises(DataError) as caught:
        report(config, results)
    assert str(caught.value) == (
        "a run must have at least 3 checkpoints to choose from; these end after 1 step of training, so train longer "
        "(recipe.epochs), on more data (data.most_train) or in smaller batches (recipe.batch)"
    )


@pytest.mark.needs("models")
def test_condensed_answers_are_those_of_the_training():
    data = {split: generate_topics("xa", split, 40, 1.0) for split in ("train", "test")}
    recipe = make_recipe(SMALL)
    outcome = train(fake(), data["train"], {"xa/dev": data["test"], "xa/test": data["test"]}, recipe, Seeds.all(1))
    course = condense(outcome, {"xa/test": data["test"]})
    found = course.sets["xa/test"]
    for point in range(len(course.points)):
        assert [course.classes[code] for code in found.answers[point]] == outcome.predictions("xa/test", point)
    mean = outcome.logits["xa/test"].astype(float)
    mean -= np.log(np.exp(mean).sum(-1, keepdims=True))
    assert found.averaged.tolist() == mean.mean(0).argmax(-1).tolist()


@pytest.mark.needs("models")
def test_averaged_weights_are_condensed_judged_and_said(tmp_path):
    results, failed = run(SMALL, tmp_path / "store")
    assert not failed
    planned = jobs(SMALL)
    courses, outcomes = [results[job] for job in planned], [results[job.needs[0]] for job in planned]
    for course, outcome in zip(courses, outcomes, strict=True):
        for name, found in course.sets.items():
            assert found.averaged_weights.tolist() == outcome.averaged[name].argmax(-1).tolist()
    made = report(SMALL, results)
    tables = {item.name: item for section in made.sections for item in section.items if isinstance(item, Table)}
    row = next(row for row in tables["rules"].rows if row["rule"] == "averaged weights")
    found_sets = experiment_of_runs(SMALL, courses)
    right = [
        (test.averaged_weights.runs == test.first.gold).mean() for test in map(found_sets.test, SMALL.data.languages)
    ]
    assert row["languages"] == 2
    assert row["score"] == pytest.approx(np.mean(right))
    said = [line.text for line in made.verdict if isinstance(line, Claim)]
    averaging = (
        "Averaging the weights of all checkpoints, with no labels other than the source's, is not shown to gain or "
    )
    assert f"{averaging}lose; so few runs or items say next to nothing." in said


@pytest.mark.needs("models")
def test_without_averaged_weights_the_trainings_are_other_jobs_and_the_rule_has_its_reason(tmp_path):
    config = replace(SMALL, average_weights=False)
    assert {job.needs[0].step.name for job in jobs(config)} == {"goldproof.train"}
    assert {job.needs[0].step.name for job in jobs(SMALL)} == {"goldproof.train_averaged"}
    results, failed = run(config, tmp_path / "store")
    assert not failed
    made = report(config, results)
    table = next(item for section in made.sections for item in section.items if item.name == "rules")
    row = next(row for row in table.rows if row["rule"] == "averaged weights")
    assert row["score"] == Missing("the weights of checkpoints were not averaged (setting average_weights)")
    with_mean = run(SMALL, tmp_path / "other")[0]
    for a, b in zip(jobs(config), jobs(SMALL), strict=True):  # averaging touches nothing else
        assert np.array_equal(results[a].sets["xb/test"].answers, with_mean[b].sets["xb/test"].answers)


@pytest.mark.needs("models")
def test_a_course_that_was_stored_without_averaged_weights_loads(tmp_path):
    data = {split: generate_topics("xa", split, 40, 1.0) for split in ("train", "test")}
    sets = {"xa/dev": data["test"], "xa/test": data["test"]}
    course = condense(train(fake(), data["train"], sets, make_recipe(SMALL), Seeds.all(1)), sets)
    encoded = encode(course)
    encoded.write_attachments(tmp_path)
    older = encoded.text.replace(',"averaged_weights":null', "")
    assert older.count("averaged_weights") == 0 < encoded.text.count("averaged_weights")
    back = decode(older, tmp_path)
    assert back.sets["xa/test"].averaged_weights is None
    assert np.array_equal(back.sets["xa/test"].answers, course.sets["xa/test"].answers)


def fake():
    from goldproof.models.fake import Fake

    return Fake()


def test_checkpoints_by_steps_and_by_data():
    by_steps = replace(PAPER, of="steps", recipe=replace(PAPER.recipe, epochs=10))
    assert len(make_recipe(by_steps).points(10_000)) == 50
    by_data = replace(PAPER, recipe=replace(PAPER.recipe, epochs=2))
    points = make_recipe(by_data).points(10_000)
    assert len(points) == 100
    assert points[:3] == (6, 13, 19)  # each 2 % of 313 steps
    assert make_recipe(PAPER).early_stopping is not None
    assert make_recipe(PAPER).learning_rate == 2e-6


def test_whole_numbers_and_fractions_give_the_same_jobs():
    whole, fraction = (replace(SMALL, recipe=replace(SMALL.recipe, epochs=n)) for n in (2, 2.0))
    assert jobs(whole) == jobs(fraction)


TAGS = {"anna": "B-PER", "berlin": "B-LOC", "ibm": "B-ORG"}


def tagged_rows():
    rng = np.random.default_rng(0)
    for language, splits in (("en", ("train", "dev", "test")), ("de", ("test",))):
        for split in splits:
            for i in range(40):
                words = [str(rng.choice([*TAGS, "sees", "the", "of"])) for _ in range(5)]
                labels = [TAGS.get(word, "O") for word in words]
                yield {
                    "id": f"{split}{i}", "language": language, "split": split, "text": " ".join(words),
                    "tokens": words, "token_labels": labels,
                }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"source": "de", "data": replace(PAPER.data, languages=("en",))}, False),
        ({"analysis": Analysis(metric="accuracy")}, True),
        ({"analysis": Analysis(metric="mcc")}, False),
        ({"model": "/models/e5"}, False),
        ({"data": replace(PAPER.data, corpus="sib200")}, False),
    ],
)
def test_the_papers_rows_are_accuracies_from_english(change, expected):
    assert with_paper(replace(PAPER, **change)).stands is expected


def test_in_what_a_run_differs_from_the_papers_is_said():
    xnli = replace(PAPER, task="pair", data=replace(PAPER.data, corpus="xnli"))
    assert with_paper(xnli).differs == ()
    assert with_paper(replace(xnli, rows=Rows(corpora=("en/train=glue/mnli",)))).differs == ()
    part = replace(xnli, rows=Rows(corpora=("en/train=glue/mnli:dev",)), seeds=(0,))
    assert with_paper(part).note == ("The paper used the same corpus and model, but: other size, other training.")


def tagging_of(folder):
    path = write_jsonl(folder / "mine.jsonl", list(tagged_rows()))
    return replace(
        SMALL, task="tokens", source="en", data=Data(corpus=str(path), languages=("de",)), rows=Rows(), every=0.25,
        recipe=Recipe(epochs=3, batch=8, learning_rate=0.02, schedule="constant"),
    )  # fmt: skip


@pytest.mark.needs("models")
def test_a_file_of_ones_own_with_tags_and_a_language_without_development_set(tmp_path):
    config = tagging_of(tmp_path)
    path = config.data.corpus
    note = f"de: {str(path)!r} has no development set, so the oracle is not available."
    assert find_sets(config).notes == (note,)
    results, failed = run(config, tmp_path / "store")
    assert not failed
    made = report(config, results)
    assert papers_numbers(made) == []
    limits = [item.text for item in made.sections[-1].items]
    assert note in limits
    found_sets = experiment_of_runs(config, [results[job] for job in jobs(config)])
    outcome = results[jobs(config)[0].needs[0]]
    data = load_part(path, "de", "test")
    words = data.table.column("token_labels").to_pylist()
    codes = outcome.logits["de/test"][-1].argmax(-1)
    parts = np.split(codes, np.cumsum([len(sentence) for sentence in words])[:-1])
    guesses = [[outcome.classes[code] for code in part] for part in parts]
    assert found_sets.test("de").scores[0, -1] == pytest.approx(span_f1(words, guesses))
    codes = np.nan_to_num(outcome.averaged["de/test"]).argmax(-1)
    parts = np.split(codes, np.cumsum([len(sentence) for sentence in words])[:-1])
    guesses = [[outcome.classes[code] for code in part] for part in parts]
    answers = found_sets.test("de").averaged_weights
    hits, given = (answers.runs[0][part].sum() for part in ("found", "given"))
    assert 2 * hits / (answers.gold.sum() + given) == pytest.approx(span_f1(words, guesses))
    write_report(made, tmp_path / "out")


def load_part(path, language, split):
    from goldproof.data.corpora.steps import read_part

    return read_part(Path(path), language, split)


def text_rows(labels):
    for language in ("en", "de"):
        for split in ("train", "dev", "test"):
            for i in range(12):
                yield {
                    "id": f"{split}{i}", "language": language, "split": split, "text": f"word{i % 3} and more",
                    "label": labels[language][i % 2],
                }  # fmt: skip


def long_rows():
    """One text in three of the English training rows, two in three of the German test rows, has nine words."""
    for row in text_rows({"en": "ab", "de": "ab"}):
        part, number = (row["language"], row["split"]), int(row["id"].lstrip("traindevs"))
        every = {("en", "train"): (0,), ("de", "test"): (0, 1)}.get(part, ())
        yield {**row, "text": row["text"] + " than six other words here" * (number % 3 in every)}


def cut_words(made):
    """What a report says of items that were cut: in its limits, and how many in all."""
    said = [item.text for item in made.sections[-1].items if " cut to " in item.text]
    return said, made.provenance.get("items cut to the maximum input length, over all sets")


@pytest.mark.needs("models")
def test_items_that_were_cut_are_counted_and_named(tmp_path):
    path = write_jsonl(tmp_path / "mine.jsonl", list(long_rows()))
    data = Data(corpus=str(path), languages=("de",))
    config = replace(SMALL, source="en", data=data, rows=Rows(), recipe=replace(SMALL.recipe, max_length=5))
    results, failed = run(config, tmp_path / "store")
    assert not failed
    said = "Items were cut to the maximum input length (5 tokens) in: en train 4; de test 8 of 12."
    assert cut_words(report(config, results)) == ([said], 12)
    gathered = gather(config, results)
    kept = keep_gathered(gathered)
    assert cut_words(make_report(config, gathered_from(kept))) == ([said], 12)
    older = replace(kept, facts={name: fact for name, fact in kept.facts.items() if name != "truncated"})
    assert cut_words(make_report(config, gathered_from(older))) == ([], None)  # kept before they were counted
    whole = replace(config, recipe=replace(config.recipe, max_length=8))
    assert cut_words(report(whole, run(whole, tmp_path / "store")[0])) == ([], 0)


@pytest.mark.needs("models")
def test_labels_that_differ_between_languages_are_named(tmp_path):
    labels = {"en": ("sun", "rain"), "de": ("Sonne", "rain")}
    path = write_jsonl(tmp_path / "mine.jsonl", list(text_rows(labels)))
    config = replace(SMALL, source="en", data=Data(corpus=str(path), languages=("de",)), rows=Rows())
    _, failed = run(config, tmp_path / "store")
    first = next(outcome for outcome in failed if outcome.status == "failed")
    assert (
        "item 'test0' of the evaluation set 'de/test' has the label 'Sonne', which the training data does not have; "
        "its labels: rain, sun"
    ) in first.error


@pytest.mark.needs("models")
def test_one_run_gives_a_report_that_claims_nothing_of_another(tmp_path):
    config = replace(SMALL, seeds=(3,), data=replace(SMALL.data, languages=("xb",)))
    results, _ = run(config, tmp_path / "store")
    made = report(config, results)
    assert made.answer.sentence == ("Undecided: there is only one run, so its scores may be claimed for this run only.")


def test_wrong_languages_in_a_file_are_named(tmp_path):
    path = write_jsonl(tmp_path / "mine.jsonl", list(text_rows({"en": "ab", "de": "ab"})))
    with pytest.raises(UsageError) as caught:
        jobs(replace(SMALL, source="en", data=Data(corpus=str(path), languages=("fi",))))
    assert str(caught.value) == f"{path} has no rows in the language 'fi'; it has: de, en"
    rows = [row for row in text_rows({"en": "ab", "de": "ab"}) if (row["language"], row["split"]) != ("en", "dev")]
    path = write_jsonl(tmp_path / "other.jsonl", rows)
    with pytest.raises(DataError) as caught:
        jobs(replace(SMALL, source="en", data=Data(corpus=str(path), languages=("de",))))
    assert str(caught.value) == (
        f"{str(path)!r} has no development set in the source language 'en', by which checkpoints are chosen; "
        "rows.dev_share holds out a share of the training set"
    )


QUESTIONS = Config(
    task="question", model="fake", seeds=(0, 1), every=0.25, average_weights=True,
    data=Data(corpus="generated", languages=("de", "es"), most_train=24), rows=Rows(most_evaluated=16),
    recipe=replace(TINY.recipe, epochs=2.0, batch=8, learning_rate=0.05, max_length=96),
)  # fmt: skip


@pytest.mark.needs("models")
def test_questions_are_judged_by_f1_or_exact_match(tmp_path):
    results, failed = run(QUESTIONS, tmp_path / "store")
    assert not failed
    runs = [results[job] for job in jobs(QUESTIONS)]
    made = report(QUESTIONS, results)
    assert unfinished(made) == []
    found = experiment_of_runs(QUESTIONS, runs)
    assert found.metric == "answer_f1"
    exact = experiment_of_runs(replace(QUESTIONS, analysis=Analysis(metric="exact_match")), runs)
    for name, each in found.sets.items():
        assert each.first.task == "score"
        assert len(np.unique(each.first.clusters)) == 4  # four questions share a passage
        assert (exact.sets[name].scores <= each.scores + 1e-9).all()
    data = generate_questions("de", "test", 16)
    first = jobs(QUESTIONS)[0].arguments["outcome"]
    outcome = results[first]
    for point, logits in enumerate(outcome.at("de/test")):
        given = answer_texts(logits, data.pairs)
        golds = [[gold.text for gold in answers] for answers in data.answers]
        mean = np.mean([match_answer(text, right, "de").f1 for text, right in zip(given, golds, strict=True)])
        assert found.test("de").scores[0, point] == pytest.approx(mean, abs=1e-6)
    tables = {item.name: item for section in made.sections for item in section.items if isinstance(item, Table)}
    assert {row["language"] for row in tables["claims"].rows} == {"de", "es"}
    reasons = {row["rule"]: row.get("score") for row in tables["rules"].rows}
    assert reasons["averaged"] == Missing("spans of a passage have no mean over checkpoints")
    assert isinstance(reasons["averaged weights"], float)
    assert "F1" in made.answer.figure.title


@pytest.mark.needs("models")
def test_questions_of_ones_own_in_squads_shape(tmp_path):
    for language in ("en", "de"):
        for split, n in (("train", 24), ("dev", 8), ("test", 8)):
            data = generate_questions(language, {"dev": "validation"}.get(split, split), n)
            paragraphs = [
                {
                    "context": passage,
                    "qas": [
                        {"id": identity, "question": question, "answers": [{"text": a.text, "answer_start": a.start}]}
                    ],
                }
                for identity, question, passage, (a,) in zip(
                    data.table.column("id").to_pylist(), data.texts, data.pairs, data.answers, strict=True
                )
            ]
            form = {"version": "1.1", "data": [{"title": "x", "paragraphs": paragraphs}]}
            (tmp_path / f"{language}-{split}.json").write_text(json.dumps(form), encoding="utf-8")
    own = Data(
        train=str(tmp_path / "{language}-train.json"), validation=str(tmp_path / "{language}-dev.json"),
        test=str(tmp_path / "{language}-test.json"), languages=("de",), name="mine",
    )  # fmt: skip
    config = replace(QUESTIONS, task="text", data=own, seeds=(0,), average_weights=False, rows=Rows())
    results, failed = run(config, tmp_path / "store")
    assert not failed
    made = report(config, results)
    assert made.provenance["task"] == "question"
    assert set(results[jobs(config)[0]].sets) == {"en/dev", "en/test", "de/dev", "de/test"}
    notes = find_study("transfer").notes(config)
    assert notes[0] == "mine: rows in en: 24 train, 8 validation, 8 test; de: 24 train, 8 validation, 8 test."
    assert "those of questions in SQuAD's shape" in notes[1]


def test_generated_questions_are_the_same_in_every_language_and_their_people_differ_between_splits():
    english, german = (generate_questions(language, "test", 40) for language in ("en", "de"))
    assert english.table.column("id") == german.table.column("id")
    for passage, answers in zip(english.pairs, english.answers, strict=True):
        assert passage[answers[0].start :].startswith(answers[0].text)
        assert 250 < len(passage.split()) < 450
    years = [(a[0].text, b[0].text) for a, b in zip(english.answers, german.answers, strict=True)]
    assert all(a == b for a, b in years if a.isdecimal())
    asked = [generate_questions("en", split, 80).texts for split in ("train", "test")]
    people = [{text.split()[2] for text in texts if text.startswith("Where")} for texts in asked]
    assert not people[0] & people[1]
    with pytest.raises(UsageError) as caught:
        find_sets(replace(QUESTIONS, data=replace(QUESTIONS.data, languages=("ja",))))
    assert str(caught.value) == "generated questions are in en, de, es; got 'ja'"


def test_mlqa_is_trained_on_squad_and_stops_by_f1():
    config = replace(
        QUESTIONS, patience=5, data=Data(corpus="mlqa", languages=("de", "zh"), hub=True),
        rows=Rows(corpora=("en/train=squad",)),
    )  # fmt: skip
    assert parts_of(config)["train"] == ("squad", "en", "train")
    assert parts_of(config)["zh/test"] == ("mlqa", "zh", "test")
    assert make_recipe(config).early_stopping.rule == "answer_f1"


def test_tagging_stops_by_span_f1():
    config = replace(TINY, patience=5)
    assert make_recipe(config).early_stopping.rule == "accuracy"
    assert make_recipe(replace(config, task="tokens")).early_stopping.rule == "span_f1"


def test_the_papers_tables_of_earlier_results_stand_in_the_report():
    def tables(corpus):
        found = _literature(replace(PAPER, data=replace(PAPER.data, corpus=corpus)))
        return {table.name: table for section in found for table in section.items}

    assert list(tables("mldoc")) == ["literature-1", "literature-5"]
    first = tables("mldoc")["literature-1"]
    assert [column.key for column in first.columns] == ["row", "en", "fr", "ja", "ru", "zh"]
    assert first.rows[-1]["ja"] == pytest.approx(16.7)
    assert first.rows[0]["en"] == Missing("lost in the available text")
    assert list(tables("mlqa")) == ["literature-7", "literature-7-em"]
    assert list(tables("xnli")) == ["literature-6"]
    assert list(tables("conll2002")) == ["literature-8"]
    assert tables("sib200") == {}


def test_rows_are_chosen_alike_in_every_language():
    a, b = (generate_topics(name, "test", 50, share) for name, share in (("xa", 1.0), ("xb", 0.2)))
    assert a.table.column("label").equals(b.table.column("label"))
    one, other = (choose_rows(data, 20, "evaluate") for data in (a, b))
    assert one.table.column("id").equals(other.table.column("id"))
    assert len(one) == 20
    assert choose_rows(a, 100, "evaluate") is a


def test_held_out_rows_keep_premises_together():
    rows = [{"id": str(i), "text": f"premise {i // 3}", "pair": f"{i}", "label": "x"} for i in range(90)]
    data = Dataset.from_rows("pairs", rows)
    held, kept = hold_out(data, data, 0.3, True), hold_out(data, data, 0.3, False)
    assert len(held) + len(kept) == 90
    assert not set(held.texts) & set(kept.texts)
    assert 0.1 < len(held) / 90 < 0.5


def test_xnli_trains_on_part_of_english_dev_and_leaves_german_dev_alone(published):
    config = Config(
        task="pair", model="fake", data=Data(corpus="xnli", languages=("es", "de", "sw", "ur"), root=str(published)),
        rows=Rows(train_split="validation", dev_share=0.2),
    )  # fmt: skip
    sets = find_sets(config)
    assert sets.notes == (
        "de: split 'validation' is not the same items as in 'en', and its rows may be translations of training rows; "
        "so it is not used, and the oracle is not available.",
    )
    assert "de/test" in sets.evaluate
    assert "de/dev" not in sets.evaluate
    english, swahili = (load("xnli", language=name, split="validation", root=published) for name in ("en", "sw"))
    held, train_rows = hold_out(english, english, 0.2, True), hold_out(english, english, 0.2, False)
    other = hold_out(swahili, english, 0.2, True)
    assert other.table.column("id").equals(held.table.column("id"))
    assert not set(other.table.column("id").to_pylist()) & set(train_rows.table.column("id").to_pylist())


XNLI_COMMAND = (
    "run transfer --preset paper --set data.corpus=xnli --set data.hub=true --set task=pair "
    "--set recipe.learning_rate=2e-5 --set recipe.max_length=128 "
    "--set data.languages=ar,bg,de,el,es,fr,hi,ru,sw,th,tr,ur,vi,zh"
)


def test_the_papers_xnli_is_planned_from_the_hub(tmp_path, monkeypatch, capsys):
    """The command that the study's page gives; MultiNLI is the hub's English training split."""
    page = (Path(__file__).parents[2] / "docs" / "studies" / "transfer.md").read_text(encoding="utf-8")
    assert f"goldproof {XNLI_COMMAND}" in " ".join(page.replace("\\\n", " ").split())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_DATA", raising=False)
    assert run_command([*XNLI_COMMAND.split(), "--set", "model=fake", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "     31  goldproof.read_hub" in out  # training, and development and test in 15 languages
    assert "     10  goldproof.train" in out
    config = replace(PAPER, task="pair", data=replace(PAPER.data, corpus="xnli", hub=True, languages=("sw",)))
    assert [need.extra for need in requires(config)] == ["models", "hub"]


def parts_of(config):
    """Corpus, language and split of the training set and of every evaluation set."""
    sets = find_sets(config)
    read = {"train": sets.train, **sets.evaluate}
    found = {name: next(iter(job.arguments.values())) for name, job in read.items()}
    return {name: (part.name, part.language, part.split) for name, part in found.items()}


def test_parts_come_from_several_corpora(tmp_path):
    """CoNLL-2003 has English and German, CoNLL-2002 Spanish and Dutch; MultiNLI trains what XNLI tests."""
    for folder, name in (("conll2003", "eng"), ("conll2003", "deu"), ("conll2002", "esp"), ("conll2002", "ned")):
        for ending in ("train", "testa", "testb"):
            path = tmp_path / "entities" / folder / f"{name}.{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name} B-LOC\n{ending} O\n\nno O\nname O\n", encoding="utf-8")
    config = Config(
        task="tokens", model="fake", rows=Rows(corpora=("es=conll2002", "nl=conll2002")), seeds=(0,), every=1 / 3,
        data=Data(corpus="conll2003", languages=("de", "es", "nl"), root=str(tmp_path)),
    )  # fmt: skip
    assert parts_of(config) == {
        "train": ("conll2003", "en", "train"),
        **{f"{each}/dev": ("conll2003", each, "validation") for each in ("en", "de")},
        **{f"{each}/test": ("conll2003", each, "test") for each in ("en", "de")},
        **{f"{each}/dev": ("conll2002", each, "validation") for each in ("es", "nl")},
        **{f"{each}/test": ("conll2002", each, "test") for each in ("es", "nl")},
    }
    assert corpora_in_words(config) == "conll2003 (es=conll2002, nl=conll2002)"
    results, failed = run(config, tmp_path / "store")
    assert not failed
    made = report(config, results)
    assert made.provenance["corpus"] == "conll2003 (es=conll2002, nl=conll2002)"
    hub = replace(config, task="pair", rows=Rows(corpora=("en/train=glue/mnli",)))
    hub = replace(hub, data=Data(corpus="xnli", languages=("sw", "zh"), hub=True))
    found = parts_of(hub)
    assert found["train"] == ("glue/mnli", "en", "train")
    assert found["en/dev"] == ("xnli", "en", "validation")
    assert found["zh/test"] == ("xnli", "zh", "test")


def test_multinli_trains_and_xnli_tests(published):
    """The matched development set of MultiNLI is all of it that is at hand."""
    config = Config(
        task="pair", model="fake", rows=Rows(corpora=("en/train=glue/mnli:dev",)),
        data=Data(corpus="xnli", languages=("es", "sw"), root=str(published)),
    )  # fmt: skip
    found = parts_of(config)
    assert found["train"] == ("glue/mnli", "en", "validation")
    assert found["en/dev"] == ("xnli", "en", "validation")
    assert found["es/dev"] == ("xnli", "es", "validation")


def test_what_a_corpus_does_not_have_is_said(published, tmp_path):
    data = Data(corpus="xnli", languages=("ar",), root=str(published))
    local = Config(task="pair", model="fake", data=data)
    with pytest.raises(DataError) as caught:
        find_sets(local)
    assert str(caught.value) == (
        "the catalog knows no local files of 'xnli' in 'ar'; hub=True (data.hub=true) loads it from the hub"
    )
    with pytest.raises(DataError) as caught:
        find_sets(replace(local, data=replace(data, languages=("sw",))))
    assert str(caught.value) == (
        "'xnli' has no split 'train' in the source language 'en' to train on; another corpus may give it "
        "(rows.corpora=en/train=CORPUS), or part of the development set (rows.train_split=validation and "
        "rows.dev_share=0.2)"
    )
    with pytest.raises(DataError) as caught:
        find_sets(replace(local, data=Data(corpus="conll2003", languages=("de",), hub=True)))
    assert str(caught.value).startswith("the catalog knows no hub dataset of 'conll2003' in 'de'; see ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"rows": Rows(corpora=("glue/mnli",))},
            "the setting 'rows.corpora' must be parts as LANGUAGE=CORPUS, LANGUAGE/SPLIT=CORPUS or "
            "LANGUAGE/SPLIT=CORPUS:SPLIT, a split being train, validation or test; got ('glue/mnli',)",
        ),
        (
            {"data": replace(TINY.data, languages=())},
            "the setting 'data.languages' must be at least one language; got ()",
        ),
        (
            {"data": replace(TINY.data, languages=("xa",))},
            "the setting 'data.languages' must be different languages, without the source; got ('xa',)",
        ),
        ({"seeds": (1, 1)}, "the setting 'seeds' must be at least one seed, none twice; got (1, 1)"),
        (
            {"every": 0.5},
            "the setting 'every' must be a share above 0 and at most 1/3, so that there are at least 3 checkpoints; "
            "got 0.5",
        ),
        (
            {"rows": Rows(dev_share=1.0)},
            "the setting 'rows.dev_share' must be a share from 0 to below 1; got 1.0",
        ),
        (
            {"analysis": Analysis(margin=0.0)},
            "the setting 'analysis.margin' must be a share above 0 and below 1; got 0.0",
        ),
    ],
)
def test_wrong_settings_are_refused(change, message):
    with pytest.raises(UsageError) as caught:
        replace(TINY, **change)
    assert str(caught.value) == message


def test_planning_loads_no_drawing_library_and_no_torch():
    code = (
        "import sys; from goldproof.studies.transfer import TINY, jobs; jobs(TINY); "
        "print(sorted({'altair', 'pydantic', 'torch'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
