"""Logistic regressions of all layers and L2 values solved at once, to the optimum, by preconditioned L-BFGS.

For each layer and each λ: minimise mean cross-entropy + λ/2·‖W‖² (the intercept is free), which is scikit-learn's
problem with C = 1/(λ·n). Two classes have one weight vector, more have one each. All problems of a layer share each
product with its features; the line search moves along the logits and needs none. The start comes from a part of the
items, and so does the first knowledge of the curvature. It does not choose λ and does not standardise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goldproof.jobs.names import named
from goldproof.measures.designs import DesignMatrices, Preconditioner
from goldproof.measures.lbfgs import Move, find_direction, remember

if TYPE_CHECKING:
    from torch import Tensor

_STAGES = (16, 1)  # the first solution is found on a sixteenth of the items
_SMALLEST_STAGE = 4000
_LOGITS = {"cpu": 1 << 27, "cuda": 1 << 30}  # how many logits an iteration may have; it holds five such arrays


@named("measures.Solver")
@dataclass(frozen=True, slots=True)
class Solver:
    """When to stop: `tolerance` is the estimated distance of the objective to its minimum, in nats for each item.

    At the default the likelihood of 100,000 items is within about one nat of its maximum.
    """

    tolerance: float = 1e-5
    max_iterations: int = 200


@dataclass(frozen=True, slots=True)
class Solution:
    """Parameters of shape (layers, features + 1, problems, classes), and how the solver fared.

    `gap` estimates how far each objective is from its minimum, shape (layers, problems).
    """

    theta: Tensor
    gap: Tensor
    n_iterations: int


@dataclass(frozen=True, slots=True)
class LogisticLoss:
    """Mean cross-entropy (layers, problems), residuals like the logits, and mean curvature (layers, problems)."""

    value: Tensor
    residual: Tensor
    curvature: Tensor


def solve_logistic(
    design: DesignMatrices, codes: Tensor, n_classes: int, penalties: Sequence[float], solver: Solver | None = None
) -> Solution:
    """The solutions for every layer of the design and every penalty; `codes` are class numbers, shape (items,)."""
    import torch

    settings = solver or Solver()
    penalty = torch.tensor(list(penalties), dtype=torch.float32, device=design.device)
    shape = (design.n_layers, design.n_features + 1, len(penalty), 1 if n_classes == 2 else n_classes)
    theta = torch.zeros(shape, device=design.device)
    solution = Solution(theta, theta.new_full((shape[0], shape[2]), torch.inf), 0)
    history: list[Move] = []
    for part in _STAGES:
        n = design.n // part
        if part > 1 and (n < _SMALLEST_STAGE or design.first(n) is design):
            continue
        stage = settings if part == 1 else replace(settings, tolerance=settings.tolerance * 10)
        descent = _Descent(design.first(n), codes[:n], penalty, solution.theta, history)
        solution = _minimise(descent, stage, narrow=part == 1)
        history = descent.history
    return solution


def solve_in_parts(
    design: DesignMatrices, codes: Tensor, n_classes: int, penalties: Sequence[float], solver: Solver | None = None
) -> Tensor:
    """The parameters of `solve_logistic`, with so many penalties at once as leave the logits within memory."""
    import torch

    columns = design.n_layers * design.n * (1 if n_classes == 2 else n_classes)
    at_once = max(1, _LOGITS[design.device.type] // columns)
    parts = [penalties[start : start + at_once] for start in range(0, len(penalties), at_once)]
    return torch.cat([solve_logistic(design, codes, n_classes, part, solver).theta for part in parts], dim=2)


def cross_entropy(logits: Tensor, codes: Tensor) -> LogisticLoss:
    """The loss of logits (layers, items, problems, classes) and what its derivatives need; one column is a sigmoid."""
    if logits.shape[-1] == 1:
        return _sigmoid_loss(logits, codes)
    log_p = logits.log_softmax(-1)
    index = codes.view(1, -1, 1, 1).expand(*logits.shape[:3], 1)
    value = -log_p.gather(3, index).squeeze(3).mean(1)
    residual = log_p.exp_()
    curvature = (1 - residual.square().sum(-1)).mean(1) / logits.shape[-1]
    residual.scatter_add_(3, index, residual.new_full((1, 1, 1, 1), -1.0).expand_as(index))
    return LogisticLoss(value, residual, curvature)


def likeliest(logits: Tensor) -> Tensor:
    """The class of the greatest logit (layers, items, problems); one column decides between classes 0 and 1."""
    return (logits > 0).squeeze(3).long() if logits.shape[3] == 1 else logits.argmax(3)


def _sigmoid_loss(logits: Tensor, codes: Tensor) -> LogisticLoss:
    import torch

    target = codes.to(logits.dtype).view(1, -1, 1, 1)
    value = (torch.nn.functional.softplus(logits) - target * logits).squeeze(3).mean(1)
    p = logits.sigmoid()
    curvature = (p * (1 - p)).squeeze(3).mean(1)
    return LogisticLoss(value, p.sub_(target), curvature)


def _minimise(descent: _Descent, solver: Solver, *, narrow: bool) -> Solution:
    """Go down until every problem is at its minimum; `narrow` leaves those out that are."""
    final, gaps = descent.theta.clone(), descent.gap()
    active = list(range(gaps.shape[1]))
    for iteration in range(solver.max_iterations + 1):
        gap = descent.gap()
        final[:, :, active], gaps[:, active] = descent.theta, gap
        open_ = gap > solver.tolerance
        keep = open_.any(0).nonzero().flatten()
        if iteration == solver.max_iterations or len(keep) == 0:
            break
        if narrow and len(keep) < len(active):
            descent.keep(keep)
            active = [active[i] for i in keep.tolist()]
        if not descent.step():
            break
    return Solution(final, gaps, iteration)


class _Descent:
    """The state of L-BFGS over all problems at once; problems are the third axis of every array with classes."""

    def __init__(
        self, design: DesignMatrices, codes: Tensor, penalty: Tensor, theta: Tensor, history: list[Move]
    ) -> None:
        self.design, self.codes, self.theta = design, codes, theta
        self.penalty = penalty
        self.logits = design.forward(theta)
        self.loss = cross_entropy(self.logits, codes)
        self.gradient = self._gradient()
        self.inverse: Preconditioner = design.preconditioner(self.loss.curvature.clamp(min=1e-3), penalty)
        self.history = history
        self.direction = self._direction()

    def gap(self) -> Tensor:
        """Half the decrease that the quadratic model promises: an estimate of the distance to the minimum."""
        return -_dot(self.gradient, self.direction) / 2

    def keep(self, problems: Tensor) -> None:
        """Go on with some of the problems only."""
        self.theta, self.logits, self.gradient, self.direction = (
            a.index_select(2, problems) for a in (self.theta, self.logits, self.gradient, self.direction)
        )
        self.history = [move.keep(problems) for move in self.history]
        self.penalty, self.inverse = self.penalty[problems], self.inverse.keep(problems)
        self.loss = replace(self.loss, value=self.loss.value[:, problems])

    def step(self) -> bool:
        """One iteration; false when no problem can move any more."""
        along = self.design.forward(self.direction)
        slope = _dot(self.gradient, self.direction)
        objective = self.loss.value + self._ridge(self.theta)
        size = objective.new_ones(objective.shape)
        for _ in range(12):
            theta = self.theta + size[:, None, :, None] * self.direction
            logits = self.logits + size[:, None, :, None] * along
            loss = cross_entropy(logits, self.codes)
            found = loss.value + self._ridge(theta)
            # single precision leaves noise of this size in the objective
            bad = ~(found <= objective + 1e-4 * size * slope + 2e-7 * objective.abs())
            if not bad.any():
                break
            size = size.where(~bad, size / 4)
        else:
            size = size.where(~bad, size * 0)
            theta, logits = (
                self.theta + size[:, None, :, None] * self.direction,
                self.logits + size[:, None, :, None] * along,
            )
            loss = cross_entropy(logits, self.codes)
        self._move(theta, logits, loss)
        return bool((size > 0).any())

    def _move(self, theta: Tensor, logits: Tensor, loss: LogisticLoss) -> None:
        old_theta, old_gradient = self.theta, self.gradient
        self.theta, self.logits, self.loss = theta, logits, loss
        self.gradient = self._gradient()
        self.history = remember(self.history, Move.of(theta - old_theta, self.gradient - old_gradient))
        self.direction = self._direction()

    def _gradient(self) -> Tensor:
        gradient = self.design.backward(self.loss.residual)
        gradient[:, :-1] += self.penalty[None, None, :, None] * self.theta[:, :-1]
        return gradient

    def _ridge(self, theta: Tensor) -> Tensor:
        return self.penalty * theta[:, :-1].square().sum((1, 3)) / 2

    def _direction(self) -> Tensor:
        return find_direction(self.history, self.gradient, self.inverse.apply)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum((1, 3))
