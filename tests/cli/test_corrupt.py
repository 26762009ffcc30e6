"""`goldproof corrupt` as a user meets it."""

from __future__ import annotations

import json

import pytest

from goldproof.cli import run_command


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"text": "A dog saw him.", "label": 1}\n{"text": "Dogs", "label": 0}\n')

    def call(*arguments):
        code = run_command(["corrupt", *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_remove_and_report(nltk_data, run, tmp_path):
    code, out, _ = run("a.jsonl", "--remove", "NOUN", "--out", "b.jsonl", "--workers", "1")
    assert (code, out) == (
        0,
        "2 rows, columns text: b.jsonl\n"
        "2 of 6 tokens removed (33.3 %)\n"
        "2 of 2 texts changed, 1 left without a word (kept)\n",
    )
    assert (tmp_path / "b.jsonl").read_text() == '{"text": "A saw him.", "label": 1}\n{"text": "", "label": 0}\n'


def test_a_header_without_rows_is_refused_and_nothing_is_written(nltk_data, run, tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n")
    code, out, err = run("a.csv", "--remove", "NOUN", "--out", "b.csv", "--workers", "1")
    assert (code, out, err) == (2, "", "error: a.csv: the file has no rows\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.jsonl"]


def test_paper_preset_controls_and_json(nltk_data, run, tmp_path):
    options = ("--out", "b.jsonl", "--workers", "1", "--json")
    code, out, _ = run("a.jsonl", "--remove", "NOUN,VERB", "--preset", "paper", "--control", "mask", *options)
    assert code == 0
    assert json.loads(out) == {
        "out": "b.jsonl",
        "columns": ["text"],
        "rows": 2,
        "n_texts": 2,
        "n_changed": 2,
        "n_emptied": 0,
        "n_tokens": 6,
        "n_touched": 3,
    }
    assert json.loads((tmp_path / "b.jsonl").read_text().splitlines()[0])["text"] == "A [MASK] [MASK] him."
    assert run("a.jsonl", "--control", "shuffle", *options)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--remove", "NOUNS"),
            "there is no word class 'NOUNS'; did you mean 'NOUN'? "
            "allowed: ADJ, ADP, ADV, CONJ, DET, NOUN, NUM, PRON, PRT, VERB, ., X",
        ),
        ((), "name the word classes with --remove, as in --remove NOUN,ADJ"),
        (("--remove", "NOUN", "--control", "drop"), "there is no control 'drop'; allowed: random, keep, shuffle, mask"),
        (
            ("--remove", "NOUN", "--columns", "premise"),
            "a.jsonl: there is no column 'premise'; columns found: text, label",
        ),
        (
            ("--remove", "NOUN", "--preset", "paper", "--language", "de"),
            "the tagger 'nltk-3.5' does not know the language 'de'; its languages: en",
        ),
    ],
)
def test_wrong_use(nltk_data, run, arguments, message):
    assert run("a.jsonl", *arguments, "--out", "b.jsonl") == (2, "", f"error: {message}\n")
