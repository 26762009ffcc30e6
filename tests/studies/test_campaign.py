"""A campaign's report: it says when its data were generated, and only then."""

from __future__ import annotations

import pytest

from assay.jobs import Store
from assay.runners.serial import SerialRunner
from assay.studies import find_study
from assay.studies.campaign import TOY, Campaign, _is_toy
from assay.studies.settings import Choice


@pytest.mark.parametrize("name", ["stability", "probing", "transfer", "corruption"])
def test_generated_data_are_known_as_such(name):
    study = find_study(name)
    assert _is_toy(study.TINY)
    assert not _is_toy(study.Config())
    assert not _is_toy(study.PAPER)


@pytest.mark.parametrize("name", ["logic", "demo"])
def test_studies_whose_own_data_are_made_are_no_toys(name):
    assert not _is_toy(find_study(name).TINY)


def test_a_report_on_generated_data_says_so_first(tmp_path):
    pairs = ("tasks=generated/sentiment", "classes=NOUN", "settings=test", "seeds=0", "training.epochs=1")
    campaign = Campaign.choose("corruption", Choice("tiny", None, pairs), Store(tmp_path / "store"))
    runner = SerialRunner()
    assert {outcome.status for outcome in campaign.run(runner)} == {"done"}
    report = campaign.report(runner)
    assert report.verdict[0] == TOY
    assert report.provenance["tasks"] == "generated/sentiment"
