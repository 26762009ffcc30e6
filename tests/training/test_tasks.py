"""Each kind of task learns what it should, and a shifted label or a wrong mask would show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.protocols import Trainable
from goldproof.models.recurrent import Recurrent
from goldproof.models.tiny import FAMILIES
from goldproof.models.transformer import Transformer
from goldproof.training.finetune import finetune, finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

LETTERS = [f"w{i}" for i in range(8)]


def sentences(n: int, tag: str, shortest: int = 1) -> tuple[tuple[str, ...], list[list[str]]]:
    rng = np.random.default_rng([n, len(tag)])
    words = [list(rng.choice(LETTERS, rng.integers(shortest, 9))) for _ in range(n)]
    return tuple(f"{tag}{i}" for i in range(n)), words


def tagged(n: int, tag: str) -> Examples:
    """The label of a word hangs on that word alone: shifted by one position it could not be learned."""
    ids, words = sentences(n, tag)
    labels = tuple(tuple("low" if int(word[1]) < 4 else "high" for word in entry) for entry in words)
    return Examples(ids, tuple(map(" ".join, words)), words=tuple(map(tuple, words)), word_labels=labels)


@pytest.mark.parametrize("model", ["bert", "t5", Recurrent("gru", True, hidden=8, dimension=8), Fake()], ids=str)
def test_words_get_their_own_labels(model: str | Trainable, tiny: Callable[[str], Transformer]) -> None:
    found_model = tiny(model) if isinstance(model, str) else model
    train, dev = tagged(48, "t"), tagged(20, "d")
    rate = 3e-3 if isinstance(model, str) else 5e-2
    recipe = Recipe(task="tokens", epochs=10, batch=8, learning_rate=rate, dropout=0.0)
    found = finetune(found_model, train, {"dev": dev}, recipe, Seeds.all(0))
    gold = [label for labels in dev.word_labels or () for label in labels]
    assert found.predictions("dev") == gold


def test_words_that_were_cut_off_have_no_logits(tiny: Callable[[str], Transformer]) -> None:
    train, dev = tagged(16, "t"), tagged(20, "d")
    recipe = Recipe(task="tokens", steps=1, batch=8, max_length=6)
    for model, kept in ((tiny("bert"), 4), (Fake(), 6)):
        found = finetune(model, train, {"dev": dev}, recipe, Seeds.all(0))
        lengths = [len(words) for words in dev.words or ()]
        expected = np.concatenate([np.arange(length) >= kept for length in lengths])
        assert np.array_equal(np.isnan(found.logits["dev"][0]).all(axis=1), expected)
        assert found.truncated["dev"] == sum(length > kept for length in lengths) > 0


def test_regression_fits_a_line() -> None:
    ids, words = sentences(64, "t")
    scores = tuple(float(np.mean([int(word[1]) / 7 for word in entry])) for entry in words)
    train = Examples(ids, tuple(map(" ".join, words)), labels=scores)
    recipe = Recipe(task="regression", epochs=40, batch=16, learning_rate=5e-2, schedule="linear", dropout=0.0)
    found = finetune(Fake(), train, {"same": train}, recipe, Seeds.all(0))
    assert found.classes == ()
    assert np.corrcoef(found.logits["same"][-1][:, 0], scores)[0, 1] > 0.99


def first_letter(n: int, tag: str) -> Examples:
    """The label hangs on the first word: a network must carry it past the rest, and past no padding."""
    ids, words = sentences(n, tag, shortest=3)
    labels = tuple("low" if int(entry[0][1]) < 4 else "high" for entry in words)
    return Examples(ids, tuple(map(" ".join, words)), labels=labels)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_recurrent_models_learn_a_toy_task(cell: str, bidirectional: bool) -> None:
    model = Recurrent(cell, bidirectional, hidden=16, dimension=8, dropout=0.1)  # type: ignore[arg-type]
    recipe = Recipe(epochs=12, batch=32, learning_rate=2e-2)
    dev = first_letter(60, "d")
    seeds = [Seeds.all(seed) for seed in (1, 2)]
    found = finetune_many(model, first_letter(256, "t"), {"dev": dev}, recipe, seeds, Execution(stack="always"))
    for one in found:
        assert isinstance(one, TrainingOutcome)
        assert np.mean(np.array(one.predictions("dev")) == dev.labels) > 0.95


@pytest.mark.parametrize("family", [*FAMILIES, "recurrent", "fake"])
def test_padding_is_not_looked_at(family: str, tiny: Callable[[str], Transformer]) -> None:
    """Whatever stands in the padding, and however much there is, the logits are those of the bare item."""
    other: dict[str, Trainable] = {"recurrent": Recurrent("lstm", True, hidden=8, dimension=6), "fake": Fake()}
    ids, words = sentences(4, "x", shortest=2)
    items = Examples(ids, tuple(map(" ".join, words)))
    network = (other[family] if family in other else tiny(family)).load("text", 2, items)
    state = network.drawn(0)
    network.module.load_state_dict(state, strict=False)
    network.module.eval()
    tokens = network.tokenize(items, None).ids
    width = max(map(len, tokens)) + 5
    rng = np.random.default_rng(0)
    padded = np.stack([np.concatenate([entry, rng.integers(5, 8, width - len(entry))]) for entry in tokens])
    mask = torch.tensor([[1] * len(entry) + [0] * (width - len(entry)) for entry in tokens])
    with torch.no_grad():
        together = network.module(torch.from_numpy(padded).long(), mask, None)
        for i, entry in enumerate(tokens):
            alone = network.module(
                torch.from_numpy(entry)[None].long(), torch.ones(1, len(entry), dtype=torch.long), None
            )
            assert torch.allclose(alone[0], together[i], atol=1e-5)
            blind = network.module(
                torch.from_numpy(padded[i : i + 1]).long(), torch.ones(1, width, dtype=torch.long), None
            )
            assert not torch.allclose(alone[0], blind[0], atol=1e-4)  # without its mask it would show
