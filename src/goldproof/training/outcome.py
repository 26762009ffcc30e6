"""What a training gives: logits at every evaluation point, losses, and what was done on the way. Plain arrays, no
torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.protocols import Floats
from goldproof.training.recipe import Seeds


@named("training.Conduct")
@dataclass(frozen=True, slots=True)
class ExecutionFacts:
    """How a training was executed; none of it changes the result beyond rounding.

    `n_lanes` is the largest number of seeds that were trained with this one in one stack, itself included.
    """

    device: str
    n_lanes: int
    micro_batch: int
    n_halvings: int
    resumed_at: tuple[int, ...]
    n_learned_rows: int | None
    graphs: bool


@named("training.Outcome")
@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """One seed's training.

    `points` are the steps after which logits were taken, `logits[name]` has shape (points, items, outputs) in the
    order of `items[name]`; for token tasks the second dimension runs over all words of all items, NaN where a word
    was cut off; for questions the outputs are the first character of the answer in its passage, the end (both −1
    where there is no answer) and the log-probability. `losses` and `norms` (of the gradient before clipping) have one
    entry for each step that was made.
    `truncated` counts the items that were cut, by set, "train" among them. `stopped_at` is the step of early
    stopping, None without. `averaged` are the logits, (items, outputs) by set, of one more model: the mean of the
    weights at the points after step 0; None where it was not asked for.
    """

    seeds: Seeds
    classes: tuple[str, ...]
    points: tuple[int, ...]
    logits: dict[str, Floats]
    items: dict[str, tuple[str, ...]]
    losses: Floats
    norms: Floats
    truncated: dict[str, int]
    stopped_at: int | None
    conduct: ExecutionFacts
    averaged: dict[str, Floats] | None = None

    def predictions(self, name: str, point: int = -1) -> list[str]:
        """The predicted class of each item (or word) of a set at a point, the last unless given.

        Where two logits are equal the class that stands first is taken.
        """
        return [self.classes[i] for i in np.argmax(self.at(name)[point], axis=-1)]

    def at(self, name: str) -> Floats:
        """The logits of one evaluation set."""
        if name not in self.logits:
            raise UsageError(
                f"there is no evaluation set {name!r}; there are: {', '.join(sorted(self.logits)) or 'none'}"
            )
        return self.logits[name]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a group of trainings is."""

    seeds: Sequence[Seeds]
    step: int
    n_steps: int
