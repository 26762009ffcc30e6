from __future__ import annotations

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
        "read. Convert them to model.safetensors, or allow them with any_format=True if you trust where they came from"
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
