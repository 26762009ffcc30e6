"""Stateless dropout in torch: masks from a hash of (seed, step, site, item, position). Imports torch.

`StatelessDropout` stands in for every dropout that a module calls, by position in the forward pass, and needs no
change of the module. Masks come from one operator, `goldproof::keep`, which takes a leading dimension of seeds under
`torch.func.vmap`; on a GPU it is one kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.overrides import TorchFunctionMode

from goldproof.models.heads import shared_dropout
from goldproof.training import dropout_kernel
from goldproof.training.randomness import FACTORS, GOLDEN, SHIFTS, threshold


def mix_(x: torch.Tensor) -> torch.Tensor:
    """`goldproof.training.randomness.mix` in place on int32; the shifts are made logical by a mask."""
    for shift, factor in zip(SHIFTS, (*FACTORS, None), strict=True):
        x.bitwise_xor_((x >> shift).bitwise_and_((1 << (32 - shift)) - 1))
        if factor is not None:
            x.mul_(factor)
    return x


@torch.library.custom_op("goldproof::mixed", mutates_args=())
def mixed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """mix(a ^ mix(b + GOLDEN)) of int32 tensors; an operator of its own, so that compilers leave its wrapping alone."""
    return mix_(a ^ mix_(b + GOLDEN))


@mixed.register_fake
def _(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(a ^ b)


@mixed.register_vmap
def _(info: Any, dims: tuple[Any, ...], a: torch.Tensor, b: torch.Tensor) -> Any:
    """The dimension of seeds first; dimensions of size 1 after them let the rest broadcast."""
    ranks = [t.ndim - (dim is not None) for t, dim in zip((a, b), dims, strict=True)]
    stacked = []
    for t, dim, rank in zip((a, b), dims, ranks, strict=True):
        moved = t[None] if dim is None else t.movedim(dim, 0)
        stacked.append(moved.reshape(moved.shape[0], *[1] * (max(ranks) - rank), *moved.shape[1:]))
    return mixed(*stacked), 0


def step_key(seed: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    """The key of one seed's step: int32, no dimensions."""
    key: torch.Tensor = mixed(seed, step.to(torch.int32))
    return key


def item_keys(key: torch.Tensor, items: torch.Tensor) -> torch.Tensor:
    """The keys of a step's items: int32 of shape (items,)."""
    keys: torch.Tensor = mixed(key, items)
    return keys


@torch.library.custom_op("goldproof::keep", mutates_args=())
def keep(keys: torch.Tensor, shape: list[int], site: int, limit: int) -> torch.Tensor:
    """Which entries dropout keeps: bool of shape (*keys.shape, *shape); `limit` is the probability of zero in 65536ths.

    With h = mix(key + site * GOLDEN), then h = mix(h + (i + 1) * GOLDEN) for each coordinate i but the last, entry j
    is kept when the (j mod 2)-th 16 bits of mix(h + (j div 2 + 1) * GOLDEN), read as signed, are at least limit -
    32768.
    """
    if keys.is_cuda and dropout_kernel.takes(keys, shape):
        return dropout_kernel.keep_mask(keys, shape, _wrapped(site * GOLDEN), limit)
    return keep_in_torch(keys, shape, site, limit)


def keep_in_torch(keys: torch.Tensor, shape: list[int], site: int, limit: int) -> torch.Tensor:
    """The definition of `keep`, on any device."""
    h = mix_(keys + _wrapped(site * GOLDEN))
    for size in shape[:-1]:
        h = mix_(h[..., None] + _coordinates(size, keys.device))
    words = mix_(h[..., None] + _coordinates(-(-shape[-1] // 2), keys.device))
    return words.view(torch.int16)[..., : shape[-1]] >= limit - 32768


def _coordinates(size: int, device: torch.device) -> torch.Tensor:
    return (torch.arange(1, size + 1, device=device, dtype=torch.int32)).mul_(GOLDEN)


def _wrapped(value: int) -> int:
    """The number as a signed 32-bit one."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


@keep.register_fake
def _(keys: torch.Tensor, shape: list[int], site: int, limit: int) -> torch.Tensor:
    return keys.new_empty((*keys.shape, *shape), dtype=torch.bool)


@keep.register_vmap
def _(info: Any, dims: tuple[Any, ...], keys: torch.Tensor, shape: list[int], site: int, limit: int) -> Any:
    return keep(keys.movedim(dims[0], 0), shape, site, limit), 0


class StatelessDropout(TorchFunctionMode):
    """Within the block, every dropout draws its mask from the keys; sites are numbered as they are met.

    `keys` has one entry for each item of the batch, `key` none. `p` replaces the probability of every site unless None.
    Layers that would be skipped at random (LayerDrop) are kept.
    """

    def __init__(self, key: torch.Tensor, keys: torch.Tensor, p: float | None) -> None:
        super().__init__()
        self.key = key
        self.keys = keys
        self.p = p
        self.site = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Take dropout over; leave everything else alone."""
        if func is F.dropout:
            return self._drop(self.keys, *args, **(kwargs or {}))
        if func is shared_dropout:
            return self._drop(self.key, *args, **(kwargs or {}))
        if func is torch.rand:
            return torch.ones(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def _drop(
        self,
        keys: torch.Tensor,
        input: torch.Tensor,  # noqa: A002
        p: float = 0.5,
        training: bool = True,
        inplace: bool = False,
    ) -> torch.Tensor:
        self.site += 1
        limit = threshold(p if self.p is None else self.p)
        if not training or limit == 0:
            return input
        if input.shape[: keys.ndim] != keys.shape:
            raise ValueError(f"dropout site {self.site} has shape {tuple(input.shape)}, not one row for each item")
        kept = keep(keys, list(input.shape[keys.ndim :]), self.site, limit)
        return torch.where(kept, input * (65536 / (65536 - limit)), 0.0)
