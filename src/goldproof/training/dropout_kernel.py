"""The GPU form of `goldproof::keep`: one Triton kernel for a whole mask. Imports torch and, where installed, triton."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any

import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # torch without a GPU comes without it
    triton = None

_BLOCK = 1024
_LARGEST = 1 << 30  # the kernel counts in 32 bits


def takes(keys: torch.Tensor, shape: list[int]) -> bool:
    """Whether there is a kernel that can make a mask of this shape."""
    n_entries = keys.numel()
    for size in shape:
        n_entries *= size
    return triton is not None and 1 <= len(shape) <= 3 and 0 < n_entries < _LARGEST


def keep_mask(keys: torch.Tensor, shape: list[int], start: int, limit: int) -> torch.Tensor:
    """The mask of `goldproof.training.stateless_dropout.keep`; `start` is what the site adds to a key."""
    mask = torch.empty((*keys.shape, *shape), dtype=torch.uint8, device=keys.device)
    size_0, size_1 = [1] * (3 - len(shape)) + list(shape[:-1])
    n_pairs = -(-shape[-1] // 2)
    total = keys.numel() * size_0 * size_1 * n_pairs
    sizes = (total, size_0, size_1, n_pairs, shape[-1])
    grid = (-(-total // _BLOCK),)
    kernel: Any = _keep
    kernel[grid](keys.contiguous(), mask, *sizes, start, limit - 32768, LEVELS=len(shape) - 1, BLOCK=_BLOCK)
    return mask.view(torch.bool)


if triton is not None:

    @triton.jit
    def _mix(x):
        x = x ^ (x >> 15)
        x = x * 0x2C1B3C6D
        x = x ^ (x >> 12)
        x = x * 0x297A2D39
        return x ^ (x >> 15)

    @triton.jit(do_not_specialize=["start"])
    def _keep(
        keys, mask, total, size_0, size_1, n_pairs, n_last, start, lowest, LEVELS: tl.constexpr, BLOCK: tl.constexpr
    ):
        """Two entries for each 32-bit hash; the arithmetic is that of `keep_in_torch`."""
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        valid = at < total
        pair = at % n_pairs
        row = at // n_pairs
        i_1 = row % size_1
        i_0 = (row // size_1) % size_0
        h = (tl.load(keys + row // (size_1 * size_0), mask=valid, other=0) + start).to(tl.uint32, bitcast=True)
        h = _mix(h)
        if LEVELS == 2:
            h = _mix(h + ((i_0 + 1) * 0x1E3779B9).to(tl.uint32, bitcast=True))
        if LEVELS >= 1:
            h = _mix(h + ((i_1 + 1) * 0x1E3779B9).to(tl.uint32, bitcast=True))
        h = _mix(h + ((pair + 1) * 0x1E3779B9).to(tl.uint32, bitcast=True))
        low = (h << 16).to(tl.int32, bitcast=True) >> 16
        high = h.to(tl.int32, bitcast=True) >> 16
        place = mask + row * n_last + pair * 2
        tl.store(place, (low >= lowest).to(tl.uint8), mask=valid)
        tl.store(place + 1, (high >= lowest).to(tl.uint8), mask=valid & (pair * 2 + 1 < n_last))
