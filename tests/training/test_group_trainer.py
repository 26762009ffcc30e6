"""What happens on the way: memory, seeds that fail, early stopping, evaluation points, precision, tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from goldproof.errors import TrainingError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.transformer import Transformer
from goldproof.statistics.spans import span_f1
from goldproof.training.finetune import Hooks, finetune, finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import EarlyStopping, Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(task="pair", epochs=1, batch=4, learning_rate=1e-3, dropout=0.1)
STACKED = Execution(stack="always")


def outcomes(found: list[TrainingOutcome | TrainingError]) -> list[TrainingOutcome]:
    for one in found:
        assert isinstance(one, TrainingOutcome), one
    return found  # type: ignore[return-value]


def test_out_of_memory_halves_the_micro_batch_and_gives_the_same(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples
) -> None:
    model, sets = tiny("bert"), {"dev": dev}
    free = finetune(model, train, sets, RECIPE, Seeds.all(1))
    tight = finetune(model, train, sets, RECIPE, Seeds.all(1), Execution(most_tokens=30))
    assert (free.conduct.micro_batch, free.conduct.n_halvings) == (2, 0)
    assert (tight.conduct.micro_batch, tight.conduct.n_halvings) == (1, 1)
    assert np.abs(free.logits["dev"] - tight.logits["dev"]).max() < 1e-5


def test_a_group_too_large_for_memory_is_split(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples
) -> None:
    model, sets, seeds = tiny("bert"), {"dev": dev}, [Seeds.all(seed) for seed in (1, 2, 3)]
    free = outcomes(finetune_many(model, train, sets, RECIPE, seeds, STACKED))
    tight = outcomes(finetune_many(model, train, sets, RECIPE, seeds, replace(STACKED, most_tokens=50)))
    assert [found.conduct.n_lanes for found in free] == [3, 3, 3]
    assert [found.conduct.n_lanes for found in tight] == [1, 2, 2]
    for a, b in zip(free, tight, strict=True):
        assert np.abs(a.logits["dev"] - b.logits["dev"]).max() < 1e-5


def test_memory_too_small_for_one_item_is_said(train: Examples) -> None:
    with pytest.raises(TrainingError) as caught:
        finetune(Fake(), train, {}, replace(RECIPE, batch=2), Seeds.all(4), Execution(most_tokens=8, pad_lengths=(16,)))
    assert str(caught.value) == (
        "there is too little memory even for one item at a time (seed 4): 16 tokens in a pass, 8 allowed"
    )


def test_a_loss_that_is_not_finite_fails_its_seed_alone(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One seed's head starts at infinity; the others must give what they give without it."""
    from goldproof.models.transformer_network import TransformerNetwork

    drawn = TransformerNetwork.drawn

    def spoiled(self: TransformerNetwork, seed: int):  # type: ignore[no-untyped-def]
        return {name: t * float("inf") if seed == 2 and t.ndim > 1 else t for name, t in drawn(self, seed).items()}

    monkeypatch.setattr(TransformerNetwork, "drawn", spoiled)
    seeds = [Seeds.all(1), Seeds(2, 3, 4), Seeds.all(3)]
    recipe = replace(RECIPE, warmup=0.5)
    found = finetune_many(tiny("bert"), train, {"dev": dev}, recipe, seeds, replace(STACKED, look_every=2))
    assert isinstance(found[1], TrainingError)
    assert str(found[1]) == (
        "the loss is not finite at step 1 of 5, with the learning rate 0 (seeds init 2, order 3, dropout 4); "
        "try a smaller learning rate, a longer warm-up or float32"
    )
    for seed, one in zip((seeds[0], seeds[2]), outcomes([found[0], found[2]]), strict=True):
        alone = finetune(tiny("bert"), train, {"dev": dev}, recipe, seed)
        assert np.abs(alone.logits["dev"] - one.logits["dev"]).max() < 1e-5
        assert np.isfinite(one.losses).all() and len(one.losses) == 5


def test_a_learning_rate_that_is_far_too_large_is_named(tiny: Callable[[str], Transformer], train: Examples) -> None:
    recipe = replace(RECIPE, learning_rate=1e38, clip=None, schedule="constant")
    with pytest.raises(TrainingError) as caught:
        finetune(tiny("bert"), train, {}, recipe, Seeds.all(1))
    assert str(caught.value) == (
        "the loss is not finite at step 2 of 5, with the learning rate 1e+38 (seed 1); "
        "try a smaller learning rate, a longer warm-up or float32"
    )


