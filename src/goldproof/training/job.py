"""Fine-tuning as a job: jobs that differ only in their seeds run together, and each resumes from its own snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from goldproof.data.dataset import Dataset
from goldproof.errors import TrainingError
from goldproof.jobs import Resources, step
from goldproof.jobs.scratch import scratch_folders
from goldproof.jobs.watch import hand_over
from goldproof.models.examples import Examples, examples_from_table
from goldproof.training.finetune import TRAINING, Hooks, finetune, finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds


def train_together(arguments: Sequence[Mapping[str, Any]]) -> list[TrainingOutcome | TrainingError]:
    """Several trainings that differ only in their seeds."""
    return _train_many(arguments, average=False)


def train_averaged_together(arguments: Sequence[Mapping[str, Any]]) -> list[TrainingOutcome | TrainingError]:
    """The same, each also with its mean weights."""
    return _train_many(arguments, average=True)


def _train_many(arguments: Sequence[Mapping[str, Any]], average: bool) -> list[TrainingOutcome | TrainingError]:
    first = arguments[0]
    train, evaluate = _examples(first["train"], first["recipe"]), _sets(first["evaluate"], first["recipe"])
    seeds = [each["seeds"] for each in arguments]
    hooks = Hooks(scratch=scratch_folders(), finished=hand_over, average=average)
    return finetune_many(first["model"], train, evaluate, first["recipe"], seeds, hooks=hooks)


BACKWARD = 3  # a row that is learned from passes the model forward, and backward at about twice the cost
SAMPLE_STEPS = (1, 8, 64, 512)


def rows_passed(arguments: Mapping[str, Any]) -> float | None:
    """How many rows pass the model forward in a training, those that are learned from counted three times."""
    recipe, n_train, sets = arguments["recipe"], arguments["train"], list(arguments["evaluate"].values())
    if not all(isinstance(n, int | float) for n in (n_train, *sets)):
        return None
    points = len(recipe.evaluate_at) or recipe.evaluations
    return float(BACKWARD * recipe.n_steps(int(n_train)) * recipe.batch + points * sum(sets))


def short_trainings(arguments: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Trainings of rising length with no evaluation, by which the time to begin and the time of a row can be told."""
    recipe = replace(arguments["recipe"], warmup=0.0, evaluations=1, evaluate_at=(), early_stopping=None)
    return [{**arguments, "recipe": replace(recipe, steps=steps), "evaluate": {}} for steps in SAMPLE_STEPS]


@step(
    version=1,
    name="goldproof.train",
    together=train_together,
    over=("seeds",),
    resources=Resources(gpus=1),
    requires=(TRAINING,),
    size=rows_passed,
    samples=short_trainings,
)
def train(model: Any, train: Dataset, evaluate: dict[str, Dataset], recipe: Recipe, seeds: Seeds) -> TrainingOutcome:
    """Fine-tune a model with one seed, and give its logits on every evaluation set at every evaluation point."""
    hooks = Hooks(scratch=scratch_folders())
    return finetune(model, _examples(train, recipe), _sets(evaluate, recipe), recipe, seeds, hooks=hooks)


@step(
    version=1,
    name="goldproof.train_averaged",
    together=train_averaged_together,
    over=("seeds",),
    resources=Resources(gpus=1),
    requires=(TRAINING,),
    size=rows_passed,
    samples=short_trainings,
)
def train_averaged(
    model: Any, train: Dataset, evaluate: dict[str, Dataset], recipe: Recipe, seeds: Seeds
) -> TrainingOutcome:
    """The same, with the logits of the mean of the weights at the evaluation points: `TrainingOutcome.averaged`."""
    hooks = Hooks(scratch=scratch_folders(), average=True)
    return finetune(model, _examples(train, recipe), _sets(evaluate, recipe), recipe, seeds, hooks=hooks)


def _sets(sets: Mapping[str, Dataset], recipe: Recipe) -> dict[str, Examples]:
    return {name: _examples(data, recipe) for name, data in sets.items()}


def _examples(data: Dataset, recipe: Recipe) -> Examples:
    return examples_from_table(data.table, regression=recipe.task == "regression")
