"""Questions with passages: alone = stacked = resumed, windows, the loss of a plain computation, stopping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.dataset import AnswerSpan
from goldproof.errors import DataError, TrainingError, UsageError
from goldproof.measures.short_answers import match_answer
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.protocols import Trainable
from goldproof.models.recurrent import Recurrent
from goldproof.models.transformer import Transformer, transformer
from goldproof.training.finetune import Hooks, finetune, finetune_many, predict
from goldproof.training.outcome import Progress
from goldproof.training.recipe import EarlyStopping, Execution, Recipe, Seeds
from goldproof.training.selection import answer_texts

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(
    task="question", epochs=1, batch=4, learning_rate=1e-3, weight_decay=0.1, dropout=0.1, evaluations=2, max_length=24
)
SEEDS = [Seeds.all(1), Seeds(2, 7, 4), Seeds.all(3)]


def make_questions(n: int, tag: str, n_words: int = 30) -> Examples:
    """The answer is the word that follows the question's word."""
    rng = np.random.default_rng([n, len(tag)])
    texts, passages, answers = [], [], []
    for _ in range(n):
        words = [f"w{i}" for i in rng.permutation(50)[:n_words]]
        at = int(rng.integers(n_words - 1))
        texts.append(words[at])
        passages.append(" ".join(words))
        answers.append((AnswerSpan(sum(len(word) + 1 for word in words[: at + 1]), words[at + 1]),))
    return Examples(tuple(f"{tag}{i}" for i in range(n)), tuple(texts), tuple(passages), answers=tuple(answers))


@pytest.fixture(scope="module")
def questions() -> tuple[Examples, Examples]:
    return make_questions(12, "t"), make_questions(7, "dd", 45)


@pytest.fixture(params=["bert", "roberta", "modernbert", "deberta-v2", "t5", Fake()], ids=str)
def model(request: pytest.FixtureRequest, tiny: Callable[[str], Transformer]) -> Trainable:
    return tiny(request.param) if isinstance(request.param, str) else request.param


class BrokenOffError(Exception):
    pass


def test_a_seed_gives_the_same_however_it_is_run(
    model: Trainable, questions: tuple[Examples, Examples], tmp_path: Path
) -> None:
    train, dev = questions
    sets = {"dev": dev, "again": train}
    alone = finetune(model, train, sets, RECIPE, SEEDS[2])
    assert len(alone.losses) > 12 // 4  # windows are what is trained on
    assert alone.logits["dev"].shape == (2, 7, 3)
    together = finetune_many(model, train, sets, RECIPE, SEEDS, Execution(stack="always"))
    otherwise = Execution(
        stack="always", micro_batch=1, pad_lengths=(32,), active_rows_only=False, evaluation_tokens=64
    )
    reordered = finetune_many(model, train, sets, RECIPE, SEEDS[:0:-1], otherwise)
    for found in (together[2], reordered[0]):
        assert not isinstance(found, TrainingError)
        assert np.abs(found.losses - alone.losses).max() < 1e-5
        for name in sets:
            assert np.abs(found.logits[name] - alone.logits[name]).max() < 1e-4

    def listen(progress: Progress) -> None:
        if progress.step == 3:
            raise BrokenOffError

    hooks = Hooks(scratch=(tmp_path,), progress=listen)
    with pytest.raises(BrokenOffError):
        finetune(model, train, sets, RECIPE, SEEDS[2], Execution(snapshot_seconds=0), hooks)
    resumed = finetune(model, train, sets, RECIPE, SEEDS[2], hooks=Hooks(scratch=(tmp_path,)))
    assert resumed.conduct.resumed_at == (2,)
    assert np.array_equal(resumed.logits["dev"], alone.logits["dev"])
    assert np.array_equal(resumed.losses, alone.losses)


