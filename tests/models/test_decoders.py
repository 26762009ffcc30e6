"""Decoders as encoders of texts: a padding token where there is none, shared keys, and what cannot be loaded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from goldproof.errors import ModelError
from goldproof.jobs import step
from goldproof.models.examples import Examples
from goldproof.models.named import check_models, find_model
from goldproof.models.tiny import DECODERS, write_tiny_model
from goldproof.models.transformer import Transformer, transformer
from goldproof.training.finetune import finetune, finetune_many
from goldproof.training.recipe import Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

WORDS = ["the", "film", "was", "good", "bad", "very"]
TEXTS = tuple(f"the film was {'very ' * (i % 4)}{'good' if i % 2 else 'bad'}" for i in range(16))
ITEMS = Examples(tuple(map(str, range(16))), TEXTS, labels=tuple("yes" if i % 2 else "no" for i in range(16)))
RECIPE = Recipe(epochs=2, batch=4, learning_rate=1e-3, dropout=0.1)


def without_padding(folder: Path) -> Path:
    """The model as decoders are often published: neither tokenizer nor configuration knows a padding token."""
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        if (folder / name).is_file():
            found = json.loads((folder / name).read_bytes())
            found.pop("pad_token", None)
            (folder / name).write_text(json.dumps(found), encoding="utf-8")
    config = json.loads((folder / "config.json").read_bytes())
    config["pad_token_id"] = None
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture(params=DECODERS)
def decoder(request: pytest.FixtureRequest, tmp_path: Path) -> Transformer:
    return transformer(without_padding(write_tiny_model(tmp_path / request.param, WORDS, request.param)))


def test_padding_makes_no_difference_to_a_layer(decoder: Transformer) -> None:
    import transformers

    folder = decoder.source.folder
    assert transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True).pad_token is None
    together = decoder.encode(["the film was very very good", "bad film"])
    alone = decoder.encode(["bad film"])
    assert np.abs(together[1] - alone[0]).max() < 1e-5


def test_the_classifier_looks_at_the_last_word_alone_and_stacked(decoder: Transformer) -> None:
    alone = finetune(decoder, ITEMS, {"dev": ITEMS}, RECIPE, Seeds.all(1))
    stacked = finetune_many(
        decoder, ITEMS, {"dev": ITEMS}, RECIPE, [Seeds.all(0), Seeds.all(1)], Execution(stack="always")
    )
    assert np.abs(alone.logits["dev"] - stacked[1].logits["dev"]).max() < 1e-4
    single = Examples(("0",), TEXTS[:1], labels=("no",))
    again = finetune(decoder, ITEMS, {"dev": single}, RECIPE, Seeds.all(1))  # nothing to pad
    assert np.abs(again.logits["dev"][:, 0] - alone.logits["dev"][:, 0]).max() < 1e-4


def test_shared_keys_give_what_transformers_gives(tmp_path: Path) -> None:
    import torch
    import transformers

    folder = write_tiny_model(tmp_path / "llama", WORDS, "llama")
    ours = transformer(folder).encode(["the film was good"], pooling="last")[0, -1]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    theirs = transformers.AutoModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager").eval()
    with torch.no_grad():
        state = theirs(**tokenizer(["the film was good"], return_tensors="pt", return_token_type_ids=False))
    assert np.abs(ours - state.last_hidden_state[0, -1].numpy()).max() < 1e-5


def test_bin_weights_are_read_where_they_are_allowed(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = write_tiny_model(tmp_path / "old", WORDS)
    expected = transformer(folder).encode(["the film"])
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError):
        find_model(str(folder))
    assert np.array_equal(find_model(f"bin:{folder}").encode(["the film"]), expected)
    check_models([of_model.job(find_model(f"bin:{folder}"))])


@step(version=1, name="tests.of_model")
def of_model(model: Transformer) -> str:
    """A job that takes a model."""
    return model.name


class Command:
    """What runs a command where it is unpickled without care."""

    def __reduce__(self):
        return os.system, ("touch ran",)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("half", "the weights in model.safetensors are damaged ("),
        ("part", "model-2.safetensors is missing, which model.safetensors.index.json lists; copy the whole folder"),
        (
            "code",
            "the weights in pytorch_model.bin hold more than tensors, and are not read; such a file can run code.",
        ),
    ],
)
def test_weights_that_cannot_be_read_are_said_before_work(damage, message, tmp_path, monkeypatch):
    import torch

    monkeypatch.chdir(tmp_path)
    folder = write_tiny_model(tmp_path / "bert", WORDS, "bert")
    weights = folder / "model.safetensors"
    if damage == "half":
        weights.write_bytes(weights.read_bytes()[:-100])
    elif damage == "part":
        found = json.dumps({"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}})
        (folder / "model.safetensors.index.json").write_text(found, encoding="utf-8")
    else:
        weights.unlink()
        torch.save({"weight": Command()}, folder / "pytorch_model.bin")
    model = transformer(folder, any_format=True)
    with pytest.raises(ModelError) as caught:
        check_models([of_model.job(model)])
    assert str(caught.value).startswith(f"{folder}: {message}")
    assert not (tmp_path / "ran").exists()
