"""Attention whose dropout can be stateless, registered with transformers under the name "goldproof". Imports torch.

Fused attention draws its dropout inside a kernel and cannot take a mask, so the weights are computed in the open
here. The mask is made without looking at its values, so that it works under `torch.func.vmap` and in a CUDA graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

NAME = "goldproof"


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    **options: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Softmax attention over tensors of shape (items, heads, tokens, features).

    Where several heads share keys and values (grouped-query attention, as many decoders have it), these are repeated.
    """
    shared = query.shape[1] // key.shape[1]
    if shared > 1:
        key, value = key.repeat_interleave(shared, dim=1), value.repeat_interleave(shared, dim=1)
    scaling = options.get("scaling")
    scores = torch.matmul(query, key.transpose(-1, -2)) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if options.get("position_bias") is not None:
        scores = scores + options["position_bias"]
    if attention_mask is not None:
        scores = scores + attention_mask
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype)
    weights = F.dropout(weights, p=options.get("dropout", 0.0), training=module.training)
    return torch.matmul(weights, value).transpose(1, 2).contiguous(), weights


def additive_mask(
    q_length: int,
    kv_length: int,
    mask_function: Callable[..., torch.Tensor],
    attention_mask: torch.Tensor | None = None,
    dtype: torch.dtype = torch.float32,
    **options: Any,
) -> torch.Tensor:
    """Zero where a token may look, the lowest number where it may not; shape (items or 1, 1, queries, keys)."""
    device = options.get("device") if attention_mask is None else attention_mask.device
    queries = torch.arange(q_length, device=device)[None, None, :, None]
    keys = torch.arange(kv_length, device=device)[None, None, None, :]
    zero = torch.zeros(1, 1, 1, 1, dtype=torch.long, device=device)
    allowed = mask_function(zero, zero, queries, keys)
    if attention_mask is not None:
        allowed = allowed & attention_mask.to(torch.bool)[:, None, None, :]
    return torch.zeros((), dtype=dtype, device=device).masked_fill(~allowed, torch.finfo(dtype).min)


def register() -> str:
    """Make the attention known to transformers; gives its name."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, additive_mask)
    return NAME
