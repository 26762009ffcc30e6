"""A study's jobs from a file of settings, without reports: what runs, and what is said of wrong settings."""

from __future__ import annotations

import json

import pytest

from goldproof.studies.compute import main


def test_it_runs_what_is_absent_and_nothing_twice(tmp_path, capsys):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"preset": "tiny", "sizes": [50], "seeds": [0, 1]}), "utf-8")
    for expected in ("{'done': 4} in", "{'kept': 2} in"):
        assert main(["demo", str(settings), str(tmp_path / "store")]) == 0
        assert capsys.readouterr().out.startswith(expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"preset": "huge"}, "there is no preset 'huge'; allowed: default, paper, tiny"),
        ({"size": [50]}, "there is no setting 'size'; allowed: n_test, noise, seeds, sizes"),
        ([], "the settings {path} must be a JSON object; got list"),
        ({"noise": 2}, "the setting 'noise' must be at least 0 and below 0.5, got 2"),
    ],
)
def test_wrong_settings_are_said_without_a_traceback(settings, message, tmp_path, capsys):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(settings), "utf-8")
    assert main(["demo", str(path), str(tmp_path / "store")]) == 2
    assert capsys.readouterr().err == f"error: {message.format(path=path)}\n"


def test_a_file_that_cannot_be_read_is_named(tmp_path, capsys):
    path = tmp_path / "settings.json"
    path.write_text("{", "utf-8")
    assert main(["demo", str(path), str(tmp_path / "store")]) == 2
    assert capsys.readouterr().err.startswith(f"error: the settings {path} cannot be read: Expecting property name")
