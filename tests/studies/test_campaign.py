"""A campaign: its report says when its data were generated, and only then; a dry run, how long it would take."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from goldproof.cli import run_command
from goldproof.jobs import Store
from goldproof.models.tiny import write_tiny_model
from goldproof.runners.serial import SerialRunner
from goldproof.studies import find_study
from goldproof.studies.campaign import TOY, Campaign, _is_toy, noted_campaigns
from goldproof.studies.settings import Choice
from goldproof.training.recipe import EarlyStopping


@pytest.mark.parametrize("name", ["stability", "probing", "transfer", "corruption"])
def test_generated_data_are_known_as_such(name):
    study = find_study(name)
    assert _is_toy(study.TINY)
    assert not _is_toy(study.Config())
    assert not _is_toy(study.PAPER)


@pytest.mark.parametrize("name", ["logic", "demo"])
def test_studies_whose_own_data_are_made_are_no_toys(name):
    assert not _is_toy(find_study(name).TINY)


@pytest.mark.parametrize("name", ["demo", "stability", "probing", "logic", "transfer", "corruption"])
@pytest.mark.parametrize("preset", ["default", "paper", "tiny"])
def test_a_campaign_is_read_back_from_its_note(name, preset, tmp_path):
    campaign = Campaign.choose(name, Choice(preset), Store(tmp_path))
    campaign.store.open()
    campaign._note()
    assert noted_campaigns(campaign.store) == [campaign]


def test_a_note_may_hold_what_is_left_out_by_default(tmp_path):
    tiny = find_study("stability").TINY
    stopping = EarlyStopping("validation", patience=2)
    campaign = Campaign(
        "stability", replace(tiny, recipe=replace(tiny.recipe, early_stopping=stopping)), Store(tmp_path)
    )
    campaign.store.open()
    campaign._note()
    (read,) = noted_campaigns(campaign.store)
    assert read.config == campaign.config


PAIRS = ("tasks=generated/sentiment", "classes=NOUN", "settings=test", "seeds=0", "recipe.epochs=1")


@pytest.mark.needs("models")
def test_a_report_on_generated_data_says_so_first(tmp_path, capsys):
    campaign = Campaign.choose("corruption", Choice("tiny", None, PAIRS), Store(tmp_path / "store"))
    runner = SerialRunner()
    assert {outcome.status for outcome in campaign.run(runner)} == {"done"}
    report = campaign.report(runner)
    assert report.answer.notes[0] == TOY
    assert report.provenance["tasks"] == "generated/sentiment"
    assert re.search(r"goldproof\.train  \(about ", dry_run(tmp_path, capsys, "seeds=1"))
    other = write_tiny_model(tmp_path / "model", ["the", "film"])
    assert "goldproof.train  (unknown time)\n" in dry_run(
        tmp_path, capsys, f"model={other}"
    )  # another model's pace is no guide


def dry_run(folder, capsys, pair):
    """What `goldproof run --dry-run` says of the same study with one setting changed."""
    settings = [part for each in (*PAIRS, pair) for part in ("--set", each)]
    store = ["--store", str(folder / "store")]
    assert run_command(["run", "corruption", "--preset", "tiny", *settings, *store, "--dry-run"]) == 0
    return capsys.readouterr().out
