"""One seed's training, as the host knows it: where it is, what it gave, how to go on. Imports torch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from goldproof.errors import TrainingError
from goldproof.models.examples import Examples
from goldproof.models.protocols import Floats
from goldproof.training.outcome import ExecutionFacts, TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds
from goldproof.training.snapshots import Snapshot, read_snapshot, write_snapshot
from goldproof.training.stacked_optimizer import OptimizerState

if TYPE_CHECKING:
    from goldproof.training.finetune import Hooks


@dataclass(eq=False)
class SeedTraining:
    """What is known about one seed's training; `result` is set when it has ended."""

    seeds: Seeds
    n_steps: int
    scratch: Path | None
    weights: Path | None
    losses: Floats
    norms: Floats
    n_done: int = 0
    points: list[int] = field(default_factory=list)
    logits: dict[str, list[Floats]] = field(default_factory=dict)
    state: OptimizerState | None = None
    resumed_at: list[int] = field(default_factory=list)
    stopped_at: int | None = None
    n_halvings: int = 0
    micro_batch: int = 0
    n_lanes: int = 1
    result: TrainingOutcome | TrainingError | None = None

    def take_losses(self, losses: Floats, norms: Floats, n_done: int) -> None:
        """Keep losses and gradient norms of the steps since the last look; earlier ones may come from a snapshot."""
        fresh = ~np.isnan(losses) | ~np.isnan(norms)
        fresh[n_done:] = False
        self.losses[fresh], self.norms[fresh] = losses[fresh], norms[fresh]

    def take_logits(self, point: int, sets: Mapping[str, Floats]) -> None:
        """Keep the logits of an evaluation."""
        self.points.append(point)
        for name, logits in sets.items():
            self.logits.setdefault(name, []).append(logits)

    def fail(self, recipe: Recipe) -> None:
        """End with an error that says at which step a number was not finite."""
        made = np.arange(self.n_steps) < self.n_done
        step = int(np.argmax(made & ~(np.isfinite(self.losses) & np.isfinite(self.norms))))
        what = "loss" if not np.isfinite(self.losses[step]) else "gradient"
        rate = recipe.rate(step, self.n_steps)
        self.result = TrainingError(
            f"the {what} is not finite at step {step + 1} of {self.n_steps}, with the learning rate {rate:g} "
            f"({self.seeds}); try a smaller learning rate, a longer warm-up or float32"
        )

    def finish(
        self,
        classes: tuple[str, ...],
        items: dict[str, tuple[str, ...]],
        truncated: dict[str, int],
        conduct: ExecutionFacts,
        averaged: dict[str, Floats] | None,
    ) -> None:
        """End with an outcome."""
        self.result = TrainingOutcome(
            self.seeds,
            classes,
            tuple(self.points),
            {name: np.stack(logits) for name, logits in self.logits.items()},
            items,
            self.losses[: self.n_done].copy(),
            self.norms[: self.n_done].copy(),
            truncated,
            self.stopped_at,
            conduct,
            averaged,
        )

    def write(self, identity: str, state: OptimizerState) -> None:
        """Write a snapshot; `state` holds this seed alone."""
        if self.scratch is None:
            return
        tensors = {
            f"{kind}/{name}": t.detach()
            for kind, part in zip("pmvs", state.parts(), strict=True)
            for name, t in part.items()
        }
        tensors["losses"], tensors["norms"] = torch.from_numpy(self.losses), torch.from_numpy(self.norms)
        for name, logits in self.logits.items():
            tensors[f"logits/{name}"] = torch.from_numpy(np.stack(logits))
        facts = {"n_done": self.n_done, "points": self.points, "resumed_at": self.resumed_at, "seeds": str(self.seeds)}
        write_snapshot(self.scratch, f"{identity} {self.seeds}", Snapshot(tensors, facts))

    def rewind(self, identity: str) -> None:
        """Go back to the last snapshot, or to the beginning."""
        self.n_done, self.points, self.logits, self.state, self.n_lanes = 0, [], {}, None, 1
        self.losses[:], self.norms[:] = np.nan, np.nan
        found = None if self.scratch is None else read_snapshot(self.scratch, f"{identity} {self.seeds}")
        if found is None:
            return
        parts: dict[str, dict[str, torch.Tensor]] = {"p": {}, "m": {}, "v": {}, "s": {}, "logits": {}}
        for name, tensor in found.tensors.items():
            kind, _, rest = name.partition("/")
            if rest:
                parts[kind][rest] = tensor
        self.state = OptimizerState(parts["p"], parts["m"], parts["v"], parts["s"])
        self.losses[:], self.norms[:] = found.tensors["losses"].numpy(), found.tensors["norms"].numpy()
        self.logits = {name: list(tensor.numpy()) for name, tensor in parts["logits"].items()}
        self.n_done, self.points = int(found.facts["n_done"]), list(found.facts["points"])
        self.resumed_at = [*found.facts["resumed_at"], self.n_done]


def open_training(seeds: Seeds, place: int, hooks: Hooks, identity: str, n_steps: int) -> SeedTraining:
    """A training at the beginning, or where its snapshot is."""
    training = SeedTraining(
        seeds,
        n_steps,
        hooks.scratch[place] if hooks.scratch else None,
        hooks.weights[place] if hooks.weights else None,
        np.full(n_steps, np.nan, np.float32),
        np.full(n_steps, np.nan, np.float32),
    )
    training.rewind(identity)
    return training


def identity_of(
    model_digest: str, train: Examples, evaluate: Mapping[str, Examples], recipe: Recipe, average: bool
) -> str:
    """What a snapshot must agree with: model, data, recipe, and whether it holds the sums for an average."""
    digest = hashlib.sha256(f"{model_digest}\n{recipe!r}\n{train!r}\n".encode())
    for name, items in evaluate.items():
        digest.update(f"{name}\n{items!r}\n".encode())
    if average:
        digest.update(b"average\n")
    return digest.hexdigest()
