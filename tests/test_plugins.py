"""Plugins as a user meets them: an installed package adds to every command, and a broken one hides nothing else."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from tests.judging.files import noisy_rows, write_jsonl
from tests.plugins import EXAMPLE, lay_out_example

from goldproof.judging.metrics import BY_TASK
from goldproof.models.named import OWN as MODELS
from goldproof.statistics.added_metrics import OWN as METRICS
from goldproof.statistics.metrics import METRICS as TABLE_METRICS
from goldproof.studies.logic.settings import MODELS as LEARNERS

pytestmark = pytest.mark.xdist_group("plugins")

ROOT = Path(__file__).resolve().parents[1]
OWN_STUDIES = "demo, stability, probing, logic, transfer, corruption, claims"


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The example package, built and installed by pip into a folder of its own, without a network."""
    source, target = tmp_path_factory.mktemp("source") / "package", tmp_path_factory.mktemp("target")
    shutil.copytree(EXAMPLE, source)  # a build leaves files beside its sources
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run([*pip, "--target", str(target), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def goldproof(installed, tmp_path):
    """Run a command of Goldproof in another process that has the example installed: exit code, stdout, stderr."""

    def call(*arguments: object, module: str = "goldproof"):
        path = os.pathsep.join([str(installed), str(ROOT / "src")])
        env = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "120", "OMP_NUM_THREADS": "1"}
        env.pop("GOLDPROOF_STORE", None)
        command = [sys.executable, "-m", module, *map(str, arguments)]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    return call


def write_cards(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("\n".join("".join(f"{k}: {v}\n" for k, v in row.items()) for row in rows), encoding="utf-8")
    return path


def test_list_shows_what_is_installed(goldproof):
    listed = goldproof("list")
    assert (listed.code, listed.err) == (0, "")
    assert (
        "  guessing     How far does a guesser's score move with the test set? (plugin of goldproof-example 0.1)\n"
        "\nCorpora" in listed.out
    )
    assert listed.out.partition("\nPlugins")[2] == (
        " (entry points goldproof.GROUP of installed packages):\n"
        "  studies  guessing             goldproof-example 0.1\n"
        "  readers  cards                goldproof-example 0.1\n"
        "  models   wide-bag             goldproof-example 0.1\n"
        "  taggers  space                goldproof-example 0.1\n"
        "  metrics  balanced_accuracy    goldproof-example 0.1\n"
    )
    form = json.loads(goldproof("list", "--json").out)
    assert form["studies"][-1] == {
        "name": "guessing",
        "question": "How far does a guesser's score move with the test set?",
        "plugin_of": "goldproof-example 0.1",
    }
    assert form["plugins"][1] == {
        "group": "readers",
        "name": "cards",
        "distribution": "goldproof-example",
        "version": "0.1",
        "entry_point": "goldproof_example.cards:READER",
        "problem": None,
    }
    assert goldproof("list", "guessing").out == (
        "Settings of guessing with their defaults (--set KEY=VALUE, or a TOML file for --config):\n"
        "  share  0.6\n"
        "  sizes  100,400,1600\n"
        "  draws  1000\n"
    )


def test_a_study_runs_resumes_and_reports(goldproof, tmp_path):
    said = "- With 100 items, 95 % of the guesser's scores lie from 0.50 to 0.66.\n"
    report = "report: goldproof-out/guessing/report.html\n"
    assert goldproof("run", "guessing", "--preset", "tiny").out == f"1 job: 1 done\n{said}{report}"
    assert goldproof("run", "guessing", "--preset", "tiny").out == f"1 job: 1 kept\n{said}{report}"
    assert goldproof("status").out == "guessing: 1 of 1 jobs in the store, 0 to run, 0 failed\n"
    assert goldproof("report", "guessing", "--preset", "tiny").out == said + report
    summary = (tmp_path / "goldproof-out/guessing/summary.json").read_bytes()
    (tmp_path / "settings.json").write_text('{"preset": "tiny"}', encoding="utf-8")
    computed = goldproof("guessing", "settings.json", "other", module="goldproof.studies.compute")
    assert computed.out.startswith("{'done': 1} in ")
    goldproof("report", "guessing", "--preset", "tiny", "--store", "other", "--out", "again")
    assert (tmp_path / "again/summary.json").read_bytes() == summary
    assert goldproof("run", "guessing", "--set", "share=2").err == (
        "error: the setting 'share' must be above 0 and below 1, got 2.0\n"
    )


def test_a_study_runs_in_other_processes(goldproof):
    ran = goldproof("run", "guessing", "--runner", "pool", "--workers", "1")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "3 jobs: 3 done")


def test_runs_of_a_plugin_that_is_gone_are_said_and_kept(goldproof, tmp_path, monkeypatch, capfd):
    from goldproof.cli import run_command

    goldproof("run", "guessing", "--preset", "tiny")
    monkeypatch.chdir(tmp_path)
    gone = f"there is no study 'guessing'; studies that can be run: {OWN_STUDIES}"
    assert run_command(["status"]) == 0
    assert capfd.readouterr().out == f"guessing: an earlier run cannot be looked up: {gone}\n"
    assert run_command(["store", "prune", "--unused"]) == 2
    assert capfd.readouterr().err == (
        "error: 1 of the 1 campaigns of the store goldproof-store belong to another version of Goldproof or to a "
        "plugin that cannot be loaded, so what they need is unknown; nothing was removed\n"
    )


def test_a_reader_serves_check(goldproof, tmp_path):
    texts = [{"text": f"Sentence number {i} is here.", "label": "ab"[i % 2]} for i in range(4)]
    write_cards(tmp_path / "train.cards", texts)
    write_cards(tmp_path / "test.cards", texts[:1])
    found = json.loads(goldproof("check", "train.cards", "test.cards", "--json").out)
    assert [(split["split"], split["rows"]) for split in found["splits"]] == [("train", 4), ("test", 1)]
    leak = next(finding for finding in found["findings"] if "train" in finding["message"])
    assert leak["severity"] == "problem"


def test_a_reader_serves_score_and_compare(goldproof, tmp_path):
    a, b = noisy_rows(200, 0.9, 1), noisy_rows(200, 0.7, 2)
    for name, rows in (("a", a), ("b", b)):
        write_cards(tmp_path / f"{name}.cards", rows)
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    with gzip.open(tmp_path / "c.cards.gz", "wb") as stream:
        stream.write((tmp_path / "a.cards").read_bytes())
    by_reader, by_us = (json.loads(goldproof("score", f"a.{end}", "--json").out) for end in ("cards", "jsonl"))
    assert by_reader["scores"] == by_us["scores"]
    assert json.loads(goldproof("score", "c.cards.gz", "--json").out)["scores"] == by_us["scores"]
    by_reader, by_us = (goldproof("compare", f"a.{end}", f"b.{end}").out for end in ("cards", "jsonl"))
    assert by_reader == by_us


def test_a_reader_serves_corrupt_and_a_tagger_of_a_plugin_tags(goldproof, tmp_path):
    rows = [{"text": "La bela hundo manĝas.", "label": "a"}, {"text": "Mi vidas katon.", "label": "b"}]
    write_cards(tmp_path / "eo.cards", rows)
    done = goldproof("corrupt", "eo.cards", "--language", "eo", "--remove", "NOUN", "--out", "eo.jsonl")
    assert (done.code, done.err) == (0, "")
    assert [json.loads(line) for line in (tmp_path / "eo.jsonl").read_text(encoding="utf-8").splitlines()] == [
        {"text": "La bela manĝas.", "label": "a"},
        {"text": "Mi vidas", "label": "b"},
    ]
    assert goldproof("corrupt", "eo.cards", "--language", "eo", "--remove", "NOUN", "--out", "eo2.cards").err == (
        "error: files that a plugin reads (.cards) are written as JSON Lines (.jsonl); got eo2.cards\n"
    )
    assert goldproof("corrupt", "eo.cards", "--tagger", "spaces", "--remove", "NOUN", "--out", "o.jsonl").err == (
        "error: there is no tagger 'spaces'; taggers: nltk, nltk-3.5, hanta, natasha, pymorphy3, brill, spacy, space, "
        "spacy/MODEL\n"
    )


def test_what_a_reader_cannot_read_is_said(goldproof, tmp_path):
    (tmp_path / "bad.cards").write_text("id: 1\ngold\n", encoding="utf-8")
    assert goldproof("score", "bad.cards").err == ("error: bad.cards, line 2: a line is 'column: value'; got 'gold'\n")
    (tmp_path / "blank.cards").write_text("\n\n", encoding="utf-8")
    assert goldproof("score", "blank.cards").err == "error: blank.cards: the file has no rows\n"
    write_cards(tmp_path / "a.card", noisy_rows(3, 0.9, 1))
    assert goldproof("score", "a.card").err == (
        "error: a.card: no known format has the extension '.card'; allowed: .bio, .cards, .conll, .csv, .iob, .iob2, "
        ".json, .jsonl, .ndjson, .parquet, .tsv, .txt (also with .gz)\n"
    )


def test_a_metric_has_its_value_and_an_interval(goldproof, tmp_path):
    rng = np.random.default_rng(0)
    gold = rng.choice(3, 400, p=[0.7, 0.2, 0.1])
    runs = [np.where(rng.random(400) < np.array([0.9, 0.7, 0.5])[gold], gold, rng.integers(0, 3, 400)) for _ in "ab"]
    for name, run in zip("ab", runs, strict=True):
        rows = [
            {"id": i, "gold": f"g{g}", "prediction": f"g{p}", "tags": [f"tag{i % 2}"]}
            for i, (g, p) in enumerate(zip(gold, run, strict=True))
        ]
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    scored = goldproof("score", "a.jsonl", "--metric", "balanced_accuracy", "--out", "page", "--json")
    first, *others = json.loads(scored.out)["scores"]
    assert first["metric"] == "balanced_accuracy"
    assert first["value"] == pytest.approx(balanced_accuracy_score(gold, runs[0]))
    assert first["low"] < first["value"] < first["high"]
    assert (first["method"], first["n"]) == ("delta, Fisher z; items only, one run", 400)
    assert [row["metric"] for row in others] == ["accuracy", "mcc", "macro_f1", *["balanced_accuracy"] * 2]
    page = (tmp_path / "page/report.md").read_text(encoding="utf-8")
    assert page.startswith("# How far does the balanced accuracy hold?\n")
    assert f"balanced accuracy is {100 * first['value']:.1f} % on 400 items, one run" in page
    compared = goldproof("compare", "a.jsonl", "b.jsonl", "--metric", "balanced_accuracy", "--json")
    (overall, *_) = json.loads(compared.out)["differences"]
    assert overall["value"] == pytest.approx(
        balanced_accuracy_score(gold, runs[1]) - balanced_accuracy_score(gold, runs[0])
    )
    assert overall["low"] < overall["value"] < overall["high"]
    assert goldproof("score", "a.jsonl", "--metric", "balanced").err == (
        "error: the metric 'balanced' does not fit classification; "
        "allowed: accuracy, mcc, macro_f1, balanced_accuracy\n"
    )


def test_a_model_is_trained_by_name_and_stands_in_the_keys(goldproof):
    small = ("--preset", "tiny", "--set", "data.languages=xb", "--set", "seeds=0,1", "--set", "recipe.epochs=2")
    keys = {
        model: {job["key"] for job in json.loads(planned.out)["jobs"] if "train" in job["step"]}
        for model in ("fake", "wide-bag")
        if (planned := goldproof("run", "transfer", *small, "--set", f"model={model}", "--dry-run", "--json"))
    }
    assert len(keys["fake"]) == len(keys["wide-bag"]) == 2
    assert not keys["fake"] & keys["wide-bag"]
    ran = goldproof("run", "transfer", *small, "--set", "model=wide-bag")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "report: goldproof-out/transfer/report.html")


