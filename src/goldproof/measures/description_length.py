"""Online description length: how many bits it takes to send the labels, given the features (Voita & Titov 2020).

The training items are put in a random order and sent in growing parts; each part is coded with the probe that was
fitted to all parts before it, the first with the uniform code:

    L = n₁·log₂K + Σᵢ Σ_{j in part i+1} −log₂ p(yⱼ | xⱼ; fitted to the first nᵢ)

A probe that needs many items before it predicts well pays for them, so easily read properties give short codes. Every
L2 value makes its own code; the shortest counts, plus log₂ of their number to say which it was. Each code is mixed
with a little of the uniform one (1 part in nᵢ + 1), so that a class not yet seen costs a few bits only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.measures.layers import Layers
from goldproof.measures.logistic import Solver, solve_in_parts
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import L2, PROBING, layer_groups, read_block
from goldproof.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from torch import Tensor

    from goldproof.measures.designs import DenseDesign

SHARES = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class DescriptionLength:
    """For each layer and seed: the bits of the shortest code, shape (layers, seeds); `uniform` is the code without
    features, n·log₂K bits, and `compression` how many times shorter ours is.
    """

    bits: FloatArray
    l2: FloatArray
    uniform: float
    n: int

    @property
    def compression(self) -> FloatArray:
        """Uniform / bits, shape (layers, seeds)."""
        return np.asarray(self.uniform / self.bits)


def description_length(
    layers: Layers,
    task: ProbeTask,
    l2: Sequence[float] = L2,
    seeds: Sequence[int] = (0,),
    shares: Sequence[float] = SHARES,
    *,
    device: str = "cpu",
) -> DescriptionLength:
    """The online code of the training labels for every layer, with logistic probes; a seed draws the order.

    >>> from goldproof.measures.layers import array_layers
    >>> from goldproof.measures.probe_task import probe_task
    >>> rng = np.random.default_rng(0); codes = rng.integers(0, 2, 1000)
    >>> x = rng.normal(size=(1000, 2, 4)); x[:, 1, 0] += 6 * codes
    >>> task = probe_task([str(c) for c in codes], ["train"] * 900 + ["validation"] * 50 + ["test"] * 50)
    >>> found = description_length(array_layers(x), task).compression[:, 0]
    >>> bool(found[0] < 1.05 and found[1] > 3)
    True
    """
    require(PROBING)
    import torch

    n = len(task.train)
    sizes = _sizes(shares, n, task.n_classes)
    bits = np.empty((layers.n_layers, len(l2), len(seeds)))
    for group in layer_groups(layers, task, len(l2), device):
        block = read_block(layers, task, group, device)
        codes = torch.from_numpy(task.codes[task.train[block.order]]).to(block.train.device)
        for place, seed in enumerate(seeds):
            order = torch.from_numpy(np.random.default_rng(seed).permutation(n)).to(block.train.device)
            coded = _code(block.train[:, order], codes[order], task.n_classes, l2, sizes)
            bits[group, :, place] = coded.cpu().numpy()
    best = bits.argmin(axis=1)
    shortest = np.take_along_axis(bits, best[:, None], axis=1)[:, 0] + math.log2(len(l2))
    return DescriptionLength(shortest, np.asarray(l2)[best], n * math.log2(task.n_classes), n)


def _sizes(shares: Sequence[float], n: int, n_classes: int) -> list[int]:
    """How many items there are after each part; parts too small for a probe are left out."""
    if list(shares) != sorted(shares) or not shares or shares[0] <= 0 or shares[-1] != 1.0:
        raise UsageError(f"shares must rise from above 0 to 1; got {list(shares)}")
    smallest = max(16, 2 * n_classes)
    return sorted({min(n, max(smallest, round(share * n))) for share in shares})


def _code(x: Tensor, codes: Tensor, n_classes: int, l2: Sequence[float], sizes: Sequence[int]) -> Tensor:
    """Bits of the whole code: shape (layers, L2 values)."""
    from goldproof.measures.designs import DenseDesign

    design = DenseDesign(x)
    total = x.new_full((x.shape[0], len(l2)), sizes[0] * math.log2(n_classes)).double()
    for seen, upto in pairwise(sizes):
        theta = solve_in_parts(design.first(seen), codes[:seen], n_classes, l2, Solver(tolerance=1e-4))
        total += _bits(DenseDesign(x[:, seen:upto]), codes[seen:upto], theta, n_classes, 1 / (seen + 1))
    return total


def _bits(part: DenseDesign, codes: Tensor, theta: Tensor, n_classes: int, mixed: float) -> Tensor:
    """−log₂ of the mixed probability of each label, summed: shape (layers, L2 values)."""
    logits = part.forward(theta).double()
    if n_classes == 2:
        sign = (2 * codes - 1).view(1, -1, 1)
        p = (logits[..., 0] * sign).sigmoid()
    else:
        index = codes.view(1, -1, 1, 1).expand(*logits.shape[:3], 1)
        p = logits.softmax(-1).gather(3, index)[..., 0]
    return -((1 - mixed) * p + mixed / n_classes).log2().sum(1)
