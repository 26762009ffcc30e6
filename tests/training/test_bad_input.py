"""Every wrong input is refused with one sentence that says what to do."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from goldproof.errors import DataError, GoldproofError, TrainingError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.recurrent import Recurrent
from goldproof.models.tiny import write_tiny_model
from goldproof.models.transformer import transformer
from goldproof.training.finetune import Hooks, finetune, finetune_many
from goldproof.training.recipe import EarlyStopping, Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

TRAIN = Examples(("a", "b", "c"), ("one", "two", "three"), None, ("no", "yes", "no"))
SEED = Seeds.all(1)
TEXT = Recipe(steps=1)


def attempt(train: Examples = TRAIN, recipe: Recipe = TEXT, **sets: Examples) -> object:
    return finetune(Fake(), train, sets, recipe, SEED)


def dev(**changes: object) -> Examples:
    return replace(Examples(("x", "y"), ("one", "four"), None, ("no", "yes")), **changes)  # type: ignore[arg-type]


CASES: list[tuple[str, object, type[GoldproofError], str]] = [
    (
        "label missing from training",
        lambda: attempt(dev=dev(labels=("no", "maybe"))),
        DataError,
        (
            "item 'y' of the evaluation set 'dev' has the label 'maybe', which the training data does not have; "
            "its labels: no, yes"
        ),
    ),
    (
        "one class",
        lambda: attempt(replace(TRAIN, labels=("no", "no", "no"))),
        TrainingError,
        "the training data has only one class, 'no'; at least two are needed",
    ),
    ("no items", lambda: attempt(Examples((), (), None, ())), TrainingError, "there are no training items"),
    ("no labels", lambda: attempt(TRAIN.without_labels()), DataError, "the train data has no labels"),
    (
        "seeds that repeat",
        lambda: finetune_many(Fake(), TRAIN, {}, TEXT, [Seeds.all(1), Seeds(1, 2, 3), Seeds(1, 2, 3)]),
        UsageError,
        "seeds init 1, order 2, dropout 3 occurs twice in the list of seeds; the same seed gives the same training",
    ),
    ("no seeds", lambda: finetune_many(Fake(), TRAIN, {}, TEXT, []), UsageError, "give at least one seed"),
    (
        "no pairs",
        lambda: attempt(recipe=replace(TEXT, task="pair")),
        DataError,
        "the train data has no second texts, which the task 'pair' needs",
    ),
    (
        "no words",
        lambda: attempt(recipe=replace(TEXT, task="tokens")),
        DataError,
        "the train data has no words, which the task 'tokens' needs",
    ),
    (
        "a target that is no number",
        lambda: attempt(recipe=replace(TEXT, task="regression")),
        DataError,
        "item 'a' of the training data has the label 'no'; regression needs finite numbers",
    ),
    (
        "a target that is not finite",
        lambda: attempt(replace(TRAIN, labels=(1.0, math.nan, 2.0)), replace(TEXT, task="regression")),
        DataError,
        "item 'b' of the training data has the label nan; regression needs finite numbers",
    ),
    (
        "a set called train",
        lambda: finetune(Fake(), TRAIN, {"train": dev()}, TEXT, SEED),
        UsageError,
        "an evaluation set must not be called 'train'; give it another name",
    ),
    (
        "early stopping on an absent set",
        lambda: attempt(recipe=replace(TEXT, early_stopping=EarlyStopping("test")), dev=dev()),
        UsageError,
        "early stopping looks at 'test'; the evaluation sets are: dev",
    ),
    (
        "early stopping without labels",
        lambda: attempt(recipe=replace(TEXT, early_stopping=EarlyStopping("dev")), dev=dev().without_labels()),
        UsageError,
        "early stopping looks at 'dev', which has no labels",
    ),
    (
        "a point after the end",
        lambda: attempt(recipe=replace(TEXT, evaluate_at=(1, 9))),
        UsageError,
        "recipe: evaluate_at has step 9, but training has only 1 steps",
    ),
    (
        "folders that do not match the seeds",
        lambda: finetune(Fake(), TRAIN, {}, TEXT, SEED, hooks=Hooks(scratch=(Path("a"), Path("b")))),
        UsageError,
        "hooks: scratch has 2 folders for 1 seeds; give one for each, or none",
    ),
    ("a batch of 0", lambda: Recipe(batch=0), UsageError, "recipe: batch must be a whole number of at least 1; got 0"),
    (
        "a learning rate of nan",
        lambda: Recipe(learning_rate=math.nan),
        UsageError,
        "recipe: learning_rate must be a number above 0; got nan",
    ),
    (
        "a dropout of 1",
        lambda: Recipe(dropout=1.0),
        UsageError,
        "recipe: dropout must be from 0 to below 1, or None; got 1.0",
    ),
    (
        "an unknown schedule",
        lambda: Recipe(schedule="cosine"),  # type: ignore[arg-type]
        UsageError,
        "recipe: schedule must be linear or constant; got 'cosine'",
    ),
    (
        "pad lengths that fall",
        lambda: Execution(pad_lengths=(64, 32)),
        UsageError,
        "execution: pad_lengths must rise and be above 0; got (64, 32)",
    ),
    (
        "an unknown way to stack",
        lambda: Execution(stack="yes"),  # type: ignore[arg-type]
        UsageError,
        "execution: stack must be auto, always or never; got 'yes'",
    ),
    (
        "an unknown cell",
        lambda: Recurrent(cell="mamba"),  # type: ignore[arg-type]
        UsageError,
        "the cell must be rnn, gru or lstm; got 'mamba'",
    ),
    (
        "weights of a model that keeps none",
        lambda: finetune(Fake(), TRAIN, {}, TEXT, SEED, hooks=Hooks(weights=(Path("w"),))),
        UsageError,
        "the weights of the fake model are not kept; leave hooks.weights empty",
    ),
]


@pytest.mark.parametrize(("action", "kind", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_wrong_input_is_refused(action, kind: type[GoldproofError], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(kind) as caught:
        action()
    assert str(caught.value) == message


def test_bfloat16_is_refused_where_the_model_cannot_take_it(tmp_path: Path) -> None:
    model = transformer(write_tiny_model(tmp_path, ["one"], "deberta-v3"))
    with pytest.raises(UsageError) as caught:
        finetune(model, TRAIN, {}, replace(TEXT, precision="bfloat16"), SEED)
    assert str(caught.value) == "recipe: this model cannot be trained in bfloat16 by transformers; give float32 or tf32"


def test_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(
        UsageError, match=r"^execution: the device 'tpu9' cannot be used here \(.*\); give auto, cpu or cuda$"
    ):
        finetune(Fake(), TRAIN, {}, TEXT, SEED, Execution(device="tpu9"))
