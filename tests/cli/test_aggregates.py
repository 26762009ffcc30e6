"""`--value 87.3 --n 872` on the command line: what is printed, exit codes, and one line for each wrong use."""

from __future__ import annotations

import json

import pytest

LIMITS = (
    "note: The interval is over items, as if each had been drawn on its own: it says nothing about another seed, "
    "about categories or about single items. If items come in groups, such as several questions about one text, it "
    "is too narrow.\nnote: It holds only if the score is the share of items that are right, and for no other "
    "metric.\n"
)


def test_one_score(run, tmp_path):
    assert run("score", "--value", "87.3", "--n", 872, "--out", "s") == (
        0,
        "How far does the accuracy hold?\nFrom 84.9 to 89.3 % for this system on items like these: accuracy is 87.3 "
        "% on 872 items (95 % interval).\nOne training says nothing about another: to claim more, give the answers "
        "of several.\nall                      n 872              accuracy 87.3 % [84.9, 89.3]\nsmallest difference "
        "in accuracy between this model and a rival that these items could show with 80 % power: 4.5 "
        f"points\n{LIMITS}report: s/report.html\n",
        "",
    )
    assert (tmp_path / "s/figures/answer.svg").exists()
    code, out, _ = run("score", "--value", "87.3", "--n", 872, "--json")
    form = json.loads(out)
    assert (code, form["scores"][0]["value"], form["scores"][0]["method"]) == (0, 761 / 872, "Wilson")
    assert form["files"] == []


def test_trailing_zeros_count(run):
    _, rough, _ = run("score", "--value", "87.3", "--n", 10_000)
    _, exact, _ = run("score", "--value", "87.30", "--n", 10_000)
    assert "note: From 8,725 to 8,735 right items out of 10,000 print as 87.3;" in rough
    assert "right items out of" not in exact


def test_two_scores(run):
    code, out, _ = run("compare", "--value", "87.3", "--n", 872, "--value", "88.1", "--n", 872)
    assert code == 0
    assert out.splitlines()[:5] == [
        "Is 88.1 of 872 better than 87.3 of 872?",
        "Undecided for these two systems: 88.1 of 872 − 87.3 of 872 is +0.8 points [−2.3, +3.9] in accuracy, on "
        "items like these.",
        "It would take about 3,500 more items on each side to show a difference of 2.0 points with 80 % power.",
        "accuracy: A 87.3 % [84.9, 89.3], B 88.1 % [85.8, 90.1] on 872 and 872 items",
        "p = 0.61; Newcombe, unpaired",
    ]
    assert out.splitlines()[5].startswith("note: A and B are compared as if they had answered different items")
    code, out, _ = run("compare", "--value", "87.3", "--n", 872, "--value", "88.1", "--n", 872, "--json", "--out", "c")
    form = json.loads(out)
    assert (code, form["verdict"], form["paired"], form["mcnemar"]) == (0, "undecided", False, None)
    assert "c/report.html" in form["files"]


def test_the_gate(run):
    worse = ["compare", "--value", "87.3", "--n", 872, "--value", "80.2", "--n", 872, "--gate", 1]
    code, out, _ = run(*worse)
    assert code == 1
    assert "gate of 1 points: NOT passed; it would detect a drop of 5.9 points or more (80 % power)\n" in out
    code, out, _ = run(*worse[:-1], 9)
    assert code == 0
    assert "gate of 9 points: passed; it would detect a drop of 13.9 points or more (80 % power)\n" in out


WRONG_USE = [
    ("score", "give files of predictions, or a printed score: --value 87.3 --n 872"),
    (
        "score --value 87.3",
        "each --value needs its --n, the number of items behind it; got 1 --value and 0 --n",
    ),
    ("score --n 872", "each --value needs its --n, the number of items behind it; got 0 --value and 1 --n"),
    (
        "compare --value 87.3 --value 88 --n 872",
        "each --value needs its --n, the number of items behind it; got 2 --value and 1 --n",
    ),
    (
        "score a.jsonl --value 87.3 --n 872 --column gold=y",
        "--value and --n give a printed score instead of files and do not go with FILE, --column",
    ),
    (
        "score --value 87.3 --n 872 --source en --cluster text --common",
        "--value and --n give a printed score instead of files and do not go with --cluster, --common, --source",
    ),
    (
        "compare a.jsonl b.jsonl --value 87.3 --n 872",
        "--value and --n give a printed score instead of files and do not go with FILE",
    ),
    (
        "compare --value 87.3 --n 872",
        "compare takes two files of predictions, or two printed scores (--value 87.3 --n 872 --value 88.1 --n 872); "
        "got 1",
    ),
    (
        "compare --value 87 --n 9 --value 88 --n 9 --value 89 --n 9",
        "compare takes two files of predictions, or two printed scores (--value 87.3 --n 872 --value 88.1 --n 872); "
        "got 3",
    ),
    (
        "compare a.jsonl",
        "compare takes two files of predictions, or two printed scores (--value 87.3 --n 872 --value 88.1 --n 872); "
        "got 1",
    ),
    ("score --value 87.3 --n 0", "the number of items must be a whole number of at least 1; got 0"),
    (
        "score --value 187.3 --n 9",
        "an accuracy lies between 0 and 100 percent, or as a share between 0 and 1; got 187.3",
    ),
    ("score --value -1 --n 9", "an accuracy lies between 0 and 100 percent, or as a share between 0 and 1; got -1"),
    ("score --value 1 --n 9", "1 may be 1 percent or a share of 1, which is all items; write 1% or 100"),
    (
        "score --value 87.3 --n 872 --metric mcc",
        "a printed 'mcc' cannot be judged from the number of items: unlike accuracy, how far it would move depends on "
        "which items are right; give each item's answer, as a file with id, gold and prediction",
    ),
]


@pytest.mark.parametrize(("command", "message"), WRONG_USE, ids=[command for command, _ in WRONG_USE])
def test_wrong_use_is_one_line_and_exit_2(run, command, message):
    assert run(*command.split()) == (2, "", f"error: {message}\n")
