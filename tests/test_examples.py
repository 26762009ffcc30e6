"""The examples run, each in an empty folder; own_jobs keeps what it did, and the notebook shows what it gives today."""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from goldproof.builders.corruption.removal import Cloze
from goldproof.measures.cloze import guess_words
from goldproof.models.tiny import write_tiny_model
from goldproof.studies import find_study
from goldproof.studies.settings import Choice, make_config

ROOT = Path(__file__).resolve().parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def run(name, folder):
    script = ROOT / "examples" / name
    return subprocess.run(
        [sys.executable, script], cwd=folder, env=ENV, capture_output=True, text=True, check=True
    ).stdout


def test_compare_two_models(tmp_path):
    assert run("compare_two_models.py", tmp_path).startswith("B is better by 0.")


def test_own_jobs_run_once(tmp_path):
    first, second = run("own_jobs.py", tmp_path), run("own_jobs.py", tmp_path)
    assert first.count("done ") == 4
    assert second == "kept most_frequent()\nmost frequent: the\n"


@pytest.mark.parametrize(
    "file",
    sorted(file for file in (ROOT / "examples").glob("*/*.toml") if file.parent.name != "grammars"),
    ids=lambda file: file.stem,
)
def test_settings_of_the_measured_runs_are_valid_and_name_their_command(file):
    study = file.parent.name
    assert make_config(find_study(study), Choice(file=file)) != make_config(find_study(study), Choice())
    assert f"goldproof run {study} --config examples/{study}/{file.name}" in file.read_text().splitlines()[0]


@pytest.mark.needs("models")
def test_recipes_are_tried_on_held_out_training_rows():
    script = ROOT / "examples" / "corruption" / "recipes.py"
    task = "generated/sentiment"
    texts = [f"{task} epochs=2 batch=16 learning_rate=0.15", f"{task} epochs=1 learning_rate=1e-9"]
    given = [sys.executable, script, "--model", "fake", "--held-out"]
    said = subprocess.run([*given, "60", *texts], env=ENV, capture_output=True, text=True, check=True).stdout
    learned, not_learned = said.splitlines()
    assert learned.startswith(f"{texts[0]}: 100 rows, accuracy after each epoch: ")
    _, last = (float(part.split(" [")[0]) for part in learned.split("after each epoch: ")[1].split("], "))
    assert last > 0.7
    assert float(not_learned.split("after each epoch: ")[1].split(" [")[0]) < 0.65
    wrong = subprocess.run([*given, "160", texts[0]], env=ENV, capture_output=True, text=True, check=False)
    assert wrong.stderr == "there are 160 training rows, so --held-out must be below that; got 160\n"


FRUITS = {"red": "cherry", "yellow": "lemon", "green": "lime", "blue": "plum"}
MOODS = {"boy": "happily", "girl": "slowly", "man": "quickly", "woman": "quietly"}


def sentences():
    """Who eats tells how, and the colour tells the fruit."""
    return [
        f"{lead} the {who} {how} ate that {colour} {fruit} in {place}"
        for lead in ("today", "now", "then", "again", "maybe", "often", "here", "there", "once", "twice")
        for who, how in MOODS.items()
        for colour, fruit in FRUITS.items()
        for place in ("town", "bed", "school", "church", "winter", "summer")
    ]


@pytest.fixture
def masked_model(tmp_path):
    """The script as a module, a tiny encoder in a folder, and its sentences."""
    spec = importlib.util.spec_from_file_location("masked_model", ROOT / "examples" / "corruption" / "masked_model.py")
    script = importlib.util.module_from_spec(spec)
    sys.modules["masked_model"] = script
    spec.loader.exec_module(script)
    words = {word for text in sentences() for word in text.split()}
    yield script, write_tiny_model(tmp_path / "encoder", words), sentences()
    del sys.modules["masked_model"]


@pytest.mark.needs("models")
def test_a_masked_model_is_trained_told_and_loaded(masked_model, tmp_path, capsys, monkeypatch):
    script, folder, texts = masked_model
    for name, value in {"RATE": 0.01, "HEAD_RATE": 0.01, "FREQUENT": 9}.items():
        monkeypatch.setattr(script, name, value)
    others = ["Today the boy happily ate that red cherry, in church!"]
    state, sizes = tmp_path / "made.state", script.Sizes(layers=1, most=900, held_out=60)
    model, tokenizer, found = script.make_masked_model(folder, texts, others, sizes, state, script.Way(batch=8))
    said = capsys.readouterr().out
    assert "960 texts; 60 share 8 words in a row with those that are kept out\n" in said
    assert "pass 1" not in said  # of one pass the end is told, by whoever asked for it
    assert model.config.num_hidden_layers == 1
    assert found.bits < found.frequency_bits - 1  # the colour tells the fruit
    assert found.first > found.frequency_first + 0.1
    assert script.told(found)[1].startswith("by frequency alone: ")
    model.save_pretrained(tmp_path / "made")
    tokenizer.save_pretrained(tmp_path / "made")
    from goldproof.models.transformer_network import load_masked

    loaded, _ = load_masked(tmp_path / "made")  # with its head
    asked = [Cloze("plum", text, text) for text in ("now the girl slowly ate that blue <mask> in bed",)]
    (guess,) = guess_words(loaded, tokenizer, asked)
    assert guess.original in {word for text in texts for word in text.split()}


