"""Similarity of representations: all layers of all models against each other at once, on the same items.

`maxcorr` looks at single neurons, `cka` and `procrustes` at whole layers. All but debiased CKA are above 0 for
independent numbers, and the more so the fewer items there are for each feature: at n = 1000 and d = 768 Gaussian
numbers have a plain CKA of 0.43 and a Procrustes similarity of 0.68. So `cka_null`, `maxcorr_null` and
`procrustes_null` say what pairings of items made at random give. A constant neuron correlates with nothing: it counts
as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from goldproof.errors import DataError, UsageError
from goldproof.extras import Need, require
from goldproof.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from torch import Tensor

_BLOCK_BYTES = 256 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Representations:
    """Centred vectors of the same items at several places: a name and an array (items × features) for each."""

    names: tuple[str, ...]
    arrays: tuple[Tensor, ...]

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.arrays[0].shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class PermutationNull:
    """A measure of every pair beside what pairings of items at random give: p-values (Phipson & Smyth 2010), and the
    mean and the 95 % quantile of the null.
    """

    value: FloatArray
    p_value: FloatArray
    mean: FloatArray
    quantile: FloatArray
    n_permutations: int


def representations(named: Sequence[tuple[str, npt.NDArray[Any]]], *, device: str = "cpu") -> Representations:
    """Check and centre the vectors (items × features) of each place; features may differ in number, items may not.

    >>> rng = np.random.default_rng(0)
    >>> places = representations([("a", rng.normal(size=(9, 4))), ("b", rng.normal(size=(9, 5)))])
    >>> cka(places).shape
    (2, 2)
    """
    require(Need("models", "comparing representations"))
    import torch

    if not named:
        raise UsageError("similarity needs at least one place to compare; got none")
    n = len(named[0][1])
    if n < 4:
        raise UsageError(f"similarity needs at least 4 items; got {n}")
    arrays = []
    for name, array in named:
        if array.ndim != 2 or len(array) != n:
            raise UsageError(f"{name} must be {n} items × features, as {named[0][0]} is; got the shape {array.shape}")
        if not np.isfinite(array).all():
            raise DataError(f"the vectors of {name} are not all finite")
        arrays.append(_centre(torch.from_numpy(np.ascontiguousarray(array, np.float32)).to(device)))
    return Representations(tuple(name for name, _ in named), tuple(arrays))


def cka(places: Representations, *, debiased: bool = False) -> FloatArray:
    """Linear CKA of all pairs (Kornblith et al. 2019): ‖YᵀX‖² / (‖XᵀX‖·‖YᵀY‖), X and Y centred.

    Debiased: ⟨Ũ, Ṽ⟩ / (‖Ũ‖·‖Ṽ‖) with the U-centred Gram matrices of Székely & Rizzo (2014), as in Nguyen, Raghu &
    Kornblith (2021); its expectation for independent data is near 0, so it can be negative.

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> places = representations([("x", x), ("2x", 2 * x), ("turned", x[:, ::-1])])
    >>> cka(places).round(4).tolist()[0]
    [1.0, 1.0, 1.0]
    """
    products = _gram_products(places, debiased) if debiased or _few_items(places) else _feature_products(places)
    return _normalised(products)


def cka_null(places: Representations, rng: np.random.Generator, *, n_permutations: int = 100) -> PermutationNull:
    """Debiased CKA against pairings of items made at random: the same permutations serve every pair."""
    import torch

    centred = torch.stack([_u_centre(array @ array.mT) for array in places.arrays])
    flat = centred.flatten(1)
    scale = flat.double().square().sum(1).sqrt().clamp(min=1e-30)
    divide = (scale[:, None] * scale[None]).cpu().numpy()
    value = (_products(flat, flat) / divide).clip(-1, 1)
    draws = np.empty((n_permutations, *value.shape))
    for draw in range(n_permutations):
        order = torch.from_numpy(rng.permutation(places.n)).to(flat.device)
        shuffled = centred[:, order][:, :, order].flatten(1)
        draws[draw] = _products(flat, shuffled) / divide
    return _null(value, draws)


def maxcorr_null(places: Representations, rng: np.random.Generator, *, n_permutations: int = 20) -> PermutationNull:
    """`maxcorr` against pairings of items made at random: the same permutations serve every pair."""
    unit = [_unit_columns(array) for array in places.arrays]
    return _null_of_pairs(unit, _largest_correlations, rng, n_permutations)


def procrustes_null(places: Representations, rng: np.random.Generator, *, n_permutations: int = 20) -> PermutationNull:
    """`procrustes` against pairings of items made at random: the same permutations serve every pair.

    >>> rng = np.random.default_rng(0)
    >>> places = representations([("a", rng.normal(size=(40, 30))), ("b", rng.normal(size=(40, 30)))])
    >>> found = procrustes_null(places, rng)
    >>> round(float(found.value[0, 1]), 2), round(float(found.mean[0, 1]), 2), bool(found.p_value[0, 1] > 0.1)
    (0.67, 0.68, True)
    """
    return _null_of_pairs(_scaled(places), _nuclear_norms, rng, n_permutations)


def maxcorr(places: Representations) -> FloatArray:
    """For row A and column B, the mean over A's neurons of the largest |Pearson| with a neuron of B (Bau et al. 2019).

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> places = representations([("x", x), ("part", x[:, :1])])
    >>> maxcorr(places).round(2)[1].tolist()
    [1.0, 1.0]
    """
    unit = [_unit_columns(array) for array in places.arrays]
    return _table_of_pairs(unit, unit, _largest_correlations)


def procrustes(places: Representations) -> FloatArray:
    """Orthogonal Procrustes similarity ‖XᵀY‖_* / (‖X‖·‖Y‖): 1 for a rotation or a scaling (Ding, Denain & Steinhardt
    2021 use 2 − 2 times this as a distance).

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> procrustes(representations([("x", x), ("3x", 3 * x)])).round(4)[0].tolist()
    [1.0, 1.0]
    """
    scaled = _scaled(places)
    return _table_of_pairs(scaled, scaled, _nuclear_norms)


PairMeasure = Callable[["Tensor", "Tensor"], tuple[float, float]]


def _table_of_pairs(rows: Sequence[Tensor], columns: Sequence[Tensor], measure: PairMeasure) -> FloatArray:
    """A measure of all pairs: place i of the rows with place j ≥ i of the columns gives cell (i, j) and cell (j, i)."""
    found = np.empty((len(rows), len(columns)))
    for i, a in enumerate(rows):
        for j in range(i, len(columns)):
            found[i, j], found[j, i] = measure(a, columns[j])
    return found.clip(0, 1)


def _null_of_pairs(arrays: Sequence[Tensor], measure: PairMeasure, rng: np.random.Generator, n: int) -> PermutationNull:
    import torch

    draws = np.empty((n, len(arrays), len(arrays)))
    for draw in range(n):
        order = torch.from_numpy(rng.permutation(len(arrays[0]))).to(arrays[0].device)
        draws[draw] = _table_of_pairs(arrays, [array[order] for array in arrays], measure)
    return _null(_table_of_pairs(arrays, arrays, measure), draws)


def _null(value: FloatArray, draws: FloatArray) -> PermutationNull:
    at_least = (draws >= value - 1e-12).sum(axis=0)
    return PermutationNull(
        value,
        (1 + at_least) / (1 + len(draws)),
        np.asarray(draws.mean(axis=0)),
        np.quantile(draws, 0.95, axis=0),
        len(draws),
    )


def _largest_correlations(a: Tensor, b: Tensor) -> tuple[float, float]:
    """The mean of each side's largest |correlation| with the other, of columns of length 1."""
    correlations = (a.mT @ b).abs_().clamp_(max=1)
    return float(correlations.amax(1).mean()), float(correlations.amax(0).mean())


