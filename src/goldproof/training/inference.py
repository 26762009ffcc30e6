"""Forward passes of stacked parameters: the module's call, its precision, and logits of many items sorted by length.
Imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.func import functional_call, vmap

from goldproof.jobs.watch import ITEMS, tell
from goldproof.models.protocols import Floats
from goldproof.training.packing import PackedItems, length_batches
from goldproof.training.recipe import Precision
from goldproof.training.stacked_optimizer import Tensors


@dataclass(frozen=True, eq=False)
class PlacedModule:
    """A module placed on a device; its own parameters are never used, only their names."""

    module: torch.nn.Module
    buffers: Tensors
    device: torch.device
    precision: Precision

    def forward(self, parameters: Tensors, batch: Tensors) -> torch.Tensor:
        """The logits of one seed."""
        arguments = (batch["ids"], batch["mask"], batch.get("types"))
        return functional_call(self.module, {**parameters, **self.buffers}, arguments)  # type: ignore[no-any-return]

    def autocast(self) -> AbstractContextManager[Any]:
        """The precision of a forward pass."""
        if self.precision == "bfloat16":
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return nullcontext()


def place_module(module: torch.nn.Module, device: torch.device, precision: Precision) -> PlacedModule:
    """The module with its buffers on the device."""
    return PlacedModule(module, {name: buffer.to(device) for name, buffer in module.named_buffers()}, device, precision)


@torch.no_grad()
def predict_items(placed: PlacedModule, parameters: Tensors, packed: PackedItems, most_tokens: int) -> list[Floats]:
    """Logits of every item in order, each of shape (seeds, outputs) or (seeds, tokens, outputs).

    Items are sorted by length, so that little is padded; `most_tokens` bounds a pass over all seeds.
    """
    n_seeds = len(next(iter(parameters.values())))
    items = tensors_of(packed, placed.device)
    found: list[Floats] = [np.empty(0, np.float32)] * len(packed.lengths)
    was_training = placed.module.training
    placed.module.eval()
    try:
        for chosen in length_batches(packed.lengths, max(1, most_tokens // n_seeds)):
            width = min(packed.ids.shape[1], -(-int(packed.lengths[chosen[0]]) // 8) * 8)
            batch = inputs_of(items, torch.from_numpy(chosen).to(placed.device), width)
            with placed.autocast():
                logits = _forward_stacked(placed, parameters, batch, n_seeds)
            for i, logit in zip(chosen, logits.float().transpose(0, 1).cpu().numpy(), strict=True):
                found[i] = logit
            tell(ITEMS, n_seeds * len(chosen))
    finally:
        placed.module.train(was_training)
    return found


def _forward_stacked(placed: PlacedModule, parameters: Tensors, batch: Tensors, n_seeds: int) -> torch.Tensor:
    if n_seeds == 1:
        return placed.forward({name: tensor[0] for name, tensor in parameters.items()}, batch)[None]
    return vmap(placed.forward, in_dims=(0, None))(parameters, batch)


def inputs_of(items: Mapping[str, torch.Tensor], index: torch.Tensor, width: int) -> Tensors:
    """Ids, mask and types of some items, cut to a width."""
    ids = items["ids"][:, :width][index].long()
    places = torch.arange(width, device=ids.device)
    batch = {"ids": ids, "mask": (places < items["lengths"][index][..., None]).long()}
    if "types" in items:
        batch["types"] = items["types"][:, :width][index].long()
    return batch


def tensors_of(packed: PackedItems, device: torch.device) -> Tensors:
    """Packed items on a device."""
    arrays: dict[str, Any] = {
        "ids": packed.ids,
        "lengths": packed.lengths,
        "hashes": packed.hashes,
        "weights": packed.weights,
    }
    if packed.types is not None:
        arrays["types"] = packed.types
    if packed.labels is not None:
        arrays["labels"] = packed.labels
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
