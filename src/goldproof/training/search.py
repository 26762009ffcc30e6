"""Random search: settings drawn beforehand, so that each trial is a job of its own and the choice among them another.

It runs nothing; `goldproof.training.selection.best_outcome` chooses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from goldproof.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Between:
    """A range to draw from, uniformly, or uniformly on the logarithm."""

    low: float
    high: float
    log: bool = False


Space = Mapping[str, Between | Sequence[Any]]


def draw_settings(base: T, space: Space, n: int, rng: np.random.Generator) -> list[T]:
    """So many copies of a dataclass, each with the fields of the space drawn anew; a list or range is drawn evenly.

    >>> from goldproof.training.recipe import Recipe
    >>> space = {"batch": [8, 16], "learning_rate": Between(1e-5, 1e-3, log=True)}
    >>> drawn = draw_settings(Recipe(), space, 3, np.random.default_rng(0))
    >>> [recipe.batch for recipe in drawn]
    [16, 16, 8]
    """
    known = [field.name for field in fields(base)]
    unknown = sorted(set(space) - set(known))
    if unknown:
        kind = type(base).__name__.lower()
        raise UsageError(f"a {kind} has no field {unknown[0]!r}; its fields: {', '.join(known)}")
    return [replace(base, **{name: _draw(space[name], rng) for name in space}) for _ in range(n)]


def _draw(choice: Between | Sequence[Any], rng: np.random.Generator) -> Any:
    if not isinstance(choice, Between):
        return choice[int(rng.integers(len(choice)))]
    if choice.log:
        return math.exp(rng.uniform(math.log(choice.low), math.log(choice.high)))
    return float(rng.uniform(choice.low, choice.high))
