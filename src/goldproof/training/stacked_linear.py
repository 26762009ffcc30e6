"""Linear layers over a stack of seeds whose weight gradients come out as the optimiser reads them. Imports torch.

Under `torch.func.vmap` the gradient of a weight comes out transposed and must be copied before a fused optimiser takes
it: for BERT-base and six seeds that is a fifth of a step's time on a GPU. `StackedLinear` computes it the right way
round. The numbers are those of `torch.nn.functional.linear`.

With `half`, products are of bfloat16 numbers and their results too, as under torch's autocast.
"""
# mypy: disable-error-code="no-untyped-call, misc"

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.overrides import TorchFunctionMode


class StackedLinear(TorchFunctionMode):
    """Within the block, linear layers with a bias on inputs of three dimensions and more go through `linear`."""

    def __init__(self, *, half: bool = False) -> None:
        super().__init__()
        self.half = half

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Take linear layers over; leave everything else alone."""
        if func is F.linear and not kwargs and len(args) == 3 and args[2] is not None and args[0].ndim == 3:
            return linear(*args, self.half)
        return func(*args, **(kwargs or {}))


@torch.library.custom_op("goldproof::linear", mutates_args=())
def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, half: bool) -> torch.Tensor:
    """x·weightᵀ + bias for x of shape (items, tokens, features)."""
    return F.linear(*(_in_half(tensor, half) for tensor in (x, weight, bias)))


@linear.register_fake
def _(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, half: bool) -> torch.Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=torch.bfloat16 if half else x.dtype)


@linear.register_vmap
def _(info: Any, dims: tuple[Any, ...], x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, half: bool) -> Any:
    stacked = [
        _in_half(tensor.movedim(dim, 0) if dim is not None else tensor.expand(info.batch_size, *tensor.shape), half)
        for tensor, dim in zip((x, weight, bias), dims[:3], strict=True)
    ]
    # Cloned, since a module may change what a layer gave it in place, and the result of an operator must not be.
    return stacked_linear(*(tensor.contiguous() for tensor in stacked)).clone(), 0


def _in_half(tensor: torch.Tensor, half: bool) -> torch.Tensor:
    return tensor.to(torch.bfloat16) if half else tensor


@torch.library.custom_op("goldproof::stacked_linear", mutates_args=())
def stacked_linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """The same for all seeds at once: x (seeds, items, tokens, features), weight (seeds, outputs, features)."""
    rows = x.view(x.shape[0], -1, x.shape[-1])
    return torch.baddbmm(bias[:, None], rows, weight.mT).view(*x.shape[:-1], weight.shape[1])


@stacked_linear.register_fake
def _(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[1]))


def _keep_inputs(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs[:2])


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    x, weight = ctx.saved_tensors
    rows = x.view(x.shape[0], -1, x.shape[-1])
    flat = gradient.reshape(gradient.shape[0], -1, gradient.shape[-1])
    return torch.bmm(flat, weight).view(x.shape), torch.bmm(flat.mT, rows), flat.sum(1)


stacked_linear.register_autograd(_backward, setup_context=_keep_inputs)
