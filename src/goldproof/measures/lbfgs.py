"""The memory of L-BFGS for many problems at once: steps, changes of the gradient, and the direction they lead to.

Arrays of parameters have shape (layers, features + 1, problems, classes); every problem has its own coefficients. It
searches along no line and knows no loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_MEMORY = 20  # pairs of steps and changes of the gradient that are kept
_MEMORY_NUMBERS = 1 << 27  # and how many numbers they may have in all
_LONG_LINE = 50_000  # numbers


@dataclass(frozen=True, slots=True)
class Move:
    """A step, the change of the gradient that it brought (layers, problems, numbers), and 1 over their product.

    Each problem's numbers lie together: with few classes, sums over scattered ones cost several times as much.
    """

    step: Tensor
    change: Tensor
    rho: Tensor

    @classmethod
    def of(cls, step: Tensor, change: Tensor) -> Move:
        """From arrays of the shape of the parameters; a product that is not above 0 makes the move of no use."""
        step, change = _lines(step), _lines(change)
        curve = _product(step, change)
        return cls(step, change, (curve > 1e-12) / curve.clamp(min=1e-12))

    def keep(self, problems: Tensor) -> Move:
        """Some of the problems only."""
        return Move(*(array.index_select(1, problems) for array in (self.step, self.change, self.rho)))

    def without(self, problems: Tensor) -> Move:
        """The same move, of no use to these problems (layers, problems)."""
        return Move(self.step, self.change, self.rho.masked_fill(problems, 0.0))

    def scale(self) -> Tensor:
        """The size of the inverse Hessian along the last change (layers, problems); 0 where the move is of no use."""
        squares = _product(self.change, self.change)
        return (self.rho > 0) / (self.rho * squares).clamp(min=1e-30)


def remember(history: Sequence[Move], move: Move) -> list[Move]:
    """The history with one more move, without the oldest ones where it is full."""
    return [*history, move][-max(3, min(_MEMORY, _MEMORY_NUMBERS // (2 * move.step.numel()))) :]


def find_direction(history: Sequence[Move], gradient: Tensor, inverse: Callable[[Tensor], Tensor]) -> Tensor:
    """The two-loop recursion (Nocedal 1980); `inverse` is the first guess of the inverse Hessian."""
    q = _lines(gradient).neg()
    alphas = []
    for move in reversed(history):
        alphas.append(move.rho * _product(move.step, q))
        q.addcmul_(alphas[-1][..., None], move.change, value=-1)
    q = _lines(inverse(_columns(q, gradient)))
    for move, alpha in zip(history, reversed(alphas), strict=True):
        q.addcmul_((alpha - move.rho * _product(move.change, q))[..., None], move.step)
    return _columns(q, gradient)


def _lines(a: Tensor) -> Tensor:
    """Parameters with the numbers of each problem in a line: (layers, problems, features · classes)."""
    return a.transpose(1, 2).flatten(2)


def _columns(lines: Tensor, like: Tensor) -> Tensor:
    """Lines in the shape of the parameters again."""
    layers, features, problems, classes = like.shape
    return lines.view(layers, problems, features, classes).transpose(1, 2).contiguous()


def _product(a: Tensor, b: Tensor) -> Tensor:
    """The product of two lines for each layer and problem."""
    import torch

    # einsum makes no array of the products, which pays for long lines; for short ones its own work costs more
    return torch.einsum("lpn,lpn->lp", a, b) if a.shape[-1] > _LONG_LINE else torch.linalg.vecdot(a, b)
