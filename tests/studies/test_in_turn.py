"""Several models in one study: each is judged as it is alone, and one report names them all."""

from __future__ import annotations

from dataclasses import replace

import pytest

import goldproof
from goldproof.jobs.plan import all_jobs
from goldproof.models.tiny import write_tiny_model
from goldproof.report.summary import Claim, Report, Section, Table, Text
from goldproof.report.write import write_report
from goldproof.studies import find_study
from goldproof.studies.in_turn import in_turn, report_in_turn

ONE_CELL = {"tasks": ["generated/sentiment"], "classes": ["NOUN"], "settings": ["test"], "seeds": [0]}


def keys(study, config):
    return {job.key for job in all_jobs(find_study(study).jobs(config))}


@pytest.mark.parametrize("study", ["stability", "transfer", "corruption"])
def test_the_jobs_of_several_models_are_those_of_each(study, tmp_path):
    tiny = find_study(study).TINY
    other = f"Mine={write_tiny_model(tmp_path / 'encoder', ['the', 'film'])}"
    both, one, two = (replace(tiny, model=model) for model in (("fake", other), "fake", other))
    assert keys(study, both) == keys(study, one) | keys(study, two)
    assert keys(study, one) != keys(study, two)
    assert keys(study, one) == keys(study, replace(tiny, model=("Another name=fake",)))


def test_a_name_leaves_the_jobs_of_logic_as_they_are(tmp_path):
    tiny, folder = find_study("logic").TINY, str(write_tiny_model(tmp_path / "encoder", ["the", "film"]))
    assert keys("logic", replace(tiny, model=f"Mine={folder}")) == keys("logic", replace(tiny, model=folder))


def _made(config):
    table = Table("scores", "Scores", [], [])
    verdict = [f"{config.model} was judged.", Claim("It holds.", "shown")]
    return Report("small", "Does it?", verdict, [Section("All", [table, Text("as it is")])], _provenance(config))


def _provenance(config):
    return {"model": config.model, "seeds": "0", "cut": len(config.model)}


def test_one_model_gives_the_report_as_it_is():
    config = replace(find_study("transfer").TINY, model=("fake",))
    assert report_in_turn(config, _made) == _made(replace(config, model="fake"))
    assert in_turn(config) == [replace(config, model="fake")]


def test_several_models_stand_one_after_the_other():
    config = replace(find_study("transfer").TINY, model=("fake", "Mine=a/longer"))
    found = report_in_turn(config, _made)
    assert (found.name, found.title) == ("small", "Does it?")
    assert found.verdict == [
        "2 models were judged one by one; they were not compared with each other.",
        "fake: fake was judged.",
        Claim("fake: It holds.", "shown"),
        "Mine: Mine=a/longer was judged.",
        Claim("Mine: It holds.", "shown"),
    ]
    assert [section.title for section in found.sections] == ["fake: All", "Mine: All"]
    assert [section.items[0].name for section in found.sections] == ["model-1-scores", "model-2-scores"]
    assert found.sections[1].items[1] == Text("as it is")
    assert found.provenance == {"model": "fake, Mine", "seeds": "0", "fake: cut": 4, "Mine: cut": 13}


@pytest.mark.needs("models")
def test_a_study_of_two_models_runs_and_its_report_can_be_written(tmp_path):
    folder = write_tiny_model(tmp_path / "encoder", ["the", "film"])
    settings = {**ONE_CELL, "recipe.epochs": 1}
    report = goldproof.run(
        "corruption", "tiny", settings, model=["fake", f"Mine={folder}"], store=tmp_path / "store", out=tmp_path / "out"
    )
    assert report.provenance["model"] == "fake, Mine"
    alone = goldproof.run("corruption", "tiny", settings, model=f"Mine={folder}", store=tmp_path / "store")
    assert alone.provenance["model"] == "Mine"
    told = [section for section in report.sections if section.title.startswith("Mine: ")]
    assert alone.answer is not None and alone.answer.figure is not None
    titles = [alone.title, *(each.title for each in alone.sections)]  # the chart of the first screen comes first
    assert [section.title.removeprefix("Mine: ") for section in told] == titles
    assert (tmp_path / "out" / "report.html").is_file()
    assert write_report(alone, tmp_path / "alone")
