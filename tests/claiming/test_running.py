"""The whole way: plan, run, page, evidence; stopped and gone on with; and what is wrong is said before any work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.claiming.made import WORDS, make_config, make_rows, write_rows

import goldproof
from goldproof.claiming.data import find_data
from goldproof.claiming.files import write_page
from goldproof.claiming.plan import jobs, layer_config, settled
from goldproof.claiming.planner import Budget, make_plan
from goldproof.claiming.prices import Prices
from goldproof.claiming.running import request_settings
from goldproof.claiming.stages import Omission
from goldproof.claiming.timing import Rates
from goldproof.cli import run_command
from goldproof.errors import DataError, UsageError
from goldproof.models.tiny import write_tiny_model
from goldproof.report.summary import Claim, Text
from goldproof.studies import find_study
from goldproof.studies.settings import Choice
from goldproof.studies.settings import make_config as make_config_of

pytestmark = pytest.mark.needs("models")

QUICK = {"recipe.epochs": 3, "recipe.evaluations": 3, "recipe.batch": 16}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_rows(folder / "train.csv", make_rows(120, 0, cue=0.6))
    write_rows(folder / "test.csv", make_rows(80, 1, cue=0.6))
    write_rows(folder / "other.csv", make_rows(60, 2, cue=0.6))
    return folder


@pytest.fixture(scope="module")
def page(files):
    """A page of everything that such data allow, and all that was told on the way."""
    news = []
    found = goldproof.claims(
        "Mine=fake",
        files / "train.csv",
        files / "test.csv",
        tests={"yy": files / "other.csv"},
        language="xx",
        name="made up",
        minutes=30,
        settings=QUICK,
        store=files / "store",
        out=files / "out",
        progress=news.append,
    )
    return found, news


def test_the_page_says_the_claim_its_lights_and_what_may_not_be_claimed(page):
    report = page[0].report
    assert report.title == "What may be claimed of Mine on made up?"
    assert re.match(
        r"On 80 items of made up \(xx\), Mine trained as below reaches an accuracy of \d+\.\d % \[\d+\.\d, \d+\.\d\] "
        r"for another training on items like these\. That is not shown to be above always answering 'no' "
        r"\(\d+\.\d %\)\. A bag-of-words model reaches",
        report.answer.sentence,
    )
    lights = [line.text.partition(":")[0] for line in report.verdict if isinstance(line, Claim)]
    assert lights == ["Leaks", "Shortcuts", "Labels", "Size", "Trainings", "Constant trainings", "Beyond words"]
    titles = [section.title for section in report.sections]
    assert titles[0] == "What may not be claimed"
    assert {
        ("What moves the score?"),
        "In other languages, and with another checkpoint",
        "Without some of the words",
    } <= {*titles}
    assert page[0].plan.seconds > 0


def test_the_plan_is_said_before_and_everything_is_written(page, files):
    found, news = page
    lines = [line for each in news for line in each.lines]
    assert any(line.startswith("Planned for 30 minutes: about") for line in lines)
    assert {path.name for path in found.files if path.parent == files / "out"} >= {
        "claims.html",
        "evidence.json",
        "claim.md",
        "claim.tex",
        "model-card.md",
        "eval_results.yaml",
        "every_eval_ever.json",
        "summary.json",
    }
    html = (files / "out" / "claims.html").read_text(encoding="utf-8")
    for link in re.findall(r'<a href="([a-z]+/report\.html)"', html):
        assert (files / "out" / link).is_file()
    card = (files / "out" / "model-card.md").read_text(encoding="utf-8")
    assert card.startswith("## What may be claimed\n")
    assert "Not claimed:" in card


def test_each_claim_has_its_number_what_it_holds_for_and_the_jobs_behind_it(page, files):
    form = json.loads((files / "out" / "evidence.json").read_text(encoding="utf-8"))
    claims = {each["place"]: each for each in form["claims"]}
    whole, table = claims["the claim"], claims["table score-of-the-model, Mine, Accuracy"]
    assert whole["estimate"] == table["estimate"]
    assert f"{100 * whole['estimate']['value']:.1f} %" in whole["text"]
    assert whole["scope"] == table["scope"] == "another training on items like these"
    assert whole["estimate"]["method"] == "5 runs × items, variance components"
    for place, each in claims.items():
        assert {*each["jobs"]} <= {*form["jobs"]}
        if each["estimate"] is not None:
            assert each["jobs"], place
            assert each["scope"], place
            assert each["estimate"]["method"], place
    (audit,) = claims["light Shortcuts"]["jobs"]
    assert claims["light Shortcuts"]["scope"] == "items like these"
    assert {*claims["light Beyond words"]["jobs"]} == {audit, *claims["light Trainings"]["jobs"]}
    assert len(claims["light Trainings"]["jobs"]) == 5
    assert len(claims["What moves the score?, text 1"]["jobs"]) == 9


def test_run_again_nothing_is_computed_and_the_page_is_the_same(page, files):
    outcomes = []
    again = goldproof.claims(
        "Mine=fake",
        files / "train.csv",
        files / "test.csv",
        tests={"yy": files / "other.csv"},
        language="xx",
        name="made up",
        minutes=30,
        settings=QUICK,
        store=files / "store",
        out=files / "again",
        progress=lambda news: outcomes.append(news.outcome) if news.outcome else None,
    )
    assert outcomes == []
    assert again.config == page[0].config
    for name in ("claims.html", "summary.json", "evidence.json"):
        assert (files / "again" / name).read_bytes() == (files / "out" / name).read_bytes()


def test_verify_holds_and_names_each_change(page, files, tmp_path):
    assert page[0].files
    evidence = files / "out" / "evidence.json"
    found = goldproof.verify(evidence, files / "store")
    assert (found.holds, found.mismatches, found.notes) == (True, (), ())
    assert found.n_claims > 20

    changed = json.loads(evidence.read_text(encoding="utf-8"))
    place = next(i for i, each in enumerate(changed["claims"]) if each["estimate"])
    changed["claims"][place]["estimate"]["value"] += 0.01
    (tmp_path / "number.json").write_text(json.dumps(changed), encoding="utf-8")
    (line,) = goldproof.verify(tmp_path / "number.json", files / "store").mismatches
    assert line.startswith(f"{changed['claims'][place]['place']}: estimate is ")

    text = (files / "test.csv").read_bytes()
    try:
        rows = text.splitlines(keepends=True)
        (files / "test.csv").write_bytes(b"".join([*rows[:7], b"x" + rows[7], *rows[8:]]))
        (line,) = goldproof.verify(evidence, files / "store").mismatches
        assert line == f"test data ({files / 'test.csv'}): 1 row is changed: row 7"
    finally:
        (files / "test.csv").write_bytes(text)

    try:
        (files / "test.csv").write_bytes(b"".join([*rows[:5], *rows[6:]]))
        assert goldproof.verify(evidence, files / "store").mismatches == (
            f"test data ({files / 'test.csv'}): 79 rows; there were 80",
            f"test data ({files / 'test.csv'}): 1 row was taken out: row 5",
        )
    finally:
        (files / "test.csv").write_bytes(text)

    changed = json.loads(evidence.read_text(encoding="utf-8"))
    changed["model"]["model"] = "0" * 64
    (tmp_path / "model.json").write_text(json.dumps(changed), encoding="utf-8")
    (line,) = goldproof.verify(tmp_path / "model.json", files / "store").mismatches
    assert re.fullmatch(r"the model has changed: its files have the digest \w+, not 000000000000", line)

    record = next(path for path in (files / "store" / "records").rglob("*.json") if changed["jobs"][0] in path.name)
    aside = record.rename(tmp_path / "record")
    try:
        (line,) = goldproof.verify(evidence, files / "store").mismatches
        assert line.endswith(f"[{changed['jobs'][0][:12]}]")
        assert line.startswith(f"the store {files / 'store'} has no value of ")
    finally:
        aside.rename(record)
    assert run_command(["verify", str(evidence), "--store", str(files / "store")]) == 0
    assert run_command(["verify", str(tmp_path / "model.json"), "--store", str(files / "store")]) == 1


def test_verify_names_what_was_left_out_or_added(page, files, tmp_path, capfd):
    assert page[0].files
    form = json.loads((files / "out" / "evidence.json").read_text(encoding="utf-8"))
    first, job = form["claims"][0], form["jobs"][0]
    cases = [
        (
            {"claims": [{**first, "seen": 1}, *form["claims"][1:]]},
            ["the claim: 'seen' is nothing that a claim has"],
        ),
        ({"data": form["data"][1:]}, ["train data: the evidence has no digests of their rows"]),
        ({"model": {}}, ["the evidence has no digest of the model"]),
        ({"jobs": form["jobs"][1:]}, [f"1 job behind it is not listed in the evidence: {job[:12]} …"]),
        (
            {"question": "Is it good?"},
            [
                "the question is 'What may be claimed of Mine on made up?' by the settings and data, and "
                "'Is it good?' in the evidence"
            ],
        ),
    ]
    for change, said in cases:
        (tmp_path / "evidence.json").write_text(json.dumps({**form, **change}), encoding="utf-8")
        assert [*goldproof.verify(tmp_path / "evidence.json", files / "store").mismatches] == said
        assert run_command(["verify", str(tmp_path / "evidence.json"), "--store", str(files / "store")]) == 1
    capfd.readouterr()
    for change in ({"data": [1]}, {"data": [{}]}, {"model": []}, {"jobs": 3}, {"claims": [[]]}):
        (tmp_path / "evidence.json").write_text(json.dumps({**form, **change}), encoding="utf-8")
        with pytest.raises(DataError, match="the evidence is incomplete or altered"):
            goldproof.verify(tmp_path / "evidence.json", files / "store")


def test_verify_in_another_folder_says_where_to_run_it(files, tmp_path, monkeypatch):
    for name in ("train.csv", "test.csv"):
        shutil.copy(files / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    settings = {**QUICK, "levels": 0, "labels": False, "seeds": [0]}
    goldproof.claims("fake", "train.csv", "test.csv", language="xx", settings=settings, store="store", out="out")
    assert goldproof.verify("out/evidence.json", "store").holds
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert goldproof.verify("../out/evidence.json", "../store").mismatches == (
        "the data cannot be read as before: train.csv: there is no such file; files are named relative to the folder "
        "you are in: run it where the page was made",
    )


def test_verify_asks_for_what_was_done_whatever_taggers_are_installed(page, files, tmp_path, monkeypatch):
    asked = page[0].config
    assert asked.untagged is not None
    assert "the language 'xx'" in asked.untagged
    monkeypatch.setattr("goldproof.claiming.plan._why_no_tagger", lambda _tagger, _language: "")
    assert goldproof.verify(files / "out" / "evidence.json", files / "store").holds

    config = make_config(tmp_path, make_rows(120, 0), make_rows(80, 1), classes=("NOUN",))
    config = replace(config, data=replace(config.data, languages=("en",)), model="fake")
    with_words = settled(config, find_data(config))
    assert with_words.untagged == ""
    before = {job.key for job in jobs(with_words)}
    monkeypatch.setattr("goldproof.claiming.plan._why_no_tagger", lambda _tagger, _language: "it is not installed")
    assert {job.key for job in jobs(with_words)} == before
    assert {job.key for job in jobs(config)} != before
    assert settled(config, find_data(config)).untagged == "it is not installed"


def test_what_is_no_evidence_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"product": "other"}', encoding="utf-8")
    with pytest.raises(DataError, match="not evidence that this version can read"):
        goldproof.verify(tmp_path / "other.json")
    with pytest.raises(DataError, match="there is no such file"):
        goldproof.verify(tmp_path / "none.json")


RATES = Rates(load=2.0, step=1.0, item=0.05)


def plan_of(tmp_path, minutes, **changes):
    config = make_config(tmp_path, make_rows(400, 0), make_rows(100, 1), levels=3, **changes)
    return make_plan(config, find_data(config), RATES, Budget(minutes))


def test_a_plan_takes_what_is_worth_most_first_and_prices_what_is_left_out(tmp_path):
    long = plan_of(tmp_path, 120)
    assert replace(long, minutes=1.0).lines()[0].startswith("Planned for 1 minute: about ")
    assert [stage.name for stage in long.stages] == [
        "3 trainings",
        "2 more trainings",
        "initialisation, data order and dropout varied separately (9 trainings)",
    ]
    assert long.left_out == ()
    assert long.stages[-1].config.seeds == (0, 1, 2, 3, 4)
    middle = plan_of(tmp_path, 10)
    assert [stage.name for stage in middle.stages] == ["3 trainings", "1 more training"]  # of two
    assert [each.name for each in middle.left_out] == [
        "1 more training",
        "Initialisation, data order and dropout varied separately (9 trainings)",
    ]
    assert all(each.seconds > 60 for each in middle.left_out)
    for plan, minutes in ((long, 120), (middle, 10)):
        assert plan.seconds <= 60 * minutes


def test_with_little_time_one_training_on_fewer_rows_is_planned_and_said(tmp_path):
    one = plan_of(tmp_path, 4)
    assert one.stages[0].config.seeds == (0,)
    few = plan_of(tmp_path, 2.5)
    assert few.stages[0].config.data.most_train < 360
    assert few.left_out[0].name.startswith(f"Trained on {few.stages[0].config.data.most_train} of 360 rows")
    with pytest.raises(UsageError) as caught:
        plan_of(tmp_path, 0.1)
    assert str(caught.value).startswith(
        "--minutes 0.1 is too short here: one training on 200 rows, the audit and the page take about "
    )


def test_the_audit_of_many_classes_is_not_priced_by_each_of_them(tmp_path):
    prices = {}
    for k in (2, 3, 25):
        folder = tmp_path / str(k)
        folder.mkdir()
        rows = [{**row, "label": f"c{i % k}"} for i, row in enumerate(make_rows(500, 0))]
        config = make_config(folder, rows[:400], rows[400:])
        prices[k] = Prices(config, find_data(config), RATES).audit()
    assert prices == {2: pytest.approx(10.0), 3: pytest.approx(12.0), 25: pytest.approx(12.0)}


def test_what_is_left_out_is_a_sentence():
    assert Omission("2 more trainings", 400.0).sentence() == "2 more trainings: about 7 minutes more."
    assert Omission("Words", None, "no tagger.").sentence() == "Words: no tagger."


def test_bad_input_is_said_before_any_work(files, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    unlabelled = write_rows(tmp_path / "bare.csv", [{"text": row["text"]} for row in make_rows(30, 3)])
    train, test = str(files / "train.csv"), str(files / "test.csv")
    one = write_rows(tmp_path / "one.csv", make_rows(1, 3))
    cases = [
        (["--model", "fake", "--train", train, "--test", str(unlabelled)], "no label was found"),
        (
            ["--model", "fake", "--train", train, "--test", train],
            "one file to train and test on needs a column 'split' with train and test",
        ),
        (["--model", "none/at/all", "--train", train, "--test", test], "there is no folder 'none/at/all'"),
        (["--model", "fake", "--train", train, "--test", test, "--minutes", "0"], "--minutes must be above 0; got 0"),
        (["--model", "fake", "--train", train, "--test", "yy=" + test], "--test names one file in the language"),
        (["--model", "fake", "--train", train, "--test", test, "--test", test], "got 2 without a language"),
        (["--model", "fake", "--train", train, "--test", test, "--test", "yy=no.csv"], "no.csv"),
        (
            ["--model", "fake", "--train", train, "--test", test, "--test", f"yy={train}"],
            "this file, given as the test data in 'yy', is byte for byte the same as train.csv, the training data; the "
            "model would be tested on what it was trained on",
        ),
        (
            ["--model", "fake", "--train", train, "--test", test, "--test", f"yy={test}"],
            "this file, given as the test data in 'yy', is byte for byte the same as test.csv, the test data in 'xx'; "
            "the test data of two languages must be different files",
        ),
        (
            ["--model", "fake", "--train", train, "--test", str(one)],
            "a score with an interval needs at least 2 test items; got 1",
        ),
    ]
    for arguments, expected in cases:
        assert run_command(["claims", *arguments, "--language", "xx"]) == 2, arguments
        err = capfd.readouterr().err
        assert expected in err, err
        assert "Traceback" not in err
    assert not (tmp_path / "goldproof-store").exists()


def test_copies_in_a_test_of_another_language_are_counted(page, files, tmp_path):
    (section,) = [each for each in page[0].report.sections if each.title.startswith("In other languages")]
    assert "Test rows with an exact copy in the training rows: yy 0 of 60." in [
        item.text for item in section.items if isinstance(item, Text)
    ]
    other = write_rows(tmp_path / "other.csv", [*make_rows(20, 2), *make_rows(120, 0, cue=0.6)[:100]])
    given = request_settings("fake", files / "train.csv", files / "test.csv", {"yy": other}, None, "xx", "", None)
    data = find_data(make_config_of(find_study("claims"), Choice(settings=given)))
    n = data.n_copies("yy")
    assert 80 <= n <= 100  # all but those held out
    assert f"{n} of 120 test rows in yy have an exact copy in the training rows." in data.notes


def test_reports_of_an_earlier_page_do_not_stay(page, files, tmp_path):
    shutil.copytree(files / "out", tmp_path / "out")
    (tmp_path / "out" / "score" / "mine.txt").write_text("kept", encoding="utf-8")
    (tmp_path / "out" / "own").mkdir()
    report = replace(page[0].report, beside={"audit": page[0].report.beside["audit"]})
    written = [*write_page(report, tmp_path / "out", "{}")]
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} == {
        "audit",
        "figures",
        "own",
        "score",
        "tables",
    }
    assert [path.name for path in (tmp_path / "out" / "score").iterdir()] == ["mine.txt"]
    assert all(path.exists() for path in written)


def test_the_study_runs_from_settings_too(tmp_path):
    report = goldproof.run("claims", preset="tiny", settings={"levels": 0}, store=tmp_path / "store")
    assert report.title == "What may be claimed of fake on generated reviews?"
    assert any(section.title == "Without some of the words" for section in report.sections)


def test_stopped_it_goes_on_with_its_plan_and_ends_as_if_it_had_not_been(page, files):
    def ask(store, progress):
        return goldproof.claims(
            "Mine=fake",
            files / "train.csv",
            files / "test.csv",
            language="xx",
            name="made up",
            minutes=30,
            settings={**QUICK, "levels": 0, "labels": False},
            store=store,
            progress=progress,
        )

    lines, n_done = [], 0

    def stop(news):
        nonlocal n_done
        lines.extend(news.lines)
        n_done += news.outcome is not None and news.outcome.status == "done"
        if n_done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(files / "stopped", stop)
    (note,) = (files / "stopped" / "claims").glob("*.json")
    kept = json.loads(note.read_text(encoding="utf-8"))
    assert [stage["name"] for stage in kept["plan"]["stages"]] == ["3 trainings", "2 more trainings"]
    shutil.copytree(files / "stopped", files / "slow")
    for part in kept["plan"]["stages"][1]["parts"]:
        part["seconds"] = 1e6  # of which there is no time
    (files / "slow" / "claims" / note.name).write_text(json.dumps(kept), encoding="utf-8")
    short = ask(files / "slow", lambda _: None)
    assert short.config.seeds == (0, 1, 2)
    assert any(line.startswith("2 more trainings: about ") for line in short.config.left_out)

    again = []
    found = ask(files / "stopped", lambda news: again.extend(news.lines))
    assert "A short calibration: how fast does this machine train and answer?" in lines
    assert [line for line in again if "calibration" in line] == []
    assert [line for line in lines if line.startswith("Planned")] == [line for line in again if line.startswith("Plan")]
    whole = ask(files / "whole", lambda _: None)
    assert found.report.answer.sentence == whole.report.answer.sentence


BARE = """
import sys
for name in ("pydantic", "typer", "altair", "rich"):
    sys.modules[name] = None
