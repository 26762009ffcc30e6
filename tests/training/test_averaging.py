"""The mean of the weights at the evaluation points: by hand, alone and stacked, stopped early, resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from goldproof.errors import UsageError
from goldproof.jobs.values import decode, encode
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.transformer import Transformer
from goldproof.training.finetune import Hooks, finetune, finetune_many
from goldproof.training.outcome import Progress, TrainingOutcome
from goldproof.training.recipe import EarlyStopping, Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(
    task="pair", steps=10, batch=4, learning_rate=2e-3, schedule="constant", weight_decay=0.1, evaluate_at=(0, 4, 10)
)
SEEDS = [Seeds.all(seed) for seed in (1, 2, 3)]
STACKED = Execution(stack="always")
AVERAGE = Hooks(average=True)


def together(
    model: Transformer | Fake, train: Examples, dev: Examples, how: Execution, hooks: Hooks = AVERAGE
) -> list[TrainingOutcome]:
    found = finetune_many(model, train, {"dev": dev}, RECIPE, SEEDS, how, hooks)
    assert all(isinstance(one, TrainingOutcome) for one in found), found
    return found  # type: ignore[return-value]


def gap(a: TrainingOutcome, b: TrainingOutcome) -> float:
    assert a.averaged is not None and b.averaged is not None
    return float(np.abs(a.averaged["dev"] - b.averaged["dev"]).max())


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_mean_of_two_checkpoints_is_that_of_a_hand_computation(
    family: str, tiny: Callable[[str], Transformer], train: Examples, dev: Examples, tmp_path: Path
) -> None:
    """With a constant rate a shorter training is the beginning of a longer one: its weights are the checkpoint's.

    The development set has words that the training set lacks, whose vectors only decay.
    """
    model = tiny(family)
    outcome = finetune(model, train, {"dev": dev}, RECIPE, SEEDS[0], hooks=AVERAGE)
    nets = [_checkpoint(model, train, tmp_path / str(n), n) for n in (4, 10)]
    states = [net.state_dict() for net in nets]
    nets[0].load_state_dict({name: (tensor + states[1][name]) / 2 for name, tensor in states[0].items()})
    tokenizer = transformers.AutoTokenizer.from_pretrained(model.source.folder)
    batch = tokenizer(list(dev.texts), list(dev.pairs or ()), padding=True, return_tensors="pt")
    with torch.no_grad():
        by_hand = nets[0].eval()(**batch).logits.numpy()
    assert outcome.averaged is not None
    assert outcome.averaged["dev"].shape == by_hand.shape
    assert np.abs(outcome.averaged["dev"] - by_hand).max() < 1e-5
    assert np.abs(outcome.logits["dev"][1:].mean(axis=0) - by_hand).max() > 1e-4  # the mean of logits is another thing


def _checkpoint(model: Transformer, train: Examples, folder: Path, n_steps: int) -> transformers.PreTrainedModel:
    recipe = replace(RECIPE, steps=n_steps, evaluate_at=())
    finetune(model, train, {}, recipe, SEEDS[0], hooks=Hooks(weights=(folder,)))
    return transformers.AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")


def test_an_average_changes_nothing_else(train: Examples, dev: Examples) -> None:
    with_mean = finetune(Fake(), train, {"dev": dev}, RECIPE, SEEDS[0], hooks=AVERAGE)
    without = finetune(Fake(), train, {"dev": dev}, RECIPE, SEEDS[0])
    assert without.averaged is None
    assert np.array_equal(with_mean.logits["dev"], without.logits["dev"])
    assert np.array_equal(with_mean.losses, without.losses)


def test_one_checkpoint_is_its_own_mean(tiny: Callable[[str], Transformer], train: Examples, dev: Examples) -> None:
    outcome = finetune(tiny("bert"), train, {"dev": dev}, replace(RECIPE, evaluate_at=(0, 6)), SEEDS[0], hooks=AVERAGE)
    assert outcome.averaged is not None
    assert np.abs(outcome.averaged["dev"] - outcome.logits["dev"][1]).max() < 1e-5


def test_stacked_equals_alone_and_out_of_memory_too(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples
) -> None:
    model = tiny("bert")
    alone = together(model, train, dev, Execution(stack="never"))
    stacked = together(model, train, dev, STACKED)
    halved = together(model, train, dev, replace(STACKED, most_tokens=50))
    assert [one.conduct.n_lanes for one in stacked] == [3, 3, 3]
    assert [one.conduct.n_lanes for one in halved] == [1, 2, 2]
    assert max(gap(a, b) for a, b in zip(alone, stacked, strict=True)) < 1e-5
    assert max(gap(a, b) for a, b in zip(alone, halved, strict=True)) < 1e-5
    assert gap(alone[0], alone[1]) > 1e-3


def test_each_seed_has_its_own_rows_that_no_training_item_uses(train: Examples, dev: Examples) -> None:
    """Word vectors that a seed draws: those of unseen words differ from seed to seed, and only decay."""
    alone = together(Fake(), train, dev, Execution(stack="never"))
    stacked = together(Fake(), train, dev, STACKED)
    whole = together(Fake(), train, dev, replace(STACKED, active_rows_only=False))
    assert stacked[0].conduct.n_learned_rows is not None and whole[0].conduct.n_learned_rows is None
    assert max(gap(a, b) for a, b in zip(alone, stacked, strict=True)) < 1e-5
    assert max(gap(a, b) for a, b in zip(alone, whole, strict=True)) < 1e-5


def test_a_seed_that_stops_early_averages_what_it_has(train: Examples, dev: Examples) -> None:
    recipe = Recipe(
        task="pair", epochs=8, batch=4, learning_rate=5e-2, schedule="constant", evaluations=20,
        early_stopping=EarlyStopping("dev", patience=2),
    )  # fmt: skip
    seeds = [Seeds.all(seed) for seed in range(6)]
    found = finetune_many(Fake(), train, {"dev": dev}, recipe, seeds, STACKED, AVERAGE)
    assert len({one.stopped_at for one in found if isinstance(one, TrainingOutcome)}) > 1
    for seed, one in zip(seeds, found, strict=True):
        assert isinstance(one, TrainingOutcome)
        cut = replace(recipe, early_stopping=None, steps=one.points[-1], evaluate_at=one.points)
        assert gap(one, finetune(Fake(), train, {"dev": dev}, cut, seed, hooks=AVERAGE)) < 1e-5


@pytest.mark.parametrize("step", [4, 5, 9])
def test_resumed_equals_uninterrupted(step: int, train: Examples, dev: Examples, tmp_path: Path) -> None:
    folders = tuple(tmp_path / str(i) for i in range(3))
    whole = together(Fake(), train, dev, STACKED)
    hooks = Hooks(folders, progress=_interrupt(step + 1), average=True)
    with pytest.raises(KeyboardInterrupt):
        together(Fake(), train, dev, replace(STACKED, snapshot_seconds=0), hooks)
    resumed = together(Fake(), train, dev, STACKED, Hooks(folders, average=True))
    assert [one.conduct.resumed_at for one in resumed] == [(step,)] * 3
    assert [gap(a, b) for a, b in zip(whole, resumed, strict=True)] == [0.0] * 3


def test_a_snapshot_without_sums_is_not_that_of_an_average(train: Examples, dev: Examples, tmp_path: Path) -> None:
    def attempt(hooks: Hooks, how: Execution | None = None) -> TrainingOutcome:
        return finetune(Fake(), train, {"dev": dev}, RECIPE, SEEDS[0], how, hooks)

    with pytest.raises(KeyboardInterrupt):
        attempt(Hooks((tmp_path,), progress=_interrupt(6)), Execution(snapshot_seconds=0))
    assert attempt(Hooks((tmp_path,), average=True)).conduct.resumed_at == ()
    assert attempt(Hooks((tmp_path,))).conduct.resumed_at == (5,)


def test_words_of_token_tasks_have_averaged_logits() -> None:
    words = [("anna", "sees", "berlin"), ("the", "end"), ("berlin",)] * 4
    tags = tuple(tuple("LOC" if word == "berlin" else "O" for word in sentence) for sentence in words)
    ids = tuple(map(str, range(len(words))))
    data = Examples(ids, tuple(" ".join(w) for w in words), words=tuple(words), word_labels=tags)
    recipe = replace(RECIPE, task="tokens", evaluate_at=(10,))
    outcome = finetune(Fake(), data, {"dev": data}, recipe, SEEDS[0], hooks=AVERAGE)
    assert outcome.averaged is not None
    assert np.abs(outcome.averaged["dev"] - outcome.logits["dev"][0]).max() < 1e-5


def test_no_checkpoint_after_the_start_has_no_mean(train: Examples, dev: Examples) -> None:
    with pytest.raises(UsageError) as caught:
        finetune(Fake(), train, {"dev": dev}, replace(RECIPE, evaluate_at=(0,)), SEEDS[0], hooks=AVERAGE)
    assert str(caught.value) == (
        "hooks: average needs an evaluation after step 0, and the recipe has none; see evaluate_at"
    )


def test_an_outcome_that_was_stored_without_the_field_loads(train: Examples, dev: Examples, tmp_path: Path) -> None:
    outcome = finetune(Fake(), train, {"dev": dev}, RECIPE, SEEDS[0])
    encoded = encode(outcome)
    encoded.write_attachments(tmp_path)
    older = encoded.text.replace(',"averaged":null', "")
    assert older != encoded.text
    back = decode(older, tmp_path)
    assert back.averaged is None
    assert np.array_equal(back.logits["dev"], outcome.logits["dev"])


def _interrupt(step: int) -> Callable[[Progress], None]:
    def listen(progress: Progress) -> None:
        if progress.step == step:
            raise KeyboardInterrupt

    return listen
