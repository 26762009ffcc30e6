"""Code that lies in a model's folder is never run, whatever the folder says and whatever stands on standard input."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import goldproof

SOURCE = Path(goldproof.__file__).parent
CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("ran")
from transformers import BertConfig, BertModel, BertForMaskedLM, PreTrainedTokenizerFast
class OwnConfig(BertConfig):
    model_type = "abacus"
class OwnModel(BertForMaskedLM):
    config_class = OwnConfig
class OwnTokenizer(PreTrainedTokenizerFast):
    pass
"""
MAPPED = ("AutoModel", "AutoModelForMaskedLM", "AutoModelForSequenceClassification", "AutoModelForTokenClassification")
WAYS = """
import json, sys
from pathlib import Path
from goldproof.data.dataset import Dataset
from goldproof.errors import GoldproofError
from goldproof.builders.tagging import Tagging, make_table
from goldproof.measures.cloze import ask_masked
from goldproof.models.examples import Examples
from goldproof.models.layer_reader import LayerReader
from goldproof.models.source import find_source
from goldproof.models.transformer import split_pieces, transformer

folder = Path(sys.argv[1])
data = Dataset.from_rows("one", [{"text": "one two"}])
tagging = Tagging((0, 4), (3, 7), ("NUM", "NOUN"), ("one", "two"))
ways = {
    "text": lambda: transformer(folder).load("text", 2, Examples((), ())),
    "tokens": lambda: transformer(folder).load("tokens", 2, Examples((), ())),
    "random weights": lambda: transformer(folder, random_weights=True).load("text", 2, Examples((), ())).drawn(0),
    "encode": lambda: transformer(folder).encode(["one two"]),
    "layers": lambda: LayerReader(transformer(folder)).read(["one two"]),
    "pieces": lambda: split_pieces(transformer(folder), ["one two"]),
    "masked": lambda: ask_masked(find_source(folder), data, make_table(["one two"], [tagging]), ("NOUN",)),
}
said = {}
for name, way in ways.items():
    try:
        way()
        said[name] = "loaded"
    except GoldproofError as error:
        said[name] = str(error)
print(json.dumps(said))
"""


def hostile(folder: Path, marker: Path, **changes: object) -> Path:
    """A whole small model whose configuration asks for code that lies beside it and leaves a mark when it runs."""
    from goldproof.models.tiny import write_tiny_model

    write_tiny_model(folder, ["one", "two"])
    mapped = {"AutoConfig": "own.OwnConfig"} | dict.fromkeys(MAPPED, "own.OwnModel")
    mapped |= {"AutoTokenizer": ["own.OwnTokenizer", "own.OwnTokenizer"]}  # type: ignore[dict-item]
    (folder / "own.py").write_text(CODE.format(marker=str(marker)))
    for name, added in (("config.json", changes), ("tokenizer_config.json", {})):
        form = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({**form, **added, "auto_map": mapped}))
    return folder


def python(code: str, folder: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, str(folder)]
    return subprocess.run(command, input="y\n" * 50, capture_output=True, text=True, env=env, check=False)


@pytest.mark.needs("models")
def test_a_folder_of_an_unknown_architecture_is_refused_and_its_code_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    folder = hostile(tmp_path / "model", marker, model_type="abacus", architectures=["OwnModel"])
    done = python(WAYS, folder, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not marker.exists()
    assert "y/N" not in done.stdout + done.stderr
    refused = "; it asks to run its own code (auto_map), which Goldproof never does"
    ways = json.loads(done.stdout)
    assert ways.pop("pieces") == "loaded"  # the tokenizer alone is of a known kind, and is read without the code
    for way, said in ways.items():
        assert said.startswith(f"{folder}: the model cannot be loaded (ValueError: ") and said.endswith(refused), way


@pytest.mark.needs("models")
def test_a_folder_of_a_known_architecture_is_read_without_its_code(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    folder = hostile(tmp_path / "model", marker)
    done = python(WAYS, folder, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not marker.exists()
    ways = json.loads(done.stdout)
    assert ways.pop("masked").startswith(f"{folder}: these weights have no head")  # an encoder alone fills no blank
    assert set(ways.values()) == {"loaded"}


@pytest.mark.needs("models")
def test_the_trap_would_spring(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    folder = hostile(tmp_path / "model", marker, model_type="abacus", architectures=["OwnModel"])
    code = "import sys, transformers; transformers.AutoConfig.from_pretrained(sys.argv[1])"
    done = python(code, folder, tmp_path)
    assert done.returncode == 0, done.stderr
    assert marker.read_text() == "ran"


def loads(tree: ast.AST) -> list[ast.Call]:
    names = ("from_pretrained", "from_config")
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in names]


def test_every_load_of_a_model_says_that_code_is_not_trusted() -> None:
    found = 0
    for path in sorted(SOURCE.rglob("*.py")):
        for call in loads(ast.parse(path.read_text(encoding="utf-8"))):
            said = {word.arg: ast.unparse(word.value) for word in call.keywords}
            assert said.get("trust_remote_code") == "False", f"{path}, line {call.lineno}: {ast.unparse(call)}"
            found += 1
    assert found >= 5
