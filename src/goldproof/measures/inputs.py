"""Inputs: what the first layer of a perceptron multiplies with, dense features of many layers or sparse ones of one.

It knows nothing about labels, of losses or of the layers above; `goldproof.measures.designs` does the same for linear
solvers, whose products have an intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from goldproof.measures.designs import sparse_tensor

if TYPE_CHECKING:
    from torch import Tensor


class Inputs(Protocol):
    """Features of items; weights have shape (layers, features, columns)."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Layers, items, features."""
        ...

    @property
    def device(self) -> Any:
        """Where products are taken."""
        ...

    def take(self, rows: Tensor | slice) -> Inputs:
        """Some of the items."""
        ...

    def times(self, weights: Tensor) -> Tensor:
        """Features times weights: (layers, items, columns)."""
        ...

    def back(self, gradient: Tensor) -> Tensor:
        """The gradient by the weights, from the gradient by the product."""
        ...


@dataclass(frozen=True, slots=True)
class DenseInputs:
    """Features of shape (layers, items, features)."""

    x: Tensor

    @property
    def shape(self) -> tuple[int, int, int]:
        """Layers, items, features."""
        n_layers, n_items, n_features = self.x.shape
        return n_layers, n_items, n_features

    @property
    def device(self) -> Any:
        """Where the features lie."""
        return self.x.device

    def take(self, rows: Tensor | slice) -> DenseInputs:
        """Some of the items."""
        return DenseInputs(self.x[:, rows])

    def times(self, weights: Tensor) -> Tensor:
        """Features times weights."""
        return self.x @ weights

    def back(self, gradient: Tensor) -> Tensor:
        """The gradient by the weights."""
        return self.x.mT @ gradient


@dataclass(frozen=True, slots=True)
class SparseInputs:
    """A scipy sparse matrix (items × features), as one layer."""

    matrix: Any
    device: Any = "cpu"

    @property
    def shape(self) -> tuple[int, int, int]:
        """Layers, items, features."""
        n_items, n_features = self.matrix.shape
        return 1, n_items, n_features

    def take(self, rows: Tensor | slice) -> SparseInputs:
        """Some of the items."""
        return SparseInputs(self.matrix[rows if isinstance(rows, slice) else rows.cpu().numpy()], self.device)

    def times(self, weights: Tensor) -> Tensor:
        """Features times weights."""
        return (sparse_tensor(self.matrix, self.device) @ weights[0])[None]

    def back(self, gradient: Tensor) -> Tensor:
        """The gradient by the weights."""
        return (sparse_tensor(self.matrix.T, self.device) @ gradient[0])[None]
