"""The logic study: its data, its models, its settings and its report."""

from __future__ import annotations

import numpy as np
import pytest

from assay.data.logic.pairs import LABELS
from assay.errors import UsageError
from assay.jobs import Results, Store, run_jobs
from assay.models.examples import Examples
from assay.models.scratch import Scratch
from assay.runners.serial import SerialRunner
from assay.studies.logic import TINY, Config, jobs, report
from assay.studies.logic import data as logic_data
from assay.studies.logic.plan import Condition, answers_job
from assay.studies.logic.settings import Corpus, Experiments

SOURCE = logic_data.Source("en", "negation", 60, 20, 40, 0, "closed", False)


@pytest.fixture(scope="module")
def corpus():
    return logic_data.build(SOURCE)


def test_splits_are_balanced_and_as_large_as_asked(corpus):
    for split, n in (("train", 60), ("validation", 20), ("test", 40)):
        labels = corpus.select(split=split).table.column("label").to_pylist()
        assert [labels.count(label) for label in LABELS] == [n // 2, n // 2]


def test_a_fraction_is_within_a_larger_one_and_controls_change_what_they_say(corpus):
    half, whole = (logic_data.part(corpus, "train", share) for share in (0.5, 1.0))
    ids = [set(each.table.column("id").to_pylist()) for each in (half, whole)]
    assert ids[0] < ids[1]
    assert len(ids[0]) == 30
    hypothesis = logic_data.part(corpus, "test", control="hypothesis")
    assert hypothesis.texts == corpus.select(split="test").pairs
    assert set(hypothesis.pairs) == {None}
    assert logic_data.part(corpus, "test", control="premise").texts == corpus.select(split="test").texts
    noise = logic_data.part(corpus, "train", control="noise").table.column("label").to_pylist()
    before = whole.table.column("label").to_pylist()
    assert noise != before
    assert sorted(noise) == sorted(before)


def test_known_names_are_those_of_training():
    from dataclasses import replace

    shared = logic_data.figures(logic_data.build(replace(SOURCE, shared_names=True))).shared
    assert shared > 3 * logic_data.figures(logic_data.build(SOURCE)).shared


def test_the_small_transformer_keeps_new_names_apart():
    train = Examples(("1", "2"), ("Boston was visited by Anna", "Lima was visited by Olga"), ("no", "yes"), ("a", "b"))
    network = Scratch(n_layers=1, hidden=8, n_heads=2, common=0.9).load("pair", 2, train)
    new = Examples(("3", "4"), ("Sana was visited", "Bona was visited"), ("no", "no"))
    first, second = (ids.tolist() for ids in network.tokenize(new, None).ids)
    assert first != second
    assert network.tokenizer.unk_token_id not in first + second


def test_tiny_run_reports_every_experiment(tmp_path):
    store = Store(tmp_path).open()
    assert {outcome.status for outcome in run_jobs(jobs(TINY), store, SerialRunner())} == {"done"}
    results = Results(store)
    found = report(TINY, results)
    names = {item.name for section in found.sections for item in section.items}
    assert names == {
        "accuracy", "paired", "training-size", "templates", "overlap", "transfer", "controls", "corpora", "leaks",
    }  # fmt: skip
    answers = results[answers_job(TINY, Condition("description", "en", "gru"))]
    assert {name: runs.shape for name, runs in answers.runs.items()} == {"en": (2, 60), "pt": (2, 60)}
    row = found.sections[0].items[0].rows[0]
    gold = results[jobs(TINY)[0]].classes
    assert gold == LABELS
    assert row["p1"] == 0.527
    value = getattr(row["m1"], "value", row["m1"])
    value = getattr(value, "value", value)
    assert np.isclose(value * 120, round(value * 120))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": ()}, "the setting 'tasks' must be at least one task; got ()"),
        ({"seeds": (1, 1)}, "the setting 'seeds' must be at least one seed, none twice; got (1, 1)"),
        (
            {"corpus": Corpus(test=7)},
            "the setting 'corpus.test' must be an even number of at least 20; got 7",
        ),
        (
            {"experiments": Experiments(source="ru")},
            "the setting 'experiments.source' must be empty or one of 'languages'; got 'ru'",
        ),
        (
            {"experiments": Experiments(fractions=(0.5,))},
            "the setting 'experiments.fractions' must be shares up to 1, 1 among them; got (0.5,)",
        ),
        (
            {"models": ("tree",)},
            "the setting 'models' may name each of forest, rnn, gru, lstm, birnn, bigru, bilstm, small once; "
            "got 'tree'",
        ),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(UsageError) as caught:
        Config(**settings)
    assert str(caught.value) == message