def test_a_model_is_probed_by_name(goldproof):
    small = (
        "--preset", "tiny", "--set", "model=Bag=wide-bag", "--set", "coarse.seeds=", "--set", "data.languages=en",
        "--set", "probe.kinds=logistic", "--set", "similarity.measures=", "--set", "neurons.run=false",
    )  # fmt: skip
    why = (
        "the model 'wide-bag' is a plugin's and cannot be given random weights; set twins=false, and name it without "
        "'random:'"
    )
    assert why in goldproof("run", "probing", *small, "--dry-run").out
    assert why in goldproof("run", "probing", *small).err
    ran = goldproof("run", "probing", *small, "--set", "twins=false")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "report: goldproof-out/probing/report.html")
    assert goldproof("run", "stability", "--set", "model=wide-bags", "--set", "data.corpus=generated").err == (
        "error: the model 'wide-bags' is neither a folder nor a downloaded model (LocalEntryNotFoundError); give a "
        "local folder, or download it once with `hf download wide-bags`, or name a model of a plugin: wide-bag\n"
    )


def test_logic_takes_a_model_of_a_plugin_and_leaves_its_tokenizer_out(goldproof):
    def planned(model: str) -> list[str]:
        jobs = json.loads(goldproof("run", "logic", "--preset", "tiny", *model.split(), "--dry-run", "--json").out)
        return [job["step"] for job in jobs["jobs"]]

    without, having = planned(""), planned("--set model=wide-bag")
    assert set(without) == set(having)
    assert having.count("goldproof.logic.train_best") > without.count("goldproof.logic.train_best")


