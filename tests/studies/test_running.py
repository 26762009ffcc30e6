"""`goldproof.run`: one call from settings to a report, as the command; what is wrong is said before any work."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import goldproof
from goldproof.cli import run_command
from goldproof.errors import JobFailedError, UsageError
from goldproof.jobs import Outcome, Store
from goldproof.models.tiny import write_tiny_model
from goldproof.runners.serial import SerialRunner
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.inputs import input_settings
from goldproof.studies.running import Finished, _failure
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import PAPER_RECIPE

ONE_CELL = {"tasks": ["generated/sentiment"], "classes": ["NOUN"], "settings": ["test"], "seeds": [0]}


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """An empty current folder, and no store in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_STORE", raising=False)
    return tmp_path


def test_one_call_gives_what_the_command_writes(empty, capfd):
    seen = []
    report = goldproof.run("demo", preset="tiny", settings={"seeds": range(2)}, progress=seen.append, out="mine")
    assert capfd.readouterr() == ("", "")  # the library never prints
    assert [outcome.status for outcome in seen] == ["done"] * 6
    assert isinstance(report, goldproof.Report)
    assert run_command(["run", "demo", "--preset", "tiny", "--set", "seeds=0,1", "--out", "theirs", "--json"]) == 0
    assert '"kept": 4' in capfd.readouterr().out  # in the same store, ./goldproof-store
    assert (empty / "mine/summary.json").read_bytes() == (empty / "theirs/summary.json").read_bytes()
    assert str(report).splitlines()[0] == "How far does a small score move with the seed?"
    assert str(report).splitlines()[1].startswith("By up to ")


def test_where_results_are_kept(empty, monkeypatch):
    monkeypatch.setenv("GOLDPROOF_STORE", "from-environment")
    goldproof.run("demo", preset="tiny")
    assert [path.name for path in empty.iterdir()] == ["from-environment"]
    kept = []
    for store in (empty / "from-environment", "from-environment", Store("from-environment")):
        goldproof.run("demo", preset="tiny", store=store, progress=lambda outcome: kept.append(outcome.status))
    assert kept == ["kept"] * 12


class Counting(SerialRunner):
    """A runner of one's own that counts what it is asked."""

    def __init__(self):
        self.n_submitted, self.n_closed = 0, 0

    def submit(self, groups, store, *, alone=False):
        self.n_submitted += 1
        return super().submit(groups, store, alone=alone)

    def close(self, *, cancel=False):
        self.n_closed += 1


def test_a_runner_of_ones_own_is_used_and_stays_open(empty):
    runner = Counting()
    goldproof.run("demo", preset="tiny", runner=runner)
    assert runner.n_submitted > 0
    assert runner.n_closed == 0


def test_values_come_to_the_same_settings_as_text():
    stability = find_study("stability")
    by_text = make_config(
        stability, Choice("tiny", None, ("recipe.epochs=3", "seeds=4,5", "model=here", "data.most_train=9"))
    )
    dotted = {"recipe.epochs": 3, "seeds": np.array([4, 5]), "model": Path("here"), "data.most_train": np.int64(9)}
    nested = {"recipe": {"epochs": 3}, "seeds": (4, 5), "model": "here", "data": {"most_train": 9}}
    assert make_config(stability, Choice("tiny", settings=dotted)) == by_text
    assert make_config(stability, Choice("tiny", settings=nested)) == by_text


def test_a_whole_group_of_settings_may_be_given_and_then_changed():
    given = {"recipe": PAPER_RECIPE, "recipe.batch": 7}
    assert make_config(find_study("stability"), Choice("tiny", settings=given)).recipe.batch == 7
    assert make_config(find_study("stability"), Choice("tiny", settings=given)).recipe.epochs == 10


