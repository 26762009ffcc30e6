"""Designs: the feature matrices that a batched linear solver multiplies with, dense over many layers or sparse for one.

A design holds the features of the items; parameters have one row more than there are features, the last for the
intercept. It knows nothing about labels or of losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import Tensor

_SKETCH = 12_000  # rows that are enough for a preconditioner, which need not be exact
_WIDEST = 2048  # features up to which inverting a matrix of them pays


class Preconditioner(Protocol):
    """An approximate inverse of the Hessian, for each layer and problem."""

    def apply(self, q: Tensor) -> Tensor:
        """The inverse times q, of the shape of the parameters."""
        ...

    def keep(self, problems: Tensor) -> Preconditioner:
        """The same for some of the problems only."""
        ...


class DesignMatrices(Protocol):
    """Features of items for a batch of layers; parameters have shape (layers, features + 1, problems, classes)."""

    @property
    def n(self) -> int:
        """How many items there are."""
        ...

    @property
    def n_layers(self) -> int:
        """How many layers are batched."""
        ...

    @property
    def n_features(self) -> int:
        """How many features a layer has."""
        ...

    @property
    def device(self) -> Any:
        """Where the features lie."""
        ...

    def forward(self, theta: Tensor) -> Tensor:
        """Logits of shape (layers, items, problems, classes)."""
        ...

    def backward(self, residual: Tensor) -> Tensor:
        """The mean over items of features times residual: the shape of the parameters."""
        ...

    def first(self, n: int) -> DesignMatrices:
        """The same design with the first n items only."""
        ...

    def preconditioner(self, curvature: Tensor, penalty: Tensor) -> Preconditioner:
        """An approximate inverse of the Hessian curvature · Σ + penalty, for each layer and problem."""
        ...


@dataclass(frozen=True, slots=True)
class DenseDesign:
    """Features of shape (layers, items, features), standardised beforehand."""

    x: Tensor

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.x.shape[1])

    @property
    def n_layers(self) -> int:
        """How many layers are batched."""
        return int(self.x.shape[0])

    @property
    def n_features(self) -> int:
        """How many features a layer has."""
        return int(self.x.shape[2])

    @property
    def device(self) -> Any:
        """Where the features lie."""
        return self.x.device

    def forward(self, theta: Tensor) -> Tensor:
        """Logits: one product for all problems and classes of a layer."""
        flat = theta.flatten(2)
        return (self.x @ flat[:, :-1]).add_(flat[:, -1:]).reshape(*self.x.shape[:2], *theta.shape[2:])

    def backward(self, residual: Tensor) -> Tensor:
        """Features times residual, and its sum for the intercept, over the number of items."""
        import torch

        flat = residual.flatten(2)
        # the narrow side first: the other way round is many times slower on some CPUs
        total = torch.cat([(flat.mT.contiguous() @ self.x).mT, flat.sum(1, keepdim=True)], dim=1)
        return total.div_(self.n).reshape(*total.shape[:2], *residual.shape[2:])

    def first(self, n: int) -> DenseDesign:
        """The first n items."""
        return DenseDesign(self.x[:, :n])

    def preconditioner(self, curvature: Tensor, penalty: Tensor) -> Preconditioner:
        """Inverses of c·Σ + λ from Cholesky factors; Σ is taken from a part of the items. Its diagonal, where it is
        large.
        """
        import torch

        some = self.x[:, :_SKETCH]
        if self.n_features > _WIDEST:
            return _diagonal(some.square().mean(1), curvature, penalty)
        gram = (some.mT @ some).div_(some.shape[1])
        trace = gram.diagonal(dim1=1, dim2=2).sum(1)
        inverses = []
        for problem in range(curvature.shape[1]):
            c = curvature[:, problem]
            # never below what single precision can tell from 0, so that the factors exist
            ridge = (2e-7 * c * trace).clamp(min=max(1e-4, float(penalty[problem])))
            shifted = c[:, None, None] * gram + torch.diag_embed(ridge[:, None].expand(-1, self.n_features))
            inverses.append(torch.cholesky_inverse(torch.linalg.cholesky(shifted)))
        return _Full(torch.stack(inverses, dim=1), curvature)


@dataclass(frozen=True, slots=True)
class SparseDesign:
    """Features of one layer as a sparse matrix (items × features) and its transpose."""

    x: Tensor
    transposed: Tensor

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.x.shape[0])

    @property
    def n_layers(self) -> int:
        """One: sparse features are not batched over layers."""
        return 1

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.x.shape[1])

    @property
    def device(self) -> Any:
        """Where the features lie."""
        return self.x.device

    def forward(self, theta: Tensor) -> Tensor:
        """Logits."""
        flat = theta[0].flatten(1)
        return (self.x @ flat[:-1] + flat[-1:]).reshape(1, self.n, *theta.shape[2:])

    def backward(self, residual: Tensor) -> Tensor:
        """Features times residual, and its sum for the intercept, over the number of items."""
        import torch

        flat = residual[0].flatten(1)
        total = torch.cat([self.transposed @ flat, flat.sum(0, keepdim=True)])
        return total.div_(self.n).reshape(1, self.n_features + 1, *residual.shape[2:])

    def first(self, n: int) -> SparseDesign:
        """All items, since a part of a sparse matrix costs nearly as much as the whole."""
        return self

    def preconditioner(self, curvature: Tensor, penalty: Tensor) -> Preconditioner:
        """The diagonal of the Hessian."""
        import torch

        squares = torch.zeros(self.n_features, device=self.device)
        squares.index_add_(0, self.x.col_indices(), self.x.values() ** 2)
        return _diagonal((squares / self.n)[None], curvature, penalty)


def _diagonal(squares: Tensor, curvature: Tensor, penalty: Tensor) -> _Diagonal:
    """The Hessian's diagonal from the mean squares of the features, shape (layers, features)."""
    import torch

    diagonal = squares[:, :, None] * curvature[:, None] + penalty.clamp(min=1e-6)
    return _Diagonal(torch.cat([diagonal, curvature[:, None]], dim=1)[..., None])


