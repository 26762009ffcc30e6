"""A language model is asked: prompts in the place of trainings, on the page, in the store and in verify."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest
from tests.models.endpoint_server import serving

import goldproof
from goldproof.claiming.asked_planner import AskedPrices, TooLittleTimeError, asked_worth, extend_asked, plan_asked
from goldproof.claiming.data import find_data
from goldproof.claiming.running import Timing, run_claims
from goldproof.claiming.settings import Config
from goldproof.claiming.timing import Rates
from goldproof.cli import run_command
from goldproof.jobs.store import find_store
from goldproof.models.tiny import write_tiny_model
from goldproof.report.summary import Claim
from goldproof.studies.settings import Choice
from goldproof.studies.shared import Data, Prompts

pytestmark = pytest.mark.needs("models")

WORDS = "a the film was is good bad very review sentiment text label : negative positive it in one word tone of".split()  # noqa: SIM905
LABELS = {"prompts.task": "sentiment", "prompts.labels": ["0=negative", "1=positive"]}


def rows(n, start=0):
    lines = [
        f"the film was {'very ' * (i % 7)}{'good' if i % 2 else 'bad'} {i},{i % 2}" for i in range(start, start + n)
    ]
    return "sentence,label\n" + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    (folder / "train.csv").write_text(rows(60), "utf-8")
    (folder / "test.csv").write_text(rows(48, 100), "utf-8")
    (folder / "other.csv").write_text(rows(30, 200), "utf-8")
    write_tiny_model(folder / "llama", WORDS, "llama", n_positions=512, speaks=True)
    return folder


@pytest.fixture(scope="module")
def page(place):
    """A page of everything that such a model can be asked."""
    told = []
    found = goldproof.claims(
        f"Tiny={place / 'llama'}",
        place / "train.csv",
        place / "test.csv",
        tests={"de": place / "other.csv"},
        language="xx",
        name="films",
        minutes=30,
        settings={**LABELS, "prompts.most": 4, "levels": 3},
        store=place / "store",
        out=place / "out",
        progress=lambda news: told.extend(news.lines),
    )
    return found, told


def test_the_claim_is_about_other_prompts_and_stands_beside_a_bag_of_words(page):
    report = page[0].report
    assert report.title == "What may be claimed of Tiny on films?"
    assert re.match(
        r"On 48 items of films \(xx\), Tiny asked as below reaches an accuracy of \d+\.\d % \[\d+\.\d, \d+\.\d\] for "
        r"other prompts like these, on items like these\. ",
        report.answer.sentence,
    )
    lights = [line.text.partition(":")[0] for line in report.verdict if isinstance(line, Claim)]
    assert lights == ["Leaks", "Shortcuts", "Labels", "Size", "Prompts", "Constant prompts", "Beyond words"]
    titles = [section.title for section in report.sections]
    assert titles[0] == "What may not be claimed"
    for title in (
        "What moves the score?",
        "With examples before the question",
        "In other languages",
        "Do its probabilities mean what they say?",
    ):
        assert title in titles
    refused = [item.text for item in report.sections[0].items]
    assert "Anything about prompts of another kind, or tuned to this model." in refused
    assert "training" not in " ".join(line.text for line in report.verdict[4:6])
    (rules,) = [section.items[0].text for section in report.sections if section.title == "How the lights turn"]
    assert "Leaks, size and constant prompts are counted." in rules
    assert report.answer.notes == [
        "The prompts about the items in xx are in en.",
    ]
    assert report.provenance["languages of the prompts"] == "en"
    assert (page[0].files[0].parent / "score" / "report.html").exists()


def test_the_plan_says_what_is_asked_before_it_is(page):
    lines = page[1]
    assert any(line.startswith("4 prompts about 48 items: about ") for line in lines)
    assert any(line.startswith("tests in 1 other language: about ") for line in lines)
    assert any(line.startswith("4 examples before each question, in 3 draws: about ") for line in lines)


def test_every_claim_follows_from_the_store_and_another_model_is_named(page, place, tmp_path):
    evidence = place / "out" / "evidence.json"
    found = goldproof.verify(evidence, place / "store")
    assert (found.holds, found.mismatches, found.notes) == (True, (), ())
    weights = place / "llama" / "model.safetensors"
    aside = shutil.copy(weights, tmp_path / "weights")
    try:
        weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
        (line,) = goldproof.verify(evidence, place / "store").mismatches
        assert line.startswith("the model has changed: its files have the digest ")
    finally:
        shutil.copy(aside, weights)


def config_of(place, **prompts):
    data = Data(corpus="generated", train=str(place / "train.csv"), test=str(place / "test.csv"), languages=("xx",))
    given = Prompts(task="sentiment", labels=("0=negative", "1=positive"), **prompts)
    return Config(model=str(place / "llama"), data=data, prompts=given, levels=3)


def test_with_little_time_fewer_prompts_are_planned_then_fewer_items(place):
    config, rates = config_of(place), Rates(1.0, 0.0, 1.0, 2.0)
    data = find_data(config)
    stages, left = plan_asked(config, data, rates, 60_000.0)
    assert [stage.name for stage in stages[1:]] == ["4 examples before each question, in 3 draws"]
    assert left == []
    n = stages[0].n_units
    stages, left = plan_asked(config, data, rates, 4.5 * 48)
    assert (stages[0].name, stages[0].n_units) == ("4 prompts about 48 items", 4)
    assert left[0].name == f"{n - 4} more prompts"
    wide = config_of(place)
    stages, left = plan_asked(wide, data, Rates(1.0, 0.0, 1.0, 2.0), 3 * 48 + 2.0)
    assert stages[0].n_units == 3
    with pytest.raises(TooLittleTimeError):
        plan_asked(config, data, rates, 10.0)


def test_of_many_items_some_are_given_up_for_more_prompts(place, tmp_path):
    (tmp_path / "train.csv").write_text(rows(60), "utf-8")
    (tmp_path / "test.csv").write_text(rows(900, 100), "utf-8")
    config = config_of(tmp_path)
    config = replace(config, model=str(place / "llama"))
    data, rates = find_data(config), Rates(0.0, 0.0, 1.0, 2.0)
    (first, *_), left = plan_asked(config, data, rates, 3 * 900.0)
    assert (first.name, first.config.prompts.most_items) == ("6 prompts about 450 items", 450)
    assert left[0].name == "Asked about 450 of 900 items; all of them"
    (first, *_), left = plan_asked(config, data, rates, 6 * 290.0)  # six would be asked about too few
    assert first.name == "3 prompts about 580 items"
    (first, *_), left = plan_asked(config, data, rates, 7 * 900.0)
    assert (first.name, first.config.prompts.most_items) == ("7 prompts about 900 items", None)


def test_minutes_left_over_go_to_more_prompts_then_to_more_items(place, tmp_path):
    (tmp_path / "train.csv").write_text(rows(60), "utf-8")
    (tmp_path / "test.csv").write_text(rows(900, 100), "utf-8")
    config = replace(config_of(tmp_path), model=str(place / "llama"))
    data, rates = find_data(config), Rates(1.0, 0.0, 1.0, 2.0)
    (first, *_), _ = plan_asked(config, data, rates, 6 * 290.0)
    assert first.name == "3 prompts about 579 items"
    stages, left, growth = extend_asked(config, data, rates, 4 * 579.0 + 5, 10.0, [first])
    assert [stage.name for stage in stages[1:]] == ["4 more prompts"]
    assert [part.config.prompts.most for part in stages[1].parts] == [4, 5, 6, 7]
    assert stages[1].seconds == 1.0 + 4 * 579.0  # those that were asked are not asked again
    assert growth == 1.0
    assert left[0].name == "Asked about 579 of 900 items; all of them"
    stages, left, growth = extend_asked(config, data, rates, 7 * 900.0 + 60, 10.0, stages)
    assert stages[2].name == "7 prompts about 900 items"
    assert len(stages[2].parts) == 1
    assert stages[2].config.prompts.most_items is None
    assert growth == pytest.approx(900 / 579)
    assert not any(each.name.startswith("Asked about") for each in left)
    assert asked_worth(stages[2].config, config, data) > asked_worth(stages[1].config, config, data)
    ended, left, _ = extend_asked(config, data, rates, 600_000.0, 10.0, stages[2:])
    assert [stage.name for stage in ended[1:]] == [
        left_over(config, data, 7),
        "4 examples before each question, in 3 draws",
    ]
    assert left == []
    again, left, _ = extend_asked(config, data, rates, 600_000.0, 10.0, ended[2:])
    assert (again, left) == (ended[2:], [])


def left_over(config, data, n):
    return f"{AskedPrices(config, data, Rates(0.0, 0.0, 0.0)).n_prompts - n} more prompts"


def test_a_model_that_answers_faster_is_asked_with_more_prompts(place, tmp_path):
    config, time, told = config_of(place, most=5), 0.0, []
    settings = {**LABELS, "model": config.model, "data.train": config.data.train, "data.test": config.data.test}
    settings |= {"data.languages": ["xx"], "prompts.most": 5, "levels": 0, "classes": [], "labels": False}

    def now():
        nonlocal time
        time += 0.1
        return time

    rates, store = Rates(0.0, 0.0, 1.0), find_store(tmp_path / "store")
    timing = Timing(now, lambda *_: rates)
    listen = lambda news: told.extend(news.lines)  # noqa: E731
    page = run_claims(Choice(settings=settings), 3.5, store, out=tmp_path / "out", progress=listen, timing=timing)
    assert any(line.startswith("3 prompts about 48 items: about ") for line in told)
    assert any(line.startswith("added: 2 more prompts: about ") for line in told)
    assert page.config.prompts.most == 5
    assert [each.partition(":")[0] for each in page.config.added] == ["2 more prompts"]
    assert time <= 3.5 * 60
    found = goldproof.verify(tmp_path / "out" / "evidence.json", store)
    assert (found.holds, found.mismatches) == (True, ())


def test_an_endpoint_is_asked_within_its_budget_and_what_was_answered_is_used(place, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ask(server, n_prompts, budget):
        arguments = ["claims", "--model", f"Tiny={server.name}", "--train", str(place / "train.csv")]
        arguments += ["--test", str(place / "test.csv"), "--language", "xx", "--minutes", "20", "--budget", str(budget)]
        settings = [f"prompts.most={n_prompts}", "prompts.most_items=20", "levels=0", "endpoint.price=1000,1000"]
        for pair in ("prompts.task=sentiment", "prompts.labels=0=negative,1=positive", *settings):
            arguments += ["--set", pair]
        code = run_command(arguments)
        return code, capfd.readouterr()

    with serving() as server:
        code, said = ask(server, 3, 0.001)
        assert code == 2
        assert "the budget of 0.001 would be exceeded" in said.err
        code, said = ask(server, 3, 1000)
        assert (code, "asked as below" in said.out) == (0, True), said.err
        (journal,) = (tmp_path / "goldproof-store" / "cache" / "endpoints").glob("*.jsonl")
        kept = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        spent = sum(each["tokens_in"] + each["tokens_out"] for each in kept) / 1000
        code, said = ask(server, 5, spent + 1e-6)
    assert code == 0, said.err
    page = (tmp_path / "goldproof-out" / "claims" / "claims.html").read_text(encoding="utf-8")
    assert "Tiny" in page
    assert re.search(
        r"5 prompts about 20 items: 3 of 5 prompts were finished when the budget was spent; the others take at most "
        r"40 requests more\.",
        page,
    )
    assert (
        "precision"
        not in json.loads((tmp_path / "goldproof-out" / "claims" / "summary.json").read_text("utf-8"))["provenance"]
    )