WRONG = [  # arguments, message
    (
        {"study": "dmo"},
        "there is no study 'dmo'; did you mean 'demo'? studies that can be run: "
        + ", ".join(entry.name for entry in ENTRIES),
    ),
    ({"study": "demo", "preset": "huge"}, "there is no preset 'huge'; allowed: default, paper, tiny"),
    (
        {"study": "demo", "settings": {"seed": 1}},
        "there is no setting 'seed'; did you mean 'seeds'? allowed: n_test, noise, seeds, sizes",
    ),
    (
        {"study": "demo", "settings": {"recipe.epochs": 3}},
        "there is no setting 'recipe'; allowed: n_test, noise, seeds, sizes",
    ),
    (
        {"study": "transfer", "settings": {"recipe": {"epoch": 3}}},
        "there is no setting 'recipe.epoch'; did you mean 'recipe.epochs'? allowed: recipe.batch, "
        "recipe.beta1, recipe.beta2, recipe.clip, recipe.dropout, recipe.epochs, recipe.eps, recipe.learning_rate, "
        "recipe.max_length, recipe.precision, recipe.schedule, recipe.warmup, recipe.weight_decay",
    ),
    ({"study": "demo", "settings": {"seeds": "0,1"}}, "setting 'seeds': input should be a list, got '0,1'"),
    ({"study": "demo", "settings": {"noise": 0.7}}, "the setting 'noise' must be at least 0 and below 0.5, got 0.7"),
    ({"study": "demo", "settings": {3: 1}}, "the name of a setting is a string such as 'recipe.epochs'; got 3"),
    (
        {"study": "demo", "settings": ["seeds=0"]},
        "settings map keys such as 'recipe.epochs' to values; got ['seeds=0']",
    ),
    ({"study": "demo", "runner": "slurm"}, "there is no runner 'slurm'; allowed: serial, pool, ray"),
    (
        {"study": "demo", "model": "bert"},
        "the study 'demo' takes no model; studies that do: stability ('model'), probing ('model'), logic ('model'), "
        "transfer ('model'), corruption ('model'), claims ('model')",
    ),
    (
        {"study": "stability", "model": ["a/m", "b/m"]},
        "the setting 'model' must be models with different names; use NAME=FOLDER; got ('a/m', 'b/m')",
    ),
    (
        {"study": "transfer", "model": []},
        "the setting 'model' must be at least one, each as FOLDER or NAME=FOLDER; got ()",
    ),
    (
        {"study": "stability", "settings": {"model": 3}},
        "setting 'model': input should be a valid string or input should be a list, got 3",
    ),
    (
        {"study": "stability", "settings": {"data.hub": True}},
        "the setting 'data.hub' must be left out: this study does not take it; got True",
    ),
    (
        {"study": "transfer", "settings": {"recipe": {"evaluations": 3}}},
        "the setting 'recipe.evaluations' must be left out: this study does not take it; got 3",
    ),
    (
        {"study": "demo", "data": "my.jsonl"},
        "the study 'demo' takes no data: it generates its own; studies that take data: stability ('data.train'), "
        "probing ('data.train'), logic ('data.train'), transfer ('data.train'), corruption ('data.train'), claims "
        "('data.train')",
    ),
    (
        {"study": "corruption", "preset": "tiny", "data": {"train": "a.csv", "dev": "b.csv"}},
        "there is no setting 'columns.dev'; allowed: columns.id, columns.label, columns.language, columns.pair, "
        "columns.score, columns.split, columns.tags, columns.text, columns.token_labels, columns.tokens",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message[:60] for _, message in WRONG])
def test_what_is_wrong_is_said_before_any_work(empty, arguments, message):
    with pytest.raises(UsageError) as caught:
        goldproof.run(**arguments)
    assert str(caught.value) == message
    assert list(empty.iterdir()) == []


def test_workers_go_with_a_name(empty):
    runner = SerialRunner()
    with pytest.raises(UsageError) as caught:
        goldproof.run("demo", preset="tiny", runner=runner, workers=2)
    assert str(caught.value) == f"workers go with the name of a runner; got workers=2 and the runner {runner!r}"


