"""What the commonest label alone scores beside a language model's scores, where languages differ in it."""

from __future__ import annotations

from types import SimpleNamespace

from goldproof.studies.transfer.prompted import CrossedLanguages, _common_floor, _floors_note


def crossed(**floors):
    return CrossedLanguages({(text, ""): SimpleNamespace(floor=floor) for text, floor in floors.items()})


def test_shares_that_differ_are_named_and_have_no_common_line():
    found = crossed(en=1 / 3, de=0.5)
    assert _common_floor(found) is None
    assert _floors_note(found) == "The commonest label alone would get 33.3 % (en), 50.0 % (de)."


def test_a_share_of_all_languages_is_a_line():
    assert (_common_floor(crossed(en=0.5, de=0.5)), _floors_note(crossed(en=0.5, de=0.5))) == (0.5, "")


def test_scores_without_a_floor_have_neither():
    found = crossed(en=float("nan"), de=float("nan"))
    assert (_common_floor(found), _floors_note(found)) == (None, "")
