"""Activations: the right vectors for every family and pooling, read once, whole or absent, in bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from goldproof.errors import DataError, StoreError, UsageError
from goldproof.measures import activations as module
from goldproof.measures.activations import open_reader, read_activations
from goldproof.measures.shards import find_shards
from goldproof.models.fake import Fake
from goldproof.models.layer_reader import LayerReader
from goldproof.models.length import Length
from goldproof.models.reading import EncoderReader, LayerVectors
from goldproof.models.readout import Readout
from goldproof.models.static_vectors import static_vectors
from goldproof.models.tiny import FAMILIES, write_tiny_model
from goldproof.models.transformer import Transformer, transformer

pytestmark = pytest.mark.needs("models")

ROOT = Path(__file__).resolve().parents[2]
WORDS = [f"w{i}" for i in range(30)]
TEXTS = [" ".join(WORDS[i : i + 1 + i % 7]) for i in range(24)]
FULL = Readout(dtype="float32")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("models")

    def make(family: str) -> Path:
        return root / family if (root / family).exists() else write_tiny_model(root / family, WORDS, family)

    return make


@pytest.mark.parametrize("family", FAMILIES)
def test_vectors_are_those_of_the_model_one_text_at_a_time(family, tiny):
    """Against transformers itself, one text at a time and so without padding: the mask keeps padding out."""
    reader = LayerReader(transformer(tiny(family)), FULL)
    vectors = reader.read(TEXTS).vectors
    peer = transformers.AutoModel.from_pretrained(tiny(family)).eval()
    peer = peer.get_encoder() if peer.config.is_encoder_decoder else peer
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny(family))
    for row in (0, 5, 23):
        with torch.no_grad():
            states = peer(**tokenizer(TEXTS[row], return_tensors="pt"), output_hidden_states=True).hidden_states
        expected = torch.stack([state[0].mean(0) for state in states]).numpy()
        np.testing.assert_allclose(vectors[:, row], expected, atol=2e-5, rtol=1e-4)


def test_padding_plays_no_part(tiny):
    model = transformer(tiny("bert"))
    one_by_one = LayerReader(model, FULL, batch_tokens=1).read(TEXTS).vectors
    together = LayerReader(model, FULL, batch_tokens=100_000).read([*TEXTS, " ".join(WORDS)]).vectors
    np.testing.assert_allclose(one_by_one, together[:, :-1], atol=2e-6)


@pytest.mark.parametrize("pooling", ["mean", "first", "last"])
@pytest.mark.parametrize("special", [True, False])
def test_poolings_are_what_they_say(pooling, special, tiny):
    reader = LayerReader(transformer(tiny("bert")), Readout(pooling, special, dtype="float32"))
    vectors = reader.read(TEXTS).vectors
    peer, tokenizer = (
        auto.from_pretrained(tiny("bert")) for auto in (transformers.AutoModel, transformers.AutoTokenizer)
    )
    with torch.no_grad():
        states = peer.eval()(**tokenizer(TEXTS[9], return_tensors="pt"), output_hidden_states=True).hidden_states
    chosen = [state[0] if special else state[0, 1:-1] for state in states]
    pick = {"mean": lambda s: s.mean(0), "first": lambda s: s[0], "last": lambda s: s[-1]}[pooling]
    np.testing.assert_allclose(vectors[:, 9], torch.stack([pick(s) for s in chosen]).numpy(), atol=1e-5)


def test_precision_of_storage_and_of_computing(tiny):
    model = transformer(tiny("bert"))
    full = LayerReader(model, FULL).read(TEXTS).vectors
    half = LayerReader(model).read(TEXTS).vectors
    brain = LayerReader(model, Readout(dtype="float32", compute="bfloat16")).read(TEXTS).vectors
    assert (full.dtype, half.dtype, brain.dtype) == (np.float32, np.float16, np.float32)
    np.testing.assert_allclose(half, full, atol=5e-3)
    assert 0 < np.abs(brain - full).max() < 0.2


def test_a_random_twin_is_drawn_from_its_seed(tiny):
    model = transformer(tiny("t5"), random_weights=True)
    one, same, other = (LayerReader(model, Readout(seed=seed)).read(TEXTS[:3]).vectors for seed in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.allclose(one[1:], other[1:], atol=1e-3)
    assert not np.allclose(one[1:], LayerReader(transformer(tiny("t5"))).read(TEXTS[:3]).vectors[1:], atol=1e-3)


def test_a_fine_tuned_folder_is_another_model(tiny, tmp_path):
    tuned = write_tiny_model(tmp_path / "tuned", WORDS, "bert", seed=1)
    keys = {
        open_reader(Transformer(source)).key for source in (transformer(tiny("bert")).source, transformer(tuned).source)
    }
    assert len(keys) == 2
    moved = tmp_path / "moved"
    (tmp_path / "tuned").rename(moved)
    assert open_reader(transformer(moved)).key in keys


class Counting:
    """A reader that counts what goes through it."""

    longest = 5

    def __init__(self, fail_after: int = 10**9, huge: str | None = None) -> None:
        self.seen: list[str] = []
        self.key = "0" * 64
        self.fail_after, self.huge = fail_after, huge

    def read(self, texts):
        if len(self.seen) + len(texts) > self.fail_after:
            raise RuntimeError("the machine broke")
        self.seen += texts
        values = np.array([[len(text), sum(map(ord, text)) % 97] for text in texts], np.float16)
        vectors = np.stack([values, values + 1])
        if self.huge in texts:
            vectors[1, texts.index(self.huge), 0] = np.inf
        return LayerVectors(vectors, np.array([len(text.split()) for text in texts], np.int32))


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(module, "_FIRST", 10)


@pytest.mark.usefixtures("small_shards")
def test_a_second_task_costs_no_forward_pass(tmp_path):
    reader, texts = Counting(), [f"text number {i % 60}" for i in range(90)]
    first = read_activations(reader, texts, tmp_path, shard_bytes=160)
    assert first.n_computed == len(reader.seen) == 60
    assert len(first.shards) > 3
    again = read_activations(reader, texts[::-1][:40], tmp_path)
    assert again.n_computed == 0
    assert len(reader.seen) == 60
    grown = read_activations(reader, [*texts, "and a new one"], tmp_path)
    assert grown.n_computed == 1
    expected = Counting().read(texts).vectors
    for layer in (0, 1):
        np.testing.assert_array_equal(first.layer(layer), expected[layer])
        np.testing.assert_array_equal(again.layer(layer), expected[layer][::-1][:40])
    np.testing.assert_array_equal(grown.layer(1, np.array([88, 0])), expected[1][[88, 0]])


@pytest.mark.usefixtures("small_shards")
def test_what_broke_off_is_taken_up_again(tmp_path):
    texts = [f"text {i}" for i in range(40)]
    with pytest.raises(RuntimeError, match="the machine broke"):
        read_activations(Counting(fail_after=25), texts, tmp_path, shard_bytes=80)
    assert read_activations(Counting(), texts, tmp_path).n_computed == 20


@pytest.mark.usefixtures("small_shards")
def test_damaged_and_foreign_files_are_passed_over_and_computed_again(tmp_path):
    texts = [f"text {i}" for i in range(30)]
    whole = read_activations(Counting(), texts, tmp_path, shard_bytes=80)
    assert all(shard.is_whole() for shard in whole.shards)
    place = whole.shards[0].path.parent
    cut, without_header, changed = whole.shards[:3]
    cut.path.write_bytes(cut.path.read_bytes()[:-1])
    without_header.path.with_suffix(".json").unlink()
    (place / "other.json").write_text(json.dumps({"format": 2}))
    (place / "broken.json").write_text("[")
    header = json.loads(cut.path.with_suffix(".json").read_text()) | {"items": "many"}
    (place / "odd.json").write_text(json.dumps(header))
    assert len(find_shards(place)) == len(whole.shards) - 2
    again = read_activations(Counting(), texts, tmp_path)
    assert again.n_computed == cut.items + without_header.items
    np.testing.assert_array_equal(again.layer(0), Counting().read(texts).vectors[0])
    content = bytearray(changed.path.read_bytes())
    content[-1] ^= 1
    changed.path.write_bytes(content)
    assert not changed.is_whole()


def test_long_texts_are_cut_and_counted(tiny, tmp_path):
    reader = LayerReader(transformer(tiny("bert")), FULL)
    long = " ".join(["w1"] * 10_000)
    found = read_activations(reader, ["w1 w2", long], tmp_path)
    assert (reader.longest, found.n_cut, found.lengths.tolist()) == (62, 1, [4, 10_002])
    assert read_activations(reader, [long], tmp_path).n_cut == 1
    shorter = " ".join(["w1"] * 60)
    np.testing.assert_allclose(found.layer(2)[1], reader.read([shorter]).vectors[2, 0], atol=1e-5)


def test_a_model_without_a_limit_takes_a_long_text_whole(tiny):
    reader = LayerReader(transformer(tiny("t5")), Readout(max_length=700))
    found = reader.read([" ".join(["w1"] * 10_000), "w1"])
    assert found.lengths.tolist() == [10_002, 3]
    assert np.isfinite(found.vectors).all()


def test_other_encoders_are_read_the_same_way(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("2 2\nit 1 2\nrains 3 4\n", encoding="utf-8")
    for encoder, features in ((Fake(), 16), (Length(), 4), (static_vectors(file), 2)):
        found = read_activations(EncoderReader(encoder, FULL), ["it rains", "it"], tmp_path / "cache")
        np.testing.assert_array_equal(found.layer(0), encoder.encode(["it rains", "it"])[:, 0])
        assert found.n_features == features
    assert Length().encode(["a b"], ["c"]).shape == (1, 1, 8)


BAD = {
    "empty": (
        ["a", " \n"],
        Counting(),
        DataError("text 1 is empty; a vector needs at least one word; leave such texts out"),
    ),
    "none": ([], Counting(), DataError("there are no texts to compute vectors for; give at least one")),
    "overflow": (
        ["a", "b"],
        Counting(huge="b"),
        DataError(
            "the vectors of text 1 are not finite (they do not fit in float16: compute them in float32); 1 of 2 "
            "texts read together are so"
        ),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_texts_are_refused_with_a_whole_sentence(case, tmp_path):
    texts, reader, expected = BAD[case]
    with pytest.raises(DataError) as caught:
        read_activations(reader, texts, tmp_path)
    assert str(caught.value) == str(expected)


def test_bad_readouts_and_folders(tmp_path):
    for make, message in (
        (lambda: Readout(pooling="max"), "pooling must be one of mean, first, last; got 'max'"),
        (lambda: Readout(dtype="int8"), "dtype must be one of float16, float32; got 'int8'"),
        (lambda: Readout(max_length=2), "max_length must be at least 3 tokens, or None for the model's own; got 2"),
    ):
        with pytest.raises(UsageError) as caught:
            make()
        assert str(caught.value) == message
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as refused:
        read_activations(Counting(), ["a"], tmp_path / "file")
    assert str(refused.value) == f"{tmp_path / 'file' / ('0' * 32)}: vectors could not be written (Not a directory)"


MEMORY = """
import resource, sys
import numpy as np
from goldproof.measures.activations import read_activations
from goldproof.models.reading import LayerVectors

class Wide:
    key, longest = "1" * 64, None
    def read(self, texts):
        return LayerVectors(np.ones((13, len(texts), 256), np.float16), np.ones(len(texts), np.int32))

texts = [str(i) for i in range(60_000)]
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + (100 << 20), -1))
found = read_activations(Wide(), texts, sys.argv[1], shard_bytes=8 << 20)
assert found.layer(12, np.arange(0, 60_000, 10)).sum() == 6000 * 256
print(sum(shard.size for shard in found.shards) >> 20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit on a process's memory is Linux's")
def test_memory_does_not_grow_with_the_texts(tmp_path):
    """Some 380 MiB of vectors are written and read by a process that may take 100 MiB more than it began with."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path)], capture_output=True, text=True, env=env, check=False
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 350