def test_the_first_loss_is_that_of_a_plain_computation(tiny: Callable[[str], Transformer]) -> None:
    """Mean cross-entropy of beginning and end among all tokens of each window, by torch and the tokenizer alone."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    train = make_questions(4, "t")
    described = tiny("bert")
    recipe = Recipe(task="question", steps=1, batch=64, learning_rate=1e-3, dropout=0.0, max_length=24)
    found = finetune(described, train, {}, recipe, Seeds.all(0))
    network = described.load("question", 2, train)
    network.module.load_state_dict(network.drawn(0), strict=False)
    network.module.eval()
    losses = []
    for question, passage, (answer,) in zip(train.texts, train.pairs or (), train.answers or (), strict=True):
        coded = network.tokenizer(
            question, passage, truncation="only_second", max_length=24, stride=6, return_overflowing_tokens=True,
            return_offsets_mapping=True, return_tensors=None,
        )  # fmt: skip
        for window, ids in enumerate(coded["input_ids"]):
            spans = [
                token
                for token, (offsets, side) in enumerate(
                    zip(coded["offset_mapping"][window], coded.sequence_ids(window), strict=True)
                )
                if side == 1 and tuple(offsets) == (answer.start, answer.start + len(answer.text))
            ]
            at = torch.tensor(spans or [0])
            given = torch.tensor([ids])
            types = torch.tensor([coded["token_type_ids"][window]]) if "token_type_ids" in coded else None
            with torch.no_grad():
                logits = network.module(given, torch.ones_like(given), types)[0]
            losses.append((F.cross_entropy(logits[None, :, 0], at) + F.cross_entropy(logits[None, :, 1], at)) / 2)
    assert len(losses) > 4
    assert float(found.losses[0]) == pytest.approx(float(torch.stack(losses).mean()), abs=1e-5)


def test_a_tiny_model_learns_to_point(tiny: Callable[[str], Transformer], tmp_path: Path) -> None:
    """One passage has one question: what stands in it can be learned by heart, and kept weights answer alike."""
    train = make_questions(8, "t", 20)
    recipe = Recipe(task="question", epochs=40, batch=8, learning_rate=3e-3, dropout=0.0, max_length=40, warmup=0.1)
    found = finetune(tiny("bert"), train, {"same": train}, recipe, Seeds.all(0), hooks=Hooks(weights=(tmp_path,)))
    given = answer_texts(found.at("same")[-1], train.pairs or ())
    right = [
        match_answer(a, [g.text for g in golds]).exact for a, golds in zip(given, train.answers or (), strict=True)
    ]
    assert np.mean(right) > 0.8
    kept = predict(transformer(tmp_path), train, recipe, 2)
    assert np.abs(kept - found.at("same")[-1]).max() < 1e-3


def test_it_stops_by_f1(questions: tuple[Examples, Examples]) -> None:
    train, dev = questions
    recipe = Recipe(
        task="question", epochs=12, batch=4, learning_rate=5e-2, evaluations=24, max_length=64,
        early_stopping=EarlyStopping("dev", "answer_f1", patience=3),
    )  # fmt: skip
    found = finetune(Fake(), train, {"dev": dev}, recipe, Seeds.all(0))
    golds = [[gold.text for gold in answers] for answers in dev.answers or ()]
    scores = [
        np.mean([match_answer(a, g).f1 for a, g in zip(answer_texts(point, dev.pairs or ()), golds, strict=True)])
        for point in found.at("dev")
    ]
    assert found.stopped_at is not None
    assert int(np.argmax(scores)) == len(scores) - 4


def test_wrong_use(questions: tuple[Examples, Examples]) -> None:
    train, dev = questions
    with pytest.raises(DataError) as caught:
        finetune(Fake(), Examples(("a",), ("b",), ("c",)), {}, RECIPE, Seeds.all(0))
    assert str(caught.value) == "the train data has no answers, which the task 'question' needs"
    with pytest.raises(UsageError) as error:
        finetune(Recurrent(), train, {"dev": dev}, RECIPE, Seeds.all(0))
    assert str(error.value) == "recurrent models cannot be trained to answer questions here; give a transformer"
    stopping = Recipe(task="question", early_stopping=EarlyStopping("dev"))
    with pytest.raises(UsageError) as error:
        finetune(Fake(), train, {"dev": dev}, stopping, Seeds.all(0))
    assert str(error.value) == "early stopping of the task 'question' is by answer_f1; got 'accuracy'"


@pytest.mark.parametrize("stack", ["always", "never"])
def test_places_left_empty_have_no_answer_outside_their_part(tiny: Callable[[str], Transformer], stack: str) -> None:
    """The first item answers late; the last batch has one short item and places that nothing fills."""
    long, short = make_questions(1, "l", 20), make_questions(8, "s", 4)
    last = AnswerSpan(long.pairs[0].rindex(" ") + 1, long.pairs[0].split()[-1])
    train = Examples(
        (*long.ids, *short.ids),
        (*long.texts, *short.texts),
        (*long.pairs, *short.pairs),
        answers=((last,), *short.answers),
    )
    recipe = Recipe(task="question", epochs=3, batch=4, learning_rate=1e-3, max_length=64)
    found = [
        finetune_many(tiny("bert"), train, {}, recipe, SEEDS, Execution(stack=stack, micro_batch=size))
        for size in (4, 1)
    ]
    for whole, parts in zip(*found, strict=True):
        assert np.isfinite(whole.losses).all()
        assert np.abs(whole.losses - parts.losses).max() < 1e-4