def test_model_and_data_go_where_each_study_has_them():
    assert input_settings("stability", Path("my") / "encoder") == {"model": "my/encoder"}
    assert input_settings("logic", ["encoder"]) == {"model": "encoder"}
    assert input_settings("probing", ["A=one", Path("two")], "tasks/") == {
        "data.corpus": "tasks/",
        "model": ("A=one", "two"),
    }
    assert input_settings("transfer", data=Path("mine.jsonl")) == {"data.train": "mine.jsonl"}
    assert input_settings("transfer", data="xnli") == {"data.corpus": "xnli"}
    files = {"train": Path("a.csv"), "test": "b.csv", "name": "Mine", "languages": ["gsw"], "tags": ("kind",)}
    keys = ("data.train", "data.test", "data.name", "data.languages", "columns.tags")
    for study in ("stability", "probing", "logic", "transfer"):
        assert input_settings(study, data=files) == dict(zip(keys, ("a.csv", *list(files.values())[1:]), strict=True))
    assert input_settings("corruption", data="mine.jsonl") == {"tasks": (), "data.train": "mine.jsonl"}
    assert input_settings("corruption", data="glue/rte") == {"tasks": ("glue/rte",)}
    assert input_settings("corruption", data={"train": Path("a.csv"), "test": "b.csv", "label": "stars"}) == {
        "tasks": (),
        "data.train": "a.csv",
        "data.test": "b.csv",
        "columns.label": "stars",
    }


def test_a_folder_is_the_model_and_settings_win_over_it(empty):
    folder = write_tiny_model(empty / "encoder", ["the", "film"])
    report = goldproof.run("corruption", preset="tiny", settings={**ONE_CELL, "recipe.epochs": 1}, model=folder)
    assert report.provenance["model"] == "encoder"
    again = goldproof.run("corruption", preset="tiny", settings={**ONE_CELL, "model": "fake"}, model=folder)
    assert again.provenance["model"] == "fake"


ONE_CLASS = 681  # with this seed the ten training reviews that are drawn out of twenty have one label


def test_a_failed_job_is_one_error_and_finished_work_is_kept(empty, capfd):
    seen = []
    with pytest.raises(JobFailedError) as caught:
        goldproof.run(
            "demo", settings={"sizes": [10], "seeds": [0, ONE_CLASS], "n_test": 10}, store="kept", progress=seen.append
        )
    assert [outcome.status for outcome in seen] == ["done", "done", "done", "failed"]
    failed = seen[-1]
    assert (caught.value.key, caught.value.exit_code) == (failed.key, 4)
    assert failed.error.startswith("ValueError: ")
    assert str(caught.value) == (
        f"the job {failed.description} [{failed.key[:12]}] failed: {failed.error}; finished work is kept in the "
        "store kept: fix the cause and run the same command again"
    )
    command = ["run", "demo", "--set", "sizes=10", "--set", "n_test=10", "--set", f"seeds=0,{ONE_CLASS}"]
    assert run_command([*command, "--store", "kept"]) == 4
    assert capfd.readouterr().out == (
        "4 jobs: 3 kept, 1 failed\nNo report: a job failed. Finished work is kept; fix the cause and run the same "
        "command again.\n"
    )
    goldproof.run("demo", settings={"sizes": [10], "seeds": [0], "n_test": 10}, store="kept")


def test_all_that_went_wrong_is_counted():
    failed = [Outcome(f"{i:064x}", "step", f"step(x={i})", "failed", error="why") for i in range(3)]
    skipped = [Outcome(f"{i:064x}", "step", f"step(x={i})", "skipped") for i in (3, 4)]
    assert str(_failure(Finished([*failed, *skipped]), Store("here"))) == (
        "the job step(x=0) [000000000000] failed: why (2 more failed, 2 that depend on them did not run); finished "
        "work is kept in the store here: fix the cause and run the same command again"
    )


def test_a_report_that_cannot_be_written_is_said_before_any_work(empty):
    (empty / "file").write_text("", encoding="utf-8")
    with pytest.raises(goldproof.GoldproofError) as caught:
        goldproof.run("demo", preset="tiny", out="file")
    assert str(caught.value) == (
        "the report cannot be written to file: a file stands where its folder should be; give another folder"
    )
    assert [path.name for path in empty.iterdir()] == ["file"]


def test_it_runs_outside_of_the_main_thread(empty):
    found = []
    thread = threading.Thread(target=lambda: found.append(goldproof.run("demo", preset="tiny")))
    thread.start()
    thread.join()
    assert found[0] == goldproof.run("demo", preset="tiny")
