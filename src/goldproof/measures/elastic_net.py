"""Logistic regressions with elastic net for a whole grid of (λ₁, λ₂) at once, by accelerated proximal gradient.

Minimises mean cross-entropy + λ₁·‖W‖₁ + λ₂/2·‖W‖² (Zou & Hastie 2005), the intercept free, with FISTA (Beck & Teboulle
2009) restarted where it overshoots (O'Donoghue & Candès 2015). All pairs share each product with the features. It
does not choose a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldproof.jobs.names import named
from goldproof.measures.designs import DesignMatrices
from goldproof.measures.logistic import cross_entropy

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Penalty:
    """One point of the grid: the weights of ‖W‖₁ and of ‖W‖²/2."""

    l1: float
    l2: float


@named("measures.ProximalSolver")
@dataclass(frozen=True, slots=True)
class ProximalSolver:
    """When to stop: no parameter would move by more than `tolerance` in a plain step."""

    tolerance: float = 1e-4
    max_iterations: int = 1000


def solve_elastic_net(
    design: DesignMatrices,
    codes: Tensor,
    n_classes: int,
    penalties: Sequence[Penalty],
    solver: ProximalSolver | None = None,
) -> Tensor:
    """Parameters of shape (layers, features + 1, penalties, classes); two classes have one weight vector."""
    import torch

    settings = solver or ProximalSolver()
    bound = 0.25 if n_classes == 2 else 0.5  # the largest curvature of the loss along the logits
    shape = (design.n_layers, design.n_features + 1, len(penalties), 1 if n_classes == 2 else n_classes)
    theta = torch.zeros(shape, device=design.device)
    descent = _Fista(design, codes, penalties, theta, bound * _largest_eigenvalue(design))
    active = torch.arange(len(penalties), device=theta.device)
    for _ in range(settings.max_iterations):
        moved = descent.step()
        theta[:, :, active] = descent.theta
        open_ = (moved > settings.tolerance).any(0)
        if not open_.any():
            break
        if not open_.all():
            descent.keep(open_)
            active = active[open_]
    return theta


class _Fista:
    """The iterates of all problems; problems are the third axis of every array with classes."""

    def __init__(
        self, design: DesignMatrices, codes: Tensor, penalties: Sequence[Penalty], theta: Tensor, smoothness: float
    ) -> None:
        self.design, self.codes, self.theta, self.ahead = design, codes, theta.clone(), theta.clone()
        self.l1 = theta.new_tensor([p.l1 for p in penalties])
        self.l2 = theta.new_tensor([p.l2 for p in penalties])
        self.size = 1 / (smoothness + self.l2)
        self.momentum = theta.new_ones((theta.shape[0], len(penalties)))

    def step(self) -> Tensor:
        """One proximal step with momentum; how far the furthest parameter moved, shape (layers, problems)."""
        gradient = self.design.backward(cross_entropy(self.design.forward(self.ahead), self.codes).residual)
        gradient[:, :-1] += self.l2[None, None, :, None] * self.ahead[:, :-1]
        found = self.ahead - self.size[None, None, :, None] * gradient
        threshold = (self.size * self.l1)[None, None, :, None]
        weights = found[:, :-1]
        found[:, :-1] = weights.sign() * (weights.abs() - threshold).clamp(min=0)
        backwards = ((self.ahead - found) * (found - self.theta)).sum((1, 3)) > 0
        momentum = self.momentum.masked_fill(backwards, 1.0)
        following = (1 + (1 + 4 * momentum**2).sqrt()) / 2
        factor = ((momentum - 1) / following)[:, None, :, None]
        moved = (found - self.ahead).abs().amax((1, 3))
        self.ahead = found + factor * (found - self.theta)
        self.theta, self.momentum = found, following
        return moved

    def keep(self, problems: Tensor) -> None:
        """Go on with some of the problems only."""
        self.theta, self.ahead = self.theta[:, :, problems], self.ahead[:, :, problems]
        self.l1, self.l2, self.size = self.l1[problems], self.l2[problems], self.size[problems]
        self.momentum = self.momentum[:, problems]


def _largest_eigenvalue(design: DesignMatrices) -> float:
    """An upper estimate of the largest eigenvalue of the features' second moments, by power iteration."""
    import torch

    generator = torch.Generator().manual_seed(0)
    vector = torch.rand((design.n_layers, design.n_features + 1, 1, 1), generator=generator).to(design.device)
    size = vector.new_ones(())
    for _ in range(30):
        vector = vector / vector.square().sum((1, 2, 3), keepdim=True).sqrt()
        vector = design.backward(design.forward(vector))
        size = vector.square().sum((1, 2, 3)).sqrt().max()
    return 1.05 * float(size)