def test_importing_goldproof_neither_looks_for_plugins_nor_loads_one(installed, tmp_path):
    program = (
        "import sys; read = []\n"
        "sys.addaudithook(lambda event, found: read.append(str(found[0])) if event == 'open' else None)\n"
        "import goldproof\n"
        "print([name for name in read if name.endswith('entry_points.txt')])\n"
        "import goldproof.cli, goldproof.studies.campaign, goldproof.judging.score, goldproof.data.checking.sniff\n"
        "from goldproof.cli import run_command; run_command(['run', 'demo', '--preset', 'tiny', '--dry-run'])\n"
        "print('goldproof_example' in sys.modules)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout.splitlines()[0], done.stdout.splitlines()[-1]) == ("[]", "False")


def test_the_page_shows_the_package_as_it_is():
    page = (ROOT / "docs" / "howto" / "plugins.md").read_text(encoding="utf-8")
    files = [EXAMPLE / "pyproject.toml", *sorted((EXAMPLE / "src").rglob("*.py"))]
    absent = [
        file.name
        for file in files
        if file.name != "__init__.py"
        and f"```{'toml' if file.suffix == '.toml' else 'python'}\n{file.read_text(encoding='utf-8')}```" not in page
    ]
    assert absent == []


def test_the_example_laid_out_by_hand_is_what_pip_installs(installed, tmp_path):
    by_hand = lay_out_example(tmp_path / "by_hand")
    facts = "goldproof_example-0.1.dist-info/entry_points.txt"
    ours, theirs = ((folder / facts).read_text(encoding="utf-8") for folder in (by_hand, installed))
    assert sorted(filter(None, ours.splitlines())) == sorted(filter(None, theirs.splitlines()))


def test_names_that_mean_something_already_are_taken():
    assert {*TABLE_METRICS, *(name for names in BY_TASK.values() for name in names)} == set(METRICS)
    assert set(LEARNERS) < set(MODELS)
