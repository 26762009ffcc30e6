"""Linear layers over stacked seeds give the numbers of torch's own, and their weight gradients need no copy."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.func import vmap

from goldproof.training.stacked_linear import StackedLinear

pytestmark = pytest.mark.needs("models")


def gradients(with_mode: bool) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x, weight, bias = (
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for shape in ((3, 4, 5, 6), (3, 7, 6), (3, 7))
    )

    def loss(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        if not with_mode:
            return F.linear(x, weight, bias).tanh().sum()
        with StackedLinear():
            return F.linear(x, weight, bias).tanh().sum()

    losses = vmap(loss)(x, weight, bias)
    return [losses, *torch.autograd.grad(losses.sum(), [x, weight, bias])]


def test_the_numbers_are_torchs() -> None:
    for ours, theirs in zip(gradients(True), gradients(False), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_weight_gradients_are_laid_out_as_the_weights_are() -> None:
    assert gradients(True)[2].is_contiguous()


def half_gradients(with_mode: bool) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x, weight, bias = (
        torch.randn(shape, generator=generator).requires_grad_() for shape in ((3, 4, 5, 16), (3, 7, 16), (3, 7))
    )

    def loss(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        with StackedLinear(half=True) if with_mode else nullcontext():
            return F.linear(x, weight, bias).float().tanh().sum()

    with torch.autocast("cpu", dtype=torch.bfloat16):
        losses = vmap(loss)(x, weight, bias)
    return [losses, *torch.autograd.grad(losses.sum(), [x, weight, bias])]


def test_in_half_precision_the_numbers_are_those_of_autocast() -> None:
    for ours, theirs in zip(half_gradients(True), half_gradients(False), strict=True):
        assert ours.dtype == theirs.dtype == torch.float32
        torch.testing.assert_close(ours, theirs, rtol=0.02, atol=0.02)
    assert half_gradients(True)[2].is_contiguous()


def test_without_lanes_it_is_the_plain_layer() -> None:
    x, weight, bias = torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(5)
    with StackedLinear():
        torch.testing.assert_close(F.linear(x, weight, bias), torch.nn.functional.linear(x, weight, bias))