def test_early_stopping_is_each_lanes_own(train: Examples, dev: Examples) -> None:
    recipe = Recipe(
        task="pair", epochs=8, batch=4, learning_rate=5e-2, evaluations=20,
        early_stopping=EarlyStopping("dev", patience=2),
    )  # fmt: skip
    seeds = [Seeds.all(seed) for seed in range(6)]
    together = outcomes(finetune_many(Fake(), train, {"dev": dev}, recipe, seeds, STACKED))
    assert len({found.stopped_at for found in together}) > 1
    full = finetune(Fake(), train, {"dev": dev}, replace(recipe, early_stopping=None), seeds[0])
    assert full.stopped_at is None and len(full.points) == 20
    for seed, found in zip(seeds, together, strict=True):
        alone = finetune(Fake(), train, {"dev": dev}, recipe, seed)
        assert (alone.stopped_at, alone.points) == (found.stopped_at, found.points)
        assert np.abs(alone.logits["dev"] - found.logits["dev"]).max() < 1e-5
        if found.stopped_at is not None:
            assert found.points[-1] == found.stopped_at == len(found.losses)
            scores = [np.mean(np.array(found.predictions("dev", p)) == dev.labels) for p in range(len(found.points))]
            assert int(np.argmax(scores)) == len(scores) - 3  # two evaluations without a better one


def test_tagging_stops_by_spans() -> None:
    """The point after which none is better is that of the best span F1, and not that of the most words right."""
    rng = np.random.default_rng(3)
    tags = ("B-LOC", "I-LOC", "O")
    words = [tuple(f"w{int(i)}" for i in rng.integers(0, 30, 6)) for _ in range(60)]
    labels = [tuple(tags[(hash_of(word) + int(rng.random() < 0.4)) % 3] for word in entry) for entry in words]
    texts = tuple(" ".join(entry) for entry in words)
    ids = tuple(map(str, range(60)))
    whole = Examples(ids, texts, None, None, tuple(words), tuple(labels))
    recipe = Recipe(
        task="tokens", epochs=10, batch=4, learning_rate=3e-2, evaluations=30,
        early_stopping=EarlyStopping("dev", "span_f1", patience=3),
    )  # fmt: skip
    stopped = []
    for seed in range(4):
        found = finetune(Fake(), whole, {"dev": whole}, recipe, Seeds.all(seed))
        edges = np.cumsum([0, *(len(entry) for entry in words)])
        scores = []
        for point in range(len(found.points)):
            given = found.predictions("dev", point)
            sentences = [given[a:b] for a, b in pairwise(edges)]
            scores.append(span_f1([list(entry) for entry in labels], sentences))
        if found.stopped_at is not None:
            assert int(np.argmax(scores)) == len(scores) - 4
            stopped.append(found.stopped_at)
        else:
            assert len(found.points) - 1 - int(np.argmax(scores)) < 3
    assert stopped


def hash_of(word: str) -> int:
    return int(word[1:])


def test_spans_are_for_sentences(train: Examples, dev: Examples) -> None:
    recipe = Recipe(task="pair", early_stopping=EarlyStopping("dev", "span_f1"))
    with pytest.raises(UsageError) as caught:
        finetune(Fake(), train, {"dev": dev}, recipe, Seeds.all(0))
    assert str(caught.value) == "early stopping by span_f1 is for the task 'tokens'; got 'pair'"


def test_evaluation_points_and_progress(train: Examples, dev: Examples) -> None:
    seen: list[int] = []
    hooks = Hooks(progress=lambda progress: seen.append(progress.step))
    recipe = replace(RECIPE, evaluate_at=(0, 2, 5))
    found = finetune(
        Fake(), train, {"dev": dev, "few": _first(dev, 3), "none": _first(dev, 0)}, recipe, Seeds.all(1), hooks=hooks
    )
    assert seen == [1, 2, 3, 4, 5]
    assert found.points == (0, 2, 5)
    assert {name: logits.shape for name, logits in found.logits.items()} == {
        "dev": (3, 10, 2), "few": (3, 3, 2), "none": (3, 0, 2),
    }  # fmt: skip
    assert np.allclose(found.logits["dev"][:, :3], found.logits["few"], atol=1e-6)
    assert found.items["few"] == dev.ids[:3]


def test_bfloat16_is_near_float32(tiny: Callable[[str], Transformer], train: Examples, dev: Examples) -> None:
    for how in (Execution(), STACKED):
        found = [
            outcomes(
                finetune_many(
                    tiny("bert"), train, {"dev": dev}, replace(RECIPE, precision=p), [Seeds.all(1), Seeds.all(2)], how
                )
            )
            for p in ("float32", "bfloat16")
        ]
        gap = np.abs(found[0][0].logits["dev"] - found[1][0].logits["dev"]).max()
        assert 1e-6 < gap < 0.1


def test_long_texts_are_cut_and_counted(tiny: Callable[[str], Transformer], train: Examples) -> None:
    long = Examples(("a", "b"), ("w1 " * 200, "w1"), ("w2", "w2"), ("no", "yes"))
    found = finetune(tiny("roberta"), train, {"long": long}, replace(RECIPE, max_length=None), Seeds.all(1))
    assert found.truncated == {"train": 0, "long": 1}
    cut = finetune(tiny("roberta"), train, {"long": long}, replace(RECIPE, max_length=8), Seeds.all(1))
    assert cut.truncated["long"] == 1 and cut.truncated["train"] > 0


def _first(items: Examples, n: int) -> Examples:
    assert items.pairs is not None and items.labels is not None
    return Examples(items.ids[:n], items.texts[:n], items.pairs[:n], items.labels[:n])
