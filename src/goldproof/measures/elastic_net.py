"""Logistic regressions with elastic net for a whole grid of (λ₁, λ₂) at once, by orthant-wise L-BFGS.

Minimises mean cross-entropy + λ₁·‖W‖₁ + λ₂/2·‖W‖² (Zou & Hastie 2005), the intercept free. Each step of L-BFGS stays
within an orthant and starts from the pseudo-gradient (after Andrew & Gao 2007), whose largest number is also the KKT
residual by which a problem is done. All pairs share each product with the features. It does not choose a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldproof.jobs.names import named
from goldproof.measures.designs import DesignMatrices
from goldproof.measures.lbfgs import Move, find_direction, remember
from goldproof.measures.logistic import cross_entropy

if TYPE_CHECKING:
    from torch import Tensor

_HALVINGS = 20
_SMALLEST = 1e-4  # of the largest gradient at zero: single precision tells no residual that is much finer
_LOGITS = {"cpu": 1 << 27, "cuda": 1 << 30}  # how many logits an iteration may have


@dataclass(frozen=True, slots=True)
class Penalty:
    """One point of the grid: the weights of ‖W‖₁ and of ‖W‖²/2."""

    l1: float
    l2: float


@named("measures.NetSolver")
@dataclass(frozen=True, slots=True)
class NetSolver:
    """When to stop: where the KKT residual is at most `tolerance` times λ₁, or after so many iterations.

    The residual is the largest distance of −gradient to the subgradients of λ₁·‖W‖₁, over all weights and the
    intercept. Where λ₁ is below a ten-thousandth of the largest gradient at zero, it is taken relative to that.
    """

    tolerance: float = 0.01
    max_iterations: int = 300


@dataclass(frozen=True, slots=True)
class NetSolution:
    """Parameters of shape (layers, features + 1, penalties, classes), and the relative KKT residual of each problem
    (layers, penalties).
    """

    theta: Tensor
    residual: Tensor


def solve_elastic_net(
    design: DesignMatrices,
    codes: Tensor,
    n_classes: int,
    penalties: Sequence[Penalty],
    solver: NetSolver | None = None,
    start: Tensor | None = None,
) -> NetSolution:
    """The solutions for all penalties, as far as the iterations went; two classes have one weight vector.

    `start` has parameters to begin with, of the shape of the solution, zero unless given; its precision is the
    solver's. Penalties go in parts where their logits would not fit in memory.
    """
    import torch

    columns = 1 if n_classes == 2 else n_classes
    shape = (design.n_layers, design.n_features + 1, len(penalties), columns)
    theta = torch.zeros(shape, device=design.device) if start is None else start
    at_once = max(1, _LOGITS[design.device.type] // (design.n_layers * design.n * columns))
    step = 1 / ((0.25 if n_classes == 2 else 0.5) * _largest_eigenvalue(design, theta))
    parts = []
    for first in range(0, len(penalties), at_once):
        some = slice(first, first + at_once)
        descent = _NetDescent(design, codes, penalties[some], theta[:, :, some], step)
        parts.append(_minimise(descent, solver or NetSolver()))
    return NetSolution(torch.cat([part.theta for part in parts], 2), torch.cat([part.residual for part in parts], 1))


def _minimise(descent: _NetDescent, solver: NetSolver) -> NetSolution:
    """Go down until every problem is done; those that are, or that cannot move any more, are left out."""
    import torch

    theta, residual = descent.theta.clone(), descent.residual()
    active = torch.arange(residual.shape[1], device=residual.device)
    for iteration in range(solver.max_iterations + 1):
        found = descent.residual()
        theta[:, :, active], residual[:, active] = descent.theta, found
        open_ = ((found > solver.tolerance) & ~descent.stuck).any(0)
        if iteration == solver.max_iterations or not open_.any():
            break
        if not open_.all():
            kept = open_.nonzero().flatten()
            descent.keep(kept)
            active = active[kept]
        descent.step()
    return NetSolution(theta, residual)


class _NetDescent:
    """The state of all problems; problems are the third axis of every array with classes.

    `stuck` (layers, problems) are those that no step takes down, not even a short one along the pseudo-gradient.
    """

    def __init__(
        self, design: DesignMatrices, codes: Tensor, penalties: Sequence[Penalty], theta: Tensor, step: float
    ) -> None:
        import torch

        self.design, self.codes, self.theta = design, codes, theta
        self.l1, self.l2 = (
            torch.cat([weights.expand(design.n_features, -1), weights.new_zeros(1, len(penalties))])[None, ..., None]
            for weights in (theta.new_tensor([p.l1 for p in penalties]), theta.new_tensor([p.l2 for p in penalties]))
        )
        self.plain = step / (1 + step * self.l2[:, 0, :, 0])
        at_zero = design.backward(cross_entropy(design.forward(torch.zeros_like(theta)), codes).residual)
        self.scale = torch.maximum(self.l1[:, 0, :, 0], _SMALLEST * at_zero.abs().amax((1, 3)))
        self.history: list[Move] = []
        self.logits = design.forward(theta)
        self.objective, self.gradient = self._look()
        self.stuck = torch.zeros_like(self.objective, dtype=torch.bool)

    def residual(self) -> Tensor:
        """The relative KKT residual of each layer and problem."""
        return self._pseudo_gradient().abs().amax((1, 3)) / self.scale

    def keep(self, problems: Tensor) -> None:
        """Go on with some of the problems only."""
        self.theta, self.logits, self.gradient, self.l1, self.l2 = (
            a.index_select(2, problems) for a in (self.theta, self.logits, self.gradient, self.l1, self.l2)
        )
        self.plain, self.scale, self.objective, self.stuck = (
            a.index_select(1, problems) for a in (self.plain, self.scale, self.objective, self.stuck)
        )
        self.history = [move.keep(problems) for move in self.history]

    def step(self) -> None:
        """One iteration; a problem that finds no way down forgets its history, and is stuck where it had none."""
        pseudo = self._pseudo_gradient()
        direction = self._downwards(pseudo)
        old, gradient = self.theta, self.gradient
        self._search(direction, pseudo)
        still = (self.theta == old).all(3).all(1)
        self.stuck = still & (sum((move.rho for move in self.history), self.objective * 0) == 0)
        if still.any():
            self.history = [move.without(still) for move in self.history]
        self.objective, self.gradient = self._look()
        self.history = remember(self.history, Move.of(self.theta - old, self.gradient - gradient))

    def _downwards(self, pseudo: Tensor) -> Tensor:
        """The direction of L-BFGS, in which a weight of 0 may move against its pseudo-gradient only.

        Where the whole does not lead down, no weight may move otherwise. To ask that of all weights everywhere, as
        Andrew & Gao do, spoils the direction: on correlated features it takes several times as many iterations.
        """
        direction = find_direction(self.history, pseudo, self._first_guess)
        against = direction * pseudo >= 0
        direction = direction.masked_fill((self.theta == 0) & against, 0.0)
        is_up = (_dot(direction, pseudo) >= 0)[:, None, :, None]
        return direction.masked_fill(is_up & against, 0.0)

    def _search(self, direction: Tensor, pseudo: Tensor) -> None:
        """Go down along the direction, within the orthant; a step that is too long is halved, for the problems that
        need it only. What finds no way down stays where it is.
        """
        import torch

        signs = torch.where(self.theta != 0, self.theta.sign(), -pseudo.sign())
        every, found, logits = self.theta, self.theta.clone(), self.logits.clone()
        open_ = torch.arange(every.shape[2], device=every.device)
        size, is_open = torch.ones_like(self.objective), torch.ones_like(self.objective, dtype=torch.bool)
        for _ in range(_HALVINGS):
            theta, d, sign, v, l1, l2 = (
                a.index_select(2, open_) for a in (every, direction, signs, pseudo, self.l1, self.l2)
            )
            trial = theta + size[:, None, open_, None] * d
            trial = trial.where((l1 == 0) | (trial * sign > 0), 0.0)
            reached, before = self.design.forward(trial), self.objective[:, open_]
            value = cross_entropy(reached, self.codes).value + _penalised(trial, l1, l2)
            # single precision leaves noise of this size in the objective
            low = value <= before + 1e-4 * _dot(v, trial - theta) + 5e-7 * before.abs()
            is_new = (low & is_open[:, open_])[:, None, :, None]
            found[:, :, open_] = trial.where(is_new, found[:, :, open_])
            logits[:, :, open_] = reached.where(is_new, logits[:, :, open_])
            is_open[:, open_] &= ~low
            size /= 2
            open_ = is_open.any(0).nonzero().flatten()
            if not len(open_):
                break
        self.theta, self.logits = found, logits

    def _first_guess(self, q: Tensor) -> Tensor:
        scale = self.history[-1].scale() if self.history else self.plain * 0
        return q * scale.where(scale > 0, self.plain)[:, None, :, None]

    def _look(self) -> tuple[Tensor, Tensor]:
        """The objective (layers, problems), and the gradient of all but λ₁·‖W‖₁."""
        loss = cross_entropy(self.logits, self.codes)
        gradient = self.design.backward(loss.residual) + self.l2 * self.theta
        return loss.value + _penalised(self.theta, self.l1, self.l2), gradient

    def _pseudo_gradient(self) -> Tensor:
        """The smallest subgradient of the objective: 0 at the optimum."""
        at_zero = self.gradient.sign() * (self.gradient.abs() - self.l1).clamp(min=0)
        return at_zero.where(self.theta == 0, self.gradient + self.l1 * self.theta.sign())


def _penalised(theta: Tensor, l1: Tensor, l2: Tensor) -> Tensor:
    return (l1 * theta.abs() + l2 / 2 * theta.square()).sum((1, 3))


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum((1, 3))


def _largest_eigenvalue(design: DesignMatrices, like: Tensor) -> float:
    """An upper estimate of the largest eigenvalue of the features' second moments, by power iteration."""
    import torch

    generator = torch.Generator().manual_seed(0)
    vector = torch.rand((design.n_layers, design.n_features + 1, 1, 1), generator=generator).to(like)
    size = vector.new_ones(())
    for _ in range(30):
        vector = vector / vector.square().sum((1, 2, 3), keepdim=True).sqrt()
        vector = design.backward(design.forward(vector))
        size = vector.square().sum((1, 2, 3)).sqrt().max()
    return 1.05 * float(size)