from goldproof.studies.compute import main
sys.exit(main(["claims", "settings.json", "store"]))
"""


def test_what_computes_need_not_be_able_to_draw(tmp_path):
    (tmp_path / "settings.json").write_text('{"preset": "tiny", "levels": 0, "labels": false}', encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", BARE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.partition(" in ")[0]) == (0, "{'done': 15}"), done.stderr
    settings = {"levels": 0, "labels": False}
    told = []
    goldproof.run("claims", "tiny", settings, store=tmp_path / "store", progress=lambda each: told.append(each.status))
    assert {*told} == {"kept"}


def test_pairs_are_asked_with_each_text_alone(tmp_path):
    rows = [{**row, "pair": row["text"][::-1]} for row in make_rows(80, 0, cue=0.5)]
    config = make_config(tmp_path, rows, [{**row, "pair": row["text"][::-1]} for row in make_rows(60, 1, cue=0.5)])
    settings = {"data.train": config.data.train, "data.test": config.data.test, "data.languages": ["xx"], "levels": 0}
    report = goldproof.run(
        "claims", settings={**settings, **QUICK, "seeds": [0, 1, 2], "labels": False}, store=tmp_path / "store"
    )
    (section,) = [each for each in report.sections if each.title == "With one of the two texts"]
    assert [item.text.partition(" (")[0] for item in section.items] == [
        "Trained and tested with the first text only",
        "Trained and tested with the second text only",
    ]
    assert replace(config).reference == ""


def test_an_encoder_on_pairs_is_planned_without_its_layers(tmp_path):
    write_tiny_model(tmp_path / "model", WORDS, "bert")
    rows = [{**row, "pair": row["text"][::-1]} for row in make_rows(80, 0, cue=0.5)]
    for name, pairs in (("pairs", rows), ("texts", make_rows(80, 0))):
        (tmp_path / name).mkdir()
        config = make_config(tmp_path / name, pairs, pairs[:60], model=str(tmp_path / "model"), levels=3)
        data = find_data(config)
        assert (layer_config(config, data) is None) == (name == "pairs")
        names = [stage.name for stage in make_plan(config, data, RATES, Budget(600)).stages]
        assert ("what the layers know" in names) == (name == "texts")
        assert ("each text alone (6 trainings)" in names) == (name == "pairs")
        assert jobs(config)