def _nuclear_norms(a: Tensor, b: Tensor) -> tuple[float, float]:
    import torch

    found = float(torch.linalg.svdvals(a.mT @ b).sum())
    return found, found


def _scaled(places: Representations) -> list[Tensor]:
    """Arrays of length 1, no wider than there are items."""
    return [_reduced(array / array.square().sum().sqrt().clamp(min=1e-30)) for array in places.arrays]


def _centre(array: Tensor) -> Tensor:
    """Columns with mean 0; one that varies by rounding alone becomes 0."""
    centred = array - array.double().mean(0, keepdim=True).float()
    steady = centred.abs().amax(0) <= 1e-6 * array.abs().amax(0)
    return centred.masked_fill_(steady, 0.0)


def _few_items(places: Representations) -> bool:
    """Whether Gram matrices of items cost less than products of features, counted in multiplications."""
    widths = [array.shape[1] for array in places.arrays]
    pairs = len(widths) * (len(widths) + 1) / 2
    by_items = places.n**2 * (sum(widths) + pairs)
    by_features = places.n * sum(a * b for a in widths for b in widths) / 2
    return by_items <= by_features


def _gram_products(places: Representations, debiased: bool) -> FloatArray:
    """⟨K_i, K_j⟩ of all pairs, from the Gram matrices K = XXᵀ in blocks of rows."""
    import torch

    n, total = places.n, np.zeros((len(places.arrays),) * 2)
    if debiased:
        sums = torch.stack([_row_sums(array) for array in places.arrays])
    rows = max(1, _BLOCK_BYTES // (4 * n * len(places.arrays)))
    for start in range(0, n, rows):
        part = slice(start, min(start + rows, n))
        block = torch.stack([array[part] @ array.mT for array in places.arrays])
        if debiased:
            block = _u_centre_rows(block, sums, part)
        total += _products(block.flatten(1), block.flatten(1))
    return total


def _feature_products(places: Representations) -> FloatArray:
    """‖X_iᵀX_j‖² of all pairs, one row of pairs in one product."""
    import torch

    together = torch.cat(places.arrays, dim=1)
    owner = torch.repeat_interleave(
        torch.arange(len(places.arrays)), torch.tensor([array.shape[1] for array in places.arrays])
    ).to(together.device)
    found = np.empty((len(places.arrays),) * 2)
    for i, array in enumerate(places.arrays):
        squares = (array.mT @ together).square_().sum(0, dtype=torch.float64)
        found[i] = torch.zeros(len(found), dtype=torch.float64, device=owner.device).index_add_(0, owner, squares).cpu()
    return (found + found.T) / 2


def _products(a: Tensor, b: Tensor) -> FloatArray:
    """Products of all rows of a with all rows of b; long sums are split so that single precision is enough."""
    total = np.zeros((len(a), len(b)))
    for start in range(0, a.shape[1], 65_536):
        part = slice(start, start + 65_536)
        total += (a[:, part] @ b[:, part].mT).double().cpu().numpy()
    return total


def _normalised(products: FloatArray) -> FloatArray:
    scale = np.sqrt(np.maximum(np.diag(products), 0))
    divide = np.outer(scale, scale)
    return np.where(divide > 0, products / np.where(divide > 0, divide, 1.0), 0.0).clip(-1, 1)


def _row_sums(array: Tensor) -> Tensor:
    """The sum of each row of the Gram matrix without its diagonal."""
    return array @ array.sum(0) - array.square().sum(1)


def _u_centre_rows(block: Tensor, sums: Tensor, rows: slice) -> Tensor:
    """Rows of the U-centred Gram matrices: off the diagonal K − row − column + all, on it 0."""
    import torch

    n = block.shape[2]
    total = sums.sum(1)[:, None, None] / ((n - 1) * (n - 2))
    block = block - sums[:, rows, None] / (n - 2) - sums[:, None, :] / (n - 2) + total
    at = torch.arange(block.shape[1], device=block.device)
    block[:, at, at + rows.start] = 0
    return block


def _u_centre(gram: Tensor) -> Tensor:
    sums = gram.sum(1) - gram.diagonal()
    return _u_centre_rows(gram[None], sums[None], slice(0, len(gram)))[0]


def _unit_columns(array: Tensor) -> Tensor:
    """Columns of length 1; a column that does not vary stays 0."""
    length = array.square().sum(0).sqrt()
    return array / length.masked_fill(length == 0, float("inf"))


def _reduced(array: Tensor) -> Tensor:
    """Where there are fewer items than features, Rᵀ of Xᵀ = QR: products keep their singular values and are smaller."""
    import torch

    if array.shape[0] >= array.shape[1]:
        return array
    factor: Tensor = torch.linalg.qr(array.mT, mode="r").R
    return factor.mT