@pytest.mark.needs("models")
def test_a_masked_model_that_was_broken_off_goes_on(masked_model, tmp_path, monkeypatch):
    script, folder, texts = masked_model
    monkeypatch.setattr(script, "SAVE", 4)
    sizes = script.Sizes(layers=1, most=900, held_out=60)
    whole, _, found = script.make_masked_model(folder, texts, [], sizes, tmp_path / "whole.state")

    def stop(line):
        if line.startswith("step 8 of"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(script, "say", stop)
        script.make_masked_model(folder, texts, [], sizes, tmp_path / "part.state")
    again, _, said = script.make_masked_model(folder, texts, [], sizes, tmp_path / "part.state")
    assert said == found
    one, other = whole.state_dict(), again.state_dict()
    assert all(bool((one[name] == other[name]).all()) for name in one)


@pytest.mark.needs("models")
def test_passes_mask_other_words_and_are_told_one_by_one(masked_model, tmp_path, capsys, monkeypatch):
    script, folder, texts = masked_model
    monkeypatch.setattr(script, "MASKINGS", 2)
    sizes, way = script.Sizes(layers=1, most=900, held_out=60), script.Way(passes=3, batch=300, rates=2.0)
    seen, batches = [], script.batches
    monkeypatch.setattr(script, "batches", lambda *given: seen.append(given[0]) or batches(*given))
    one, _, found = script.make_masked_model(folder, texts, [], sizes, tmp_path / "one.state", way)
    said = capsys.readouterr().out
    assert [line for line in said.splitlines() if line.startswith("step ")][-1].startswith("step 9 of 9: ")
    assert [number for number in (1, 2, 3) if f"pass {number} of 3: {found.n} held-out words: " in said] == [1, 2]
    assert seen[0] != seen[1]
    assert seen[0] == seen[2]
    again, _, same = script.make_masked_model(folder, texts, [], sizes, tmp_path / "again.state", way)
    assert same == found
    assert all(bool((each == again.state_dict()[name]).all()) for name, each in one.state_dict().items())
    with pytest.raises(SystemExit, match=r"is of a run of 9 steps; this one has 6; delete it to begin anew"):
        script.make_masked_model(folder, texts, [], sizes, tmp_path / "one.state", script.Way(passes=2, batch=300))


@pytest.mark.needs("models")
def test_texts_come_from_lines_and_columns_of_files(masked_model, tmp_path):
    script, _, _ = masked_model
    (tmp_path / "lines.txt").write_text("the boy ate a plum\n\ntoo short\n", "utf-8")
    (tmp_path / "plain.tsv").write_text("0\tthe girl ate a lime\n1\tthe boy ate a plum\n1\n", "utf-8")
    (tmp_path / "named.tsv").write_text("label\tsentence\n0\tthe man ate a lemon\n", "utf-8")
    names = [f"{tmp_path}/{name}" for name in ("lines.txt", "plain.tsv:2", "named.tsv:sentence")]
    assert script.read_files(names) == ["the boy ate a plum", "the girl ate a lime", "the man ate a lemon"]
    with pytest.raises(SystemExit, match=r"has no column 'text'; it has: label, sentence$"):
        script.read_files([f"{tmp_path}/named.tsv:text"])
    with pytest.raises(SystemExit, match=r"there is no such file; give FILE, or FILE:COLUMN"):
        script.read_files([f"{tmp_path}/nothing.txt"])


@pytest.mark.needs("models")
def test_an_encoder_of_another_layout_is_refused(masked_model, tmp_path):
    script, _, texts = masked_model
    folder = write_tiny_model(tmp_path / "other", texts[0].split(), "distilbert")
    with pytest.raises(SystemExit) as stopped:
        script.make_masked_model(folder, texts, [], script.Sizes(), tmp_path / "state")
    assert str(stopped.value) == (
        f"{folder}: an encoder of BERT's layout is needed (model_type 'bert' in its config.json); got 'distilbert'"
    )


def outputs(notebook):
    """What each code cell printed and, as text, what it showed; pages are left out, as a chart's bytes may differ."""
    shown = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            texts = (output.get("text") or output["data"]["text/plain"] for output in cell["outputs"])
            shown[cell["id"]] = ["".join(text) for text in texts]
    return shown


@pytest.fixture
def notebook():
    return json.loads((ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8"))


@pytest.mark.needs("models")
def test_the_notebook_runs_and_its_outputs_are_current(notebook, tmp_path, monkeypatch):
    """Write it anew with `python docs/make_notebook.py`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_STORE", raising=False)
    made = runpy.run_path(str(ROOT / "docs" / "make_notebook.py"))["run_cells"](notebook)
    assert outputs(made) == outputs(notebook)
    pages = [cell["id"] for cell in made["cells"] for output in cell.get("outputs", ()) if "<table" in html(output)]
    assert pages == ["scores", "page", "aggregates", "again", "mine"]
    assert list(tmp_path.iterdir()) == []


def html(output):
    return "".join(output.get("data", {}).get("text/html", ()))


def test_the_notebook_is_kept_as_it_was_made(notebook):
    made = runpy.run_path(str(ROOT / "docs" / "make_notebook.py"))
    text = (ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8")
    assert made["as_text"](notebook) == text
    assert tempfile.gettempdir() not in text
    assert str(Path.home()) not in text
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
