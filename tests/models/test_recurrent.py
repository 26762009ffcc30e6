from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence

from goldproof.errors import DataError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.recurrent import Recurrent
from goldproof.models.recurrent_network import RecurrentModule
from goldproof.models.static_vectors import read_vectors, static_vectors
from goldproof.training.finetune import finetune
from goldproof.training.recipe import Recipe, Seeds

pytestmark = pytest.mark.needs("models")

LENGTHS = [7, 3, 1, 5]


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_states_are_those_of_torch_on_packed_sequences(cell: str, bidirectional: bool) -> None:
    torch.manual_seed(0)
    model = Recurrent(cell, bidirectional, hidden=5, dimension=4, n_layers=2)  # type: ignore[arg-type]
    module = RecurrentModule(model, torch.randn(11, 4), 3, per_token=False)
    kind = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell]
    reference = kind(4, 5, num_layers=2, bidirectional=bidirectional, batch_first=True)
    for i, layer in enumerate(module.layers):
        for j, direction in enumerate(layer):  # type: ignore[arg-type]
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                value = getattr(reference, f"{name}_l{i}{'_reverse' if j else ''}")
                getattr(direction, name).data.copy_(value)
    ids = torch.randint(0, 11, (4, 7))
    mask = (torch.arange(7)[None] < torch.tensor(LENGTHS)[:, None]).long()
    inputs = module.table[ids]
    _, last = reference(pack_padded_sequence(inputs, torch.tensor(LENGTHS), batch_first=True, enforce_sorted=False))
    hidden = last[0] if cell == "lstm" else last
    features = torch.cat([hidden[-2], hidden[-1]], dim=-1) if bidirectional else hidden[-1]
    assert torch.allclose(module(ids, mask, None), module.head(features), atol=1e-6)


def order_rule(names: list[str], n: int, start: int) -> Examples:
    """Both classes have the same words; whether "after lunch" stands first or last is all that tells them apart."""
    rng = np.random.default_rng(start)
    rows = [[*rng.permutation(names)[:2], bool(rng.integers(2))] for _ in range(n)]
    texts = tuple(f"{a} saw {b} after lunch" if first else f"after lunch {a} saw {b}" for a, b, first in rows)
    pairs = tuple(f"{a} ran" for a, _, _ in rows)
    labels = tuple("late" if first else "early" for _, _, first in rows)
    return Examples(tuple(f"{start}-{i}" for i in range(n)), texts, pairs, labels)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_a_rule_of_order_is_learned_and_holds_for_names_never_seen(cell: str) -> None:
    train, test = order_rule(["ann", "bea", "cid", "dan"], 160, 1), order_rule(["eva", "flo", "gus", "hal"], 60, 2)
    model = Recurrent(cell, hidden=24, dimension=24, word_dropout=0.1)  # type: ignore[arg-type]
    recipe = Recipe(task="pair", epochs=12, batch=16, learning_rate=1e-2)
    found = finetune(model, train, {"test": test}, recipe, Seeds.all(0))
    assert np.mean(np.array(found.predictions("test")) == np.array(test.labels)) > 0.95


def test_an_unknown_word_is_what_word_dropout_leaves() -> None:
    train = Examples(("a", "b"), ("one two", "two one"), None, ("x", "y"))
    network = Recurrent("rnn", word_dropout=0.5).load("text", 2, train)
    assert not network.drawn(3)["table"][1].any()
    torch.manual_seed(0)
    vectors = torch.ones(50, 20, 4)
    dropped = network.module._drop_words(vectors)
    assert set(dropped.sum(-1).unique().tolist()) == {0.0, 4.0}
    assert 0.4 < float((dropped == 0).float().mean()) < 0.6
    assert torch.equal(network.module.eval()._drop_words(vectors), vectors)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_given_vectors_are_used_and_may_be_kept(tmp_path: Path) -> None:
    vectors = static_vectors(write(tmp_path / "v.vec", "3 2\ncat 1 0\ndog 0 1\nfox 1 1\n"))
    assert read_vectors(vectors)[0] == ["cat", "dog", "fox"]
    train = Examples(("a", "b"), ("a cat", "a dog"), None, ("x", "y"))
    network = Recurrent("rnn", vectors=vectors).load("text", 2, train)
    table = network.drawn(0)["table"]
    assert table[network.vocabulary["fox"]].tolist() == [1.0, 1.0]
    assert table[network.vocabulary["a"]].tolist() != network.drawn(1)["table"][network.vocabulary["a"]].tolist()
    assert network.tokenize(Examples(("q",), ("A fox ran",)), None).ids[0].tolist() == [
        network.vocabulary["a"], network.vocabulary["fox"], 1,
    ]  # fmt: skip
    frozen = Recurrent("rnn", vectors=vectors, frozen=True)
    found = finetune(frozen, train, {"same": train}, Recipe(steps=2, batch=2), Seeds.all(0))
    assert found.conduct.n_learned_rows is None and np.isfinite(found.logits["same"]).all()
    assert vectors.encode(["cat dog", "?"]).tolist() == [[[0.5, 0.5]], [[0.0, 0.0]]]


def test_words_are_looked_up_as_written_first_then_in_lower_case(tmp_path: Path) -> None:
    vectors = static_vectors(write(tmp_path / "v.vec", "4 2\nParis 1 0\nparis 0 1\nthe 1 1\nThe 9 9\n"))
    found = vectors.encode(["Paris", "paris", "PARIS", "THE", "The", "Rome"])[:, 0].tolist()
    assert found == [[1, 0], [0, 1], [0, 1], [1, 1], [9, 9], [0, 0]]
    train = Examples(("Rome", "Paris"), ("Paris fell", "paris"), None, ("x", "y"))
    network = Recurrent("rnn", vectors=vectors).load("text", 2, train)
    tokens = network.tokenize(Examples(("q",), ("Paris PARIS Fell",), None), None).ids[0].tolist()
    assert tokens == [network.vocabulary[word] for word in ("Paris", "paris", "fell")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat 1 0\ndog 1\n", "{path}, line 2: there are 1 numbers; earlier lines have 2"),
        ("cat 1 0\ndog 1 x\n", "{path}, line 2: a word must be followed by numbers; got '1 x'"),
        ("", "{path}: there are no vectors in the file"),
    ],
)
def test_damaged_vectors_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "v.txt", text)
    with pytest.raises(DataError) as caught:
        read_vectors(static_vectors(path))
    assert str(caught.value) == message.format(path=path)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        static_vectors(tmp_path / "no.vec")
    assert str(caught.value) == (
        f"{tmp_path / 'no.vec'}: there is no such file; give a text file with a word and its numbers on each line"
    )


def test_there_is_nothing_to_freeze_without_given_vectors():
    """All words would be zero vectors, and no network could tell one from another."""
    with pytest.raises(UsageError) as caught:
        Recurrent("gru", frozen=True)
    assert str(caught.value) == "recurrent: frozen keeps given word vectors unchanged; got no vectors"
