"""Fine-tuning: a model, data, a recipe and seeds in; logits at every evaluation point out.

`finetune` trains one seed, `finetune_many` several at once; seed 3 gives the same either way, within rounding. This
module only checks and hands over: torch is loaded when a training starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldproof.errors import TrainingError, UsageError
from goldproof.extras import Need, require
from goldproof.models.examples import Examples
from goldproof.models.protocols import RUNNING, Floats, Trainable
from goldproof.training.checks import check_seeds, find_classes
from goldproof.training.outcome import Progress, TrainingOutcome
from goldproof.training.recipe import Execution, Recipe, Seeds

TRAINING = Need("models", "training a model")


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a training leaves behind and tells on its way: folders of the seeds, in their order, and a listener.

    `scratch` are folders for snapshots, from which a training that was broken off is taken up again. `weights` are
    folders for the trained weights; without them none are kept. `progress` is called after every step, `finished` with
    the place and the outcome of a seed that was trained alone and is done before others. With `average` the weights at
    the evaluation points after step 0 are averaged, and the mean model is evaluated once at the end.
    """

    scratch: tuple[Path, ...] = ()
    weights: tuple[Path, ...] = ()
    progress: Callable[[Progress], None] | None = None
    finished: Callable[[int, TrainingOutcome], None] | None = None
    average: bool = False


def finetune(
    model: Trainable,
    train: Examples,
    evaluate: Mapping[str, Examples],
    recipe: Recipe,
    seeds: Seeds,
    how: Execution | None = None,
    hooks: Hooks | None = None,
) -> TrainingOutcome:
    """Train one seed."""
    outcome = finetune_many(model, train, evaluate, recipe, [seeds], how, hooks)[0]
    if isinstance(outcome, TrainingError):
        raise outcome
    return outcome


def finetune_many(
    model: Trainable,
    train: Examples,
    evaluate: Mapping[str, Examples],
    recipe: Recipe,
    seeds: Sequence[Seeds],
    how: Execution | None = None,
    hooks: Hooks | None = None,
) -> list[TrainingOutcome | TrainingError]:
    """Train several seeds, together where that is faster; a seed that fails has its error in place of an outcome."""
    require(TRAINING)
    how, hooks = how or Execution(), hooks or Hooks()
    check_seeds(seeds)
    for name, folders in (("scratch", hooks.scratch), ("weights", hooks.weights)):
        if folders and len(folders) != len(seeds):
            raise UsageError(
                f"hooks: {name} has {len(folders)} folders for {len(seeds)} seeds; give one for each, or none"
            )
    if hooks.average and not any(recipe.points(train.n)):
        raise UsageError("hooks: average needs an evaluation after step 0, and the recipe has none; see evaluate_at")
    classes = find_classes(train, evaluate, recipe)
    from goldproof.training.group_trainer import run

    return run(model, train, evaluate, recipe, tuple(seeds), how, hooks, classes)


def predict(
    model: Trainable, examples: Examples, recipe: Recipe, n_outputs: int, how: Execution | None = None
) -> Floats:
    """The logits of a model as it is, without training: for weights that a training kept."""
    require(RUNNING)
    from goldproof.training.group_trainer import predict_with

    return predict_with(model, examples, recipe, n_outputs, how or Execution())
