"""AdamW over a stack of seeds, each with its own clipping, in torch's fused kernel. Imports torch.

A seed that is to be skipped keeps parameters and moments as they are. Nothing here copies to the host, so that a step
can be captured in a CUDA graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from goldproof.training.recipe import Recipe

Tensors = dict[str, torch.Tensor]


def seed_norms(gradients: Sequence[torch.Tensor]) -> torch.Tensor:
    """The Euclidean norm of each seed's whole gradient; gradients have a leading dimension of seeds."""
    n_seeds = gradients[0].shape[0]
    norms = torch._foreach_norm([gradient[place] for place in range(n_seeds) for gradient in gradients])
    of_seeds: torch.Tensor = torch.linalg.vector_norm(torch.stack(norms).view(n_seeds, -1), dim=1)
    return of_seeds


def clip_divisors(norms: torch.Tensor, clip: float | None) -> torch.Tensor:
    """What to divide each seed's gradient by so that its norm is at most `clip`, as torch's own clipping does."""
    if clip is None:
        return torch.ones_like(norms)
    return torch.clamp((norms + 1e-6) / clip, min=1.0)


@dataclass(eq=False)
class OptimizerState:
    """The stacked parameters of all seeds and what AdamW knows about them: first and second moments.

    `sums` are the parameters summed over evaluation points, for their mean; empty where none is wanted.
    """

    parameters: Tensors
    first: Tensors
    second: Tensors
    sums: Tensors

    @classmethod
    def fresh(cls, parameters: Tensors, average: bool = False) -> OptimizerState:
        """Parameters with moments of zero, and sums of zero where their average is wanted."""
        first, second, sums = (
            {name: torch.zeros_like(tensor) for name, tensor in parameters.items()} if wanted else {}
            for wanted in (True, True, average)
        )
        return cls(parameters, first, second, sums)

    def select(self, places: Sequence[int], device: torch.device) -> OptimizerState:
        """Copies of some seeds."""
        return OptimizerState(
            *({name: t[list(places)].to(device) for name, t in part.items()} for part in self.parts())
        )

    def parts(self) -> tuple[Tensors, Tensors, Tensors, Tensors]:
        """Parameters, first moments, second moments, sums."""
        return self.parameters, self.first, self.second, self.sums

    @torch.no_grad()
    def add_to_sums(self) -> None:
        """Count the parameters as they are now in the average, where one is kept."""
        for name, total in self.sums.items():
            total.add_(self.parameters[name])

    @torch.no_grad()
    def step(
        self,
        gradients: Mapping[str, torch.Tensor],
        recipe: Recipe,
        at: StepAndRate,
        divisors: torch.Tensor,
        skip: torch.Tensor,
    ) -> None:
        """One AdamW step of every seed; `skip` is 1.0 for seeds to leave alone."""
        for decay in (True, False):
            names = [name for name in gradients if decays(self.parameters[name]) is decay]
            for place in range(len(divisors)) if names else ():
                torch._fused_adamw_(
                    [self.parameters[name][place] for name in names],
                    [gradients[name][place] for name in names],
                    [self.first[name][place] for name in names],
                    [self.second[name][place] for name in names],
                    [],
                    [at.count] * len(names),
                    lr=at.rate,
                    beta1=recipe.beta1,
                    beta2=recipe.beta2,
                    weight_decay=recipe.weight_decay if decay else 0.0,
                    eps=recipe.eps,
                    amsgrad=False,
                    maximize=False,
                    grad_scale=divisors[place],
                    found_inf=skip[place],
                )


@dataclass(frozen=True, slots=True)
class StepAndRate:
    """The number of this step, counted from 1, and its learning rate, as tensors without dimensions."""

    count: torch.Tensor
    rate: torch.Tensor


def decays(stacked: torch.Tensor) -> bool:
    """Whether weight decay applies: to matrices, not to biases and scales (the first dimension is the seeds')."""
    return stacked.ndim > 2


def decay_factor(recipe: Recipe, n_done: int, n_steps: int) -> float:
    """What weight decay alone makes of a parameter that never has a gradient, after so many steps: ∏ (1 − rate ·
    decay).
    """
    factor = 1.0
    for step in range(n_done) if recipe.weight_decay else ():
        factor *= 1.0 - recipe.rate(step, n_steps) * recipe.weight_decay
    return factor
