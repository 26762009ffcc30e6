"""Cues in predictions with their texts: counted without a model, named labels, errors that say what is lacking."""

from __future__ import annotations

import json

import pytest
from tests.judging.files import write_jsonl

from goldproof.cli import run_command
from goldproof.errors import DataError, UsageError
from goldproof.judging.cues import CueSettings, find_cues
from goldproof.measures.cues import cue_shares

LEXICON = "good\tpositive\nfine\tpositive\nawful\tnegative\n"
ROWS = [
    ("a good film", "positive", "positive"),
    ("a film", "positive", "positive"),
    ("an awful one", "negative", "negative"),
    ("nothing", "negative", "positive"),
    ("good, but no", "negative", "positive"),
    ("fine", "positive", "negative"),
]


@pytest.fixture
def files(tmp_path):
    lexicon = tmp_path / "mine.tsv"
    lexicon.write_text(LEXICON, encoding="utf-8")
    rows = [{"id": i, "sentence": t, "label": g, "prediction": p} for i, (t, g, p) in enumerate(ROWS)]
    return write_jsonl(tmp_path / "predictions.jsonl", rows), lexicon


def test_cues_are_counted_among_right_and_wrong_predictions(files):
    predictions, lexicon = files
    found = find_cues([predictions], settings=CueSettings(lexicon=str(lexicon)))
    (only,) = found.sets
    has_cue, right = [1, 0, 1, 0, 0, 1], [1, 1, 1, 0, 0, 0]
    assert only.shares == cue_shares(has_cue, right)
    assert (only.n_items, only.n_right, found.words) == (6, 3, "mine.tsv")
    assert repr(found) == (
        "A word of the gold polarity is there in 2 of 3 items that are right (66.7 % [20.8, 93.9]) and in 1 of 3 items "
        "that are wrong (33.3 % [6.1, 79.2]); the difference is 33.3 points [−31.6, 71.8]"
    )


def test_the_command_prints_and_writes_them(files, tmp_path, capsys):
    predictions, lexicon = files
    command = ["cues", str(predictions), "--lexicon", str(lexicon), "--out", str(tmp_path / "out")]
    assert run_command(command) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("A word of the gold polarity is there in 2 of 3 items that are right")
    assert (tmp_path / "out" / "report.html").is_file()
    assert run_command([*command[:4], "--json"]) == 0
    form = json.loads(capsys.readouterr().out)
    assert form["sets"][0]["among_right"]["n"] == 3
    assert form["sets"][0]["p"] == 1.0


def test_labels_and_pairs(tmp_path, files):
    _, lexicon = files
    rows = [{"id": i, "text": t, "label": "01"[g == "positive"], "prediction": "1"} for i, (t, g, _) in enumerate(ROWS)]
    numbers = write_jsonl(tmp_path / "numbers.jsonl", rows)
    settings = CueSettings(lexicon=str(lexicon), positive="1", negative="0")
    assert find_cues([numbers], settings=settings).sets[0].n_right == 3
    with pytest.raises(DataError) as error:
        find_cues([numbers], settings=CueSettings(lexicon=str(lexicon)))
    assert str(error.value) == (
        "the gold label '0' is neither 'positive' nor 'negative'; name the two labels that polar words stand for "
        "with --positive and --negative"
    )
    ppdb = tmp_path / "pairs.tsv"
    ppdb.write_text("film\tmovie\n", encoding="utf-8")
    rows = [
        {"id": "1", "sentence1": "a film", "sentence2": "a movie", "label": "same", "prediction": "same"},
        {"id": "2", "sentence1": "a film", "sentence2": "a song", "label": "other", "prediction": "same"},
    ]
    pairs = write_jsonl(tmp_path / "pairs.jsonl", rows)
    found = find_cues([pairs], settings=CueSettings("paraphrase", ppdb=str(ppdb)))
    assert (found.sets[0].shares.right.value, found.sets[0].shares.wrong.value) == (1.0, 0.0)
    with pytest.raises(DataError) as error:
        find_cues([numbers], settings=CueSettings("paraphrase", ppdb=str(ppdb)))
    assert str(error.value) == (
        "cues are looked for in the texts, and the predictions have no column 'pair'; name it with --column pair=NAME"
    )


def test_a_lexicon_that_is_not_there_is_named(files, capsys):
    predictions, _ = files
    with pytest.raises(UsageError) as error:
        find_cues([predictions], settings=CueSettings(lexicon="nowhere"))
    assert str(error.value) == "a lexicon is one of opinion, vader, nrc, or an existing file; got 'nowhere'"
    assert run_command(["cues", str(predictions), "--kind", "other"]) == 2
    assert capsys.readouterr().err == "error: --kind is polarity or paraphrase; got 'other'\n"
