"""What must hold before a training starts, with one sentence for each thing that can be wrong. It looks at values
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from goldproof.errors import DataError, TrainingError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.windows import check_answers
from goldproof.training.recipe import Recipe, Seeds

RESERVED = "train"


_NEEDS = {"pair": ("pairs", "second texts"), "tokens": ("words", "words"), "question": ("pairs", "passages")}


def check_seeds(seeds: Sequence[Seeds]) -> None:
    """There is at least one, and no two are the same."""
    if not seeds:
        raise UsageError("give at least one seed")
    for i, seed in enumerate(seeds):
        if seed in seeds[:i]:
            raise UsageError(f"{seed} occurs twice in the list of seeds; the same seed gives the same training")


def find_classes(train: Examples, evaluate: Mapping[str, Examples], recipe: Recipe) -> tuple[str, ...]:
    """The classes of the training data, sorted; empty for regression. Raises where the data cannot be learned from."""
    if not train.n:
        raise TrainingError("there are no training items")
    if RESERVED in evaluate:
        raise UsageError(f"an evaluation set must not be called {RESERVED!r}; give it another name")
    for name, items in {RESERVED: train, **evaluate}.items():
        _check_inputs(name, items, recipe)
    if recipe.early_stopping is not None:
        _check_early_stopping(recipe.early_stopping.on, evaluate, recipe)
    if recipe.task == "regression":
        _check_numbers(train)
        return ()
    if recipe.task == "question":
        for name, items in {RESERVED: train, **evaluate}.items():
            check_answers(items, name)
        return ()
    classes = tuple(sorted({label for _, label in _labels(train, recipe)}))
    if len(classes) < 2:
        raise TrainingError(f"the training data has only one class, {classes[0]!r}; at least two are needed")
    for name, items in evaluate.items():
        _check_known(name, items, recipe, classes)
    return classes


def _check_inputs(name: str, items: Examples, recipe: Recipe) -> None:
    """The set has what the task looks at; the training set has labels too."""
    needs = _NEEDS.get(recipe.task)
    if needs and items.n and getattr(items, needs[0]) is None:
        raise DataError(f"the {name} data has no {needs[1]}, which the task {recipe.task!r} needs")
    if recipe.task == "question":
        if items.n and items.answers is None:
            raise DataError(f"the {name} data has no answers, which the task 'question' needs")
        return
    labels = items.word_labels if recipe.task == "tokens" else items.labels
    if name == RESERVED and labels is None:
        raise DataError(f"the {name} data has no labels")


def _check_numbers(train: Examples) -> None:
    for item, label in zip(train.ids, train.labels or (), strict=True):
        if not isinstance(label, int | float) or not np.isfinite(label):
            raise DataError(
                f"item {item!r} of the training data has the label {label!r}; regression needs finite numbers"
            )


def _check_known(name: str, items: Examples, recipe: Recipe, classes: Sequence[str]) -> None:
    for item, label in _labels(items, recipe):
        if label not in classes:
            raise DataError(
                f"item {item!r} of the evaluation set {name!r} has the label {label!r}, which the training "
                f"data does not have; its labels: {', '.join(classes)}"
            )


def _check_early_stopping(name: str, evaluate: Mapping[str, Examples], recipe: Recipe) -> None:
    if name not in evaluate:
        raise UsageError(f"early stopping looks at {name!r}; the evaluation sets are: {', '.join(evaluate) or 'none'}")
    if recipe.task != "question" and not list(_labels(evaluate[name], recipe)):
        raise UsageError(f"early stopping looks at {name!r}, which has no labels")
    assert recipe.early_stopping is not None
    rule = recipe.early_stopping.rule
    of = {"span_f1": "tokens", "answer_f1": "question"}.get(rule)
    if of is not None and recipe.task != of:
        raise UsageError(f"early stopping by {rule} is for the task {of!r}; got {recipe.task!r}")
    if recipe.task == "question" and of is None:
        raise UsageError(f"early stopping of the task 'question' is by answer_f1; got {rule!r}")


def _labels(items: Examples, recipe: Recipe) -> list[tuple[str, str]]:
    """Every label with the item it belongs to."""
    if recipe.task == "tokens":
        rows = zip(items.ids, items.word_labels or (), strict=False)
        return [(item, label) for item, labels in rows for label in labels]
    return [(item, str(label)) for item, label in zip(items.ids, items.labels or (), strict=False)]
