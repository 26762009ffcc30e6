"""The engine against ten lines of plain torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from goldproof.models.examples import Examples
from goldproof.models.transformer import Transformer, transformer
from goldproof.training.finetune import Hooks, finetune, predict
from goldproof.training.randomness import order_table
from goldproof.training.recipe import Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(
    task="pair",
    epochs=2,
    batch=4,
    learning_rate=2e-3,
    weight_decay=0.1,
    warmup=0.2,
    clip=0.5,
    dropout=0.0,
    evaluations=2,
)
SEEDS = Seeds(init=5, order=6, dropout=7)


def reference(model: Transformer, train: Examples, dev: Examples) -> tuple[Any, torch.Tensor, list[float]]:
    """Fine-tune with transformers' own model and torch's own AdamW, batch by batch in the engine's order."""
    folder = model.source.folder
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    net = transformers.AutoModelForSequenceClassification.from_pretrained(
        folder, num_labels=2, attn_implementation="eager"
    )
    drawn = model.load("pair", 2, train).drawn(SEEDS.init)
    net.load_state_dict({name.removeprefix("model."): tensor for name, tensor in drawn.items()}, strict=False)
    groups = [[p for p in net.parameters() if (p.ndim > 1) is decay] for decay in (True, False)]
    optimizer = torch.optim.AdamW(
        [{"params": groups[0]}, {"params": groups[1], "weight_decay": 0.0}], lr=1.0, weight_decay=0.1
    )
    losses = []
    steps = order_table(SEEDS.order, train.ids, 4, 10)
    for step, chosen in enumerate(steps):
        rows = [i for i in chosen if i >= 0]
        batch = tokenizer(
            [train.texts[i] for i in rows], [train.pairs[i] for i in rows], padding=True, return_tensors="pt"
        )
        labels = torch.tensor([["no", "yes"].index(train.labels[i]) for i in rows])
        loss = torch.nn.functional.cross_entropy(net(**batch).logits, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (step / 2 if step < 2 else (10 - step) / 8)
        optimizer.step()
        losses.append(loss.item())
    batch = tokenizer(list(dev.texts), list(dev.pairs), padding=True, return_tensors="pt")
    return net, net(**batch).logits.detach(), losses


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta-v3"])
def test_the_engine_equals_a_plain_loop(
    family: str, tiny: Callable[[str], Transformer], train: Examples, dev: Examples, tmp_path: Path
) -> None:
    model = tiny(family)
    model.load("pair", 2, train)
    torch.manual_seed(0)
    net, logits, losses = reference(_without_dropout(model, tmp_path), train, dev)
    kept = tmp_path / "kept"
    outcome = finetune(model, train, {"dev": dev}, RECIPE, SEEDS, hooks=Hooks(weights=(kept,)))
    assert np.abs(outcome.logits["dev"][-1] - logits.numpy()).max() < 1e-5
    assert np.abs(outcome.losses - losses).max() < 1e-5
    # Every parameter, those rows of the embedding among them that no training item uses.
    ours = transformers.AutoModelForSequenceClassification.from_pretrained(kept).state_dict()
    for name, tensor in net.state_dict().items():
        if name.endswith("key.bias"):
            continue  # softmax does not see it: its gradient is rounding, which Adam blows up
        assert (ours[name] - tensor).abs().max() < 2e-5, name


def _without_dropout(model: Transformer, folder: Path) -> Transformer:
    """The same weights with every dropout of the configuration at zero."""
    import shutil

    target = folder / "plain"
    shutil.copytree(model.source.folder, target)
    config = transformers.AutoConfig.from_pretrained(target)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    config.save_pretrained(target)
    return transformer(target)


def test_kept_weights_predict_what_the_training_predicted(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples, tmp_path: Path
) -> None:
    for family in ("electra", "t5"):
        folder = tmp_path / family
        outcome = finetune(tiny(family), train, {"dev": dev}, RECIPE, SEEDS, hooks=Hooks(weights=(folder,)))
        logits = predict(transformer(folder), dev, RECIPE, 2)
        assert np.abs(logits - outcome.logits["dev"][-1]).max() < 1e-5


def test_dropout_is_there_unless_it_is_taken_away(tiny: Callable[[str], Transformer], train: Examples) -> None:
    model, recipe = tiny("bert"), replace(RECIPE, steps=2, epochs=1, warmup=0.0, evaluations=1)
    losses = {p: finetune(model, train, {}, replace(recipe, dropout=p), SEEDS).losses[0] for p in (0.0, None, 0.1, 0.5)}
    assert losses[None] == losses[0.1]  # BERT's own probability
    assert len({losses[0.0], losses[0.1], losses[0.5]}) == 3


def test_each_seed_moves_what_it_is_for(tiny: Callable[[str], Transformer], train: Examples, dev: Examples) -> None:
    model, recipe = tiny("bert"), replace(RECIPE, steps=3, dropout=0.1, evaluate_at=(0, 3))
    base = finetune(model, train, {"dev": dev}, recipe, Seeds(1, 1, 1))
    same = finetune(model, train, {"dev": dev}, recipe, Seeds(1, 1, 1), Execution(pad_lengths=(40,)))
    assert np.allclose(base.logits["dev"], same.logits["dev"], atol=1e-5)
    for seeds in (Seeds(2, 1, 1), Seeds(1, 2, 1), Seeds(1, 1, 2)):
        other = finetune(model, train, {"dev": dev}, recipe, seeds)
        starts_alike = np.array_equal(other.logits["dev"][0], base.logits["dev"][0])
        assert starts_alike == (seeds.init == 1)
        assert np.abs(other.logits["dev"][1] - base.logits["dev"][1]).max() > 1e-3
