"""The plain loop that `benchmarks/prompts.py` measures against gives our log-likelihoods; the whole script runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.prompts_loop import PlainLoop

from goldproof.models.language_model import language_model
from goldproof.models.protocols import PromptQuestion
from goldproof.models.tiny import write_tiny_model

pytestmark = pytest.mark.needs("models")

ROOT = Path(__file__).resolve().parents[2]
WORDS = "a the film was is good bad very review sentiment text label : negative positive it in one word tone of".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small decoder, whose tokenizer puts nothing around a text: the harness would ask after the end of a context."""
    made = write_tiny_model(tmp_path_factory.mktemp("llama"), WORDS, "llama", n_positions=1024, speaks=True)
    told = json.loads((made / "tokenizer.json").read_text("utf-8"))
    (made / "tokenizer.json").write_text(json.dumps({**told, "post_processor": None}), "utf-8")
    return made


def questions():
    contexts = [f"the film was {'very ' * n}good {'tone :' if n % 2 else 'tone : '}" for n in range(5)]
    return [PromptQuestion(context, (" positive", " negative", " very good", " very bad")) for context in contexts]


def test_the_loop_gives_the_same_log_likelihoods(folder, monkeypatch):
    loop = PlainLoop.load(str(folder), "float32", "cpu", batch=3)
    asked, rows = [questions(), questions()[::-1]], []
    logs = loop._logs
    monkeypatch.setattr(loop, "_logs", lambda ids: rows.append(ids.shape[0]) or logs(ids))
    expected = [[each.values for each in language_model(folder).open().likelihoods(part)] for part in asked]
    np.testing.assert_allclose(loop(asked), expected, atol=1e-4)
    assert rows == [3, 3, 3, 1]  # of 40 requests 10 differ before their last token
    loop.fit(loop.requests(asked))
    assert loop.batch == 64


def test_the_script_says_how_fast_both_are(folder, tmp_path):
    given = ["--random-weights", "--prompts", "2", "--items", "3", "--examples", "1", "--rounds", "1", "--plain"]
    script = [sys.executable, ROOT / "benchmarks" / "prompts.py", folder, "--batch", "auto"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    out = tmp_path / "out.json"
    done = subprocess.run([*script, *given, "--out", out], env=env, capture_output=True, text=True, check=True)
    found = json.loads(out.read_text("utf-8"))
    assert json.loads(done.stdout) == found
    assert found["rows in a batch"] == 64
    assert found["weights"] == "random"
    assert found["times faster than the plain loop"] > 0
    (apart,) = (value for key, value in found.items() if key.startswith("largest difference"))
    assert apart["ours"] < 1e-3
