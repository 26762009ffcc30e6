from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from goldproof.errors import ModelError
from goldproof.models.source import TOKENIZER_FILES, find_source
from goldproof.models.tiny import write_tiny_model

pytestmark = pytest.mark.needs("models")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny_model(tmp_path / "tiny", ["one", "two"])


def test_identity_is_what_the_files_hold_not_where_they_lie(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    assert find_source(folder) == find_source(str(moved))
    (moved / "notes.md").write_text("no part of the model")
    assert find_source(folder) == find_source(moved)


def test_a_changed_weight_is_a_changed_model(folder: Path) -> None:
    before = find_source(folder).digest
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert find_source(folder).digest != before


def message(name: str | Path) -> str:
    with pytest.raises(ModelError) as caught:
        find_source(name)
    return str(caught.value)


def test_what_is_missing_is_named(folder: Path) -> None:
    assert message(folder / "no") == (
        f"there is no folder {str(folder / 'no')!r}; give a folder with config.json, weights and a tokenizer"
    )
    (folder / "tokenizer.json").unlink()
    assert message(folder) == (
        f"{folder}: there is no tokenizer; one of these files must be there: {', '.join(TOKENIZER_FILES)}"
    )
    (folder / "config.json").unlink()
    assert message(folder) == (
        f"{folder}: there is no config.json; a model's folder holds config.json, weights and a tokenizer"
    )


def test_weights_that_can_run_code_are_refused(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert message(folder) == (
        f"{folder}: the weights are in pytorch_model.bin, not in safetensors; such files can run code when they are "
        "read. Convert them to model.safetensors, or allow a .bin file with model=bin:FOLDER, in Python "
        "any_format=True; only tensors are then read from it (weights_only)"
    )
    assert find_source(folder, any_format=True).folder == folder
    (folder / "pytorch_model.bin").unlink()
    assert message(folder) == f"{folder}: there are no weights; a file such as model.safetensors must be there"


def test_a_hub_name_that_was_not_downloaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert message("nobody/nothing") == (
        "the model 'nobody/nothing' is neither a folder nor a downloaded model (LocalEntryNotFoundError); give a local "
        "folder, or download it once with `hf download nobody/nothing`"
    )


@pytest.mark.parametrize("name", ["gpt-4o", "openai/gpt-4o-mini", "o1", "claude-sonnet", "Gemini-2.0-flash"])
def test_a_model_behind_an_api_is_told_to_answer(name: str) -> None:
    assert message(name) == (
        f"the model {name!r} is behind an API, and its weights cannot be trained or probed; let it answer the test "
        "data, and give its answers to `goldproof score`"
    )


def test_onnx_is_told_to_answer(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"")
    assert message(folder) == (
        f"{folder}: the weights are in onnx/model.onnx; ONNX can be run, not trained or probed. Give the folder of "
        "the model that it was made from, with its safetensors, or let it answer the test data and pass the answers "
        "to `goldproof score`"
    )


def test_weights_that_only_run_are_told_first_of_all(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "model-q4.gguf"
    file.write_bytes(b"GGUF")
    said = (
        f"{file}: the weights are in model-q4.gguf; GGUF can be run, not trained or probed. Give the folder of the "
        "model that it was made from, with its safetensors, or let it answer the test data and pass the answers to "
        "`goldproof score`"
    )
    assert message(str(file)) == said
    alone = tmp_path / "alone"
    alone.mkdir()
    file.rename(alone / file.name)
    assert message(alone) == said.replace(f"{file}:", f"{alone}:")


def test_what_is_no_folder_and_no_name_of_the_hub_is_not_looked_up(folder: Path) -> None:
    needed = "give a folder with config.json, weights and a tokenizer"
    assert message("C:\\models\\mine") == f"there is no folder 'C:\\\\models\\\\mine'; {needed}"
    assert message("my model") == f"there is no folder 'my model'; {needed}"
    assert message("A/B=mine") == f"there is no folder 'A/B=mine'; {needed}; a name before = has no slash"
    assert message(str(folder / "config.json")) == (
        f"{folder / 'config.json'}: this is a file; give the folder with config.json, weights and a tokenizer"
    )


def test_what_is_no_model_by_itself_is_told_what_to_do(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-q4.gguf")
    assert message(folder).startswith(f"{folder}: the weights are in model-q4.gguf; GGUF can be run, not trained or ")
    (folder / "config.json").rename(folder / "adapter_config.json")
    assert message(folder) == (
        f"{folder}: this is an adapter; merge it into its model (merge_and_unload of peft), save that, and give its "
        "folder"
    )


def test_sentence_transformers_of_both_layouts_are_the_transformer_in_them(folder: Path, tmp_path: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    assert find_source(folder).folder == folder  # beside it lies 1_Pooling
    older = tmp_path / "older"
    older.mkdir()
    shutil.copytree(folder, older / "0_Transformer")
    modules[0]["path"] = "0_Transformer"
    (older / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    assert find_source(older).folder == (older / "0_Transformer").resolve()
    modules[0]["path"] = "../elsewhere"  # what a file says does not lead out of its folder
    (older / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    assert message(older).startswith(f"{older}: there is no config.json")