@dataclass(frozen=True, slots=True)
class _Full:
    """Inverses of shape (layers, problems, features, features); the intercept goes by its curvature alone."""

    inverse: Tensor
    curvature: Tensor

    def apply(self, q: Tensor) -> Tensor:
        import torch

        weights = (self.inverse @ q[:, :-1].transpose(1, 2)).transpose(1, 2)
        return torch.cat([weights, q[:, -1:] / self.curvature[:, None, :, None]], dim=1)

    def keep(self, problems: Tensor) -> _Full:
        return _Full(self.inverse.index_select(1, problems), self.curvature.index_select(1, problems))


@dataclass(frozen=True, slots=True)
class _Diagonal:
    """The Hessian's diagonal, shape (layers, features + 1, problems, 1)."""

    diagonal: Tensor

    def apply(self, q: Tensor) -> Tensor:
        return q / self.diagonal

    def keep(self, problems: Tensor) -> _Diagonal:
        return _Diagonal(self.diagonal.index_select(2, problems))


def sparse_design(matrix: Any, device: str = "cpu") -> SparseDesign:
    """The design of a scipy sparse matrix (items × features)."""
    return SparseDesign(sparse_tensor(matrix, device), sparse_tensor(matrix.T, device))


def sparse_tensor(matrix: Any, device: Any = "cpu") -> Tensor:
    """A scipy sparse matrix as a tensor of compressed rows."""
    import warnings

    import torch

    matrix = matrix.tocsr()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype("int64")),
            torch.from_numpy(matrix.indices.astype("int64")),
            torch.from_numpy(matrix.data.astype("float32")),
            size=matrix.shape,
            check_invariants=True,
            device=device,
        )
