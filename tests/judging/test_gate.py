"""The gate: three outcomes for what was asked, whole messages, and what it could have seen."""

from __future__ import annotations

import json

import pytest
from tests.judging.files import noisy_rows, several_runs, write_jsonl

from goldproof.cli import run_command
from goldproof.errors import UsageError
from goldproof.judging.gate import Margins, drop_seen, outcome_of
from goldproof.statistics.estimate import Estimate


def difference(low, high):
    return Estimate((low + high) / 2, low, high, "t", 500)


OUTCOMES = [
    # low, high, gate, require, outcome
    (-0.07, -0.03, 0.02, None, "failed"),
    (-0.07, -0.01, 0.02, None, "passed"),
    (-0.07, -0.01, 0.0, None, "failed"),
    (-0.01, 0.05, 0.02, "not-worse", "passed"),
    (-0.03, 0.05, 0.02, "not-worse", "undecided"),
    (-0.07, -0.03, 0.02, "not-worse", "failed"),
    (0.001, 0.05, None, "better", "passed"),
    (-0.01, 0.05, None, "better", "undecided"),
    (-0.05, 0.0, None, "better", "failed"),
    (0.001, 0.05, 0.02, "better", "passed"),
    (float("nan"), float("nan"), 0.02, None, "undecided"),
]


@pytest.mark.parametrize(("low", "high", "gate", "require", "outcome"), OUTCOMES)
def test_outcomes(low, high, gate, require, outcome):
    assert outcome_of(difference(low, high), Margins(gate=gate, require=require)) == outcome


def test_the_drop_it_would_see_is_the_gate_and_what_can_be_shown():
    assert drop_seen(0.03, Margins(gate=0.02)) == pytest.approx(0.05)
    assert drop_seen(0.03, Margins(require="better")) == pytest.approx(0.03)


NONSENSE = [
    ({"gate": -0.01}, "--gate must be at least 0; got -1"),
    ({"tie": 0.0}, "--margin must be above 0; got 0"),
    ({"require": "nice"}, "--require must be not-worse or better; got 'nice'"),
    (
        {"require": "not-worse"},
        "--require not-worse needs --gate above 0, the number of points that still counts as not worse; got none",
    ),
    (
        {"require": "not-worse", "gate": 0.0},
        "--require not-worse needs --gate above 0, the number of points that still counts as not worse; got 0",
    ),
]


@pytest.mark.parametrize(("margins", "message"), NONSENSE)
def test_nonsense_is_refused(margins, message):
    with pytest.raises(UsageError) as error:
        Margins(**margins)
    assert str(error.value) == message


@pytest.fixture
def sides(tmp_path):
    few = [
        write_jsonl(tmp_path / f"{name}.jsonl", noisy_rows(20, p, s)) for name, p, s in (("a", 0.9, 1), ("b", 0.75, 5))
    ]
    many = [
        write_jsonl(tmp_path / f"{name}.jsonl", several_runs(600, p, seeds))
        for name, p, seeds in (("c", 0.7, range(3)), ("d", 0.85, range(5, 8)))
    ]
    return [str(path) for path in (*few, *many)]


def test_exit_codes_and_json(sides, capfd):
    a, b, c, d = sides
    code = run_command(["compare", a, b, "--gate", "1"])
    out = capfd.readouterr().out
    assert code == 0
    assert "gate of 1 points: passed; it would detect a drop of " in out
    assert run_command(["compare", a, b, "--gate", "1", "--require", "not-worse"]) == 3
    assert (
        "gate of 1 points, required: not worse: undecided (neither is shown); it would detect" in capfd.readouterr().out
    )
    for sides_of, arguments, expected, outcome in (
        ((c, d), ["--require", "better"], 0, "passed"),
        ((d, c), ["--require", "better"], 1, "failed"),
        ((d, c), ["--gate", "2"], 1, "failed"),
        ((a, b), ["--require", "better"], 3, "undecided"),
        ((a, b), [], 0, None),
    ):
        code = run_command(["compare", *sides_of, *arguments, "--json"])
        form = json.loads(capfd.readouterr().out)
        assert (code, form["outcome"], form["passes"]) == (expected, outcome, expected == 0)
        assert form["scope"] in ("systems", "recipes")
        assert form["about"]


def test_wrong_use(sides, capfd):
    a, b, *_ = sides
    for arguments, message in (
        (["--gate=-1"], "--gate must be at least 0; got -1"),
        (["--seed-sd=-2"], "--seed-sd must be a number of at least 0; got -2"),
        (["--looks", "0"], "--looks must be at least 1; got 0"),
        (
            ["--fixed", "--seed-sd", "2"],
            "--fixed says that there is nothing to retrain, and --seed-sd 2 says that there is",
        ),
    ):
        assert run_command(["compare", a, b, *arguments]) == 2
        assert capfd.readouterr().err == f"error: {message}\n"


def test_the_first_lines_are_the_question_and_the_answer_with_its_scope(sides, capfd):
    _, _, c, d = sides
    run_command(["compare", c, d])
    question, answer = capfd.readouterr().out.splitlines()[:2]
    assert question == "Is d better than c?"
    assert answer.startswith("Yes, for other trainings too: d is better than c by ")
    assert answer.endswith(" in accuracy, on items like these.")
    run_command(["score", c])
    question, answer = capfd.readouterr().out.splitlines()[:2]
    assert question == "How far does the accuracy hold?"
    assert " for another training, on items like these: accuracy is " in answer


def test_looks_hold_each_look_to_a_stricter_level(sides, capfd):
    _, _, c, d = sides
    run_command(["compare", c, d, "--looks", "4", "--json"])
    four = json.loads(capfd.readouterr().out)
    run_command(["compare", c, d, "--json"])
    one = json.loads(capfd.readouterr().out)
    assert four["notes"] == [
        "One of 4 looks: intervals are at 98.75 %, so that all looks together are wrong in no more than 5 %."
    ]
    assert four["differences"][0]["low"] < one["differences"][0]["low"]
