from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from goldproof.errors import ModelError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.protocols import Encoder, Trainable
from goldproof.models.tiny import DECODERS, FAMILIES, write_tiny_model
from goldproof.models.transformer import transformer

pytestmark = pytest.mark.needs("models")

TEXTS = ["one two three", "two", "three three one two"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "bert", ["one", "two", "three"])


def test_layers_are_those_of_transformers(folder: Path) -> None:
    model = transformer(folder)
    assert isinstance(model, Encoder) and isinstance(model, Trainable)
    net = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for pooling in ("mean", "first", "last"):
        found = model.encode(TEXTS, pooling=pooling)  # type: ignore[arg-type]
        assert found.shape == (3, 3, 32)
        for text, vectors in zip(TEXTS, found, strict=True):
            with torch.no_grad():
                layers = net(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
            rows = {"mean": slice(None), "first": slice(0, 1), "last": slice(-1, None)}[pooling]
            expected = np.stack([layer[0, rows].mean(0).numpy() for layer in layers])
            assert np.abs(vectors - expected).max() < 1e-5


@pytest.mark.parametrize("family", ["t5", "mbart"])
def test_the_encoder_half_of_a_sequence_to_sequence_model(family: str, tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path, ["one", "two", "three"], family)
    net = transformers.AutoModel.from_pretrained(folder).get_encoder().eval()
    coded = transformers.AutoTokenizer.from_pretrained(folder)(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        expected = net(**{k: coded[k] for k in ("input_ids", "attention_mask")}).last_hidden_state[0].mean(0)
    assert np.abs(transformer(folder).encode(TEXTS)[0, -1] - expected.numpy()).max() < 1e-5


def test_random_weights_come_from_the_seed_alone(folder: Path) -> None:
    real, random = transformer(folder), transformer(folder, random_weights=True)
    assert real.digest != random.digest and random.name == "bert (random weights)"
    state = torch.random.get_rng_state()
    first = random.encode(TEXTS, seed=1)
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.rand(7)
    assert np.array_equal(random.encode(TEXTS, seed=1), first)
    assert np.abs(random.encode(TEXTS, seed=2) - first).max() > 0.01
    assert np.abs(real.encode(TEXTS) - first).max() > 0.01


def test_heads_are_drawn_by_name_and_seed(folder: Path) -> None:
    network = transformer(folder).load("text", 3, Examples((), ()))
    drawn = network.drawn(5)
    assert sorted(drawn) == ["model.classifier.bias", "model.classifier.weight"]
    assert drawn["model.classifier.weight"].shape == (3, 32)
    assert torch.equal(drawn["model.classifier.weight"], network.drawn(5)["model.classifier.weight"])
    assert not torch.equal(drawn["model.classifier.weight"], network.drawn(6)["model.classifier.weight"])


def test_a_folder_that_transformers_cannot_read_is_named(folder: Path, tmp_path: Path) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "config.json").write_text('{"model_type": "abacus"}')
    with pytest.raises(ModelError) as caught:
        transformer(broken).load("text", 2, Examples((), ()))
    assert str(caught.value).startswith(f"{broken}: the model cannot be loaded (ValueError: ")


def test_an_unknown_family_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        write_tiny_model(tmp_path, [], "gpt")
    assert str(caught.value) == f"there is no family 'gpt'; there are: {', '.join([*FAMILIES, *DECODERS])}"


def test_planning_loads_no_torch() -> None:
    code = (
        "import sys; import goldproof.training.finetune, goldproof.training.selection, goldproof.training.search; "
        "import goldproof.models.transformer, goldproof.models.recurrent, goldproof.models.fake; "
        "import goldproof.models.tiny; "
        "print([name for name in ('torch', 'transformers', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
