"""`goldproof build probing` as a user meets it."""

from __future__ import annotations

import json

import pytest
from tests.builders.probing.made import make_treebank

from goldproof.cli import run_command


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en_made.conllu").write_text("".join(make_treebank(300)), encoding="utf-8")

    def call(*arguments):
        code = run_command(["build", "probing", *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_tasks_are_written_and_said(run, tmp_path):
    code, out, err = run(
        *("--treebank", "en_made.conllu", "--task", "tense", "--task", "PA", "--out", "tasks", "--min-frequency", "0"),
        *("--train", "50", "--validation", "6", "--test", "4"),
    )
    assert (code, err) == (0, "")
    assert out == (
        "300 sentences in en\nPT: 50 / 6 / 4; PAST 30, PRES 30\n  warning: 4 test rows: an accuracy of 50 % on them "
        "would be known only to ±49 points; use more sentences, or give test a larger share (splits are in the ratio "
        "of --train, --validation and --test)\nnot built: PA: the treebank lacks Aspect: 0.0% of its words tagged "
        "VERB have it\nleak check: 0 problems\nwritten to tasks\n"
    )
    assert sorted(path.name for path in (tmp_path / "tasks").iterdir()) == [
        "README.md",
        "build.json",
        "predicate_tense.txt",
    ]
    lines = (tmp_path / "tasks/predicate_tense.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["tr"] * 50 + ["va"] * 6 + ["te"] * 4


def test_the_same_command_gives_the_same_bytes(run, tmp_path):
    for out in ("a", "b"):
        run("--treebank", "en_made.conllu", "--task", "NShift", "--out", out, "--min-frequency", "0")
    for name in ("ngram_shift.txt", "build.json", "README.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_json(run):
    code, out, _ = run("--treebank", "en_made.conllu", "--task", "PT", "--min-frequency", "0", "--json")
    assert code == 0
    assert json.loads(out)["tasks"]["PT"]["question"] == "What tense is the main clause in?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one of --treebank, --text and --agrr"),
        (("--treebank", "en_made.conllu", "--text", "a.txt"), "give one of --treebank, --text and --agrr"),
        (("--text", "en_made.conllu"), "--text needs --language, for example --language ru"),
        (("--treebank", "no.conllu"), "no.conllu: there is no such file"),
        (
            ("--treebank", "en_made.conllu", "--format", "tsv"),
            "there is no format 'tsv'; allowed: rusenteval, senteval, xprobe",
        ),
        (
            ("--treebank", "en_made.conllu", "--language", "ru"),
            "en_made.conllu: the file name says the language is 'en', but 'ru' was requested",
        ),
        (
            ("--treebank", "en_made.conllu", "--task", "Nshft"),
            "there is no probing task 'Nshft'; known: SentLen, WC, ConjType, ImpersonalSent, TreeDepth, Gapping, "
            "NShift, SubjNumber, SubjGender, ObjNumber, ObjGender, PV, PA, PT, TopConst, BShift, SOMO, CoordInv, "
            "Tense (the same as PT)",
        ),
        (("--treebank", "en_made.conllu", "--train", "0"), "the size of train must be at least 1; got 0"),
    ],
)
def test_wrong_use(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out, err) == (2, "", f"error: {message}\n")
